# Of scripts that fetch a package of Python once into a folder of the user: sourced by cmake/build-*.sh and `dev`.

cache=${XDG_CACHE_HOME:-$HOME/.cache}/amdahlc

say() { printf '%s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

# Prints a python3 that has pip: that of the variable PYTHON, which runs the build, Debian's, or another one. A python3 in
# front of Debian's may have none.
python_with_pip() {
  local python
  for python in ${PYTHON:+"$PYTHON"} /usr/bin/python3 python3; do
    if "$python" -m pip --version > /dev/null 2>&1; then
      printf '%s\n' "$python"
      return
    fi
  done
  die "no python3 with pip; run \`./dev setup\`"
}

# fetch_source NAME VERSION SHA256 FOLDER [MEMBER]: extracts the source distribution of a package, or a part of it, into
# FOLDER as NAME-VERSION. Debian's pip may not install, but it may download.
fetch_source() {
  local archive=$4/$1-$2.tar.gz python
  python=$(python_with_pip)
  "$python" -m pip download --quiet --disable-pip-version-check --no-deps --no-binary "$1" --dest "$4" "$1==$2" >&2 ||
    die "$1 $2 could not be downloaded; the first build needs the network"
  echo "$3  $archive" | sha256sum --check --quiet >&2 || die "the archive of $1 $2 has another checksum than expected"
  tar -xzf "$archive" -C "$4" "$1-$2${5:+/$5}"
}
