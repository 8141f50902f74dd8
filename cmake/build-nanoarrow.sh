#!/usr/bin/env bash
# Fetches the C sources of nanoarrow once, of its Python source distribution, and prints their folder on stdout. A second
# call finds the folder and prints it at once, without network. Run by cmake/nanoarrow.cmake.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/fetch.sh"

readonly version=0.9.0
readonly sha256=1ce15bbed8532839347faa78824c5dbd3769bff60661003e34c6fba5dd881bd3
readonly folder=$cache/nanoarrow-$version
readonly sources=subprojects/arrow-nanoarrow/src

if [ ! -d "$folder" ]; then
  mkdir -p "$cache"
  work=$(mktemp -d "$cache/fetching.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  say "fetching nanoarrow $version once into $folder"
  fetch_source nanoarrow $version $sha256 "$work" $sources
  # Of two runs at once the one that ends later keeps what is there.
  mv -T "$work/nanoarrow-$version/$sources" "$folder" 2> /dev/null || [ -d "$folder" ] || die "$folder cannot be written"
fi
printf '%s\n' "$folder"
