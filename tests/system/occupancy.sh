#!/bin/bash
# --evg-calc: with a program and for a kernel binary alone.
set -u
output=$(mktemp -d) || exit 1
trap 'rm -rf "$output"' EXIT

check() {
	if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; fi
}

cat >"$output/kernel.s" <<'END'
.kernel first
.registers 35
.local 0
00 NOP
END_OF_PROGRAM
.kernel second
.registers 4
.local 16384
00 NOP
END_OF_PROGRAM
.kernel third
.registers 1
.local 4096
00 NOP
END_OF_PROGRAM
END
"$top_builddir/m2s-evg-as" "$output/kernel.s" -o "$output/kernel.bin" \
	2>"$output/log"
check "occupancy: three kernels assemble" $?
"$M2S" --evg-calc "$output/calc" --evg-calc-kernel "$output/kernel.bin" \
	--evg-calc-work-items 192 2>>"$output/log"
check "occupancy: of the kernels of a binary" $?
grep -q '^  registers .* 2 work-groups  <- binds' "$output/calc.first.txt"
check "occupancy: registers bind" $?
grep -q '2 work-groups, 6 wavefronts of 32 (19 %)' "$output/calc.first.txt"
check "occupancy: two work-groups of three wavefronts" $?
grep -q '^  local memory .* 2 work-groups  <- binds' "$output/calc.second.txt"
check "occupancy: local memory binds" $?
"$M2S" --evg-calc "$output/calc" --evg-calc-kernel "$output/kernel.bin" \
	--evg-calc-work-items 256 2>>"$output/log" &&
	[ "$(grep -c ' 8 work-groups  <- binds' "$output/calc.third.txt")" -eq 3 ]
check "occupancy: three limits bind together" $?
"$M2S" --evg-calc "$output/calc" --evg-calc-kernel "$output/kernel.bin" \
	--evg-calc-work-items 192 2>>"$output/log"
# The curve over registers, 192 work-items: 124 registers leave none.
grep -qx '41,2,6,registers' "$output/calc.first.registers.csv" &&
	grep -qx '42,1,3,registers' "$output/calc.first.registers.csv" &&
	grep -qx '124,0,0,registers' "$output/calc.first.registers.csv" &&
	[ "$(wc -l <"$output/calc.first.registers.csv")" -eq 125 ]
check "occupancy: the curve over registers" $?
grep -qx '16384,2,6,local memory' "$output/calc.second.local_mem.csv"
check "occupancy: the curve over local memory" $?
{ ! command -v xmllint >/dev/null ||
	xmllint --noout "$output"/calc.*.svg 2>>"$output/log"; } &&
	grep -q 'this launch: 6' "$output/calc.first.work_items.svg"
check "occupancy: plots" $?
"$M2S" --evg-calc "$output/calc" --evg-calc-kernel "$output/kernel.bin" \
	--evg-calc-work-items 257 2>"$output/error"
[ $? -eq 1 ] && grep -q 'at most 256 work-items' "$output/error"
check "occupancy: a work-group that is too large" $?
"$M2S" --evg-calc-kernel "$output/kernel.bin" 2>"$output/error"
[ $? -eq 1 ] && grep -q 'needs --evg-calc PREFIX' "$output/error"
check "occupancy: without a name for the files" $?

# bitonic-sort launches one shape many times: one set of files.
timeout 60 "$M2S" --quiet --evg-calc "$output/run" \
	"$top_builddir/samples/bitonic-sort/bitonic-sort" -q -n 256 \
	>"$output/stdout" 2>>"$output/log" &&
	[ "$(find "$output" -name 'run.*' | wc -l)" -eq 7 ] &&
	grep -q bitonic "$output/run.0.txt"
check "occupancy: of a program's launches" $?
timeout 60 "$M2S" --quiet --evg-calc "$output/none/run" \
	"$top_builddir/samples/bitonic-sort/bitonic-sort" -q -n 256 \
	>"$output/stdout" 2>"$output/error"
[ $? -eq 1 ] && grep -q 'cannot write: No such file' "$output/error"
check "occupancy: files that cannot be written" $?
