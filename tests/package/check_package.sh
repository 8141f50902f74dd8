#!/usr/bin/env bash
# check_package.sh FOLDER DEB TARBALL OPTION...: both packages install and run on a system that has nothing else: a bare
# Debian of the release that this machine runs, made once in FOLDER by debootstrap. OPTION... is a run of the command on
# the bundled example that writes to build/demo. Needs root, for chroot.
set -euo pipefail
folder=$(mkdir -p "$1" && readlink -f "$1") deb=$(readlink -f "$2") tarball=$(readlink -f "$3")
shift 3
options=("$@")
source=$(readlink -f "$(dirname "$0")/../..")
readonly base=$folder/base

say() { printf 'package: %s\n' "$*"; }
fail() { printf 'package: %s\n' "$*" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || fail "a bare system is entered by chroot, which needs root"

# inside ROOT COMMAND...: runs a command in a system, with the variables of a plain login.
inside() {
  local root=$1
  shift
  chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/nowhere LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

# The command finds its rules by /proc/self/exe.
mounted=()
leave() { local root; for root in "${mounted[@]}"; do umount "$root/proc" || true; done; }
trap leave EXIT

# system NAME: a fresh copy of the bare system, in $root.
system() {
  root=$folder/$1
  # A run that was killed has left it mounted.
  ! mountpoint --quiet "$root/proc" || umount "$root/proc"
  rm -rf --one-file-system "$root"
  cp -a "$base" "$root"
  mount -t proc proc "$root/proc"
  mounted+=("$root")
  # What apt needs to reach its mirror is that of this machine.
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  apt-config dump Acquire | grep -E '^Acquire::(https?::Proxy|Check-Valid-Until) ' > "$root/etc/apt/apt.conf.d/99host" || true
  cp -a "$source/examples" "$root/examples"
  mkdir -p "$root/build/demo"
}

# run COMMAND: the demo in $root, and its outputs against the golden.
run() {
  inside "$root" "$@" "${options[@]}" > "$root/build/demo/summary.txt" || fail "the command fails on the bundled example"
  "$source/tests/demo/check_demo.py" "$root/build/demo" || fail "the installed command reports something else"
}

if [ ! -e "$base/.complete" ]; then
  release=$(. /etc/os-release && echo "$VERSION_CODENAME")
  mirror=$(apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
    sed -n "s/^$release main //p" | head -n 1)
  say "making a bare $release"
  rm -rf "$base"
  debootstrap --variant=minbase "$release" "$base" ${mirror:+"$mirror"} > "$folder/debootstrap.log" ||
    { tail -n 20 "$folder/debootstrap.log" >&2; fail "debootstrap failed"; }
  touch "$base/.complete"
fi

say "installing $(basename "$deb")"
system deb
cp "$deb" "$root/amdahlc.deb"
inside "$root" apt-get --quiet --quiet update
before=$(inside "$root" dpkg-query --show | wc -l)
inside "$root" apt-get --quiet --quiet --yes install --no-install-recommends /amdahlc.deb > "$folder/deb.log" 2>&1 ||
  { tail -n 20 "$folder/deb.log" >&2; fail "the .deb does not install"; }
say "installed with $(($(inside "$root" dpkg-query --show | wc -l) - before - 1)) packages that it depends on"
contents=$(dpkg-deb --contents "$deb")
for file in man/man1/amdahlc.1.gz bash-completion/completions/amdahlc zsh/vendor-completions/_amdahlc \
  fish/vendor_completions.d/amdahlc.fish doc/amdahlc/copyright; do
  # Bare systems are often told to leave documentation out; the package itself must have it.
  grep -q " \./usr/share/$file\$" <<< "$contents" || fail "the .deb has no usr/share/$file"
done
run amdahlc
cp -a "$root/build/demo" "$folder/demo"
inside "$root" dpkg --purge amdahlc > /dev/null
[ -z "$(find "$root/usr" -name '*amdahlc*')" ] || fail "the .deb leaves files behind when it is removed"

say "unpacking $(basename "$tarball")"
system tar
mkdir "$root/opt/amdahlc"
tar -xzf "$tarball" -C "$root/opt/amdahlc" --strip-components=1
requirements=$root/opt/amdahlc/share/doc/amdahlc/requirements
if inside "$root" /opt/amdahlc/bin/amdahlc -version > /dev/null 2>&1; then
  fail "the command of the .tar.gz needs nothing, and so the list of what it needs is wrong"
fi
mapfile -t packages < <(sed -n 's/^\([a-z][^ ]*\).*/\1/p' "$requirements")
[ ${#packages[@]} -gt 0 ] || fail "the .tar.gz does not say which packages it needs"
inside "$root" apt-get --quiet --quiet update
inside "$root" apt-get --quiet --quiet --yes install --no-install-recommends "${packages[@]}" > "$folder/tar.log" 2>&1 ||
  { tail -n 20 "$folder/tar.log" >&2; fail "the packages that the .tar.gz needs do not install"; }
run /opt/amdahlc/bin/amdahlc
cmp "$root/build/demo/report.json" "$folder/demo/report.json" || fail "the two packages report different things"
rm -rf "$folder/demo"
inside "$root" /opt/amdahlc/bin/amdahlc -version
say "both packages run on a bare system"
