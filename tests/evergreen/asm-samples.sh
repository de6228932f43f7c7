#!/bin/bash
# The kernels of every sample, disassembled and assembled again: the listing
# of the result is the same, and the result runs.
set -u
clc=$top_builddir/m2s-clc
as=$top_builddir/m2s-evg-as
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

check() {
	if [ "$2" -eq 0 ]; then
		echo "ok - assembler: $1"
	else
		echo "not ok - assembler: $1"
		head -n 5 "$work/log" | sed 's/^/# /'
	fi
}

for source in "$top_srcdir"/samples/*/*.cl; do
	name=$(basename "$source" .cl)
	"$clc" "$source" -o "$work/$name.bin" 2>"$work/log" &&
		"$M2S" --evg-disasm "$work/$name.bin" >"$work/1.s" &&
		"$as" "$work/1.s" -o "$work/again.bin" 2>"$work/log" &&
		"$M2S" --evg-disasm "$work/again.bin" >"$work/2.s" &&
		diff "$work/1.s" "$work/2.s" >"$work/log"
	check "$name: the same listing" $?
	case $name in
	vector-add | bitonic-sort | reduction | matrix-multiplication)
		timeout 60 "$M2S" --quiet --evg-kernel-binary \
			"$work/again.bin" "$top_builddir/samples/$name/$name" \
			>"$work/log" 2>&1 && grep -q PASSED "$work/log"
		check "$name: runs" $?
		;;
	esac
done

# What no sample has: another float mode.
mode="SINGLE_ROUND(3) DOUBLE_ROUND(1) SINGLE_DENORM_IN(1)"
mode="$mode SINGLE_DENORM_OUT(0) DOUBLE_DENORM_IN(0) DOUBLE_DENORM_OUT(1)"
mode="$mode DX10_CLAMP(0)"
printf '.kernel k\n.float_mode %s\nNOP\nEND_OF_PROGRAM\n' "$mode" \
	>"$work/mode.s"
"$as" "$work/mode.s" -o "$work/mode.bin" 2>"$work/log" &&
	"$M2S" --evg-disasm "$work/mode.bin" >"$work/log" 2>&1 &&
	grep -qF ".float_mode $mode" "$work/log"
check ".float_mode comes back" $?
printf '.kernel k\n.float_mode SINGLE_ROUND(4)\nNOP\nEND_OF_PROGRAM\n' \
	>"$work/mode.s"
"$as" "$work/mode.s" -o "$work/mode.bin" 2>"$work/log"
[ $? -eq 1 ] && grep -q 'mode.s:2:.*SINGLE_ROUND(4): expected at most 3' "$work/log"
check "a .float_mode that does not exist" $?

printf '.kernel k\nALU:\n 0 x: MOV R0.x, R1\n' >"$work/bad.s"
"$as" "$work/bad.s" -o "$work/bad.bin" 2>"$work/log"
[ $? -eq 1 ] && grep -q 'bad.s:3:.*expected' "$work/log" &&
	[ ! -e "$work/bad.bin" ]
check "an error names file and line, and leaves no file" $?
"$as" "$work/1.s" -o "$work/none/x.bin" 2>"$work/log"
[ $? -eq 1 ] && grep -q 'none/x.bin' "$work/log"
check "a file that cannot be written" $?

# The example of the manual runs in place of the sample's kernel.
sed -n '/^    ; c = a + b/,/^    END_OF_PROGRAM/s/^    //p' \
	"$top_srcdir/doc/assembler.md" >"$work/example.s"
"$as" "$work/example.s" -o "$work/example.bin" 2>"$work/log" &&
	timeout 60 "$M2S" --quiet --evg-kernel-binary "$work/example.bin" \
		"$top_builddir/samples/vector-add/vector-add" -n 1024 \
		>"$work/log" 2>&1 && grep -q PASSED "$work/log"
check "the manual's example runs" $?
