#!/bin/bash
# An OpenCL program inside m2s, in both ABIs and in each way that it can find
# the runtime, with its kernels functional and in detail.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
tour=$top_srcdir/tests/opencl/programs/tour.c
expect=${tour%.c}.expect

run() {
	name=$1
	shift
	timeout 120 "$M2S" --quiet "$@" >"$work/out" 2>"$work/err"
	status=$?
	if [ $status -eq 0 ] && cmp -s "$work/out" "$expect"; then
		echo "ok - $name"
	else
		echo "not ok - $name: exit status $status"
		diff "$expect" "$work/out" | sed 's/^/#   /'
		tail -n 5 "$work/err" | sed 's/^/#   /'
	fi
}

$CC -O1 -o "$work/direct" "$tour" -L"$top_builddir/lib/x86_64" \
	-Wl,-rpath,"$(realpath "$top_builddir/lib/x86_64")" -lm2s-opencl \
	-pthread && run "x86-64, linked directly" "$work/direct"
if $CC -O1 -o "$work/ordinary" "$tour" -lOpenCL -pthread; then
	run "x86-64, linked to libOpenCL" "$work/ordinary"
	run "x86-64, in detail" --evg-sim detailed "$work/ordinary"
fi
if [ "$HAVE_M32" = yes ]; then
	$CC -m32 -O1 -o "$work/i386" "$tour" -L"$top_builddir/lib/i386" \
		-Wl,-rpath,"$(realpath "$top_builddir/lib/i386")" \
		-lm2s-opencl -pthread && {
		run "i386, linked directly" "$work/i386"
		run "i386, in detail" --evg-sim detailed "$work/i386"
	}
else
	echo "ok - i386 # SKIP no 32-bit compiler"
fi

# The debug channel shows each call with its arguments and result.
"$M2S" --quiet --evg-debug-opencl "$work/calls" "$work/direct" \
	>/dev/null 2>&1
if grep -q '^clCreateKernel(.*name = "sum".*) = CL_SUCCESS$' \
	"$work/calls" &&
	grep -q '^clCreateBuffer(.*) = CL_INVALID_BUFFER_SIZE$' "$work/calls"
then
	echo "ok - --evg-debug-opencl shows calls and results"
else
	echo "not ok - --evg-debug-opencl shows calls and results"
fi
