#!/bin/sh
# image.sh BINARY OUT: the image that Containerfile describes, as an archive for podman load and docker load.
# The format is Docker's, since OCI's has no health check.
set -eu
context=$(mktemp -d); trap 'rm -rf "$context"' EXIT
cp "$1" "$context/riffle"
git archive HEAD models LICENSE | tar -C "$context" -x
chmod -R a+rX "$context"
export STORAGE_DRIVER=${STORAGE_DRIVER:-vfs} BUILDAH_ISOLATION=${BUILDAH_ISOLATION:-chroot}
buildah bud --quiet --format docker --timestamp "$(git log -1 --format=%ct)" -f Containerfile -t riffle "$context" >/dev/null
rm -f "$2"
buildah push --quiet riffle "docker-archive:$2:riffle:latest"
echo "$2"
