/* What m2s-clc makes of each language feature. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "clc/support.h"
#include "opencl-rt/codegen/target.h"
#include "unit/harness.h"

/* --- Counting ----------------------------------------------------------- */

static unsigned count_cf(const struct evg_code *code, enum evg_cf_op op)
{
	unsigned count = 0;

	for (uint32_t i = 0; i < code->cf_count; i++)
		count += code->cf[i].size && code->cf[i].inst.op == op;
	return count;
}

static bool is_export(const struct evg_code_cf *cf)
{
	return cf->size && cf->inst.format == EVG_CF_EXPORT_RAT;
}

static unsigned count_rat(const struct evg_code *code, enum evg_rat_op op)
{
	unsigned count = 0;

	for (uint32_t i = 0; i < code->cf_count; i++)
		count += is_export(&code->cf[i]) &&
			 code->cf[i].inst.rat_op == op;
	return count;
}

static unsigned count_fetch(const struct evg_code *code, unsigned resource)
{
	unsigned count = 0;

	for (uint32_t i = 0; i < code->fetch_count; i++)
		count += code->fetches[i].inst.resource_id == resource;
	return count;
}

static unsigned count_alu(const struct evg_code *code, enum evg_alu_op op)
{
	unsigned count = 0;

	for (uint32_t i = 0; i < code->group_count; i++)
		for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++)
			count += code->groups[i].group.slot_mask & 1 << slot &&
				 code->groups[i].group.inst[slot].op == op;
	return count;
}

/* Whether the code reads the dword at this byte offset of constant buffer 0,
 * through the constant cache or by a fetch. */
static bool reads_constant(const struct evg_code *code, uint32_t offset)
{
	for (uint32_t i = 0; i < code->fetch_count; i++)
		if (code->fetches[i].inst.resource_id ==
			    CLC_RESOURCE_PARAMETERS &&
		    code->fetches[i].inst.offset == offset)
			return true;
	for (uint32_t i = 0; i < code->cf_count; i++) {
		const struct evg_code_cf *cf = &code->cf[i];

		if (!cf->size || cf->clause != EVG_CLAUSE_ALU)
			continue;
		for (uint32_t g = cf->first; g < cf->first + cf->count; g++)
			for (unsigned s = 0; s < EVG_SLOT_COUNT; s++) {
				const struct evg_alu_group *group =
					&code->groups[g].group;
				const struct evg_alu_inst *inst =
					&group->inst[s];

				if (!(group->slot_mask & 1 << s))
					continue;
				for (int k = 0; k < inst->source_count; k++) {
					unsigned select =
						inst->source[k].select;
					uint32_t place;

					if (select < EVG_SELECT_KCACHE0 ||
					    select >= 192)
						continue;
					place = select % 32 +
						16 * cf->inst.kcache[select >=
							EVG_SELECT_KCACHE1]
							.address;
					place = place * 16 +
						4 * inst->source[k].channel;
					if (place == offset)
						return true;
				}
			}
	}
	return false;
}

/* --- Every file compiles ------------------------------------------------ */

/* Options that the language has, each with every kernel. */
static const char *const option_sets[] = {
	"", "-O1", "-O3 -g", "-cl-fast-relaxed-math -cl-mad-enable",
	"-cl-opt-disable",
};

static void compiles(const char *file, unsigned kernels)
{
	for (size_t i = 0; i < ARRAY_SIZE(option_sets); i++) {
		struct evg_program *program = compile_program(file,
							      option_sets[i]);

		if (!program) {
			printf("# options: %s\n", option_sets[i]);
			CU_FAIL("does not compile");
			return;
		}
		CU_ASSERT_EQUAL(program->kernel_count, kernels);
		CU_ASSERT_STRING_EQUAL(program->build_options, option_sets[i]);
		evg_program_free(program);
	}
}

#define COMPILES(name, file, kernels)                                          \
	static void test_##name(void) { compiles(file, kernels); }
