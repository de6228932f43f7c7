#!/bin/bash
# Programs through the other front end compute the same: kernels as on PoCL, and a
# sample with images. (test-differential --front-end=spir compares all kernels.)
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
kernels=$top_srcdir/tests/clc/kernels
clc=$top_builddir/m2s-clc

verdict() {
	if [ "$1" -eq 0 ]; then
		echo "ok - front end: $2"
	else
		echo "not ok - front end: $2"
		sed 's/^/# /' "$work/err" | tail -n 20
	fi
}

for file in types.cl subvectors.cl kernel-calls.cl; do
	"$top_builddir/tests/clc/test-differential" --front-end=spir $file \
		>"$work/err" 2>&1
	status=$?
	[ "$(grep -c '^ok' "$work/err")" -gt 1 ] || status=1
	verdict $status "$file through spir computes what PoCL does"
done

sample=$top_builddir/samples/box-filter/box-filter
timeout 120 "$M2S" --quiet --evg-build-options --front-end=spir "$sample" -q \
	>"$work/err" 2>&1 && grep -q PASSED "$work/err"
verdict $? "images, as structures and constants, come through spir"

"$clc" --verbose --front-end=spir "$kernels/images.cl" -o "$work/spir.bin" \
	2>"$work/err" && grep -q -e '-target spir--' "$work/err"
verdict $? "every function of images is found"

! "$clc" --front-end=nvptx "$kernels/images.cl" -o "$work/no.bin" \
	2>"$work/err" && grep -q "no front end 'nvptx': r600 or spir" "$work/err"
verdict $? "an unknown front end is refused"

! "$clc" -c --front-end=spir "$kernels/images.cl" -o "$work/no.o" \
	2>"$work/err" && grep -q "whole programs only" "$work/err"
verdict $? "objects are the first front end's"
