#!/bin/bash
# Accesses of kernels outside of buffers: reads give 0, writes are dropped, a
# warning tells of each place once; or with --evg-strict the launch fails, and
# the program goes on.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

result() {
	if [ "$2" -eq 0 ]; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		cut -c1-300 "$work/err" | tail -n 20 | sed 's/^/#   /'
	fi
}

$CC -O1 -o "$work/stray" "$top_srcdir/tests/opencl/programs/stray.c" \
	-L"$top_builddir/lib/x86_64" \
	-Wl,-rpath,"$(realpath "$top_builddir/lib/x86_64")" -lm2s-opencl ||
	exit 1

# What must come out: two launches; then one whose elements stray in part.
awk 'function in_byte(at) { return at % 4 ? 0 : (at / 4 + 1) % 256 }
     function out_byte(i) { return i % 11 ? 512 : 0 }
     BEGIN {
	for (i = 0; i < 256; i++)
		print (i % 7 ? 1 : 0) + out_byte(i)
	for (i = 0; i < 256; i++)
		print i % 3 ? 0 : 4 * i + 1 + 4 * i + 4
	for (i = 0; i < 256; i++)
		print i % 2 ? in_byte(i) : 0
	for (i = 0; i < 256; i++)
		print 0
	for (i = 0; i < 256; i += 5)
		sum += 2 * i
	for (i = 0; i < 8; i++)
		print "far " (i == 0 ? sum : i >= 4 ? 9 : 0)
	for (i = 0; i < 3; i++)
		print "edge " (i < 2 ? 2 * (1022 + i) + 1 : 3)
	for (i = 0; i < 8; i++)
		print "edge far " (i == 0 ? 8 : i == 6 ? 5 : i == 7 ? 6 : i < 4 ? 0 : 9)
     }' >"$work/expect"

run() {
	local name=$1
	shift
	timeout 120 "$M2S" --quiet "$@" "$work/stray" >"$work/out" 2>"$work/err"
	[ $? -eq 0 ] && cmp -s "$work/out" "$work/expect" &&
		[ "$(grep -c '^status 0' "$work/err")" = 3 ]
	result "$name: reads give 0, writes are dropped" $?
	cp "$work/err" "$work/err.${name// /-}"
}

run "one thread" --threads 1
run "two threads" --threads 2
run "in detail" --evg-sim detailed
run "in detail, two threads" --evg-sim detailed --threads 2
run "not optimized" --evg-build-options=-cl-opt-disable
cmp -s "$work/err.one-thread" "$work/err.two-threads" &&
	cmp -s "$work/err.one-thread" "$work/err.in-detail" &&
	cmp -s "$work/err.one-thread" "$work/err.in-detail,-two-threads"
result "the warnings do not depend on threads or the kind of simulation" $?
cp "$work/err.one-thread" "$work/err"
in="through argument 1 'in' (uint4\*) at"
out="through argument 0 'out' (uint\*) at"
far="through argument 2 'far' (uint\*) at"
for line in "in\[i % 3 ? i + 50000 : i\];:.*read of 16 bytes $in" \
	"uchar \*)in)\[i & 1 ? i : ~i\];:.*read of 1 bytes $in" \
	"atomic_add(.*write of 4 bytes $far" \
	"out\[i % 7 ? i : i + 7000000\] = 1;:.*work-item (0, 0, 0): write of 4 bytes $out.* 37 such accesses" \
	'(global uint4 \*)far)\[.*255 such accesses'; do
	[ "$(grep -c "kernel 'stray': source:[0-9]*: .*$line" \
		"$work/err")" = 1 ]
	result "one warning for two launches: $line" $?
done
[ "$(grep -c "kernel 'edge'.*of 16 bytes.*; 2 such accesses" "$work/err")" = 2 ]
result "elements that lie in a buffer in part are told, and done in part" $?

timeout 120 "$M2S" --quiet --evg-strict "$work/stray" >"$work/out" \
	2>"$work/err"
status=$?
[ $status -eq 1 ] && cmp -s "$work/out" "$work/expect" &&
	[ "$(grep -c '^status -5$' "$work/err")" = 3 ] &&
	grep -q 'error: 3 kernel launches failed' "$work/err"
result "--evg-strict: the events fail, the program goes on, m2s ends with 1" $?
timeout 120 "$M2S" --quiet --evg-strict \
	"$top_builddir/samples/vector-add/vector-add" -q -n 64 \
	>"$work/out" 2>"$work/err"
result "--evg-strict: nothing happens to a correct program" $?
