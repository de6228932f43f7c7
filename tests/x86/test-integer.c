/* Every row of the integer table against the host CPU: the instruction is
 * encoded with random operands, executed natively and in the emulator from
 * the same random state, and all that it may have changed is compared but for
 * flags that the manual leaves undefined. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "integer-case.h"
#include "unit/harness.h"
#include "x86/emu/block.h"

/* Whether this host lacks the instruction. */
static bool absent(const struct subject *s)
{
	enum x86_feature feature;

	return x86_gate(s->inst.meta.isa_set, &feature) == X86_GATE_FEATURE &&
	       !x86_host_has(feature);
}

/* Adds to the figures of the family; returns the instructions compared, and
 * *failed counts bad rows. */
static unsigned compare_row(struct native *native, const struct row *row,
			    bool wide, unsigned cases, uint64_t seed,
			    struct family *family, unsigned *failed)
{
	struct machine *m = malloc(3 * sizeof *m);
	unsigned done = 0, shown = 0;

	for (unsigned i = 0; i < 10 * cases && done < cases; i++) {
		struct subject s;

		if (!row_make(row, wide, &seed, &s))
			continue;
		if (absent(&s)) {
			printf("# skipped: %s is not on this host\n",
			       row->name);
			break;
		}
		row_make_state(row, &s, wide, &seed, &m[0]);
		if (row_is_undefined(row, &s, &m[0]))
			continue;
		m[1] = m[2] = m[0];
		native_execute(native, &m[1], s.code, s.size);
		native_emulate(native, &m[2], s.code, s.size);
		row_same(row, &s, wide, &m[0], &m[1], &m[2], &shown);
		family->faults += m[1].signal != 0;
		done++;
	}
	free(m);
	family->rows += done != 0;
	family->cases += done;
	family->differing += shown;
	*failed += shown != 0;
	return done;
}

/* Whether there is such an instruction in a mode. */
static bool exists(const struct row *row, bool wide)
{
	uint64_t seed = 1;
	struct subject s;

	if (row_excluded(row) || !row_fits(row, wide))
		return false;
	for (int i = 0; i < 30; i++)
		if (row_make(row, wide, &seed, &s))
			return true;
	return false;
}

/* Rows of a row's mnemonic that are compared in a mode. */
static unsigned family_rows(const struct row *row, bool wide)
{
	unsigned count = 0;

	for (int i = 0; i < row_count; i++)
		count += rows[i].mnemonic == row->mnemonic &&
			 exists(&rows[i], wide);
	return count;
}

/* How many cases a row gets. */
static unsigned row_cases(const struct row *row, bool wide, unsigned usual)
{
	if (!getenv("M2S_TEST_FAMILY")) /* it takes a while to find out */
		return usual;
	return family_cases(family_rows(row, wide), family_rows(row, !wide),
			    usual);
}

static void compare_all(bool wide)
{
	struct family *families = calloc(ZYDIS_MNEMONIC_MAX_VALUE + 1,
					 sizeof *families);
	const char *cases_text = getenv("M2S_TEST_CASES");
	const char *only = getenv("M2S_TEST_ROW");
	unsigned cases = cases_text ? (unsigned)atoi(cases_text) : 12;
	struct native *native =
		native_create(wide ? X86_MODE_64 : X86_MODE_32);
	unsigned failed = 0, compared = 0, tested = 0;

	if (!native) {
		printf("# this host cannot run such code\n");
		free(families);
		return;
	}
	for (int i = 0; i < row_count; i++) {
		unsigned done;

		if (row_excluded(&rows[i]) || !row_fits(&rows[i], wide))
			continue;
		if (only && strcmp(only, rows[i].name))
			continue;
		done = compare_row(native, &rows[i], wide,
				   row_cases(&rows[i], wide, cases),
				   (uint64_t)i * 1000003,
				   &families[rows[i].mnemonic], &failed);
		if (!done && getenv("M2S_TEST_VERBOSE"))
			printf("# %s: cannot be encoded\n", rows[i].name);
		compared += done;
		tested += done != 0;
	}
	for (int i = 0; i <= ZYDIS_MNEMONIC_MAX_VALUE; i++)
		if (families[i].rows)
			family_print(ZydisMnemonicGetString((ZydisMnemonic)i),
				     wide, &families[i]);
	free(families);
	printf("# %u rows, %u instructions compared, %u rows differ\n", tested,
	       compared, failed);
	CU_ASSERT_EQUAL(failed, 0);
	if (!only)
		CU_ASSERT(tested > (wide ? 600u : 400u));
	native_free(native);
}
/* Rows for random programs: registers only, no traps, all flags defined or
 * known to be as the host has them. */
