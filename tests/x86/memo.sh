#!/bin/bash
# Memoization ([ General ] Memoize): a core that remembers has the figures of one
# that always simulates, and what it remembers is what it would simulate.
set -u
. "$(dirname "$0")/begin.sh" memo

for name in quicksort strings calls interpreter matrix x87; do
	if ! $CC -O2 -w -D_GNU_SOURCE -static -o "$name" \
		"$top_srcdir/tests/x86/bench/$name.c"; then
		echo "ok - skipped: no static programs"
		exit 0
	fi
done

# Code that is written anew between two executions, at the same address.
cat >rewritten.c <<'ENDC'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

int main(void)
{
	/* mov ecx, 200; L: add eax, BYTE or imul eax, eax, BYTE; dec ecx; jnz L;
	 * ret */
	static const unsigned char add[] = {
		0xb9, 200, 0, 0, 0, 0x83, 0xc0, 7, 0xff, 0xc9, 0x75, 0xf9, 0xc3,
	}, multiply[] = {
		0xb9, 200, 0, 0, 0, 0x6b, 0xc0, 7, 0xff, 0xc9, 0x75, 0xf9, 0xc3,
	};
	unsigned char *code = mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned sum = 0;

	if (code == MAP_FAILED)
		return 1;
	for (int i = 0; i < 400; i++) {
		memcpy(code, i / 10 % 2 ? add : multiply, sizeof add);
		sum = sum * 3 + ((unsigned (*)(void))code)();
	}
	printf("%u\n", sum & 0);
	return 0;
}
ENDC
$CC -O1 -w -static -o rewritten rewritten.c || exit 1

arguments= # of the program
run() { # REPORT PROGRAM OPTIONS
	local report=$1 program=$2
	shift 2
	"$m2s" --quiet --overwrite --provenance none --x86-sim detailed \
		--x86-report "$report" "$@" "./$program" $arguments \
		>out 2>"err.$report"
	echo "$?" >"status.$report" # 0, or 124: the last instruction
}

same() { # LABEL PROGRAM OPTIONS
	local label=$1 status=0
	shift
	rm -f no yes check
	run no "$@" --set x86:General.Memoize=No
	run yes "$@"
	run check "$@" --set x86:General.Memoize=Check
	cmp status.no status.yes && cmp status.no status.check || status=1
	sed -i '/^Memoize/d' no yes check
	[ -s no ] && cmp no yes && cmp no check || status=1
	checked=$(awk '/Memoize = Check/ { print $5 }' err.check)
	[ "$status" = 0 ] && [ "${checked:-0}" -ge "${least:-0}" ]
	say $? "$label: $checked instructions remembered"
}

for preset in haswell nehalem k10 zen2; do
	for name in quicksort calls interpreter; do
		# How much is remembered depends on the host's addresses. Of
		# these two it is half, and more.
		least=0
		[ $name = interpreter ] || least=20000
		same "$preset, $name" $name --x86-preset $preset \
			--x86-max-inst 300000
	done
done
least=0
for name in strings matrix x87; do
	same "skylake, $name" $name --x86-preset skylake --x86-max-inst 300000
done
same "code that changes" rewritten --x86-preset haswell
same "wrong paths that are fetched only" quicksort --x86-preset haswell \
	--x86-max-inst 150000 --set x86:General.WrongPath=Fetch
same "no wrong paths" quicksort --x86-preset haswell \
	--x86-max-inst 150000 --set x86:General.WrongPath=Wait
# More loads of one line wait than there are answers of caches; loads that access
# nothing, behind others that miss.
cat >waiting.c <<'ENDC'
static unsigned char data[1 << 22];

