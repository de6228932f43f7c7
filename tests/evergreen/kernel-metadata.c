/* The metadata section: what is written is read again, and nothing else. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/kernel/metadata.h"
#include "unit/harness.h"

static const char good[] =
	"m2s-kernels 1\n"
	"compiler \"c\"\n"
	"options \"-D \\\"A\\\" \\\\ \\x09\"\n"
	"kernel \"first\"\n"
	"attributes \"\"\n"
	"reqd_work_group_size 64 2 1\n"
	"work_group_size_hint 0 0 0\n"
	"tail 112\n"
	"argument pointer global none 3 36 4 16 \"float4*\" \"in\"\n"
	"argument pointer local none 0 40 4 8 \"\" \"\"\n"
	"argument image global write_only 0 44 32 4 8 \"image2d_t\" \"i\"\n"
	"argument sampler private none 0 76 4 4 2 \"sampler_t\" \"s\"\n"
	"argument value private none 4 80 32 16 \"struct S\" \"v\"\n"
	"sampler 3 20\n"
	"sampler 17 39\n"
	"kernel \"second\"\n"
	"attributes \"vec_type_hint(int)\"\n"
	"reqd_work_group_size 0 0 0\n"
	"work_group_size_hint 8 1 1\n"
	"tail 36\n"
	"float_mode 99 0\n"
	"loop 2 16 5 4294967295 0\n"
	"loop 31 4294967295 1 2 3\n"
	"bool 0 1\n"
	"bool 7 0\n"
	"end 2\n";

static struct evg_program *parse(const char *text, size_t size,
				 struct error *error)
{
	struct evg_program *program = xcalloc(1, sizeof *program);

	if (evg_metadata_read("test", text, size, program, error)) {
		evg_program_free(program);
		return NULL;
	}
	return program;
}

static void test_read(void)
{
	struct error error = { "" };
	struct evg_program *program = parse(good, strlen(good), &error);
	const struct evg_argument *argument;
	const struct evg_kernel *kernel;

	CU_ASSERT_STRING_EQUAL(error.text, "");
	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	CU_ASSERT_STRING_EQUAL(program->build_options, "-D \"A\" \\ \t");
	CU_ASSERT_EQUAL_FATAL(program->kernel_count, 2);
	kernel = &program->kernels[0];
	CU_ASSERT_STRING_EQUAL(kernel->name, "first");
	CU_ASSERT_PTR_EQUAL(kernel->program, program);
	CU_ASSERT_EQUAL(kernel->reqd_work_group_size[1], 2);
	CU_ASSERT_EQUAL(kernel->tail_offset, 112);
	CU_ASSERT_EQUAL_FATAL(kernel->argument_count, 5);
	argument = kernel->arguments;
	CU_ASSERT_EQUAL(argument[0].qualifiers, 3);
	CU_ASSERT_STRING_EQUAL(argument[0].type_name, "float4*");
	CU_ASSERT_EQUAL(argument[1].address_space, EVG_LOCAL);
	CU_ASSERT_EQUAL(argument[1].alignment, 8);
	CU_ASSERT_EQUAL(argument[2].kind, EVG_ARGUMENT_IMAGE);
	CU_ASSERT_EQUAL(argument[2].access, EVG_ACCESS_WRITE_ONLY);
	CU_ASSERT_EQUAL(argument[2].number, 8);
	CU_ASSERT_EQUAL(argument[3].kind, EVG_ARGUMENT_SAMPLER);
	CU_ASSERT_EQUAL(argument[3].number, 2);
	CU_ASSERT_EQUAL(argument[4].size, 32);
	CU_ASSERT_STRING_EQUAL(argument[4].name, "v");
	CU_ASSERT_EQUAL_FATAL(kernel->sampler_count, 2);
	CU_ASSERT_EQUAL(kernel->samplers[0].number, 3);
	CU_ASSERT_EQUAL(kernel->samplers[0].bits, 20);
	CU_ASSERT_EQUAL(kernel->samplers[1].number, 17);
	CU_ASSERT_EQUAL(program->kernels[1].argument_count, 0);
	CU_ASSERT_EQUAL(program->kernels[1].work_group_size_hint[0], 8);
	kernel = &program->kernels[1];
	CU_ASSERT_EQUAL(kernel->flow.loops_given, 1u << 2 | 1u << 31);
	CU_ASSERT_EQUAL(kernel->flow.loops[2][2], -1);
	CU_ASSERT_EQUAL(kernel->flow.bools_given, 1u << 0 | 1u << 7);
	CU_ASSERT_EQUAL(kernel->flow.bools, 1u << 0);
	CU_ASSERT_PTR_EQUAL(evg_program_find(program, "second"),
			    &program->kernels[1]);
	CU_ASSERT_PTR_NULL(evg_program_find(program, "third"));
	evg_program_free(program);
}

/* Writing what was read gives the same text. */
static void test_write(void)
{
	struct evg_program *program = parse(good, strlen(good), NULL);
	char *text;

	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	text = evg_metadata_write(program, "c");
	CU_ASSERT_STRING_EQUAL(text, good);
	free(text);
	evg_program_free(program);
}

