#include "base/config.h"
#include "base/ini.h"
#include "base/memory.h"
#include "unit/harness.h"

#include <stdlib.h>
#include <string.h>

static struct ini *parse(const char *text, struct error *error)
{
	return ini_parse("test.ini", text, strlen(text), error);
}

static void test_values(void)
{
	struct error error = { "" };
	struct ini *ini = parse("; comment\n[ Device ]\n Cores = 0x10 ; why\n"
				"size=32k\nFlag = T\n[ Module  l1 ]\nX = a b\n",
				&error);
	struct ini_section *device = ini_section_find(ini, "device");
	uint64_t number = 0;
	bool flag = false;

	CU_ASSERT_PTR_NOT_NULL_FATAL(ini);
	CU_ASSERT_PTR_NOT_NULL_FATAL(device);
	CU_ASSERT_EQUAL(ini_get_u64(ini_find(device, "cores"), 0, 100, &number,
				    &error), 0);
	CU_ASSERT_EQUAL(number, 16);
	CU_ASSERT_EQUAL(ini_get_u64(ini_find(device, "Size"), 0, 1 << 20,
				    &number, &error), 0);
	CU_ASSERT_EQUAL(number, 32768);
	CU_ASSERT_EQUAL(ini_get_bool(ini_find(device, "Flag"), &flag, &error),
			0);
	CU_ASSERT_TRUE(flag);
	CU_ASSERT_STRING_EQUAL(ini_find(ini_section_find(ini, "Module l1"),
					"x")->text, "a b");
	CU_ASSERT_EQUAL(ini_check(ini, &error), 0);
	ini_free(ini);
}

static void test_bad_text(void)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "[A\n", "test.ini:1: section name without ']'" },
		{ "x = 1\n", "test.ini:1: variable before any [section]" },
		{ "[A]\nnonsense\n",
		  "test.ini:2: expected '[section]' or 'variable = value'" },
		{ "[A]\n= 2\n", "test.ini:2: no name before '='" },
		{ "[A]\nb = 1\nB = 2\n",
		  "test.ini:3: [A] b was already given in line 2" },
		{ "[A]\n[ a ]\n",
		  "test.ini:2: section [A] was already given in line 1" },
		{ "[]\n", "test.ini:1: empty section name" },
		{ "[A] b\n", "test.ini:1: text after the section name" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error error = { "" };

		CU_ASSERT_PTR_NULL(parse(cases[i].text, &error));
		CU_ASSERT_STRING_EQUAL(error.text, cases[i].message);
	}
	CU_ASSERT_PTR_NULL(ini_parse("z.ini", "[A]\0b", 5, NULL));
	CU_ASSERT_PTR_NULL(ini_read("/nonexistent/x.ini", NULL));
}

static void test_bad_numbers(void)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "many", "expected a whole number" },
		{ "-1", "expected a whole number" },
		{ "12x", "expected a whole number, found 'x' after it" },
		{ "101", "expected 1 to 100" },
		{ "99999999999999999999", "expected 1 to 100" },
		{ "", "expected a whole number" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text = xasprintf("[A]\nn = %s\n", cases[i].text);
		struct error error = { "" };
		struct ini *ini = parse(text, &error);
		uint64_t number;

		CU_ASSERT_EQUAL(ini_get_u64(ini_find(ini_section_find(ini, "A"),
						     "n"), 1, 100, &number,
					    &error), -1);
		CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "test.ini:2: [A] n"));
		CU_ASSERT_PTR_NOT_NULL(strstr(error.text, cases[i].message));
		ini_free(ini);
		free(text);
	}
}

static void test_unknown_names(void)
{
	struct error error = { "" };
	struct ini *ini = parse("[Device]\nFrequencyy = 1\n", &error);

	ini_find(ini_section_find(ini, "Device"), "Frequency");
	CU_ASSERT_EQUAL(ini_check(ini, &error), -1);
	CU_ASSERT_STRING_EQUAL(error.text,
			       "test.ini:2: [Device] Frequencyy = 1: no such "
			       "variable (did you mean 'Frequency'?)");
	ini_free(ini);
	ini = parse("[Devise]\nFrequency = 1\n", &error);
	CU_ASSERT_PTR_NULL(ini_section_find(ini, "Device"));
	CU_ASSERT_EQUAL(ini_check(ini, &error), -1);
	CU_ASSERT_STRING_EQUAL(error.text, "test.ini:1: [Devise]: no such "
					   "section (did you mean 'Device'?)");
	ini_free(ini);
}

struct sample {
	uint32_t cores;
	double frequency;
	bool flag;
	int policy;
};

static const struct config_variable sample_table[] = {
	CONFIG_ROW(struct sample, "General", "Cores", U32, cores, "2", 1, 64,
		   "", "cores")
	CONFIG_ROW(struct sample, "General", "Frequency", DOUBLE, frequency,
		   "850", 1, 1e5, "MHz", "clock")
	CONFIG_ROW(struct sample, "Cache", "Flag", BOOL, flag, "f", 0, 1, "",
		   "a flag")
	CONFIG_ROW(struct sample, "Cache", "Policy", CHOICE, policy, "LRU", 0,
		   0, "LRU|FIFO|Random", "a choice")
};

static void test_config(void)
{
	struct error error = { "" };
	struct sample sample;
	struct ini *ini;
	char text[32];

	config_defaults(sample_table, ARRAY_SIZE(sample_table), &sample);
	CU_ASSERT_EQUAL(sample.cores, 2);
	CU_ASSERT_EQUAL(sample.frequency, 850);
	CU_ASSERT_EQUAL(sample.policy, 0);
	ini = parse("[Cache]\nPolicy = random\n[General]\nCores=8\n", &error);
	CU_ASSERT_EQUAL(config_read(sample_table, ARRAY_SIZE(sample_table),
				    ini, NULL, &sample, &error), 0);
	CU_ASSERT_EQUAL(ini_check(ini, &error), 0);
	CU_ASSERT_EQUAL(sample.cores, 8);
	config_format(&sample_table[3], &sample, text, sizeof text);
	CU_ASSERT_STRING_EQUAL(text, "Random");
	ini_free(ini);
	ini = parse("[Cache]\nPolicy = MRU\n", &error);
	CU_ASSERT_EQUAL(config_read(sample_table, ARRAY_SIZE(sample_table),
				    ini, NULL, &sample, &error), -1);
	CU_ASSERT_STRING_EQUAL(error.text,
			       "test.ini:2: [Cache] Policy = MRU: expected "
			       "one of LRU|FIFO|Random");
	ini_free(ini);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "values", test_values },
		{ "bad text", test_bad_text },
		{ "bad numbers", test_bad_numbers },
		{ "unknown names", test_unknown_names },
		{ "configuration tables", test_config },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "ini", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
