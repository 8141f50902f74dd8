#!/usr/bin/env bash
# check_install.sh BUILD: what `cmake --install` writes works by itself: the installed command finds the rules beside
# it, needs no library but the system's, and reports the same as the one in the build folder. Another project links the
# installed components, and they do what the command does.
set -euo pipefail
build=$(readlink -f "$1")
source=$(readlink -f "$(dirname "$0")/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
installed=$prefix/bin/amdahlc
rules=$prefix/share/amdahlc/rules

fail() { printf 'install: %s\n' "$*" >&2; exit 1; }

cmake --install "$build" --prefix "$prefix" > "$work/log" || { cat "$work/log" >&2; fail "cmake --install failed"; }
[ -x "$installed" ] || fail "no command at bin/amdahlc"
"$installed" -version > /dev/null || fail "the installed command does not start"

(cd "$source/rules" && find . -name '*.akp' | sort) > "$work/source-rules"
(cd "$rules" && find . -name '*.akp' | sort) > "$work/installed-rules"
[ -s "$work/source-rules" ] || fail "no rules in the source tree"
diff "$work/source-rules" "$work/installed-rules" || fail "the installed rules are not those of the source tree"
for file in "$source"/hardware/*.yaml; do
  cmp "$file" "$prefix/share/amdahlc/hardware/${file##*/}" || fail "the installed descriptions of hardware are not those of the source tree"
done

for tool in "$source"/tools/*.py; do
  "$prefix/share/amdahlc/tools/${tool##*/}" --help | cmp - <("$tool" --help) || fail "the installed ${tool##*/} is not that of the source tree"
done

for printed in -help=man-page=man/man1/amdahlc.1 -help=completion-bash=bash-completion/completions/amdahlc \
  -help=completion-zsh=zsh/site-functions/_amdahlc -help=completion-fish=fish/vendor_completions.d/amdahlc.fish; do
  "$installed" "${printed%=*}" | cmp - "$prefix/share/${printed##*=}" || fail "${printed##*=} is not what ${printed%=*} prints"
done

# A library that exists in the installed tree alone: found by the installed command, unknown to the other.
first=$(cd "$source/rules" && ls -- *.akp | head -n 1)
cp "$rules/$first" "$rules/installed-only.akp"
cd "$work"
"$installed" -check-rules -rules=installed-only || fail "the installed command does not find the rules beside it"
if "$build/bin/amdahlc" -check-rules -rules=installed-only 2> /dev/null; then
  fail "the command in the build folder finds the rules of an installed tree"
fi
rm "$rules/installed-only.akp"

if ldd "$installed" | grep -E 'not found|=> /(home|root|opt|tmp|usr/local)/'; then
  fail "the installed command needs a library that is not the system's"
fi

job=(-passes=default -hardware=h100-sxm -trace="$source/examples/encoder.trace.json.gz" "$source/examples/encoder.onnx")
"$installed" "${job[@]}" -emit=json=installed.json || fail "the installed command fails on the bundled example"
"$build/bin/amdahlc" "${job[@]}" -emit=json=built.json || fail "the built command fails on the bundled example"
cmp installed.json built.json || fail "the installed command reports something else than the built one"
# The same compiler and build type: a static library of another one may not link.
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
consumer() { cmake "$@" > "$work/log" 2>&1 || { tail -n 30 "$work/log" >&2; fail "another project cannot use the CMake package"; }; }
consumer -S "$source/tests/install/consumer" -B "$work/consumer" -G "$(cached CMAKE_GENERATOR)" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$(cached CMAKE_CXX_COMPILER)" -DCMAKE_BUILD_TYPE="$(cached CMAKE_BUILD_TYPE)"
if grep -rqF "$source" "$prefix/lib"*/cmake/amdahlc; then fail "the CMake package names the source tree"; fi
consumer --build "$work/consumer"
"$work/consumer/totals" "$source/examples/encoder.trace.json.gz" > totals || fail "another project cannot read a trace"
"$installed" -emit=json "$source/examples/encoder.trace.json.gz" | python3 -c 'import json, sys; print(json.load(sys.stdin)["runs"][0]["trace"]["busy_ns"])' | cmp - totals || fail "another project gets other totals"
"$work/consumer/operators" "$source/examples/encoder.onnx" > operators || fail "another project cannot import a model"
"$installed" -passes= "$source/examples/encoder.onnx" | cmp - operators || fail "another project gets another module"
if nm -D --defined-only --demangle "$work/consumer/libextension.so" | grep -E '^[0-9a-f]+ . amdahlc::'; then fail "a shared object gives the symbols of components to others"; fi
example=("$source/examples/encoder.onnx" "$source/examples/encoder.trace.json.gz")
"$work/consumer/report" "${example[@]}" "$prefix/share/amdahlc" > report || fail "another project cannot analyse a run"
"$installed" -emit=json -trace="${example[1]}" "${example[0]}" | cmp - report || fail "another project gets another report"
if "$work/consumer/report" "$source/LICENSE" "${example[1]}" "$prefix/share/amdahlc" 2> errors; then fail "another project analyses a model that is none"; fi
grep -q 'error\[input-kind\]' errors || fail "another project gets no message about its model"
if "$work/consumer/totals" "$source/LICENSE" 2> errors; then fail "another project reads a trace that is none"; fi
grep -q 'error\[' errors || fail "another project gets no message"

echo "install: $(wc -l < "$work/installed-rules") rule files, command runs from $(basename "$prefix")/bin"
