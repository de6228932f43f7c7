/* The checks of finished binaries: a good one passes; one whose code does not
 * fit what it declares, or that has been damaged, does not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "clc/support.h"
#include "opencl-rt/clc/package.h"
#include "opencl-rt/clc/patch.h"
#include "unit/harness.h"

static struct clc_result compiled;
static uint32_t text_offset, text_size;

static int setup(void)
{
	struct error error;

	compiled = compile_file("compare.cl", "");
	if (compiled.status != CLC_DONE) {
		printf("# %s\n", compiled.log);
		return -1;
	}
	return package_find_text(compiled.binary, compiled.binary_size,
				 &text_offset, &text_size, &error);
}

static int teardown(void)
{
	clc_result_free(&compiled);
	return 0;
}

/* Whether the binary passes with the word at `offset` changed. */
static bool passes(uint32_t offset, uint32_t change, struct error *error)
{
	char *copy = xmalloc(compiled.binary_size);
	uint32_t word;
	bool good;

	memcpy(copy, compiled.binary, compiled.binary_size);
	memcpy(&word, copy + offset, sizeof word);
	word ^= change;
	memcpy(copy + offset, &word, sizeof word);
	good = !patch_verify("test", copy, compiled.binary_size, error);
	free(copy);
	return good;
}

static void test_good(void)
{
	struct error error = { "" };

	CU_ASSERT_TRUE(passes(text_offset, 0, &error));
	if (*error.text)
		printf("# %s\n", error.text);
}

/* The .AMDGPU.config words that hold the number of registers: made 1. */
static void test_registers(void)
{
	const uint8_t *bytes = compiled.binary;
	unsigned found = 0;
	struct error error;

	for (uint32_t at = 0; at + 8 <= compiled.binary_size; at += 4) {
		uint32_t words[2];

		memcpy(words, bytes + at, sizeof words);
		if (words[0] != 0x288d4 || (words[1] & 0xff) < 3)
			continue;
		CU_ASSERT_FALSE(passes(at + 4, (words[1] & 0xff) ^ 1, &error));
		CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "registers"));
		found++;
	}
	CU_ASSERT_TRUE(found > 10);
}

/* Single bits of the first kernel's control flow: many are errors, none a
 * crash. */
static void test_damage(void)
{
	unsigned refused = 0, tried = 0;
	struct error error;

	for (uint32_t at = 0; at < 64 && at < text_size; at += 4)
		for (unsigned bit = 0; bit < 32; bit++) {
			refused += !passes(text_offset + at, 1u << bit, &error);
			tried++;
		}
	printf("# %u of %u damaged binaries refused\n", refused, tried);
	CU_ASSERT_TRUE(refused > tried / 4);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "a good binary passes", test_good },
		{ "registers beyond the declared number", test_registers },
		{ "damaged control flow", test_damage },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "verifier", setup, teardown, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
