/* Whole kernels: what evg_code_decode accepts and refuses, and the listing of
 * kernels made by clang 16 for cypress, compared with the text beside them:
 * isa/NAME.hex holds the words, isa/NAME.expect the listing. GOLDEN_REBASE=1
 * in the environment writes the listings anew. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/isa/code.h"
#include "evergreen/listing/listing.h"
#include "unit/harness.h"

/* --- Small programs ----------------------------------------------------- */

#define NOP_END 0x00000000, 0x80200000
#define MOV_LAST 0x80000000, 0x00000c90
#define ALU(address, count)                                                    \
	(address), 0xa0000000 | (uint32_t)((count) - 1) << 18
#define TEX(address, count)                                                    \
	(address), 0x80400000 | (uint32_t)((count) - 1) << 10
#define FETCH 0x00000140, 0x13440000, 0x00080000, 0x00000000

static struct evg_code *decode(const uint32_t *words, size_t size,
			       struct error *error)
{
	return evg_code_decode((const uint8_t *)words, (uint32_t)size, error);
}

static void test_structure(void)
{
	static const uint32_t words[] = {
		ALU(5, 2), TEX(8, 2), ALU(5, 2), NOP_END,
		0xffffffff, 0xffffffff, /* never reached */
		MOV_LAST, MOV_LAST,
		0xffffffff, 0xffffffff,
		FETCH, FETCH,
	};
	static const uint32_t addresses[] = {0, 1, 2, 3, 5, 6, 8, 10};
	struct error error = {""};
	struct evg_code *code = decode(words, sizeof(words), &error);

	CU_ASSERT_PTR_NOT_NULL_FATAL(code);
	CU_ASSERT_EQUAL(code->cf_count, 4);
	CU_ASSERT_EQUAL(code->group_count, 2);
	CU_ASSERT_EQUAL(code->fetch_count, 2);
	CU_ASSERT_EQUAL(code->cf[0].clause, EVG_CLAUSE_ALU);
	CU_ASSERT_EQUAL(code->cf[0].count, 2);
	CU_ASSERT_EQUAL(code->cf[1].clause, EVG_CLAUSE_FETCH);
	CU_ASSERT_EQUAL(code->cf[1].count, 2);
	CU_ASSERT_EQUAL(code->fetches[1].address, 10);
	CU_ASSERT_EQUAL(code->fetches[1].number, 3);
	/* Shared clause. */
	CU_ASSERT_EQUAL(code->cf[2].first, code->cf[0].first);
	CU_ASSERT_EQUAL(code->cf[2].count, 2);
	/* Lines are dense and in address order, and lead back. */
	CU_ASSERT_EQUAL_FATAL(code->line_count, ARRAY_SIZE(addresses));
	for (uint32_t i = 0; i < code->line_count; i++) {
		const struct evg_code_line *line = &code->lines[i];

		CU_ASSERT_EQUAL(line->address, addresses[i]);
		CU_ASSERT_EQUAL(line->kind == EVG_LINE_CF    ? line->cf->line
				: line->kind == EVG_LINE_ALU ? line->group->line
							     : line->fetch->line,
				i);
	}
	evg_code_free(code);
	evg_code_free(NULL);
}

static void test_extended(void)
{
	static const uint32_t words[] = {
		/* KCACHE2: bank 3, mode 1, lines from 2 */
		0x40c00000, 0x30000008, 0x00000003, 0xa0000000, NOP_END,
		0x80000900, 0x00000c90, /* MOV R0.x, KC2[0].z */
	};
	struct error error = {""};
	struct evg_code *code = decode(words, sizeof(words), &error);
	char text[256];

	CU_ASSERT_PTR_NOT_NULL_FATAL(code);
	CU_ASSERT_EQUAL(code->cf[0].size, 2);
	CU_ASSERT_EQUAL(code->cf[1].size, 0);
	CU_ASSERT_EQUAL(code->cf[0].inst.op, EVG_CF_ALU);
	CU_ASSERT_EQUAL(code->cf[0].inst.format, EVG_CF_ALU_EXTENDED_WORD);
	evg_code_line_format(text, sizeof(text), &code->lines[0]);
	CU_ASSERT_STRING_EQUAL(text,
			       "00 ALU: ADDR(3) CNT(1) KCACHE2(CB3:32-47)");
	evg_code_line_format(text, sizeof(text), &code->lines[2]);
	CU_ASSERT_STRING_EQUAL(text, "      0  x: MOV         R0.x,  KC2[0].z");
	evg_code_free(code);
}

static void refuse(const uint32_t *words, size_t size, const char *text)
{
	struct error error = {""};
	struct evg_code *code = decode(words, size, &error);

	CU_ASSERT_PTR_NULL(code);
	CU_ASSERT_STRING_EQUAL(error.text, text);
	if (strcmp(error.text, text))
		printf("# %s\n", error.text);
	evg_code_free(code);
}

#define REFUSE(text, ...)                                                      \
	refuse((const uint32_t[]){__VA_ARGS__},                                \
	       sizeof((const uint32_t[]){__VA_ARGS__}), text)

