#!/bin/bash
# The Debian package: built from the archive of `make dist` in a folder of its
# own, looked at by lintian, and installed and tested in a root of its own if
# there is one (ROOT, made by debootstrap). make deb calls it.
set -eu
archive=$1 out=$2
version=${archive##*/m2s-}
version=${version%.tar.gz}
rm -rf "$out" && mkdir -p "$out"
cp "$archive" "$out/m2s_$version.orig.tar.gz"
tar -C "$out" -xf "$archive"
cd "$out/m2s-$version"
[ "$(dpkg-parsechangelog -S Version)" = "$version-1" ] || {
	echo "not ok - debian/changelog begins with $version-1"
	exit 1
}
dpkg-buildpackage -us -uc -ui >"$out/build.log" 2>&1 || {
	tail -30 "$out/build.log"
	echo "not ok - dpkg-buildpackage (its output: $out/build.log)"
	exit 1
}
echo "ok - dpkg-buildpackage"
if ! command -v lintian >/dev/null; then
	echo "ok - lintian # SKIP not installed"
	exit
fi
# Debian does not know our version, and no bug number closes with it.
lintian --allow-root --fail-on error "$out"/m2s_"$version"-1_amd64.changes &&
	echo "ok - lintian" || { echo "not ok - lintian"; exit 1; }