COMPILES(compile_atomics, "atomics.cl", 3)
COMPILES(compile_atomics_unused, "atomics-unused.cl", 1)
COMPILES(compile_atomics_local, "atomics-local.cl", 1)
COMPILES(compile_tails, "tails.cl", 7)
COMPILES(compile_ids, "id-vectors.cl", 3)
COMPILES(compile_subvectors, "subvectors.cl", 2)
COMPILES(compile_volatile, "volatile-local.cl", 2)
COMPILES(compile_private, "private-arrays.cl", 3)
COMPILES(compile_helpers, "helpers.cl", 3)
COMPILES(compile_fences, "fences.cl", 3)
COMPILES(compile_arguments, "arguments.cl", 9)
COMPILES(compile_constants, "constants.cl", 4)
COMPILES(compile_types, "types.cl", 8)
COMPILES(compile_math, "math.cl", 3)
COMPILES(compile_compare, "compare.cl", 17)
COMPILES(compile_control, "control.cl", 4)

/* --- What became of them ------------------------------------------------ */

/* Sixteen atomics, each followed by a wait and the fetch of its result. */
static void test_atomics(void)
{
	static const struct {
		enum evg_rat_op op;
		unsigned count;
	} wanted[] = {
		{ EVG_RAT_ADD_RTN, 3 },      { EVG_RAT_SUB_RTN, 2 },
		{ EVG_RAT_XCHG_RTN, 2 },     { EVG_RAT_CMPXCHG_INT_RTN, 2 },
		{ EVG_RAT_MIN_INT_RTN, 1 },  { EVG_RAT_MAX_INT_RTN, 1 },
		{ EVG_RAT_AND_RTN, 1 },      { EVG_RAT_OR_RTN, 1 },
		{ EVG_RAT_XOR_RTN, 1 },      { EVG_RAT_MIN_UINT_RTN, 1 },
		{ EVG_RAT_MAX_UINT_RTN, 1 },
	};
	struct evg_program *program = compile_program("atomics.cl", "");
	struct evg_code *code = kernel_code(program, "results");
	bool waiting = false;
	unsigned fetched = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(code);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		CU_ASSERT_EQUAL(count_rat(code, wanted[i].op),
				wanted[i].count);
	CU_ASSERT_EQUAL(count_cf(code, EVG_CF_WAIT_ACK), 16);
	CU_ASSERT_EQUAL(count_fetch(code, CLC_RESOURCE_RETURN), 16);
	CU_ASSERT_EQUAL(count_rat(code, EVG_RAT_STORE_RAW), 16);
	for (uint32_t i = 0; i < code->cf_count; i++) {
		const struct evg_code_cf *cf = &code->cf[i];

		if (!cf->size)
			continue;
		if (is_export(cf) && evg_rat_info[cf->inst.rat_op].returns) {
			CU_ASSERT_FALSE(waiting);
			CU_ASSERT_EQUAL(cf->inst.rat_id, 0);
			CU_ASSERT_EQUAL(cf->inst.type, 3);
			CU_ASSERT_TRUE(cf->inst.mark);
			waiting = true;
		}
		if (cf->clause == EVG_CLAUSE_FETCH)
			for (uint32_t f = 0; f < cf->count; f++) {
				const struct evg_fetch_inst *inst =
					&code->fetches[cf->first + f].inst;

				if (inst->resource_id != CLC_RESOURCE_RETURN)
					continue;
				CU_ASSERT_TRUE(waiting);
				CU_ASSERT_EQUAL(inst->offset, 0);
				waiting = false;
				fetched++;
			}
	}
	CU_ASSERT_EQUAL(fetched, 16);
	evg_code_free(code);
	evg_program_free(program);
}

