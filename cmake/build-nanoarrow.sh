#!/usr/bin/env bash
# Fetches the C sources of nanoarrow once, of its Python source distribution, and prints their folder on stdout. A second
# call finds the folder and prints it at once, without network. Run by cmake/nanoarrow.cmake.
set -euo pipefail

readonly version=0.9.0
readonly sha256=1ce15bbed8532839347faa78824c5dbd3769bff60661003e34c6fba5dd881bd3

cache=${XDG_CACHE_HOME:-$HOME/.cache}/amdahlc
readonly folder=$cache/nanoarrow-$version

say() { printf '%s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

if [ ! -d "$folder" ]; then
  mkdir -p "$cache"
  work=$(mktemp -d "$cache/fetching.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  say "fetching nanoarrow $version once into $folder"
  for python in /usr/bin/python3 python3 ''; do
    if [ -n "$python" ] && "$python" -m pip --version > /dev/null 2>&1; then break; fi
  done
  [ -n "$python" ] || die "no python3 with pip; run \`./dev setup\`"
  "$python" -m pip download --quiet --disable-pip-version-check --no-deps --no-binary nanoarrow --dest "$work" "nanoarrow==$version" >&2 ||
    die "nanoarrow $version could not be downloaded; the first build needs the network"
  archive=$work/nanoarrow-$version.tar.gz
  echo "$sha256  $archive" | sha256sum --check --quiet >&2 || die "the archive of nanoarrow $version has another checksum than expected"
  tar -xzf "$archive" -C "$work" "nanoarrow-$version/subprojects/arrow-nanoarrow/src"
  # Of two runs at once the one that ends later keeps what is there.
  mv -T "$work/nanoarrow-$version/subprojects/arrow-nanoarrow/src" "$folder" 2> /dev/null || [ -d "$folder" ] || die "$folder cannot be written"
fi
printf '%s\n' "$folder"
