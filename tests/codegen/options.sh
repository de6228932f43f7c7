#!/bin/bash
# Build options of our own code generator: what they permit shows in the
# instructions, and what they switch off in the groups. Results stay right.
set -u
output=$(mktemp -d) || exit 1
trap 'rm -rf "$output"' EXIT
export M2S_KERNEL_CACHE=

check() {
	if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; fi
}

cat >"$output/k.cl" <<'C'
#pragma OPENCL FP_CONTRACT OFF
kernel void mad(global float *a)
{
	a[0] = a[4] * a[5] - a[6];
	a[1] = a[6] - a[7] * a[8];
	a[2] = a[9] * a[10] + a[6];
}
kernel void compare(global float *a, global int *b)
{
	b[0] = !(a[0] < a[1]);
	b[1] = isnan(a[2]);
}
kernel void divide(global float *a)
{
	a[0] = a[1] / a[2];
}
kernel void sum(global int *a, global int *b)
{
	int all = 0, i = get_global_id(0);

	for (int k = 0; k < 8; k++)
		all += a[8 * i + k] * b[k] + (k & 1 ? i : -i);
	b[i + 8] = all;
}
C

# text OPTIONS...: the assembler's text of the kernels, in $output/text
text() {
	timeout 60 "$top_builddir/m2s-clc" --verbose \
		-o "$output/k.bin" "$output/k.cl" "$@" 2>"$output/text"
}
# count WORD [KERNEL]: its occurrences
count() {
	awk -v word="$1" -v kernel="${2:-}" '
		/^\.kernel/ { inside = kernel == "" || $2 == kernel }
		/^END_OF_PROGRAM/ { inside = 0 }
		inside && index($0, word) { n++ }
		END { print n + 0 }' "$output/text"
}

text
check "options: the kernels compile" $?
[ "$(count MULADD mad)" -eq 0 ] && [ "$(count ' MUL' mad)" -gt 0 ]
check "options: sums of products stay two operations" $?
[ "$(count NOT_INT compare)" -eq 1 ] && [ "$(count SETNE_DX10 compare)" -gt 0 ]
check "options: comparisons know NaNs" $?
[ "$(count SETGT_DX10 divide)" -eq 1 ]
check "options: quotients are right in the whole range" $?

text -cl-mad-enable
check "options: -cl-mad-enable" $?
[ "$(count MULADD mad)" -eq 3 ] && [ "$(count SETGT_DX10 divide)" -eq 1 ]
check "options: sums of products are one operation" $?
text -cl-finite-math-only
[ "$(count NOT_INT compare)" -eq 0 ] &&
	[ "$(count SETNE_DX10 compare)" -eq 0 ] &&
	[ "$(count MULADD mad)" -eq 0 ]
check "options: -cl-finite-math-only has no NaNs" $?
text -cl-fast-relaxed-math
[ "$(count SETGT_DX10 divide)" -eq 0 ] && [ "$(count MULADD mad)" -eq 3 ] &&
	[ "$(count NOT_INT compare)" -eq 0 ]
check "options: -cl-fast-relaxed-math permits all of that" $?

text
[ "$(count LOOP sum)" -eq 0 ] && [ "$(count ' w: ' sum)" -gt 0 ]
check "options: a short loop is unrolled" $?
text -cl-opt-disable
check "options: -cl-opt-disable" $?
[ "$(count LOOP sum)" -gt 0 ]
check "options: it leaves loops as they are" $?
# Lines of slots, and of groups: those that begin with a number.
slots=$(grep -cE '^ +([0-9]+ +)?[xyzwt]: ' "$output/text")
groups=$(grep -cE '^ +[0-9]+ +[xyzwt]: ' "$output/text")
[ "$slots" -gt 0 ] && [ "$slots" -eq "$groups" ]
check "options: it puts one operation into a group" $?
text --codegen-without=groups
[ "$(count LOOP sum)" -eq 0 ] &&
	[ "$(grep -cE '^ +([0-9]+ +)?[xyzwt]: ' "$output/text")" -eq \
	  "$(grep -cE '^ +[0-9]+ +[xyzwt]: ' "$output/text")" ]
check "options: --codegen-without=groups does only that" $?
text --codegen-without=join,predicate
check "options: --codegen-without with two passes" $?
! text --codegen-without=select && grep -q "no pass 'select'" "$output/text"
check "options: --codegen-without of what must be" $?

