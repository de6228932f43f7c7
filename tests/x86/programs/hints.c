/* Loads of lines in an order without rule, each behind the one before, with prefetch
 * instructions for the line 16 loads later. Argument: which. */
#include <stdint.h>
#include <string.h>

enum { LINES = 1 << 14, STEPS = 20000, AHEAD = 16 };
static struct {
	uint64_t word[8];
} line[LINES];
static uint32_t order[STEPS + AHEAD];

#define LOOP(hint)                                                             \
	for (int i = 0; i < STEPS; i++) {                                      \
		__asm__ volatile(hint :                                        \
				 : "r"(&line[order[i + AHEAD]]), "r"(far + i * 4096L)); \
		sum = (sum >> 1) + line[order[i] ^ (sum >> 63)].word[0];       \
	}

int main(int argc, char **argv)
{
	uint64_t sum = 0;
	uint32_t random = 1;
	char *far = (char *)0x7000000000;
	const char *which = argc > 1 ? argv[1] : "none";

	/* Other bytes than those that are loaded: their lines are in no cache. */
	for (int i = 0; i < LINES; i += 64)
		line[i].word[1] = 1;
	for (int i = 0; i < STEPS + AHEAD; i++) {
		random = random * 1664525 + 1013904223;
		order[i] = random >> 8 & (LINES - 1);
	}
	__asm__ volatile("" ::: "memory");
	if (!strcmp(which, "t0"))
		LOOP("prefetcht0 (%0)")
	else if (!strcmp(which, "t1"))
		LOOP("prefetcht1 (%0)")
	else if (!strcmp(which, "nta"))
		LOOP("prefetchnta (%0)")
	else if (!strcmp(which, "w"))
		LOOP("prefetchw (%0)")
	else if (!strcmp(which, "unmapped"))
		LOOP("prefetcht0 (%1)")
	else if (!strcmp(which, "twice"))
		LOOP("prefetcht0 (%0)\n prefetcht0 (%0)")
	else
		LOOP("")
	return sum == 1;
}
