#!/bin/bash
# What the x86 debug channels, --x86-disasm and --x86-last-inst say, for
# programs of both ABIs.
set -u
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
m2s=${M2S:-m2s}
CC=${CC:-gcc}
sources=$top_srcdir/tests/x86/programs
work=$(mktemp -d "${TMPDIR:-/tmp}/m2s-channels-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

abis=64
[ "${HAVE_M32:-yes}" = no ] || abis="64 32"

# has LABEL FILE PATTERNS...: lines that all are in a file
has() {
	local label=$1 file=$2 pattern missing=
	shift 2
	for pattern; do
		grep -Eq -- "$pattern" "$file" || missing=$pattern
	done
	if [ -z "$missing" ]; then
		echo "ok - $label, $abi bits"
	else
		echo "not ok - $label, $abi bits: missing $missing"
		head -n 5 "$file" | sed 's/^/# /'
		failed=1
	fi
}

cat >"$work/known.c" <<'END'
#include <stdio.h>
#include <string.h>
volatile int where;
volatile long double result;
int main(int argc, char **argv)
{
	__asm__ volatile("xor %%eax, %%eax; mov $0x12345678, %%ecx\n\t"
		"cmp $1, %%eax\n\t"
		"movd %%ecx, %%xmm5\n\t"
		"fldpi; fstp %%st(0)" ::: "eax", "ecx", "cc", "xmm5");
	where = 0x7654321;
	puts(argc > 1 ? "yes" : "no");
	return 3;
}
END

for abi in $abis; do
	ip=$([ $abi = 64 ] && echo r || echo e)
	$CC -O1 -g0 -w -msse2 -m$abi "$work/known.c" -o "$work/known" &&
	$CC -O0 -w -D_GNU_SOURCE -m$abi -pthread "$sources/debugged.c" \
		-o "$work/debugged" &&
	$CC -O2 -w -D_GNU_SOURCE -m$abi -pthread "$sources/crash.c" \
		-o "$work/crash" || {
		echo "not ok - the programs cannot be built, $abi bits"
		exit 1
	}
	timeout 60 "$m2s" --quiet --x86-debug-isa "$work/isa" \
		--x86-debug-call "$work/call" --x86-debug-ctx "$work/ctx" \
		--x86-debug-loader "$work/loader" "$work/known" >"$work/out"
	has "isa: registers and flags" "$work/isa" \
		"mov ecx, 0x12345678 \(bytes b9 78 56 34 12\) at 0x[0-9a-f]*: ${ip}cx=0x12345678$" \
		'cmp eax, 0x01 .*: eflags=\[ CF PF AF SF \]'
	has "isa: memory" "$work/isa" '\[0x[0-9a-f]*\]<-0x7654321' \
		"ret \(bytes c3\).*: \[0x[0-9a-f]*\]->0x[0-9a-f]* ${ip}sp="
	has "isa: vector and x87 registers" "$work/isa" \
		'xmm5=0x0000000000000000_0000000012345678' \
		'fldpi .* top=7 st0=3.14159 \(0x4000c90fdaa22168c235\)'
	has "isa: system calls" "$work/isa" 'system call [0-9]'
	has "call: functions of libraries by name, through stubs" \
		"$work/call" '^100 +call 0x[0-9a-f]* main\+0x0 in known from .*libc' \
		'^100 +call .* puts@plt\+0x0 in known from .* main' \
		'return to .* main\+0x'
	# The call of main is deeper than that of __libc_start_main.
	if awk '/ call .* __libc_start_main/ { match($0, /call/); a = RSTART }
		/ call .* main\+0x0 in/ { match($0, /call/); b = RSTART }
		/ call .* puts@plt/ { match($0, /call/); c = RSTART }
		END { exit !(a > 0 && a < b && b < c) }' "$work/call"; then
		echo "ok - call: indentation, $abi bits"
	else
		echo "not ok - call: indentation, $abi bits"
		failed=1
	fi
	has "loader: segments, interpreter, stack, auxiliary vector, symbols" \
		"$work/loader" 'known: segment 0x.* r-x' 'ld-linux.*: segment' \
		'argv\[0\] = ".*known"' 'AT_ENTRY = 0x' 'AT_PHDR = 0x' \
		'stack 0x[0-9a-f]*-0x' 'section 0x.*\.text, code' \
		'symbol 0x.* main$' 'interpreter'
	has "ctx: start and end" "$work/ctx" 'context 100 .*: executes .*known' \
		'process 100 .*: ends with status 3'

	timeout 60 "$m2s" --quiet --x86-debug-ctx "$work/ctx" \
		"$work/debugged" >"$work/out"
	has "ctx: threads, waits, signals" "$work/ctx" \
		'context 101 .*: thread created by context 100' \
		'context 100 .*: SIGUSR1 at 0x.*, handled' \
		'context 100 .*: handler at 0x' \
		'context 10[01] .*: waits for a futex' \
		'context 10[01] .*: goes on' 'context 101 .*: ends'

	timeout 60 "$m2s" --x86-last-inst 0f0b "$work/crash" illegal \
		>"$work/out" 2>"$work/err"
	has "--x86-last-inst stops before the instruction" "$work/err" \
		'SimEnd = x86LastInst'
	if grep -q SIGILL "$work/err"; then
		echo "not ok - --x86-last-inst executed it, $abi bits"
		failed=1
	fi

	timeout 60 "$m2s" --x86-disasm "$work/crash" >"$work/out"
	has "disassembly: labels, sections, stubs, bytes, branch targets" \
		"$work/out" '^main:$' '^Section \.text:$' '^qsort@plt:$' \
		'ff (25|a3) .*jmp' 'call 0x[0-9A-F]* <store' 'ud2$' \
		'call 0x[0-9A-F]* <[a-z_]*@plt>'
	strip "$work/crash" -o "$work/stripped"
	timeout 60 "$m2s" --x86-disasm "$work/stripped" >"$work/out"
	has "disassembly: stripped file" "$work/out" '^Section \.text:$' \
		'^qsort@plt:$' 'ud2$'
	# Without a section table the segments are shown.
	cp "$work/stripped" "$work/plain"
	if [ $abi = 64 ]; then
		printf '\0\0\0\0\0\0\0\0' | dd of="$work/plain" bs=1 seek=40 \
			conv=notrunc 2>/dev/null
		printf '\0\0\0\0' | dd of="$work/plain" bs=1 seek=60 \
			conv=notrunc 2>/dev/null
	else
		printf '\0\0\0\0' | dd of="$work/plain" bs=1 seek=32 \
			conv=notrunc 2>/dev/null
		printf '\0\0\0\0' | dd of="$work/plain" bs=1 seek=48 \
			conv=notrunc 2>/dev/null
	fi
	timeout 60 "$m2s" --x86-disasm "$work/plain" >"$work/out"
	has "disassembly: no section table" "$work/out" '^Segment at 0x' 'ud2$'
done

abi=64
for bad in xyz 0f0 '' 00112233445566778899aabbccddeeff; do
	timeout 20 "$m2s" --x86-last-inst "$bad" "$work/known" >"$work/out" \
		2>"$work/err"
	has "--x86-last-inst '$bad' is refused" "$work/err" \
		'expected the 1 to 15 bytes'
done
timeout 20 "$m2s" --x86-disasm "$0" >"$work/out" 2>"$work/err"
has "disassembly of a text file is refused" "$work/err" 'not an ELF program'
exit $failed
