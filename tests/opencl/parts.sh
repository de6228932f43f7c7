#!/bin/bash
# Programs compiled in parts and linked, inside m2s in both ABIs, and where
# there is another OpenCL on this machine with that.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
program=$top_srcdir/tests/opencl/programs/parts.c
expect=${program%.c}.expect

# verdict NAME STATUS EXPECTED
verdict() {
	if [ "$2" -eq 0 ] && cmp -s "$work/out" "$3"; then
		echo "ok - $1"
	else
		echo "not ok - $1: exit status $2"
		diff "$3" "$work/out" | sed 's/^/#   /'
		tail -n 5 "$work/err" | sed 's/^/#   /'
	fi
}

# with ABI COMPILER-FLAG
with() {
	$CC "$2" -O1 -o "$work/$1" "$program" -L"$top_builddir/lib/$1" \
		-Wl,-rpath,"$(realpath "$top_builddir/lib/$1")" -lm2s-opencl &&
		timeout 120 "$M2S" --quiet "$work/$1" >"$work/out" 2>"$work/err"
	verdict "$1" $? "$expect"
}

with x86_64 -m64
if [ "$HAVE_M32" = yes ]; then
	with i386 -m32
else
	echo "ok - i386 # SKIP no 32-bit compiler"
fi

# A kernel with its source lines, which come from several parts.
timeout 120 "$M2S" --quiet --evg-annotate "$work/listing" "$work/x86_64" \
	>"$work/out" 2>"$work/err"
verdict "with source lines" $? "$expect"
if grep -q 'own(curve(p\[i\]))' "$work/listing" &&
	grep -q 'max(x, STEP)' "$work/listing"; then
	echo "ok - a listing shows the lines of all parts"
else
	echo "not ok - a listing shows the lines of all parts"
fi

# What succeeds here succeeds elsewhere, with the same results.
timeout 120 "$M2S" --quiet "$work/x86_64" short >"$work/short" 2>"$work/err"
. "$top_srcdir/tests/opencl/native-device.sh"
if [ -n "$no_native_device" ]; then
	echo "ok - the host's OpenCL # SKIP $no_native_device"
elif $CC -O1 -o "$work/native" "$program" -lOpenCL 2>"$work/err" &&
	{ timeout 60 "$work/native" short >"$work/out" 2>"$work/err"
		status=$?
		! grep -q '^platform: error' "$work/out"; }; then
	verdict "the host's OpenCL does the same" $status "$work/short"
else
	echo "ok - the host's OpenCL # SKIP there is none"
fi