/* Without results: no returning operation, no fetch, dword addresses. */
static void test_atomics_unused(void)
{
	struct evg_program *program = compile_program("atomics-unused.cl",
						      "");
	struct evg_code *code = kernel_code(program, "unused");

	CU_ASSERT_PTR_NOT_NULL_FATAL(code);
	for (uint32_t i = 0; i < code->cf_count; i++)
		if (is_export(&code->cf[i]))
			CU_ASSERT_FALSE(evg_rat_info[code->cf[i].inst.rat_op]
						.returns);
	CU_ASSERT_EQUAL(count_rat(code, EVG_RAT_ADD), 2);
	CU_ASSERT_EQUAL(count_rat(code, EVG_RAT_SUB), 2);
	CU_ASSERT_EQUAL(count_rat(code, EVG_RAT_CMPXCHG_INT), 1);
	CU_ASSERT_EQUAL(count_rat(code, EVG_RAT_STORE_RAW), 1);
	CU_ASSERT_EQUAL(count_rat(code, EVG_RAT_MAX_UINT), 1);
	CU_ASSERT_EQUAL(count_fetch(code, CLC_RESOURCE_RETURN), 0);
	/* Each address is shifted right by two. */
	CU_ASSERT_TRUE(count_alu(code, EVG_ALU_LSHR_INT) >= 13);
	evg_code_free(code);
	evg_program_free(program);
}

/* Every kernel of tails.cl reaches END_OF_PROGRAM (else it would not decode)
 * and kept what it does last. */
static void test_tails(void)
{
	static const char *const names[] = {
		"ends_in_barrier", "ends_in_local_store",
		"ends_in_local_atomic", "ends_in_branch", "ends_in_loop",
		"ends_early",
	};
	struct evg_program *program = compile_program("tails.cl", "");
	struct evg_code *code;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		unsigned ends = 0;

		code = kernel_code(program, names[i]);
		CU_ASSERT_PTR_NOT_NULL_FATAL(code);
		CU_ASSERT_TRUE(count_alu(code, EVG_ALU_LDS_IDX_OP) > 0);
		CU_ASSERT_EQUAL(count_rat(code, EVG_RAT_STORE_TYPED), 0);
		for (uint32_t a = 0; a < code->cf_count; a++)
			ends += code->cf[a].size &&
				code->cf[a].inst.end_of_program;
		CU_ASSERT_EQUAL(ends, 1);
		evg_code_free(code);
	}
	code = kernel_code(program, "ends_in_barrier");
	CU_ASSERT_PTR_NOT_NULL_FATAL(code);
	CU_ASSERT_EQUAL(count_alu(code, EVG_ALU_GROUP_BARRIER), 1);
	evg_code_free(code);
	evg_program_free(program);
}

static void test_fences(void)
{
	struct evg_program *program = compile_program("fences.cl", "");
	struct evg_code *code = kernel_code(program, "fences");

	CU_ASSERT_PTR_NOT_NULL_FATAL(code);
	CU_ASSERT_EQUAL(count_cf(code, EVG_CF_WAIT_ACK), 3);
	CU_ASSERT_EQUAL(count_rat(code, EVG_RAT_STORE_RAW), 3);
	for (uint32_t i = 0; i < code->cf_count; i++)
		if (is_export(&code->cf[i])) {
			CU_ASSERT_TRUE(code->cf[i].inst.mark);
			CU_ASSERT_EQUAL(code->cf[i].inst.type, 3);
		}
	evg_code_free(code);
	code = kernel_code(program, "copies");
	CU_ASSERT_PTR_NOT_NULL_FATAL(code);
	CU_ASSERT_EQUAL(count_alu(code, EVG_ALU_GROUP_BARRIER), 3);
	evg_code_free(code);
	evg_program_free(program);
}

/* Tables need relocations; a pointer chosen at run time gets one for each
 * table that it may point to. */
