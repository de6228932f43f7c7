#!/bin/bash
# Double precision through the whole stack: a host program inside m2s, its
# kernel functional and in detail, and the instructions that it is made of.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
program=$top_srcdir/tests/opencl/programs/doubles.c
kernels=$top_srcdir/tests/clc/kernels
printf 'double: yes, width 1, config 0x3f\nwrong: 0 of 1024\n' >"$work/expect"

verdict() {
	if [ "$1" -eq 0 ]; then
		echo "ok - $2"
	else
		echo "not ok - $2"
		sed 's/^/#   /' "$work/out" "$work/err" 2>/dev/null
	fi
}

run() {
	timeout 120 "$M2S" --quiet "${@:2}" "$work/program" >"$work/out" \
		2>"$work/err" && cmp -s "$work/out" "$work/expect"
	verdict $? "$1"
}

$CC -O1 -o "$work/program" "$program" -L"$top_builddir/lib/x86_64" \
	-Wl,-rpath,"$(realpath "$top_builddir/lib/x86_64")" -lm2s-opencl -lm \
	2>"$work/err" || verdict 1 "compiling the host program"
run "matrix multiplication"
run "matrix multiplication in detail" --evg-sim detailed

# In each pass 8 multiply-adds over the unrolled tile, in one group each.
for file in double-types double-matrix; do
	"$top_builddir/m2s-clc" "$kernels/$file.cl" -o "$work/kernels" \
		2>"$work/err" &&
		"$M2S" --evg-disasm "$work/kernels" >>"$work/listing"
done &&
	sed -n '/^\.kernel matrix/,/^END_OF/p' "$work/listing" >"$work/out"
[ "$(grep -c ' w: FMA_64' "$work/out")" -eq 8 ] &&
	! grep -q DOT4 "$work/listing"
verdict $? "the kernels use the device's FP64 instructions"

# A binary brings its doubles past the compiler: the launch is refused.
sed -n 's/^\t"\(.*\)\\n".*/\1/p' "$program" >"$work/source.cl"
"$top_builddir/m2s-clc" "$work/source.cl" -o "$work/compiled" 2>"$work/err" ||
	verdict 1 "compiling the kernel alone"
timeout 120 "$M2S" --quiet --evg-preset hd5770 "$work/program" >"$work/out" \
	2>"$work/err"
grep -q '^clBuildProgram: error -11' "$work/out"
verdict $? "a chip without FP64 units does not build them"
for mode in functional detailed; do
	! timeout 120 "$M2S" --quiet --evg-preset hd5770 --evg-sim $mode \
		--evg-kernel-binary "$work/compiled" "$work/program" \
		>"$work/out" 2>"$work/err" &&
		grep -q "double-precision units, which the Radeon HD 5770" \
			"$work/err"
	verdict $? "a chip without FP64 units refuses them, $mode"
done
