/* AMD's kernel binaries: reading the container, running what is inside, and
 * refusing what is not for this GPU or not whole. */
#include <stdlib.h>
#include <string.h>

#include "evergreen/asm/assemble.h"
#include "evergreen/cal-writer.h"
#include "evergreen/emu/emu.h"
#include "evergreen/emu/memory/resource.h"
#include "unit/harness.h"

/* c[i] = a[i] * n + local id, in the manner of AMD's compiler: launch sizes in
 * constant buffer 0, arguments in buffer 1, dword indices, RAT 11, and a
 * three-source instruction that writes a register which does not exist. */
static const char source[] =
	".kernel scale\n"
	".registers 4\n"
	"ALU: KCACHE0(CB0:0-15) KCACHE1(CB1:0-15)\n"
	"0 t: MULLO_INT ____, R1.x, KC0[1].x\n"
	"1 x: ADD_INT ____, R0.x, PS\n"
	"2 x: ADD_INT ____, PV.x, KC0[6].x\n"
	"3 x: LSHL ____, PV.x, 2\n"
	"4 x: ADD_INT ____, KC1[0].x, PV.x\n"
	"  y: ADD_INT ____, KC1[1].x, PV.x\n"
	"5 x: LSHR R2.x, PV.x, 2\n"
	"  y: LSHR R2.y, PV.y, 2\n"
	"TEX:\n"
	"VFETCH R3.x___, R2.x, fc153 MEGA(4) FETCH_TYPE(NO_INDEX_OFFSET)\n"
	"ALU: KCACHE0(CB1:0-15)\n"
	"6 t: MULLO_INT ____, R3.x, KC0[2].y\n"
	"7 x: CNDE_INT R123.x, 0.0f, PS, R0.x\n"
	"8 x: ADD_INT R3.x, PV.x, R0.x\n"
	"9 x: MOV R2.x, R2.y\n"
	"MEM_RAT_CACHELESS_STORE_RAW: RAT(11)[R2].x___, R3, ARRAY_SIZE(4) MARK "
	"VPM\n"
	"END_OF_PROGRAM\n";

static const char metadata[] =
	";ARGSTART:__OpenCL_scale_kernel\n"
	";version:3:1:104\n"
	";device:cypress\n"
	";uniqueid:1024\n"
	";memory:hwprivate:0\n"
	";memory:hwregion:0\n"
	";memory:hwlocal:64\n"
	";cws:64:1:1\n"
	";pointer:a:i32:1:1:0:uav:11:4:RO:0:0\n"
	";pointer:c:i32:1:1:16:uav:11:4:RW:0:0\n"
	";value:n:u32:2:1:32\n"
	";pointer:scratch:float:1:1:48:hl:1:16:RW:0:0\n"
	";printf_fmt:3:2:4:0:6:%d %s\\n;\n"
	";constarg:0:a\n"
	";function:1:1027\n"
	";uavid:11\n"
	";reflection:0:int*\n"
	";reflection:1:int*\n"
	";reflection:2:uint2\n"
	";reflection:3:float4*\n"
	";ARGEND:__OpenCL_scale_kernel\n";

static struct evg_program *assembled(const char *text)
{
	struct error error = { "" };
	struct evg_program *program =
		evg_assemble("scale", text, strlen(text), &error);

	if (!program)
		printf("# %s\n", error.text);
	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	return program;
}

static uint8_t *container(const char *text, const char *facts,
			  uint16_t machine, uint32_t encoding, size_t *size)
{
	struct evg_program *program = assembled(text);
	const struct evg_kernel *code = &program->kernels[0];
	const struct cal_kernel kernels[2] = {
		{ "scale", facts, program->text + code->code_offset,
		  code->code_size, 4, 1, 4, encoding,
		  code->flow.loops_given ? &code->flow : NULL, NULL },
		{ "other", ";device:cypress\n",
		  program->text + code->code_offset, code->code_size, 4, 0, 1,
		  encoding, NULL, NULL },
	};
	uint8_t *file = cal_write(kernels, 2, machine, size);

	evg_program_free(program);
	return file;
}

static struct evg_program *read_back(const char *text, struct error *error)
{
	size_t size;
	uint8_t *file = container(text, metadata, 0x3f1, 9, &size);
	struct evg_program *program =
		evg_program_read("scale.bin", file, size, error);

	free(file);
	return program;
}