static void test_refused(void)
{
	static const uint32_t nop[] = {NOP_END};

	refuse(nop, 0, "the code has 0 bytes, which is not a positive multiple "
		       "of 8");
	refuse(nop, 4, "the code has 4 bytes, which is not a positive multiple "
		       "of 8");
	REFUSE("control goes to address 1, but the kernel has 1 units",
	       0x00000000, 0x80000000);
	REFUSE("control goes to address 9, but the kernel has 2 units",
	       0x00000009, 0x82800000, NOP_END); /* JUMP 9 */
	REFUSE("CF instruction at 0: its clause takes the units 2 to 3, but "
	       "the kernel has 3",
	       ALU(2, 2), NOP_END, MOV_LAST);
	REFUSE("CF instruction at 0: its fetch clause at 3 is not aligned to "
	       "16 bytes",
	       TEX(3, 1), NOP_END, NOP_END, FETCH);
	REFUSE("CF instruction at 0: its clause overlaps a CF instruction at 1",
	       ALU(1, 1), NOP_END);
	REFUSE("CF instruction at 1: its clause overlaps another clause at 4",
	       ALU(3, 2), ALU(4, 1), NOP_END, MOV_LAST, MOV_LAST);
	REFUSE("ALU group at 2 in the clause of CF instruction 0: the clause "
	       "ends inside a group: no instruction has LAST set",
	       ALU(2, 1), NOP_END, 0x00000000, 0x00000c90);
	REFUSE("CF instruction at 1: ALU_EXTENDED is the last word of the "
	       "program (words 00000000 b0000000)",
	       0x00000000, 0x80000000, 0x00000000, 0xb0000000);
	REFUSE("CF instruction at 0: NOP follows ALU_EXTENDED, which needs an "
	       "ALU instruction (words 00000000 80200000)",
	       0x00000000, 0xb0000000, NOP_END);
	/* A jump into the second half of an ALU_EXTENDED pair. */
	REFUSE("CF instruction at 2 overlaps another one", 0x00000002,
	       0x82800000, 0x00000000, 0x30000000, ALU(4, 1), NOP_END,
	       MOV_LAST);
}

/* --- Golden listings ---------------------------------------------------- */

static char *golden_path(const char *name, const char *end)
{
	const char *top = getenv("top_srcdir");

	return xasprintf("%s/tests/evergreen/isa/%s.%s", top ? top : ".", name,
			 end);
}

static char *read_text(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text;
	size_t length;

	if (!file)
		return NULL;
	text = xcalloc(1, 1 << 20);
	length = fread(text, 1, (1 << 20) - 1, file);
	text[length] = '\0';
	fclose(file);
	return text;
}

/* Words separated by blanks; lines that start with # are comments. */
static size_t read_words(const char *name, uint32_t *words, size_t most)
{
	char *path = golden_path(name, "hex"), *text = read_text(path), *rest;
	size_t count = 0;

	free(path);
	if (!text)
		return 0;
	for (char *line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		char *end;

		if (*line == '#')
			continue;
		for (; count < most; line = end) {
			unsigned long word = strtoul(line, &end, 16);

			if (end == line)
				break;
			words[count++] = (uint32_t)word;
		}
	}
	free(text);
	return count;
}

static void golden(const char *name)
{
	static uint32_t words[4096];
	size_t count = read_words(name, words, ARRAY_SIZE(words));
	struct evg_program program = {.text = (uint8_t *)words,
				      .text_size = (uint32_t)(4 * count)};
	struct evg_kernel kernel = {.name = name,
				    .program = &program,
				    .code_size = (uint32_t)(4 * count),
				    .registers = 4};
	struct error error = {""};
	char *path = golden_path(name, "expect"), *expect, *listing = NULL;
	size_t length;
	FILE *file;

	CU_ASSERT_FATAL(count > 0);
	file = open_memstream(&listing, &length);
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	CU_ASSERT_EQUAL(evg_listing_print(&kernel, file, &error), 0);
	fclose(file);
	if (getenv("GOLDEN_REBASE")) {
		file = fopen(path, "w");
		CU_ASSERT_PTR_NOT_NULL_FATAL(file);
		fputs(listing, file);
		fclose(file);
	}
	expect = read_text(path);
	CU_ASSERT_PTR_NOT_NULL_FATAL(expect);
	CU_ASSERT_STRING_EQUAL(listing, expect);
	if (strcmp(listing, expect))
		printf("# %s now reads:\n%s", name, listing);
	free(path);
	free(expect);
	free(listing);
}

static void test_vector_add(void)
{
	golden("vector-add");
}

static void test_loop(void)
{
	golden("loop-local");
}

static void test_private_array(void)
{
	golden("private-array");
}

static void test_sub_dword(void)
{
	golden("predicate-half");
}

/* --- Damaged kernels ---------------------------------------------------- */

/* Flips bits of a real kernel: it decodes or is refused with a message, and
 * what decodes can be listed. */
static void test_damaged(void)
{
	static uint32_t words[4096];
	size_t count = read_words("loop-local", words, ARRAY_SIZE(words));
	uint32_t seed = 580, refused = 0;
	FILE *null = fopen("/dev/null", "w");

	CU_ASSERT_FATAL(count > 0 && null);
	for (int i = 0; i < 3000; i++) {
		uint32_t *copy = xmalloc(4 * count);
		struct error error = {""};
		struct evg_code *code;

		memcpy(copy, words, 4 * count);
		for (int j = 0; j <= i % 3; j++) {
			seed = seed * 1664525 + 1013904223;
			copy[(seed >> 8) % count] ^= UINT32_C(1)
						     << (seed >> 3) % 32;
		}
		code = decode(copy, 4 * count, &error);
		if (code) {
			evg_code_print(code, null);
		} else {
			refused++;
			CU_ASSERT(error.text[0] != '\0');
		}
		evg_code_free(code);
		free(copy);
	}
	fclose(null);
	CU_ASSERT(refused > 500);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{"clauses, lines and unreached words", test_structure},
		{"ALU_EXTENDED", test_extended},
		{"refused programs", test_refused},
		{"listing of a vector addition", test_vector_add},
		{"listing of loops and local memory", test_loop},
		{"listing of relative addressing", test_private_array},
		{"listing of predicates and half floats", test_sub_dword},
		{"damaged kernels", test_damaged},
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{"evergreen isa code", NULL, NULL, NULL, NULL, tests},
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
