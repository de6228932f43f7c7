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
		{ "[A\n", "test.ini:1: the section name has no closing ']'" },
		{ "x = 1\n", "test.ini:1: a variable stands before the first "
			     "[section]" },
		{ "[A]\nnonsense\n",
		  "test.ini:2: expected '[section]' or 'variable = value'" },
		{ "[A]\n= 2\n", "test.ini:2: expected the name of a variable "
				"before '='" },
		{ "[A]\nb = 1\nB = 2\n",
		  "test.ini:3: [A] b was already given in line 2" },
		{ "[A]\n[ a ]\n",
		  "test.ini:2: section [A] was already given in line 1" },
		{ "[]\n", "test.ini:1: the section name is empty" },
		{ "[A] b\n", "test.ini:1: unexpected text after the section "
			     "name" },
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

/* Rows that make their struct: one that must be given, a choice likewise, a
 * text. */
#define ROWS(ROW)                                                              \
	ROW(Size, U32, size, CONFIG_REQUIRED, 1, 64, "bytes", "a size")        \
	ROW(Type, CHOICE, type, CONFIG_REQUIRED, 0, 0, "One|Two|Three",        \
	    "a type")                                                          \
	ROW(Ways, U32, ways, "2", 1, 8, "", "ways")                            \
	ROW(Next, TEXT, next, "", 0, 0, "<name> ...", "what follows")          \
	ROW(First, TEXT, first, CONFIG_REQUIRED, 0, 0, "<name>", "the first")

struct made {
	ROWS(CONFIG_MEMBER)
};

#define MADE_ROW(...) CONFIG_NAMED(struct made, NULL, __VA_ARGS__)
static const struct config_variable made_table[] = { ROWS(MADE_ROW) };

static int read_made(const char *text, struct made *made, struct ini **ini,
		     struct error *error)
{
	*ini = parse(text, error);
	memset(made, 0xaa, sizeof *made);
	config_defaults(made_table, ARRAY_SIZE(made_table), made);
	CU_ASSERT_EQUAL(made->size, 0);
	CU_ASSERT_EQUAL(made->ways, 2);
	CU_ASSERT_PTR_NULL(made->first);
	return config_read(made_table, ARRAY_SIZE(made_table), *ini,
			   ini_section_find(*ini, "S"), made, error);
}

static void test_required(void)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{ "[S]\nType = One\nFirst = a\n",
		  "test.ini:1: [S]: Size is missing" },
		{ "[S]\nSize = 4\nFirst = a\n",
		  "test.ini:1: [S]: Type is missing (One, Two or Three)" },
		{ "[S]\nSize = 4\nType = Two\n",
		  "test.ini:1: [S]: First is missing" },
	};
	struct error error = { "" };
	struct made made;
	struct ini *ini;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		CU_ASSERT_EQUAL(read_made(bad[i].text, &made, &ini, &error),
				-1);
		CU_ASSERT_STRING_EQUAL(error.text, bad[i].message);
		ini_free(ini);
	}
	/* Of a section that is not there, nothing must be given. */
	CU_ASSERT_EQUAL(read_made("[Other]\n", &made, &ini, &error), 0);
	ini_free(ini);
}

static void test_text(void)
{
	struct error error = { "" };
	struct made made;
	struct ini *ini;
	char text[32];

	CU_ASSERT_EQUAL(read_made("[S]\nSize = 4\nType = three\n"
				  "First = some name\n", &made, &ini, &error),
			0);
	CU_ASSERT_EQUAL(made.size, 4);
	CU_ASSERT_EQUAL(made.type, 2);
	CU_ASSERT_PTR_NULL(made.next);
	CU_ASSERT_STRING_EQUAL(made.first->text, "some name");
	CU_ASSERT_EQUAL(made.first->line, 4);
	config_format(&made_table[3], &made, text, sizeof text);
	CU_ASSERT_STRING_EQUAL(text, "");
	config_format(&made_table[4], &made, text, sizeof text);
	CU_ASSERT_STRING_EQUAL(text, "some name");
	CU_ASSERT_EQUAL(ini_check(ini, &error), 0);
	ini_free(ini);
}

static void test_help(void)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	config_help(made_table, ARRAY_SIZE(made_table), stream);
	config_help(sample_table, ARRAY_SIZE(sample_table), stream);
	fclose(stream);
	CU_ASSERT_STRING_EQUAL(text,
		"  Size  (bytes, 1 to 64; must be given)\n      a size\n"
		"  Type  (One|Two|Three; must be given)\n      a type\n"
		"  Ways = 2  (1 to 8)\n      ways\n"
		"  Next = <name> ...\n      what follows\n"
		"  First = <name>  (must be given)\n      the first\n"
		"[ General ]\n  Cores = 2  (1 to 64)\n      cores\n"
		"  Frequency = 850  (MHz, 1 to 100000)\n      clock\n"
		"\n[ Cache ]\n  Flag = f  (t or f)\n      a flag\n"
		"  Policy = LRU  (LRU|FIFO|Random)\n      a choice\n");
	free(text);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "values", test_values },
		{ "bad text", test_bad_text },
		{ "bad numbers", test_bad_numbers },
		{ "unknown names", test_unknown_names },
		{ "configuration tables", test_config },
		{ "variables that must be given", test_required },
		{ "texts", test_text },
		{ "help", test_help },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "ini", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