static void test_constants(void)
{
	static const float weights[5] = { 0.1f, 0.2f, 0.4f, 0.2f, 0.1f };
	struct evg_program *program = compile_program("constants.cl", "");
	bool found = false;

	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	CU_ASSERT_EQUAL(program->relocation_count, 5);
	for (uint32_t i = 0; i < program->relocation_count; i++) {
		uint32_t offset, place = program->relocations[i];

		if (i)
			CU_ASSERT_TRUE(place > program->relocations[i - 1]);
		memcpy(&offset, program->text + place, 4);
		CU_ASSERT_TRUE(offset < program->text_size);
		if (offset + sizeof weights <= program->text_size &&
		    !memcmp(program->text + offset, weights, sizeof weights))
			found = true;
	}
	CU_ASSERT_TRUE(found);
	evg_program_free(program);
}

/* Functions that are no kernels leave no trace. */
static void test_helpers(void)
{
	struct evg_program *program = compile_program("helpers.cl", "");

	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	CU_ASSERT_PTR_NOT_NULL(evg_program_find(program, "uses_scale"));
	CU_ASSERT_PTR_NULL(evg_program_find(program, "scale"));
	CU_ASSERT_PTR_NULL(evg_program_find(program, "shift_rows"));
	evg_program_free(program);
}

/* --- Arguments ---------------------------------------------------------- */

static void check_offsets(const struct evg_program *program, const char *name,
			  const uint32_t *wanted, uint32_t count,
			  uint32_t tail)
{
	const struct evg_kernel *kernel = evg_program_find(program, name);

	CU_ASSERT_PTR_NOT_NULL_FATAL(kernel);
	CU_ASSERT_EQUAL_FATAL(kernel->argument_count, count);
	for (uint32_t i = 0; i < count; i++)
		CU_ASSERT_EQUAL(kernel->arguments[i].offset, wanted[i]);
	CU_ASSERT_EQUAL(kernel->tail_offset, tail);
}

/* A byte or a short may be read with its dword. */
static bool reads_argument(const struct evg_code *code, uint32_t offset)
{
	return reads_constant(code, offset) || reads_constant(code, offset & ~3u);
}

static void check_reads(const struct evg_program *program, const char *name,
			const uint32_t *wanted, size_t count)
{
	struct evg_code *code = kernel_code(program, name);

	CU_ASSERT_PTR_NOT_NULL_FATAL(code);
	for (size_t i = 0; i < count; i++) {
		CU_ASSERT_TRUE(reads_argument(code, wanted[i]));
		if (!reads_argument(code, wanted[i]))
			printf("# %s does not read %u\n", name, wanted[i]);
	}
	evg_code_free(code);
}

/* Offsets by the layout rules, and the code reads where they say. */
static void test_argument_offsets(void)
{
	struct evg_program *program = compile_program("arguments.cl", "");

	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
#define OFFSETS(name, tail, ...)                                               \
	check_offsets(program, name, (const uint32_t[]){ __VA_ARGS__ },        \
		      sizeof(uint32_t[]){ __VA_ARGS__ } / 4, tail)
#define READS(name, ...)                                                       \
	check_reads(program, name, (const uint32_t[]){ __VA_ARGS__ },          \
		    sizeof(uint32_t[]){ __VA_ARGS__ } / 4)
	OFFSETS("pointer_float4", 68, 36, 52);
	READS("pointer_float4", 36, 52, 64);
	OFFSETS("scalars", 64, 36, 40, 41, 42, 44, 48, 52, 60);
	READS("scalars", 36, 40, 41, 42, 44, 48, 52, 56, 60);
	OFFSETS("char_vector", 44, 36, 40);
	READS("char_vector", 36, 44);
	OFFSETS("structs", 96, 36, 40, 52, 84, 92);
	READS("structs", 36, 40, 56, 68, 92);
	OFFSETS("pointers", 56, 36, 40, 44, 48, 52);
	READS("pointers", 36, 40, 44, 48, 52);
	OFFSETS("wide", 172, 36, 40, 100, 164);
	READS("wide", 36, 40, 156, 160, 170);
	evg_program_free(program);
}