/* Every beginning of the text is refused, wherever it stops. */
static void test_truncated(void)
{
	for (size_t size = 0; size < strlen(good); size++) {
		char *text = xmalloc(size + 1);
		struct error error = { "" };
		struct evg_program *program;

		memcpy(text, good, size);
		program = parse(text, size, &error);
		CU_ASSERT_PTR_NULL(program);
		CU_ASSERT_PTR_NOT_NULL(strstr(error.text,
					      "test: .m2s.kernels:"));
		evg_program_free(program);
		free(text);
	}
}

/* `good` with one piece replaced is refused with these words. */
static void refuses(const char *piece, const char *by, const char *words)
{
	const char *place = strstr(good, piece);
	struct error error = { "" };
	struct evg_program *program;
	char *text;

	CU_ASSERT_PTR_NOT_NULL_FATAL(place);
	text = xasprintf("%.*s%s%s", (int)(place - good), good, by,
			 place + strlen(piece));
	program = parse(text, strlen(text), &error);
	CU_ASSERT_PTR_NULL(program);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, words));
	if (program || !strstr(error.text, words))
		printf("# '%s' for '%s': %s\n", by, piece, error.text);
	evg_program_free(program);
	free(text);
}

static void test_refused(void)
{
	refuses("kernels 1", "kernels 2", ":1: expected format version (1 to 1)");
	refuses("m2s-kernels", "m2t-kernels", "expected m2s-kernels");
	refuses("options", "option", ":3: expected options, found 'option");
	refuses("\\x09", "\\x9", ":3: expected \\\"");
	refuses("\\x09", "\\x00", "expected");
	refuses("\\x09", "\t", "quoted string");
	refuses("\"first\"", "first", "quoted string");
	refuses("64 2 1", "64 2", "blank");
	refuses("64 2 1", "64 2 x", "work-group size");
	refuses("64 2 1", "64 2 4294967296", "work-group size");
	refuses("64 2 1", "64 2 99999999999999999999", "work-group size");
	refuses("tail 112", "tail 110", "multiple of 4");
	refuses("tail 36", "tail 37", "multiple of 4");
	refuses("tail 36", "tail 32", "work_dim");
	refuses("tail 112", "tail 108", "size inside the arguments");
	refuses("pointer global", "painter global", "argument kind");
	refuses("pointer global", "pointer globe", "address space");
	refuses("global none", "global some", "access qualifier");
	refuses("none 3 36", "none 8 36", "qualifiers");
	refuses("3 36 4", "3 35 4", "offset");
	refuses("3 36 4", "3 36 8", "4 bytes");
	refuses("4 16 \"float4", "4 12 \"float4", "power of two");
	refuses("4 16 \"float4", "4 0 \"float4", "alignment");
	refuses("none 0 40", "none 0 38", "overlap");
	refuses("mode 99", "mode 256", "a float mode");
	refuses("99 0", "99 2", "DX10_CLAMP");
	refuses("80 32", "80 33", "size inside");
	refuses("44 32 4", "44 4 4", "32 for an image");
	refuses("32 4 8", "32 4 12", "the RAT of an image (0 to 11)");
	refuses("write_only 0 44 32 4 8", "read_only 0 44 32 4 176",
		"the fetch resource of an image (0 to 175)");
	refuses("76 4 4 2", "76 4 4 18", "a sampler's number (0 to 17)");
	refuses("sampler 17", "sampler 18", "a sampler's number (0 to 17)");
	refuses("sampler 17 39", "sampler 17 64", "a sampler's bits");

	refuses("loop 31", "loop 32", "a constant's number");
	refuses("loop 31", "loop 2", "ascending order");
	refuses("5 4294967295 0", "5 4294967295", "blank");
	refuses("bool 7 0", "bool 7 2", "a boolean (0 to 1)");
	refuses("bool 7", "bool 0", "ascending order");
	refuses("end 2", "end 3", "number of kernels");
	refuses("end 2\n", "end 2\nmore", "nothing more");
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "reads every field", test_read },
		{ "writes what it reads", test_write },
		{ "refuses every truncation", test_truncated },
		{ "refuses what is damaged", test_refused },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "kernel metadata", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