static bool mixes(const struct row *row, const struct subject *s)
{
	/* AF is undefined after all of these; what others than Intel make of
	 * it is not compared. OF is, too, after counts other than 1. */
	static const char *const known[] = {
		"and", "or", "xor", "test", "shl", "shr", "sar",
	};
	const size_t count = native_is_intel() ? 7 : 4;
	uint32_t undefined = s->inst.cpu_flags ?
				     s->inst.cpu_flags->undefined : 0;

	if (s->memory || row_uses_stack(row) || row_is(row, "div") ||
	    row_is(row, "idiv") || row_is(row, "leave") ||
	    row_is(row, "xlat") || row_is(row, "bound") ||
	    row_is(row, "aam") || row_is(row, "into") ||
	    (row_is(row, "lahf") && !native_is_intel()) ||
	    s->inst.meta.category == ZYDIS_CATEGORY_STRINGOP ||
	    row->attributes & (X86_ROW_REP | X86_ROW_REPNE | X86_ROW_END))
		return false;
	for (size_t i = 0; i < count; i++)
		if (row_is(row, known[i]))
			return true;
	return !(undefined & X86_ARITHMETIC);
}

/* Straight-line programs, which show what one instruction leaves for the
 * next: lazy flags, short cuts, partial registers. */
static void programs(bool wide)
{
	const char *cases_text = getenv("M2S_TEST_CASES");
	unsigned cases = cases_text ? (unsigned)atoi(cases_text) * 20 : 300;
	struct native *native =
		native_create(wide ? X86_MODE_64 : X86_MODE_32);
	uint64_t seed = 91;
	unsigned failed = 0;

	if (!native) {
		printf("# this host cannot run such code\n");
		return;
	}
	for (unsigned n = 0; n < cases && failed < 3; n++) {
		uint8_t code[32 * 15];
		size_t size = 0;

		for (int i = 0; i < 24;) {
			const struct row *row =
				&rows[random_draw(&seed) % row_count];
			struct subject s;

			if (row_excluded(row) || !row_fits(row, wide) ||
			    !row_make(row, wide, &seed, &s) || !mixes(row, &s))
				continue;
			memcpy(code + size, s.code, s.size);
			size += s.size;
			i++;
		}
		failed += !sequence_same(native, wide, code, size,
					 sequence_flags(), &seed);
	}
	CU_ASSERT_EQUAL(failed, 0);
	native_free(native);
}

static void test_programs(void)
{
	programs(true);
	programs(false);
}

static void test_conditions(void)
{
	integer_conditions(true);
	integer_conditions(false);
}

static void test_sequences(void)
{
	integer_sequences(true);
	integer_sequences(false);
}

static void test_64(void)
{
	compare_all(true);
}

static void test_32(void)
{
	compare_all(false);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "64-bit instructions as on the host", test_64 },
		{ "32-bit instructions as on the host", test_32 },
		{ "conditions after every kind of flags", test_conditions },
		{ "control transfers, traps, rare forms", test_sequences },
		{ "random straight-line programs", test_programs },
		CU_TEST_INFO_NULL
	};
	static CU_SuiteInfo suites[] = {
		{ "x86 integer", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL
	};

	return harness_run(suites);
}