# One load of each kind: cached, not const restrict, of either, of constants.
cat >"$output/k.cl" <<'C'
kernel void paths(global const int *restrict a, global const int *b,
		  global int *c, constant int *d, int n)
{
	int i = get_global_id(0);
	global const int *either = n & 1 ? b : a;

	c[i] = a[i] + b[i] + either[i + 64] + d[i];
	for (int k = 0; k < n; k++)
		c[i + 1] += a[k * n] - b[k * i];
}
C
text --read-path=cached && [ "$(count 'fc173')" -eq 0 ] &&
	text && [ "$(count 'fc173')" -eq 0 ] && [ "$(count 'fc1 ')" -eq 7 ]
check "options: reads go through the caches" $?
text --read-path=amd && [ "$(count 'fc173')" -eq 4 ] &&
	[ "$(count 'fc1 ')" -eq 3 ]
check "options: as AMD's driver chose, only those of const restrict" $?
text --read-path=uncached && [ "$(count 'fc173')" -eq 6 ] &&
	[ "$(count 'fc1 ')" -eq 1 ]
check "options: reads go past the caches" $?
text --read-path=uncached,a=cached && [ "$(count 'fc173')" -eq 4 ] &&
	text --read-path=b=uncached && [ "$(count 'fc173')" -eq 2 ] &&
	text --read-path=amd,paths.a=uncached,other.b=cached &&
	[ "$(count 'fc173')" -eq 6 ]
check "options: the way of reads of single buffers" $?
text --read-path=cached,x=uncached && [ "$(count 'fc173')" -eq 0 ] &&
	grep -q "warning: --read-path: no kernel here has an argument 'x'" \
		"$output/text"
check "options: the way of a buffer that there is not" $?
! text --read-path=other &&
	grep -q "read-path=other: 'other': expected cached, uncached or amd" \
		"$output/text" &&
	! text --read-path=a=fast && ! text --read-path=
check "options: a way of reads that there is not" $?

# Stores of dwords, and in the second kernel one of a byte beside them.
cat >"$output/k.cl" <<'C'
kernel void dwords(global int *a, global int4 *b)
{
	a[get_global_id(0)] = 1;
	b[get_global_id(0)] = 2;
}

kernel void bytes(global int *a, global char *c)
{
	a[get_global_id(0)] = 1;
	c[get_global_id(0)] = 2;
}
C
paths() { # OPTION FAST COMPLETE
	text "$1" && [ "$(count 'MEM_RAT_CACHELESS_STORE_RAW')" -eq "$2" ] &&
		[ "$(count 'MEM_RAT_STORE_RAW')" -eq "$3" ]
}
paths --write-path=fast 3 0 && paths --write-path=complete 0 3 &&
	paths --write-path=b=complete 2 1 &&
	paths --write-path=bytes.a=complete 2 1 &&
	paths --write-path=complete,dwords.b=fast 1 2
check "options: the way of stores, of single buffers, too" $?
paths --write-path=amd 2 1
check "options: as AMD's driver chose, all of a kernel with a store of a byte" $?
! text --write-path=cached && grep -q 'expected fast, complete or amd' \
	"$output/text"
check "options: a way of stores that there is not" $?

# run SAMPLE OPTIONS...: it finds its own results right
run() {
	sample=$1
	shift
	timeout 60 "$M2S" --quiet --evg-build-options "$*" \
		"$top_builddir/samples/$sample/$sample" -q \
		>"$output/stdout" 2>>"$output/log" &&
		grep -q PASSED "$output/stdout"
}
run matrix-multiplication -cl-opt-disable
check "options: results of matrix-multiplication without optimisation" $?
run recursive-gaussian -O0
check "options: results of recursive-gaussian without optimisation" $?
run dct --codegen-without=flow,join,copies,groups
check "options: results of dct with passes switched off" $?
run dct --codegen-without=structure
check "options: results of dct, control flow block by block" $?
run dct --codegen-without=reuse,unused,predicate,order
check "options: results of dct with the other passes switched off" $?
run reduction --write-path=complete,input=amd --read-path=uncached
check "options: results of reduction on the CompletePath" $?
run reduction --read-path=amd
check "options: results of reduction, reads as AMD's driver chose" $?
run urng -cl-fast-relaxed-math
check "options: results of urng with -cl-fast-relaxed-math" $?
