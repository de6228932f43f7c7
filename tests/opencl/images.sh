#!/bin/bash
# Random images natively (PoCL), and inside m2s in both ABIs with the kernels
# functional and in detail. More of it: images.sh SEED CASES.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
program=$top_srcdir/tests/opencl/programs/images.c
seed=${1:-1}
cases=${2:-3}

# compare NAME FILE: with the native output. Filtered and normalized numbers
# (lines with '~') may be rounded in another way.
compare() {
	if [ "$(wc -l <"$work/native")" -eq "$(wc -l <"$2")" ] &&
		paste -d '|' "$work/native" "$2" | awk -F '|' '
		$1 == $2 { next }
		/^~/ {
			n = split(substr($1, 2), a, " ")
			m = split(substr($2, 2), b, " ")
			bad = n != m
			for (i = 1; i <= n; i++) {
				d = a[i] - b[i]
				size = a[i] < 0 ? -a[i] : a[i]
				if (d < 0)
					d = -d
				if (d > 2e-5 * (size > 1 ? size : 1))
					bad = 1
			}
			if (!bad)
				next
		}
		{ print "#   line " NR ": " $1 " | " $2; wrong = 1; exit }
		END { exit wrong }' >"$work/differences"
	then
		echo "ok - $1"
	else
		echo "not ok - $1"
		cat "$work/differences"
		tail -n 3 "$work/err" | sed 's/^/#   /'
	fi
}

inside() {
	name=$1
	shift
	timeout 120 "$M2S" --quiet "$@" "$seed" "$cases" >"$work/out" \
		2>"$work/err"
	compare "$name" "$work/out"
}

if ! $CC -O1 -o "$work/images" "$program" -lOpenCL -lm 2>"$work/err"; then
	echo "ok - images # SKIP no libOpenCL.so"
	exit
fi
if timeout 120 "$work/images" "$seed" "$cases" >"$work/native" 2>/dev/null &&
	grep -q '^done$' "$work/native"; then
	inside "images as natively, functional" "$work/images"
else
	echo "ok - images as natively # SKIP no native OpenCL with images"
	timeout 120 "$M2S" --quiet "$work/images" "$seed" "$cases" \
		>"$work/native" 2>"$work/err"
fi
inside "images in detail" --evg-sim detailed "$work/images"
inside "images, not optimized" --evg-build-options -cl-opt-disable "$work/images"
# The program's own arithmetic must not be x87's.
if [ "$HAVE_M32" = yes ] &&
	$CC -m32 -msse2 -mfpmath=sse -O1 -o "$work/i386" "$program" \
		-L"$top_builddir/lib/i386" \
		-Wl,-rpath,"$(realpath "$top_builddir/lib/i386")" \
		-lm2s-opencl -lm; then
	inside "images, i386" "$work/i386"
	inside "images, i386 in detail" --evg-sim detailed "$work/i386"
else
	echo "ok - images, i386 # SKIP no 32-bit compiler"
fi
