#!/bin/sh
# dist.sh OUT: what people download, into the folder OUT. make dist calls it: GO, ZIG and the variables
# that the Makefile exports say what it builds with.
set -eu
out=$1; GO=${GO:-go}
stage=$(mktemp -d); trap 'rm -rf "$stage"' EXIT
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct); export SOURCE_DATE_EPOCH # of manual pages and archives
mkdir -p "$out" "$stage/man" "$stage/completions"

# compile FILE: without paths and symbols, so that the same source gives the same bytes.
compile() { "$GO" build -trimpath -buildvcs=true -ldflags "-s -w" -o "$1" ./cmd/riffle; }

# What is the same everywhere is made by the command itself.
CGO_ENABLED=0 compile "$stage/here"
version=$("$stage/here" version --json | sed -n 's/.*"version": "\(.*\)",/\1/p')
"$stage/here" docs man "$stage/man"
for shell in bash zsh fish powershell; do "$stage/here" completion "$shell" > "$stage/completions/riffle.$shell"; done

# pack NAME: an archive of what is in the folder of that name.
pack() {
	cp -r LICENSE README.md "$stage/man" "$stage/completions" "$stage/$1/"
	case $1 in
	*windows*) (cd "$stage" && python3 -m zipfile -c "$1.zip" "$1") && mv "$stage/$1.zip" "$out/" ;;
	*) tar -C "$stage" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -czf "$out/$1.tar.gz" "$1" ;;
	esac
	echo "$out/$1"
}

for target in linux/amd64 linux/arm64 darwin/arm64 darwin/amd64 windows/amd64; do
	os=${target%/*} arch=${target#*/}; name=riffle-$version-$os-$arch; suffix=
	[ "$os" = windows ] && suffix=.exe
	mkdir "$stage/$name"
	CGO_ENABLED=0 GOOS=$os GOARCH=$arch compile "$stage/$name/riffle$suffix"
	pack "$name"
done

# The one that opens XLA plugins needs glibc, of 2018 or later, by the C compiler of the package ziglang.
name=riffle-$version-linux-amd64-xla
mkdir "$stage/$name"
CGO_ENABLED=1 GOOS=linux GOARCH=amd64 CC="$ZIG cc -target x86_64-linux-gnu.2.28" compile "$stage/$name/riffle"
pack "$name"

# The image has the static binary and the models.
mkdir "$stage/image"
tar -C "$stage/image" --strip-components=1 -xzf "$out/riffle-$version-linux-amd64.tar.gz"
if command -v buildah >/dev/null; then
	tools/image.sh "$stage/image/riffle" "$out/riffle-$version-image.tar"
else
	echo "no buildah: the image is left out" >&2
fi
(cd "$out" && sha256sum riffle-"$version"-* > SHA256SUMS)
