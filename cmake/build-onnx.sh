#!/usr/bin/env bash
# Builds ONNX once, as a static library against the protobuf of the system, and prints the folder that it was installed
# to on stdout (everything else goes to stderr). A second call finds the folder and prints it at once, without network.
#
# Why not a Debian package: Debian 12 ships 1.12, which knows opsets up to 17 and cannot read per-node metadata. The
# Python source distribution of the same release holds the whole C++ library.
# The folder is outside of every build folder, so that removing a build does not cost two minutes, and its name says what
# it was built with: version, compiler, protobuf and options. Run by cmake/onnx.cmake; CXX and CMAKE name the tools.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/fetch.sh"

readonly version=1.23.2
readonly sha256=008cb0467b2bbee41448acc7da8b6f4e704624cb0d327a2d5adafc7ce19bc5b8
readonly options=(
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_STANDARD=17 -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_INSTALL_LIBDIR=lib
  -DBUILD_SHARED_LIBS=OFF -DONNX_BUILD_PYTHON=OFF -DONNX_BUILD_TESTS=OFF -DONNX_USE_PROTOBUF_SHARED_LIBS=ON
)

compiler=${CXX:-c++}
cmake=${CMAKE:-cmake}
# Messages of ONNX have names of its files, which would be those of the folder that it is built in.
sources() { printf '%s\n' "-DCMAKE_CXX_FLAGS=-ffile-prefix-map=$1/="; }

# The same inputs give the same name; anything that changes the binary interface gives another.
key=$({ "$compiler" --version | sed -n '1s/^[^ ]* //p'; protoc --version; printf '%s\n' "${options[@]}" "$(sources '')"; } | sha256sum | cut -c 1-12)
readonly prefix=$cache/onnx-$version-$key

if [ -d "$prefix" ]; then
  printf '%s\n' "$prefix"
  exit 0
fi

mkdir -p "$cache"
exec 9> "$cache/onnx.lock"
flock 9 # two configures may start together; the second waits and finds the folder
if [ -d "$prefix" ]; then
  printf '%s\n' "$prefix"
  exit 0
fi

work=$(mktemp -d "$cache/building.XXXXXX")
trap 'rm -rf "$work"' EXIT

say "building ONNX $version once into $prefix (about two minutes)"
fetch_source onnx $version $sha256 "$work" 9>&-
# The sources ask for CMake 3.26, Debian 12 has 3.25; nothing in them that this build uses came with 3.26.
sed -i 's/^cmake_minimum_required(VERSION 3.26)/cmake_minimum_required(VERSION 3.25)/' "$work/onnx-$version/CMakeLists.txt"

run() { # shows a tool's output only when it fails
  "$@" > "$work/log" 2>&1 9>&- || { tail -n 40 "$work/log" >&2; die "ONNX $version could not be built"; }
}
if command -v ccache > /dev/null; then launcher=-DCMAKE_CXX_COMPILER_LAUNCHER=ccache; fi
run "$cmake" -S "$work/onnx-$version" -B "$work/build" -G Ninja "${options[@]}" "$(sources "$work")" ${launcher:+"$launcher"} \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_INSTALL_PREFIX="$prefix"
run nice "$cmake" --build "$work/build"
# Installed beside the final place and renamed: an interrupted build leaves nothing that looks finished. The exported
# targets find their files relative to themselves.
DESTDIR=$work/root run "$cmake" --install "$work/build"
mv "$work/root$prefix" "$prefix"
say "built ONNX $version"
printf '%s\n' "$prefix"