static void test_reader(void)
{
	struct error error = { "" };
	struct evg_program *program = read_back(source, &error);
	const struct evg_kernel *kernel;

	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	CU_ASSERT_EQUAL(program->convention, EVG_CONVENTION_CAL);
	CU_ASSERT_EQUAL(program->kernel_count, 2);
	CU_ASSERT_PTR_NOT_NULL(evg_program_find(program, "other"));
	kernel = evg_program_find(program, "scale");
	CU_ASSERT_PTR_NOT_NULL_FATAL(kernel);
	CU_ASSERT_EQUAL(kernel->registers, 4);
	CU_ASSERT_EQUAL(kernel->stack_size, 1);
	CU_ASSERT_EQUAL(kernel->local_size, 64);
	CU_ASSERT_EQUAL(evg_float_mode_encode(&kernel->float_mode), 0xc3);
	CU_ASSERT_TRUE(kernel->float_mode.clamp_keeps_nan);
	CU_ASSERT_EQUAL(kernel->tail_offset, 64);
	CU_ASSERT_EQUAL(kernel->reqd_work_group_size[0], 64);
	CU_ASSERT_STRING_EQUAL(kernel->attributes,
			       "reqd_work_group_size(64,1,1)");
	CU_ASSERT_EQUAL_FATAL(kernel->argument_count, 4);
	CU_ASSERT_STRING_EQUAL(kernel->arguments[0].name, "a");
	CU_ASSERT_STRING_EQUAL(kernel->arguments[0].type_name, "int*");
	CU_ASSERT_EQUAL(kernel->arguments[0].address_space, EVG_GLOBAL);
	CU_ASSERT_EQUAL(kernel->arguments[0].qualifiers, EVG_QUALIFIER_CONST);
	CU_ASSERT_EQUAL(kernel->arguments[2].kind, EVG_ARGUMENT_VALUE);
	CU_ASSERT_EQUAL(kernel->arguments[2].size, 8);
	CU_ASSERT_EQUAL(kernel->arguments[2].offset, 32);
	CU_ASSERT_EQUAL(kernel->arguments[3].address_space, EVG_LOCAL);
	CU_ASSERT_EQUAL(kernel->arguments[3].alignment, 16);
	CU_ASSERT_TRUE(kernel->prints);
	CU_ASSERT_FALSE(evg_program_find(program, "other")->prints);
	CU_ASSERT_EQUAL_FATAL(program->format_count, 4);
	CU_ASSERT_PTR_NULL(program->formats[2].text);
	CU_ASSERT_STRING_EQUAL(program->formats[3].text, "%d %s\n");
	CU_ASSERT_EQUAL_FATAL(program->formats[3].argument_count, 2);
	CU_ASSERT_EQUAL(program->formats[3].sizes[0], 4);
	evg_program_free(program);
}

