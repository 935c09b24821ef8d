#!/bin/sh
# wheel.sh OUT: the Python package with the command inside, into the folder OUT. make wheel calls it.
set -eu
out=$1; mkdir -p "$out"; out=$(cd "$out" && pwd)
stage=$(mktemp -d); trap 'rm -rf "$stage"' EXIT
CGO_ENABLED=1 GOOS=linux GOARCH=amd64 CC="$ZIG cc -target x86_64-linux-gnu.2.28" \
	"${GO:-go}" build -trimpath -buildvcs=true -ldflags "-s -w" -o "$stage/riffle" ./cmd/riffle
# v1.2.3 is 1.2.3; a build between versions, such as v1.2.4-0.20260102030405-0123456789ab, 1.2.4.dev20260102030405.
version=$("$stage/riffle" version --json | sed -n 's/.*"version": "\(.*\)",/\1/p' |
	sed -e 's/^v//' -e 's/-\(0\.\)\{0,1\}\([0-9]\{14\}\)-[0-9a-f]*/.dev\2/' -e 's/^devel$/0.0.0/')
cp -r python "$stage/source" && cp LICENSE "$stage/source/"
RIFFLE_BINARY="$stage/riffle" RIFFLE_VERSION=$version RIFFLE_PLATFORM=manylinux_2_28_x86_64 \
	"${PYTHON:-python3}" -m pip wheel --quiet --no-deps -w "$out" "$stage/source"
ls "$out"/riffle_ml-*.whl