static void test_argument_kinds(void)
{
	struct evg_program *program = compile_program("arguments.cl", "");
	const struct evg_kernel *kernel;
	const struct evg_argument *argument;

	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	kernel = evg_program_find(program, "pointers");
	CU_ASSERT_PTR_NOT_NULL_FATAL(kernel);
	CU_ASSERT_EQUAL_FATAL(kernel->argument_count, 5);
	argument = kernel->arguments;
	for (int i = 0; i < 5; i++) {
		CU_ASSERT_EQUAL(argument[i].kind, EVG_ARGUMENT_POINTER);
		CU_ASSERT_EQUAL(argument[i].size, 4);
		CU_ASSERT_EQUAL(argument[i].access, EVG_ACCESS_NONE);
	}
	CU_ASSERT_STRING_EQUAL(argument[0].name, "in");
	CU_ASSERT_STRING_EQUAL(argument[0].type_name, "float4*");
	CU_ASSERT_EQUAL(argument[0].address_space, EVG_GLOBAL);
	CU_ASSERT_EQUAL(argument[0].qualifiers,
			EVG_QUALIFIER_CONST | EVG_QUALIFIER_RESTRICT);
	CU_ASSERT_EQUAL(argument[1].address_space, EVG_LOCAL);
	CU_ASSERT_EQUAL(argument[1].alignment, 16);
	CU_ASSERT_EQUAL(argument[1].qualifiers, 0);
	CU_ASSERT_EQUAL(argument[2].address_space, EVG_CONSTANT);
	CU_ASSERT_STRING_EQUAL(argument[2].type_name, "u8*");
	CU_ASSERT_EQUAL(argument[2].qualifiers, EVG_QUALIFIER_CONST);
	CU_ASSERT_EQUAL(argument[3].qualifiers, EVG_QUALIFIER_VOLATILE);
	CU_ASSERT_STRING_EQUAL(argument[4].type_name, "void*");
	CU_ASSERT_STRING_EQUAL(kernel->attributes,
			       "reqd_work_group_size(16,4,1) "
			       "vec_type_hint(float4)");
	CU_ASSERT_EQUAL(kernel->reqd_work_group_size[0], 16);
	CU_ASSERT_EQUAL(kernel->reqd_work_group_size[1], 4);
	CU_ASSERT_EQUAL(kernel->reqd_work_group_size[2], 1);
	kernel = evg_program_find(program, "wide");
	CU_ASSERT_PTR_NOT_NULL_FATAL(kernel);
	CU_ASSERT_EQUAL(kernel->work_group_size_hint[0], 8);
	CU_ASSERT_STRING_EQUAL(kernel->attributes,
			       "work_group_size_hint(8,1,1)");
	argument = kernel->arguments;
	CU_ASSERT_EQUAL(argument[2].kind, EVG_ARGUMENT_VALUE);
	CU_ASSERT_EQUAL(argument[2].address_space, EVG_PRIVATE);
	CU_ASSERT_EQUAL(argument[2].size, 64);
	CU_ASSERT_EQUAL(argument[2].alignment, 64);
	kernel = evg_program_find(program, "structs");
	CU_ASSERT_PTR_NOT_NULL_FATAL(kernel);
	CU_ASSERT_STRING_EQUAL(kernel->arguments[3].type_name,
			       "struct tight");
	CU_ASSERT_EQUAL(kernel->arguments[3].size, 5);
	CU_ASSERT_EQUAL(kernel->arguments[3].alignment, 1);
	evg_program_free(program);
}