static void test_run(void)
{
	enum { ITEMS = 256, OFFSET = 64, FACTOR = 7 };
	struct error error = { "" };
	struct evg_program *program = read_back(source, &error);
	struct evg_memory *memory = evg_memory_create(1 << 24, &error);
	struct evg_ndrange *ndrange;
	uint32_t arguments[16] = { 0 }, *a, *c, a_at, c_at;

	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	a_at = evg_memory_allocate(memory, 4 * (ITEMS + OFFSET), false, "a");
	c_at = evg_memory_allocate(memory, 4 * (ITEMS + OFFSET), false, "c");
	a = evg_memory_host(memory, a_at, 4 * (ITEMS + OFFSET));
	c = evg_memory_host(memory, c_at, 4 * (ITEMS + OFFSET));
	for (uint32_t i = 0; i < ITEMS + OFFSET; i++)
		a[i] = 1000 + i;
	arguments[0] = a_at;
	arguments[4] = c_at;
	arguments[9] = FACTOR; /* n.y */
	ndrange = evg_ndrange_create(
		&(struct evg_launch){
			.kernel = evg_program_find(program, "scale"),
			.memory = memory, .work_dim = 1,
			.global_size = { ITEMS, 1, 1 },
			.local_size = { 64, 1, 1 },
			.global_offset = { OFFSET, 0, 0 },
			.arguments = (const uint8_t *)arguments,
			.local_memory = 64,
		}, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(ndrange);
	CU_ASSERT_EQUAL(evg_ndrange_run(ndrange, 1, 0, &error), 0);
	if (error.text[0])
		printf("# %s\n", error.text);
	for (uint32_t i = 0; i < ITEMS; i++)
		CU_ASSERT_EQUAL(c[OFFSET + i],
				a[OFFSET + i] * FACTOR + i % 64);
	CU_ASSERT_EQUAL(c[0], 0);
	evg_ndrange_free(ndrange);
	evg_memory_free(memory);
	evg_program_free(program);
}

/* Loop and boolean constants, and a constant buffer by a CF index register. */
static void test_flow_constants(void)
{
	static const char text[] =
		".kernel scale\n.registers 4\n"
		".loop 2 3 0 1\n.loop 31 4294967295 1 2 3\n"
		".bool 4 1\n.bool 5 0\n"
		"ALU:\n0 x: MOVA_INT ____, 1\n1 x: SET_CF_IDX0\n"
		"LOOP i2 FAIL_JUMP_ADDR(@out)\n@top:\n"
		"ALU: KCACHE0(CB0+idx0:0-15)\n"
		"0 x: ADD_INT R2.x, R2.x, KC0[2].y\n"
		"JUMP POP_CNT(0) ADDR(@next) COND(b4)\n"
		"ALU:\n0 x: ADD_INT R2.x, R2.x, 1000\n@next:\n"
		"ENDLOOP i2 PASS_JUMP_ADDR(@top)\n@out:\n"
		"ALU: KCACHE0(CB1:0-15)\n0 x: LSHR R1.x, KC0[1].x, 2\n"
		"MEM_RAT_CACHELESS_STORE_RAW: RAT(11)[R1].x___, R2, "
		"ARRAY_SIZE(4095)\nEND_OF_PROGRAM\n";
	struct error error = { "" };
	struct evg_program *program = read_back(text, &error);
	struct evg_memory *memory = evg_memory_create(1 << 20, &error);
	uint32_t at = evg_memory_allocate(memory, 256, false, "c");
	uint32_t arguments[16] = { [4] = at, [9] = 7 };
	const struct evg_flow_constants *flow;
	struct evg_ndrange *ndrange;

	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	flow = &program->kernels[0].flow;
	CU_ASSERT_EQUAL(flow->loops_given, 1u << 2 | 1u << 31);
	CU_ASSERT_EQUAL(flow->bools_given, 3u << 4);
	CU_ASSERT_EQUAL(flow->bools, 1u << 4);
	CU_ASSERT_EQUAL(flow->loops[31][0], -1);
	CU_ASSERT_EQUAL(flow->loops[31][3], 3);
	ndrange = evg_ndrange_create(
		&(struct evg_launch){
			.kernel = evg_program_find(program, "scale"),
			.memory = memory, .work_dim = 1,
			.global_size = { 64, 1, 1 },
			.local_size = { 64, 1, 1 },
			.arguments = (const uint8_t *)arguments,
			.local_memory = 64,
		}, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(ndrange);
	CU_ASSERT_EQUAL(evg_ndrange_run(ndrange, 1, 0, &error), 0);
	CU_ASSERT_STRING_EQUAL(error.text, "");
	CU_ASSERT_EQUAL(*(uint32_t *)evg_memory_host(memory, at, 4), 3021);
	evg_ndrange_free(ndrange);
	evg_memory_free(memory);
	evg_program_free(program);
}

/* out(x, y) = in(x - 1, y): an image that is read, one that is written, and a
 * sampler of the program's own, as AMD's metadata names them. */
static void test_images(void)
{
	enum { WIDTH = 64, SIZE = WIDTH * 4 };
	static const char shift[] =
		".kernel scale\n"
		".registers 3\n"
		"ALU:\n"
		"0 x: ADD_INT R1.x, R0.x, -1\n"
		"  y: MOV R0.y, 0.0f\n"
		"1 t: I_TO_F R1.x, R1.x\n"
		"2 y: MOV R1.y, 0.0f\n"
		"TEX:\n"
		"SAMPLE R2.xyzw, R1.xy00, t3, s2 UNNORM(XYZW)\n"
		"MEM_RAT_STORE_TYPED: RAT(5)[R0], R2, ARRAY_SIZE(0)\n"
		"END_OF_PROGRAM\n";
	static const char facts[] =
		";device:cypress\n"
		";image:in:2D:RO:3:1:0\n"
		";image:out:2D:WO:5:1:32\n"
		";sampler:unknown_22:2:1:22\n";
	struct error error = { "" };
	size_t size;
	uint8_t *file = container(shift, facts, 0x3f1, 9, &size);
	struct evg_program *program =
		evg_program_read("shift.bin", file, size, &error);
	struct evg_memory *memory = evg_memory_create(1 << 24, &error);
	struct evg_bindings *bindings = calloc(1, sizeof *bindings);
	struct evg_image image = {
		.dimension = EVG_IMAGE_2D, .width = WIDTH, .height = 1,
		.depth = 1, .row_pitch = SIZE, .slice_pitch = SIZE,
		.data_format = 26, .select = { 0, 1, 2, 3 },
	};
	uint8_t arguments[64] = { 0 };
	const struct evg_kernel *kernel;
	struct evg_ndrange *ndrange;
	uint32_t *in, *out;

	free(file);
	if (error.text[0])
		printf("# %s\n", error.text);
	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	kernel = evg_program_find(program, "scale");
	CU_ASSERT_EQUAL_FATAL(kernel->argument_count, 2);
	CU_ASSERT_EQUAL(kernel->arguments[0].kind, EVG_ARGUMENT_IMAGE);
	CU_ASSERT_EQUAL(kernel->arguments[0].access, EVG_ACCESS_READ_ONLY);
	CU_ASSERT_EQUAL(kernel->arguments[0].number, 3);
	CU_ASSERT_STRING_EQUAL(kernel->arguments[0].type_name, "image2d_t");
	CU_ASSERT_EQUAL(kernel->arguments[1].access, EVG_ACCESS_WRITE_ONLY);
	CU_ASSERT_EQUAL(kernel->arguments[1].number, 5);
	CU_ASSERT_EQUAL(kernel->arguments[1].offset, 32);
	CU_ASSERT_EQUAL_FATAL(kernel->sampler_count, 1);
	CU_ASSERT_EQUAL(kernel->samplers[0].number, 2);
	CU_ASSERT_EQUAL(kernel->samplers[0].bits,
			EVG_SAMPLER_CLAMP | EVG_SAMPLER_NEAREST);
	image.address = evg_memory_allocate(memory, SIZE, false, "in");
	bindings->images[3] = image;
	in = evg_memory_host(memory, image.address, SIZE);
	image.address = evg_memory_allocate(memory, SIZE, false, "out");
	bindings->rats[5] = image;
	out = evg_memory_host(memory, image.address, SIZE);
	bindings->samplers[2] = (struct evg_sampler){
		.bound = true,
		.wrap = { EVG_WRAP_CLAMP_BORDER, EVG_WRAP_CLAMP_BORDER,
			  EVG_WRAP_CLAMP_BORDER },
	};
	for (uint32_t i = 0; i < WIDTH; i++)
		in[i] = 0x01020304 * i;
	ndrange = evg_ndrange_create(
		&(struct evg_launch){
			.kernel = kernel, .memory = memory, .work_dim = 1,
			.global_size = { WIDTH, 1, 1 },
			.local_size = { WIDTH, 1, 1 },
			.arguments = arguments, .bindings = bindings,
		}, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(ndrange);
	CU_ASSERT_EQUAL(evg_ndrange_run(ndrange, 1, 0, &error), 0);
	if (error.text[0])
		printf("# %s\n", error.text);
	CU_ASSERT_EQUAL(out[0], 0);
	for (uint32_t i = 1; i < WIDTH; i++)
		CU_ASSERT_EQUAL(out[i], in[i - 1]);
	evg_ndrange_free(ndrange);
	evg_memory_free(memory);
	evg_program_free(program);
	free(bindings);
}

/* A pointer that is a constant buffer of its own, read through the cache and
 * by a fetch; one to constants in global memory; a sampler that is an argument;
 * a vector of three. */
static void test_constant_buffers(void)
{
	enum { ITEMS = 64, SIZE = 16 * ITEMS };
	static const char text[] =
		".kernel scale\n.registers 6\n"
		"TEX:\n"
		"VFETCH R2.xyzw, R0.x, fc130 MEGA(16) "
		"FETCH_TYPE(NO_INDEX_OFFSET)\n"
		"ALU: KCACHE0(CB1:0-15) KCACHE1(CB2:0-15)\n"
		"0 x: LSHL R1.x, R0.x, 2\n"
		"  y: MOV R2.y, KC1[3].y\n"
		"  z: MOV R2.z, KC0[1].x\n"
		"  w: ADD_INT R2.w, KC0[2].x, KC0[3].z\n"
		"1 x: LSHL R1.x, PV.x, 2\n"
		"2 x: ADD_INT R1.x, KC0[0].x, PV.x\n"
		"3 x: LSHR R1.x, PV.x, 2\n"
		"MEM_RAT_CACHELESS_STORE_RAW: RAT(11)[R1], R2, "
		"ARRAY_SIZE(4095)\nEND_OF_PROGRAM\n";
	static const char facts[] =
		";pointer:out:i32:1:1:0:uav:11:4:RW:0:1\n"
		";pointer:table:i32:1:1:16:hc:2:4:RO:1:0\n"
		";value:s:i32:1:1:32\n"
		";value:v:i32:3:1:48\n"
		";pointer:other:i32:1:1:64:c:9:4:RO:0:0\n"
		";sampler:s:3:0:0\n";
	struct error error = { "" };
	size_t size;
	uint8_t *file = container(text, facts, 0x3f1, 9, &size);
	struct evg_program *program =
		evg_program_read("buffers.bin", file, size, &error);
	struct evg_memory *memory = evg_memory_create(1 << 24, &error);
	uint32_t arguments[20] = { 0 }, *out, *table;
	const struct evg_kernel *kernel;
	struct evg_ndrange *ndrange;

	free(file);
	if (error.text[0])
		printf("# %s\n", error.text);
	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	kernel = evg_program_find(program, "scale");
	CU_ASSERT_EQUAL_FATAL(kernel->argument_count, 5);
	CU_ASSERT_EQUAL(kernel->arguments[0].qualifiers,
			EVG_QUALIFIER_RESTRICT);
	CU_ASSERT_EQUAL(kernel->arguments[1].qualifiers,
			EVG_QUALIFIER_VOLATILE);
	CU_ASSERT_EQUAL(kernel->arguments[1].address_space, EVG_CONSTANT);
	CU_ASSERT_EQUAL(kernel->arguments[1].number, 2);
	CU_ASSERT_EQUAL(kernel->arguments[2].kind, EVG_ARGUMENT_SAMPLER);
	CU_ASSERT_EQUAL(kernel->arguments[2].number, 3);
	CU_ASSERT_STRING_EQUAL(kernel->arguments[2].type_name, "sampler_t");
	CU_ASSERT_EQUAL(kernel->arguments[3].size, 16);
	CU_ASSERT_EQUAL(kernel->arguments[4].address_space, EVG_CONSTANT);
	CU_ASSERT_EQUAL(kernel->arguments[4].number, 0);
	arguments[0] = evg_memory_allocate(memory, SIZE, false, "out");
	arguments[4] = evg_memory_allocate(memory, 16 * 4, false, "table");
	arguments[8] = EVG_SAMPLER_REPEAT | EVG_SAMPLER_LINEAR;
	arguments[14] = 1000;
	out = evg_memory_host(memory, arguments[0], SIZE);
	table = evg_memory_host(memory, arguments[4], 16 * 4);
	for (uint32_t i = 0; i < 16; i++)
		table[i] = 7 * i + 1;
	ndrange = evg_ndrange_create(
		&(struct evg_launch){
			.kernel = kernel, .memory = memory, .work_dim = 1,
			.global_size = { ITEMS, 1, 1 },
			.local_size = { ITEMS, 1, 1 },
			.arguments = (const uint8_t *)arguments,
		}, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(ndrange);
	CU_ASSERT_EQUAL(evg_ndrange_run(ndrange, 1, 0, &error), 0);
	if (error.text[0])
		printf("# %s\n", error.text);
	for (uint32_t i = 0; i < ITEMS; i++) {
		/* Elements of four dwords; nothing behind the buffer. */
		CU_ASSERT_EQUAL(out[4 * i], i < 4 ? table[4 * i] : 0);
		CU_ASSERT_EQUAL(out[4 * i + 1], table[13]);
		CU_ASSERT_EQUAL(out[4 * i + 2], 1); /* not NULL */
		/* AMD's number for repeat is 2. */
		CU_ASSERT_EQUAL(out[4 * i + 3], (0x20 | 2) + 1000);
	}
	evg_ndrange_free(ndrange);
	evg_memory_free(memory);
	evg_program_free(program);
}

static void refused(const char *facts, uint16_t machine, uint32_t encoding,
		    const char *message)
{
	struct error error = { "" };
	size_t size;
	uint8_t *file = container(source, facts, machine, encoding, &size);
	struct evg_program *program =
		evg_program_read("scale.bin", file, size, &error);

	CU_ASSERT_PTR_NULL(program);
	if (!strstr(error.text, message)) {
		printf("# '%s', expected '%s'\n", error.text, message);
		CU_FAIL("the message");
	}
	evg_program_free(program);
	free(file);
}

static void test_refusals(void)
{
	refused(metadata, 0x3fd, 25, "for Tahiti (Southern Islands)");
	refused(metadata, 0x3f2, 9, "for Juniper (ELF machine 0x3f2)");
	refused(metadata, 0x3f8, 9, "for Cayman (ELF machine 0x3f8)");
	refused(metadata, 0x3ee, 9, "for RV770 (ELF machine 0x3ee)");
	refused(metadata, 0x40f, 9, "for another device (ELF machine 0x40f)");
	refused(metadata, 0x3f1, 26, "none of the 2 encodings");
	refused(";pointer:p:i32:1:1:0:hp:2:4:RO:0:0\n", 0x3f1, 9,
		"metadata line 1: argument p is a pointer of kind 'hp'");
	refused(";pointer:p:i32:1:1:0:hc:1:4:RO:0:0\n", 0x3f1, 9,
		"argument p is constant buffer 1, which has another use");
	refused(";pointer:p:i32:1:1:0:hc:16:4:RO:0:0\n", 0x3f1, 9,
		"'16': expected a number up to 15");
	refused(";printf_fmt:1:1:4:6:a %d\\n;\n", 0x3f1, 9,
		"line 1: ';printf_fmt:1:1:4:6:a %d\\n;\n': expected");
	refused(";printf_fmt:65536:0:0:;\n", 0x3f1, 9, "expected printf_fmt");
	refused(";printf_fmt:1:2:4:5:a %d\\n;\n", 0x3f1, 9, "expected");
	refused(";memory:datareqd\n", 0x3f1, 9, "the file has none");
	refused(";device:cypress\n;image:i:4D:RO:0:1:0\n", 0x3f1, 9,
		"metadata line 2: argument i is an image '4D:RO'");
	refused(";image:i:2D:RO:176:1:0\n", 0x3f1, 9, "up to 175");
	refused(";image:i:2D:WO:12:1:0\n", 0x3f1, 9, "up to 11");
	refused(";sampler:s:0:0:0\n", 0x3f1, 9, "sampler s is no value");
	refused(";sampler:s:0:1:10\n", 0x3f1, 9, "unknown addressing mode");
	refused(";memory:hwprivate:64\n", 0x3f1, 9, "64 bytes of hwprivate");
	refused(";value:v:i33:1:1:0\n", 0x3f1, 9, "unknown type 'i33'");
	refused(";value:v:i32:1:1:999999\n", 0x3f1, 9, "expected a number");
	refused(";value:v\n", 0x3f1, 9, "with 2 fields");
	refused(";reflection:3:int\n", 0x3f1, 9, "no argument 3");
}

/* Nothing that is cut off or damaged may harm the reader. */
static void test_damage(void)
{
	size_t size;
	uint8_t *file = container(source, metadata, 0x3f1, 9, &size);
	uint32_t random = 12345;
	unsigned refusals = 0;

	for (size_t cut = 0; cut < size; cut += 7) {
		struct error error;
		uint8_t *part = malloc(cut + 1); /* so that sanitizers see */
		struct evg_program *program;

		memcpy(part, file, cut);
		program = evg_program_read("cut", part, cut, &error);
		refusals += !program;
		evg_program_free(program);
		free(part);
	}
	CU_ASSERT(refusals > size / 7 - 10);
	for (int i = 0; i < 3000; i++) {
		struct error error;
		uint8_t *copy = malloc(size);
		struct evg_program *program;

		memcpy(copy, file, size);
		for (int n = 0; n < 1 + i % 3; n++) {
			random = random * 1664525 + 1013904223;
			copy[(random >> 8) % size] ^=
				(uint8_t)(1u << (random & 7));
		}
		program = evg_program_read("damaged", copy, size, &error);
		evg_program_free(program);
		free(copy);
	}
	free(file);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "kernels and arguments", test_reader },
		{ "a kernel runs", test_run },
		{ "loop and boolean constants", test_flow_constants },
		{ "images and samplers", test_images },
		{ "constant buffers and sampler arguments",
		  test_constant_buffers },
		{ "refusals", test_refusals },
		{ "damaged files", test_damage },
		CU_TEST_INFO_NULL
	};
	static CU_SuiteInfo suites[] = {
		{ "AMD binaries", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL
	};

	return harness_run(suites);
}