int main(void)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < 600; i++) {
		const unsigned char *line = data + i * 4160 % sizeof data;

		__asm__ volatile(".rept 75; addb (%1), %b0; .endr"
				 : "+q"(sum) : "r"(line));
		__asm__ volatile(".rept 8; prefetcht0 (%0); .endr"
				 : : "r"(data + i * 64));
	}
	return sum & 1;
}
ENDC
$CC -O1 -w -static -o waiting waiting.c || exit 1
same "many loads of a line" waiting --x86-preset haswell --x86-max-inst 120000
# Results that are long there for their own units and not yet for others.
cat >units.c <<'ENDC'
static float line[64] __attribute__((aligned(64)));

int main(void)
{
	for (int i = 0; i < 200; i++)
		__asm__ volatile(
			"mov $78, %%ecx; 0: subpd 96(%0), %%xmm4\n"
			"pmuludq %%xmm1, %%xmm2; psubd %%xmm1, %%xmm1\n"
			"test $1, %%cl; jz 1f; por %%xmm4, %%xmm0\n"
			"1: mulsd %%xmm2, %%xmm3; movaps %%xmm3, %%xmm2\n"
			"pmovmskb %%xmm1, %%r9d; subpd %%xmm1, %%xmm0\n"
			"xorps %%xmm0, %%xmm0; pmaddwd 112(%0), %%xmm1\n"
			"test $4, %%cl; jz 2f; unpcklps %%xmm4, %%xmm3\n"
			"2: minps %%xmm2, %%xmm2; pmaxub %%xmm0, %%xmm3\n"
			"and $15, %%r8d; paddd (%0, %%r8), %%xmm0\n"
			"dec %%ecx; jnz 0b"
			: : "r"(line)
			: "r8", "r9", "rcx", "xmm0", "xmm1", "xmm2", "xmm3",
			  "xmm4", "memory");
	return 0;
}
ENDC
$CC -O1 -w -static -o units units.c || exit 1
same "a long way between vector units" units --x86-preset haswell \
	--x86-max-inst 100000 --set x86:Core.domain_delay=8 \
	--set x86:Core.issue_delay=1
same "the greatest store queue" strings --x86-preset skylake \
	--x86-max-inst 100000 --set x86:Core.store_queue=128
same "parts of a program, llano" quicksort --x86-preset llano \
	--x86-max-inst 100000 --x86-sample 20000:3000:3000
same "parts of a program" calls --x86-preset haswell --x86-max-inst 400000 \
	--x86-fast-forward 50000 --x86-sample 60000:5000:5000
same "little room" quicksort --x86-preset haswell --x86-max-inst 150000 \
	--set x86:Core.reorder_buffer=20 --set x86:Core.store_queue=3 \
	--set x86:Core.load_queue=4
# Stores that miss nearly all. Where an answer comes between two paths depends on
# places of the stack, too.
cat >scatter.c <<'ENDC'
enum { LINES = 1 << 16 };
static struct { long value; char rest[56]; } lines[LINES];
int main(void)
{
	for (unsigned i = 0; i < LINES; i++)
		lines[i * 40503u % LINES].value = (i + 1) * 40503u % LINES;
	return lines[5].value == 0;
}
ENDC
$CC -O2 -w -static -o scatter scatter.c || exit 1
for size in 16 144; do
	same "stores that miss, $size" scatter --x86-preset haswell \
		--x86-env clean --env "P=$(printf "%${size}s" x)"
done
# The other cores' stores and answers come while a core plays.
if $CC -O2 -w -pthread -static -o litmus \
	"$top_srcdir/tests/x86/programs/litmus.c"; then
	printf '[ General ]\nCores = 4\n' >four.ini
	arguments="12 1"
	for preset in nehalem haswell; do
		same "four cores, $preset" litmus --x86-preset $preset \
			--x86-config four.ini --x86-env clean
	done
	arguments=
fi
# Profiles and traces see each instruction, so nothing is remembered then.
same "a profile" calls --x86-preset haswell --x86-max-inst 150000 \
	--x86-annotate annotated --overwrite
same "two threads of a core" quicksort --x86-preset haswell \
	--x86-max-inst 150000 --set x86:General.Threads=2
exit $failed