static void test_local_size(void)
{
	static const char source[] =
		"kernel void k(global int *p) {\n"
		"	local int a[100]; local char b[3];\n"
		"	a[get_local_id(0)] = p[0]; b[1] = p[1];\n"
		"	barrier(CLK_LOCAL_MEM_FENCE);\n"
		"	p[2] = a[3] + b[get_local_id(0) & 1]; }\n";
	struct clc_result result = compile_text(source, NULL);
	struct evg_program *program = NULL;

	CU_ASSERT_EQUAL(result.status, CLC_DONE);
	if (result.status == CLC_DONE)
		program = evg_program_read("local", result.binary,
					   result.binary_size, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	CU_ASSERT_EQUAL(program->kernels[0].local_size, 404);
	CU_ASSERT_TRUE(program->kernels[0].registers > 0);
	evg_program_free(program);
	clc_result_free(&result);
}

/* --- Errors ------------------------------------------------------------- */

static void fails(const char *file, const char *options,
		  enum clc_status status, const char *words)
{
	struct clc_result result = compile_file(file, options);

	CU_ASSERT_EQUAL(result.status, status);
	CU_ASSERT_PTR_NULL(result.binary);
	CU_ASSERT_PTR_NOT_NULL(strstr(result.log, words));
	if (result.status != status || !strstr(result.log, words))
		printf("# %s %s: %s\n", file, options, result.log);
	clc_result_free(&result);
}

static void test_unsupported(void)
{
	fails("bad-image.cl", "", CLC_BUILD_ERROR,
	      "kernel 'k': argument 'i': more than 8 images that are written");
	fails("bad-recursion.cl", "", CLC_BUILD_ERROR, "recursion");
	fails("bad-undefined.cl", "", CLC_BUILD_ERROR, "'elsewhere'");
	fails("bad-big-array.cl", "", CLC_BUILD_ERROR,
	      "more than 65536 bytes of private memory");
}

/* clang's diagnostics come through unchanged. */
static void test_diagnostics(void)
{
	struct clc_result result;

	fails("bad-syntax.cl", "", CLC_BUILD_ERROR,
	      "<stdin>:3:9: error: use of undeclared identifier "
	      "'undeclared'\n");
	/* Newer versions put the line's number before it. */
	fails("bad-syntax.cl", "", CLC_BUILD_ERROR,
	      "        p[0] = undeclared;\n");
	result = compile_text("kernel void k(global int *p) { int x; }",
			      "-Wall");
	CU_ASSERT_EQUAL(result.status, CLC_DONE);
	CU_ASSERT_PTR_NOT_NULL(strstr(result.log, "unused variable 'x'"));
	clc_result_free(&result);
	result = compile_text("kernel void k(global int *p) { int x; }",
			      "-Wall -w");
	CU_ASSERT_EQUAL(result.status, CLC_DONE);
	CU_ASSERT_STRING_EQUAL(result.log, "");
	clc_result_free(&result);
	result = compile_text("kernel void k(global int *p) { int x; }",
			      "-Wall -Werror");
	CU_ASSERT_EQUAL(result.status, CLC_BUILD_ERROR);
	clc_result_free(&result);
}

static void test_options(void)
{
	struct evg_program *program;
	struct clc_result result;

	fails("control.cl", "-cl-std=CL2.0", CLC_BAD_OPTIONS, "up to 1.2");
	fails("control.cl", "-cl-fast-relaxed-mat", CLC_BAD_OPTIONS,
	      "did you mean -cl-fast-relaxed-math?");
	fails("control.cl", "-D", CLC_BAD_OPTIONS, "needs a value");
	fails("control.cl", "other.cl", CLC_BAD_OPTIONS, "other.cl");
	fails("control.cl", "-o /dev/null", CLC_BAD_OPTIONS, "-o");
	fails("control.cl", "--help", CLC_BAD_OPTIONS, "--help");
	fails("control.cl", "-D 'X=1", CLC_BAD_OPTIONS, "quote");
	result = compile_text("kernel void k(global int *p) { p[0] = N + M; "
			      "p[1] = sizeof TEXT; }",
			      "-D N=40 -DM=2 -D TEXT='\"a b\"'");
	CU_ASSERT_EQUAL(result.status, CLC_DONE);
	if (result.status != CLC_DONE)
		printf("# %s\n", result.log);
	clc_result_free(&result);
	program = compile_program("control.cl", "-cl-std=CL1.1 -Os");
	CU_ASSERT_PTR_NOT_NULL(program);
	evg_program_free(program);
	program = compile_program("control.cl", "-D A='x \"y\"' -w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	CU_ASSERT_STRING_EQUAL(program->build_options, "-D A=x \"y\" -w");
	evg_program_free(program);
}

/* A program without kernels is a program. */
/* Whether a kernel behind this text compiles without a word. */
static bool builds(const char *before, const char *options)
{
	char *source = xasprintf("%skernel __kernel_exec(64, float) void "
				 "k(global int *p) { *p = 0; }", before);
	struct clc_result result = compile_text(source, options);
	bool done = result.status == CLC_DONE && !*result.log;

	clc_result_free(&result);
	free(source);
	return done;
}

static bool holds(const char *condition, const char *options)
{
	char *before = xasprintf("#if !(%s)\n#error\n#endif\n", condition);
	bool done = builds(before, options);

	free(before);
	return done;
}

/* Macros of the language (OpenCL 1.2, section 6.10). */
static void test_macros(void)
{
	static const char extensions[] =
		"#if !cl_khr_3d_image_writes || !cl_khr_fp64 || !cl_amd_fp64 || "
		"!cl_khr_byte_addressable_store || "
		"!cl_khr_global_int32_base_atomics || "
		"!cl_khr_global_int32_extended_atomics || "
		"!cl_khr_local_int32_base_atomics || "
		"!cl_khr_local_int32_extended_atomics\n#error\n#endif\n";

	CU_ASSERT(holds("__OPENCL_VERSION__ == 120", ""));
	CU_ASSERT(holds("__OPENCL_VERSION__ == 120", "-cl-std=CL1.1"));
	CU_ASSERT(holds("__OPENCL_C_VERSION__ == 120", ""));
	CU_ASSERT(holds("__OPENCL_C_VERSION__ == 110", "-cl-std=CL1.1"));
	CU_ASSERT(holds("CL_VERSION_1_0 == 100 && CL_VERSION_1_1 == 110 && "
			"CL_VERSION_1_2 == 120", ""));
	CU_ASSERT(holds("__ENDIAN_LITTLE__ && __IMAGE_SUPPORT__", ""));
	CU_ASSERT(holds("__LINE__ == 1 && !__FAST_RELAXED_MATH__", ""));
	CU_ASSERT(holds("__FAST_RELAXED_MATH__", "-cl-fast-relaxed-math"));
	CU_ASSERT(builds(extensions, ""));
	CU_ASSERT(builds(extensions, "-DD=double"));
	CU_ASSERT(!builds(extensions, "-fno-fp64"));
}

static void test_no_kernels(void)
{
	struct clc_result result = compile_text("int f(int x) { return x; }",
						"");
	struct evg_program *program = NULL;
	struct error error;

	CU_ASSERT_EQUAL(result.status, CLC_DONE);
	if (result.status == CLC_DONE)
		program = evg_program_read("none", result.binary,
					   result.binary_size, &error);
	else
		printf("# %s\n", result.log);
	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	CU_ASSERT_EQUAL(program->kernel_count, 0);
	evg_program_free(program);
	clc_result_free(&result);
}

/* --- Single and double precision ---------------------------------------- */

/* Whether a program has constants of this size. */
static bool constants_have(unsigned size, const char *before,
			   const char *options)
{
	char *source = xasprintf("%s\nkernel void k(global float *p) { "
				 "int a[sizeof(0.5) == %u ? 1 : -1]; "
				 "a[0] = 1; p[0] = p[1] * 0.5 + a[0]; }",
				 before, size);
	struct clc_result result = compile_text(source, options);
	bool done = result.status == CLC_DONE;

	clc_result_free(&result);
	free(source);
	return done;
}

static void test_precision(void)
{
	static const char khr[] =
		"#pragma OPENCL EXTENSION cl_khr_fp64 : enable";
	static const char amd[] =
		"#pragma OPENCL EXTENSION cl_amd_fp64 : enable";
	struct clc_result result;

	CU_ASSERT(constants_have(4, "", ""));
	CU_ASSERT(constants_have(4, "", "-cl-std=CL1.1"));
	CU_ASSERT(constants_have(4, "// double\n#define D double", ""));
	CU_ASSERT(constants_have(4, "#if 0\ntypedef double d;\n#endif", ""));
	CU_ASSERT(constants_have(8, "typedef double4 d;", ""));
	CU_ASSERT(constants_have(8, "typedef D d;", "-DD=double"));
	CU_ASSERT(constants_have(8, khr, ""));
	CU_ASSERT(constants_have(8, khr, "-cl-std=CL1.1"));
	CU_ASSERT(constants_have(8, amd, ""));
	CU_ASSERT(constants_have(8, amd, "-cl-std=CL1.0"));
	CU_ASSERT(constants_have(8, amd, "-cl-std=CL1.1"));
	result = compile_text("kernel void k(global float *p) "
			      "{ p[0] = pow(p[0], 2.0); }", "");
	CU_ASSERT_EQUAL(result.status, CLC_DONE);
	CU_ASSERT_STRING_EQUAL(result.log, "");
	clc_result_free(&result);
}

int main(void)
{
	static CU_TestInfo files[] = {
		{ "atomics with results", test_compile_atomics },
		{ "atomics without results", test_compile_atomics_unused },
		{ "atomics on local memory", test_compile_atomics_local },
		{ "kernels that end without a store", test_compile_tails },
		{ "vectors of work-item ids", test_compile_ids },
		{ "vectors widened", test_compile_subvectors },
		{ "unused volatile local reads", test_compile_volatile },
		{ "private arrays", test_compile_private },
		{ "functions that are no kernels", test_compile_helpers },
		{ "fences, mad_hi, async copies", test_compile_fences },
		{ "arguments", test_compile_arguments },
		{ "constant tables", test_compile_constants },
		{ "types and conversions", test_compile_types },
		{ "mathematical functions", test_compile_math },
		{ "control flow", test_compile_control },
		{ "the kernels of test-differential", test_compile_compare },
		CU_TEST_INFO_NULL,
	};
	static CU_TestInfo code[] = {
		{ "an atomic waits and fetches its result", test_atomics },
		{ "an unused result is not returned", test_atomics_unused },
		{ "END_OF_PROGRAM is kept", test_tails },
		{ "fences wait for acknowledged stores", test_fences },
		{ "constant tables are relocated", test_constants },
		{ "only kernels remain", test_helpers },
		CU_TEST_INFO_NULL,
	};
	static CU_TestInfo precision[] = {
		{ "constants are double where doubles are", test_precision },
		CU_TEST_INFO_NULL,
	};
	static CU_TestInfo arguments[] = {
		{ "offsets, and the code's view", test_argument_offsets },
		{ "kinds, names, qualifiers, attributes",
		  test_argument_kinds },
		{ "static local memory", test_local_size },
		{ "no kernels", test_no_kernels },
		CU_TEST_INFO_NULL,
	};
	static CU_TestInfo errors[] = {
		{ "what the device cannot do", test_unsupported },
		{ "clang's diagnostics", test_diagnostics },
		{ "build options", test_options },
		{ "macros", test_macros },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "compiles", NULL, NULL, NULL, NULL, files },
		{ "code", NULL, NULL, NULL, NULL, code },
		{ "precision", NULL, NULL, NULL, NULL, precision },
		{ "arguments", NULL, NULL, NULL, NULL, arguments },
		{ "errors", NULL, NULL, NULL, NULL, errors },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
