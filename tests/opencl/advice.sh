#!/bin/bash
# Programs that are slightly wrong get the specification's errors, and each kind
# of mistake is named once.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

$CC -O1 -o "$work/advice" "$top_srcdir/tests/opencl/programs/advice.c" \
	-L"$top_builddir/lib/x86_64" \
	-Wl,-rpath,"$(realpath "$top_builddir/lib/x86_64")" -lm2s-opencl ||
	exit 1
timeout 60 "$M2S" --quiet --native "$work/advice" >"$work/out" 2>"$work/err"

verdict() {
	if [ "$1" -eq 0 ]; then
		echo "ok - $2"
	else
		echo "not ok - $2"
		sed 's/^/#   /' "$work/out" "$work/err"
	fi
}

[ "$(echo $(<"$work/out"))" = "-43 -43 0 -51 -19 -51 -19 0" ]
verdict $? "the specification's errors"

once() {
	[ "$(grep -c "$1" "$work/err")" -eq 1 ]
	verdict $? "told once: $1"
}
once 'clBuildProgram: .*-cl-std=CL2.0: the device supports OpenCL C up to 1.2'
once 'argument 1 of kernel shift is a float3 of 16 bytes, and .* gives 12;.* of 4'
once 'clGetKernelArgInfo: the program was built without -cl-kernel-arg-info'
[ "$(wc -l <"$work/err")" -eq 3 ]
verdict $? "and nothing else"
