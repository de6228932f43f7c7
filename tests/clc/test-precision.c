/* Which precision a program asks for, and when its text alone tells. */
#include <stdio.h>

#include "base/memory.h"
#include "opencl-rt/clc/precision.h"
#include "unit/harness.h"

#define ENABLE(extension) "#pragma OPENCL EXTENSION " extension " : enable\n"

struct row {
	const char *text;
	enum precision precision;
};

static const struct row plain[] = {
	{ "float x = 0.1;", PRECISION_SINGLE },
	{ "double x = 0.1;", PRECISION_DOUBLE },
	{ "a = convert_double4_rte(b);", PRECISION_DOUBLE },
	{ "a = M_PI * b;", PRECISION_DOUBLE },
	{ "a = M_PI_F * b;", PRECISION_SINGLE },
	{ ENABLE("cl_khr_fp64") "float x;", PRECISION_DOUBLE },
	{ " \t#  pragma OPENCL EXTENSION cl_khr_fp64 : enable\n",
	  PRECISION_DOUBLE },
	{ ENABLE("cl_amd_fp64") "double x;", PRECISION_AMD },
	{ "int a;\r" ENABLE("cl_amd_fp64") "double x;", PRECISION_AMD },
	{ "\r\n" ENABLE("cl_amd_fp64") "double x;", PRECISION_AMD },
	{ ENABLE("cl_khr_fp16") "float x;", PRECISION_SINGLE },
	{ "float x; // a double", PRECISION_SINGLE },
	{ "float x; // no double\ndouble y;", PRECISION_DOUBLE },
	{ "float x; // no double\rdouble y;", PRECISION_DOUBLE },
	{ "/* a double,\n * two */ float x;", PRECISION_SINGLE },
	{ "/* it's */ float x; /* double's */", PRECISION_SINGLE },
	{ "/* not closed: double", PRECISION_SINGLE },
	{ "dou/**/ble x;", PRECISION_SINGLE },
	{ "a = b / c; double d;", PRECISION_DOUBLE },
	{ "printf(\"double /* \"); float x;", PRECISION_SINGLE },
	{ "printf(\"\\\"//\"); double x;", PRECISION_DOUBLE },
	{ "printf(\"#if\"); // #if", PRECISION_SINGLE },
};

static const char *const hidden[] = {
	"#define real double\nreal x;",
	"#ifdef cl_khr_fp64\ndouble x;\n#endif\n",
	"#pragmatic\n",
	"dou\\\nble x;",
	"dou\\\r\nble x;",
	"?\?=define real double\nreal x;",
	"%:define real double\nreal x;",
	"_Pragma(\"OPENCL EXTENSION cl_amd_fp64 : enable\") double x;",
};

static void test_plain(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++) {
		enum precision precision = PRECISION_NONE;

		CU_ASSERT(precision_is_plain(plain[i].text, &precision));
		if (precision != plain[i].precision)
			printf("  wrong: %s\n", plain[i].text);
		CU_ASSERT_EQUAL(precision, plain[i].precision);
	}
}

static void test_hidden(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(hidden); i++) {
		enum precision precision = PRECISION_NONE;

		CU_ASSERT(!precision_is_plain(hidden[i], &precision));
		CU_ASSERT_EQUAL(precision, PRECISION_NONE);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "the text tells", test_plain },
		{ "only the preprocessor tells", test_hidden },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = {
		{ .pName = "precision", .pTests = tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
