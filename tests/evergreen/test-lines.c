/* The line section of kernels compiled with -g. */
#include <stdlib.h>
#include <string.h>

#include "evergreen/kernel/lines.h"
#include "unit/harness.h"

static const char good[] = "m2s-lines 3\nfile a.cl\nfile b.h\n"
			   "line 0 1 2\nline 16 2 7 3\nline 24 0 0\n"
			   "source 12\nfirst\nsecondsource 3\nb\ncend\n";

static struct evg_lines *read(const char *text, struct error *error)
{
	return evg_lines_read("test", text, strlen(text), error);
}

static void test_find(void)
{
	struct error error = { "" };
	struct evg_lines *lines = read(good, &error);
	const struct evg_line_row *row;
	const char *text;
	size_t length;

	CU_ASSERT_PTR_NOT_NULL_FATAL(lines);
	row = evg_lines_find(lines, 15);
	CU_ASSERT_PTR_NOT_NULL_FATAL(row);
	CU_ASSERT_EQUAL(row->line, 2);
	CU_ASSERT_EQUAL(row->argument, 0);
	row = evg_lines_find(lines, 16);
	CU_ASSERT_PTR_NOT_NULL_FATAL(row);
	CU_ASSERT_STRING_EQUAL(lines->files[row->file - 1], "b.h");
	CU_ASSERT_EQUAL(row->argument, 3);
	CU_ASSERT_PTR_NULL(evg_lines_find(lines, 24));
	CU_ASSERT_PTR_NULL(evg_lines_find(NULL, 0));
	text = evg_lines_source(lines, 1, 2, &length);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_EQUAL(length, 6);
	CU_ASSERT(!memcmp(text, "second", 6));
	CU_ASSERT_PTR_NULL(evg_lines_source(lines, 1, 3, &length));
	text = evg_lines_source(lines, 2, 1, &length);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_EQUAL(length, 1);
	CU_ASSERT_EQUAL(*text, 'b');
	evg_lines_free(lines);
}

static void test_write(void)
{
	struct error error = { "" };
	struct evg_lines *lines = read(good, &error);
	size_t size;
	char *text;

	CU_ASSERT_PTR_NOT_NULL_FATAL(lines);
	text = evg_lines_write(lines, &size);
	CU_ASSERT_EQUAL(size, strlen(good));
	CU_ASSERT_STRING_EQUAL(text, good);
	free(text);
	evg_lines_free(lines);
}

/* Version 2 had no arguments. */
static void test_older(void)
{
	struct error error = { "" };
	struct evg_lines *lines = read("m2s-lines 2\nfile a.cl\nline 0 1 2\n"
				       "source 0\nend\n", &error);

	CU_ASSERT_PTR_NOT_NULL_FATAL(lines);
	CU_ASSERT_EQUAL(evg_lines_find(lines, 0)->line, 2);
	CU_ASSERT_EQUAL(evg_lines_find(lines, 0)->argument, 0);
	evg_lines_free(lines);
}

static void test_damage(void)
{
	static const char *const bad[] = {
		"", "m2s-lines 9\nsource 0\n", "m2s-lines 2\n",
		"m2s-lines 2\nline 0 1 1\nsource 0\n",
		"m2s-lines 2\nfile a\nline 8 1 1\nline 8 1 2\nsource 0\n",
		"m2s-lines 2\nfile a\nline 8 1\nsource 0\n",
		"m2s-lines 2\nfile a\nline 8 1 1 \nsource 0\n",
		"m2s-lines 3\nfile a\nline 8 1 1 1 1\nsource 0\nend\n",
		"m2s-lines 1\nsource 0\nend\n",
		"m2s-lines 2\nfile a\nline 4294967296 1 1\nsource 0\n",
		"m2s-lines 2\nsource 0\nend\n", "m2s-lines 2\nend\nend\n",
		"m2s-lines 2\nfile a\nsource 1\nend\n",
		"m2s-lines 2\nfile a\nsource 1\nabend\n",
	};
	char *copy = malloc(sizeof good);

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct error error = { "" };

		CU_ASSERT_PTR_NULL(read(bad[i], &error));
		CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "test: .m2s.lines:"));
	}
	/* Cut anywhere; memory behind is not looked at. */
	for (size_t size = 0; size < sizeof good - 1; size++) {
		struct error error = { "" };

		copy = realloc(copy, size + !size);
		memcpy(copy, good, size);
		CU_ASSERT_PTR_NULL(evg_lines_read("test", copy, size, &error));
	}
	free(copy);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "find", test_find },
		{ "write", test_write },
		{ "older", test_older },
		{ "damage", test_damage },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "Source lines", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
