/* Descriptions of the integer table's instructions against what their
 * execution does: random operands and states, and sequences of what random
 * instructions leave out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hex.h"
#include "integer-case.h"
#include "step-sets.h"
#include "unit/harness.h"

static void check_rows(bool wide)
{
	const char *cases_text = getenv("M2S_TEST_CASES");
	unsigned cases = cases_text ? (unsigned)atoi(cases_text) : 4;
	struct sets *sets = sets_create(wide ? X86_MODE_64 : X86_MODE_32);
	struct machine *m = malloc(sizeof *m);

	for (int i = 0; i < row_count; i++) {
		uint64_t seed = (uint64_t)i * 1000003;
		struct subject s;

		if (row_excluded(&rows[i]) || !row_fits(&rows[i], wide))
			continue;
		for (unsigned k = 0, done = 0; k < 10 * cases && done < cases;
		     k++) {
			if (!row_make(&rows[i], wide, &seed, &s))
				continue;
			row_make_state(&rows[i], &s, wide, &seed, m);
			sets_check(sets, rows[i].name, s.code, s.size, 0,
				   s.size, m);
			done++;
		}
	}
	printf("# %u instructions checked\n", sets_checked(sets));
	CU_ASSERT(sets_checked(sets) > 1000);
	CU_ASSERT_EQUAL(sets_differences(sets), 0);
	free(m);
	sets_free(sets);
}

static void test_rows_64(void)
{
	check_rows(true);
}

static void test_rows_32(void)
{
	check_rows(false);
}

static const struct sequence {
	const char *code;
	int modes; /* 32 | 64 */
} sequences[] = {
	/* jz +0; jmp +0; call +0; pop rax; push rax; ret 8 */
	{ "74 00 eb 00 e8 00 00 00 00 58 50 c2 08 00", 32 | 64 },
	/* loop +0; loope +0; loopne +0; jrcxz +0 */
	{ "e2 00 e1 00 e0 00 e3 00", 32 | 64 },
	/* pushf; popf; lahf; sahf; pushf */
	{ "9c 9d 9f 9e 9c", 32 | 64 },
	/* enter 16, 0; leave; enter 8, 3 */
	{ "c8 10 00 00 c9 c8 08 00 03", 32 | 64 },
	/* cpuid; rdtsc; rdtscp; xgetbv; rdpid eax */
	{ "0f a2 0f 31 0f 01 f9 31 c9 0f 01 d0 f3 0f c7 f8", 32 | 64 },
	/* pusha; popa; push es; pop es */
	{ "60 61 06 07", 32 },
	/* rdfsbase rax; wrgsbase rax; mov eax, gs:[rcx] */
	{ "f3 48 0f ae c0 f3 48 0f ae d8", 64 },
	/* rep movsb, stosd, lodsw, cmpsb, scasb with small counts */
	{ "bf 00 31 00 10 be 20 32 00 10 b9 05 00 00 00 f3 a4 b9 07 00 00 00 "
	  "f3 ab b9 03 00 00 00 66 f3 ad b9 09 00 00 00 f3 a6 b9 02 00 00 00 "
	  "f2 ae fd b9 04 00 00 00 f3 a5 b9 00 00 00 00 f3 a6 fc", 32 | 64 },
	/* mov eax, ds; mov ds, eax; xlat with a known base */
	{ "8c d8 bb 00 32 00 10 d7", 32 | 64 },
	/* prefetch, clflush, fences */
	{ "bb 00 32 00 10 0f 18 0b 0f ae 3b 0f ae e8 0f ae f0 0f ae f8",
	  32 | 64 },
};

static void check_sequences(bool wide)
{
	struct sets *sets = sets_create(wide ? X86_MODE_64 : X86_MODE_32);
	struct machine *m = malloc(sizeof *m);
	uint64_t seed = 1;

	for (unsigned k = 0; k < 40; k++)
		for (size_t i = 0; i < sizeof sequences / sizeof sequences[0];
		     i++) {
			uint8_t code[256];
			size_t size = hex(sequences[i].code, code);

			if (!(sequences[i].modes & (wide ? 64 : 32)))
				continue;
			memset(m, 0, sizeof *m);
			for (int r = 0; r < (wide ? 16 : 8); r++)
				m->reg[r] = wide ? random_draw(&seed)
						 : (uint32_t)random_draw(&seed);
			m->reg[X86_RSP] = ARENA_STACK + 0x800;
			m->reg[X86_RBP] = ARENA_STACK + 0x900;
			m->eflags = 0x202 | ((uint32_t)random_draw(&seed) &
					     X86_ARITHMETIC);
			sets_check(sets, sequences[i].code, code, size, 0,
				   size, m);
		}
	printf("# %u instructions checked\n", sets_checked(sets));
	CU_ASSERT(sets_checked(sets) > 1000);
	CU_ASSERT_EQUAL(sets_differences(sets), 0);
	free(m);
	sets_free(sets);
}

static void test_sequences_64(void)
{
	check_sequences(true);
}

static void test_sequences_32(void)
{
	check_sequences(false);
}

static CU_TestInfo tests[] = {
	{ "64-bit instructions", test_rows_64 },
	{ "32-bit instructions", test_rows_32 },
	{ "64-bit sequences", test_sequences_64 },
	{ "32-bit sequences", test_sequences_32 },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = {
		{ "x86 step, integer sets", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
