/* Global memory: copies, caches, and latency that other wavefronts
 * hide. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/emu/convention.h"
#include "evergreen/isa/code.h"
#include "fidelity/rows.h"

/* --- Copies --------------------------------------------------------------- */

struct copy {
	const char *kernel;
	uint32_t global[2], local[2];
	uint32_t element;  /* bytes */
	uint32_t width;    /* 2-D: elements of a row in memory */
	uint32_t beyond;   /* bytes behind the last of them that are copied */
};

/* GB/s, read and written. The results are checked: every element that the
 * kernel should write has its input's value. */
static double copy_rate(struct table *table, const struct evg_program *program,
			const struct copy *copy)
{
	struct device *device = device_create(table_options(table), NULL);
	uint32_t rows = copy->global[1] ? copy->global[1] : 1;
	uint32_t width = copy->width ? copy->width : copy->global[0];
	uint32_t bytes = width * rows * copy->element + copy->beyond;
	uint32_t copied = 0;
	struct launch launch = {
		.program = program,
		.kernel = copy->kernel,
		.global = {copy->global[0], copy->global[1]},
		.local = {copy->local[0], copy->local[1]},
	};
	uint32_t *input, *output;
	double rate;

	launch.arguments[0] = device_allocate(device, bytes);
	launch.arguments[1] = device_allocate(device, bytes);
	launch.arguments[2] = width;
	input = device_bytes(device, launch.arguments[0], bytes);
	for (uint32_t i = 0; i < bytes / 4; i++)
		input[i] = i + 1;
	rate = gigabytes(table,
			 2.0 * copy->global[0] * rows * copy->element,
			 (double)device_run(device, &launch));
	output = device_bytes(device, launch.arguments[1], bytes);
	for (uint32_t i = 0; i < bytes / 4; i++)
		copied += output[i] == i + 1;
	if (copied < copy->global[0] * rows * copy->element / 4) {
		fprintf(stderr, "fidelity: %s copies %u of %u words\n",
			copy->kernel ? copy->kernel : "copy", copied,
			copy->global[0] * rows * copy->element / 4);
		exit(1);
	}
	device_free(device);
	return rate;
}

/* What AMD's compiler makes of a copy in a program with an atomic: the load is
 * an atomic that returns the old value, awaited, and the store is not
 * cacheless. The atomic itself is jumped over. */
static const char complete_path[] =
	".kernel copy\n.registers 5\n.stack 1\n"
	".argument global \"float*\" input\n"
	".argument global \"float*\" output\n"
	"ALU: KCACHE0(CB0:0-31)\n"
	"0 t: MULLO_INT R0.y, KC0[1].z, R1.x\n"
	"1 x: ADD_INT R0.x, PS, R0.x\n"
	"2 x: LSHL R0.x, PV.x, 2\n"
	"3 x: ADD_INT R2.x, KC0[2].y, PV.x\n"
	"  y: ADD_INT R2.y, KC0[2].z, PV.x\n"
	"4 x: LSHR R3.x, PV.x, 2\n"
	"  t: LSHR R4.x, PV.y, 2\n"
	"5 x: MOV R2.x, 0\n"
	"MEM_RAT_NOP_RTN_ACK: RAT(0)[R3], R2, ARRAY_SIZE(0) MARK\n"
	"WAIT_ACK: Outstanding_acks <= 0\n"
	"TEX:\n"
	"VFETCH R2.x___, R2.x, fc160 MEGA(5) FORMAT(32) NUM_FORMAT(INT) "
	"FETCH_TYPE(NO_INDEX_OFFSET)\n"
	"MEM_RAT_STORE_RAW: RAT(0)[R4].x___, R2, ARRAY_SIZE(0)\n"
	"ALU_PUSH_BEFORE:\n"
	"6 x: PREDNE_INT ____, 0, 0 UPDATE_EXEC_MASK\n"
	"JUMP POP_CNT(1) ADDR(@end)\n"
	"MEM_RAT_ADD: RAT(0)[R4], R2, ARRAY_SIZE(0)\n"
	"POP (1) ADDR(@end)\n"
	"@end:\nNOP\nEND_OF_PROGRAM\n";

/* The guide's copies read buffers that are not `const restrict`, for which
 * "the L1 and L2 caches are currently not enabled". m2s-clc's loads go through
 * them always, as those of AMD's later compilers. */
static void read_uncached(struct evg_program *program)
{
	for (size_t i = 0; i < program->kernel_count; i++) {
		struct evg_kernel *kernel = &program->kernels[i];
		struct evg_code *code = kernel->code;
		struct error error;

		if (!code)
			code = evg_code_decode(program->text +
						       kernel->code_offset,
					       kernel->code_size, &error);
		if (!code) {
			fprintf(stderr, "fidelity: %s\n", error.text);
			exit(1);
		}
		kernel->code = code;
		for (uint32_t j = 0; j < code->fetch_count; j++)
			if (code->fetches[j].inst.resource_id ==
			    EVG_LLVM_MEMORY)
				code->fetches[j].inst.resource_id =
					EVG_LLVM_MEMORY_UNCACHED;
	}
}

/* The guide's slow 2-D copies, a column of 64 elements each work-group. It gives
 * the lowest rate over several widths of the array and not the widths; here
 * rows of both lie at one distance, that of its array of 16 MB with as many rows
 * as a work-group has. */
static double slow_rate(struct table *table, const struct evg_program *program,
			const char *kernel, uint32_t element)
{
	enum { ROWS = 64, DISTANCE = (16 << 20) / ROWS };
	/* So many that beginning and end, when channels idle, hardly count. */
	const uint32_t columns = table_is_short(table) ? 512 : 4096;
	const struct copy copy = {
		kernel, {columns, ROWS}, {1, ROWS}, element,
		DISTANCE / element, 0,
	};

	return copy_rate(table, program, &copy);
}

static void slow_copies(struct table *table, const struct evg_program *program)
{
	static const struct {
		const char *name;
		double published;
		const char *kernel;
		uint32_t element;
	} rows[] = {
		{"2-D copy, 32 bits, 1 x 64, 256 KB apart", 0.3, "copy_2d", 4},
		{"2-D copy, 128 bits, 1 x 64, 256 KB apart", 7, "copy4_2d", 16},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (table_wants_row(table, rows[i].name))
			table_row(table, KIND_OUTCOME, rows[i].name,
				  rows[i].published, "GB/s",
				  "G, 8", NULL,
				  slow_rate(table, program, rows[i].kernel,
					    rows[i].element));
}

/* Sandra's rate of the card's own memory. Its kernel is not published; twice 88
 * would be more than the memory has, so that reads and writes are both counted. */
static void unknown_copies(struct table *table,
			   const struct evg_program *program, uint32_t items)
{
	const struct {
		const char *name;
		struct copy copy;
	} rows[] = {
		{"Sandra's on-board memory, as a copy of float",
		 {"copy", {items}, {64}, 4, 0, 0}},
		{"Sandra's on-board memory, as a copy of float4",
		 {"copy4", {items / 2}, {64}, 16, 0, 0}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (table_wants_row(table, rows[i].name))
			table_row(table, KIND_HAND, rows[i].name, 88, "GB/s",
				  "MY, 10", NULL,
				  copy_rate(table, program, &rows[i].copy));
}

/* GB/s of stores of a dword by as many work-items as SHOC has for 20 units. */
static double store_rate(struct table *table,
			 const struct evg_program *program)
{
	enum { ITEMS = 20 * 256 * 5, SHORT = 64, LONG = 256 };
	uint32_t count = table_is_short(table) ? SHORT : LONG;
	uint32_t bytes = 4 * ITEMS * count;
	struct device *device = device_create(table_options(table), NULL);
	struct launch launch = {
		.program = program,
		.kernel = "store",
		.global = {ITEMS},
		.local = {256},
		.arguments = {device_allocate(device, bytes), count},
	};
	double rate = gigabytes(table, bytes,
				(double)device_run(device, &launch));

	device_free(device);
	return rate;
}

void rows_copy(struct table *table)
{
	const uint32_t many = table_is_short(table) ? 1 << 17 : 1 << 20;
	struct evg_program *program = program_compile("copy.cl", "");
	struct evg_program *complete = program_assemble(complete_path);
	const struct {
		const char *name;
		double published;
		struct copy copy;
		const char *from; /* of inputs */
	} rows[] = {
		/* The guide also prints 97 for what is the same kernel. */
		{"copy, float, FastPath", 96,
		 {"copy", {many}, {64}, 4, 0, 0}, NULL},
		{"copy, float4", 127,
		 {"copy4", {many / 2}, {64}, 16, 0, 0},
		 "DRAM SchedulingPolicy"},
		{"copy, float, CompletePath", 18,
		 {NULL, {many / 4}, {64}, 4, 0, 0}, "CompletePathDwords"},
		{"write not coalesced", 93,
		 {"uncoalesced", {many}, {64}, 4, 0, 0}, NULL},
		{"write split", 90, {"split", {many}, {64}, 4, 0, 0}, NULL},
		{"write misaligned", 92,
		 {"misaligned", {many}, {64}, 4, 0, 4}, NULL},
		{"2-D copy, 32 bits, 64 x 1", 93,
		 {"copy_2d", {1024, 1024}, {64, 1}, 4, 1024, 0}, NULL},
		{"2-D copy, 128 bits, 64 x 1", 122,
		 {"copy4_2d", {1024, 512}, {64, 1}, 16, 1024, 0}, NULL},
	};

	read_uncached(program);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (table_wants_row(table, rows[i].name))
			table_row(table,
				  rows[i].from ? KIND_INPUT : KIND_OUTCOME,
				  rows[i].name, rows[i].published,
				  "GB/s", "G, 8", rows[i].from,
				  copy_rate(table,
					    rows[i].copy.kernel ? program
								: complete,
					    &rows[i].copy));
	slow_copies(table, program);
	unknown_copies(table, program, many);
	if (table_wants_row(table, "stores alone, float"))
		table_row(table, KIND_INPUT, "stores alone, float", 52.1,
			  "GB/s", "SHOC 2.6", "evg-l2 StoreElements",
			  store_rate(table, program));
	evg_program_free(complete);
	evg_program_free(program);
}

/* --- Caches --------------------------------------------------------------- */

/* Each wavefront reads 1 KB blocks of a range, `clauses` times eight, at
 * addresses `step` bytes apart that start at group * `start`. */
static struct evg_program *cache_code(unsigned clauses, unsigned start,
				      unsigned step, unsigned range)
{
	struct text text;

	text_begin(&text);
	text_add(&text, ".kernel cache\n.registers 16\n"
			".argument global \"float4*\" input\n"
			"ALU: KCACHE0(CB0:0-31)\n"
			"0 t: MULLO_INT R2.y, R1.x, %u\n"
			"1 x: LSHL R2.x, R0.x, 4\n", start);
	for (unsigned i = 0; i < clauses; i++) {
		text_add(&text, i ? "ALU: KCACHE0(CB0:0-31)\n" : "");
		for (unsigned k = 0; k < 8; k++)
			text_add(&text,
				 "2 y: AND_INT R2.y, R2.y, %u\n"
				 "3 x: ADD_INT R3.x, R2.x, PV.y\n"
				 "4 x: ADD_INT R%u.x, KC0[2].y, PV.x\n"
				 "  y: ADD_INT R2.y, R2.y, %u\n",
				 range - 1, 4 + k, step);
		text_add(&text, "TEX:\n");
		for (unsigned k = 0; k < 8; k++)
			text_add(&text,
				 "VFETCH R%u.xyzw, R%u.x, fc1 MEGA(17) "
				 "FORMAT(32_32_32_32) NUM_FORMAT(INT) "
				 "FETCH_TYPE(NO_INDEX_OFFSET)\n", 4 + k,
				 4 + k);
	}
	text_add(&text, "NOP\nEND_OF_PROGRAM\n");
	return text_end(&text);
}

static double cache_cycles(struct table *table, unsigned clauses,
			   unsigned start, unsigned step, unsigned range)
{
	struct device *device = device_create(table_options(table), NULL);
	struct evg_program *program = cache_code(clauses, start, step, range);
	struct launch launch = {
		.program = program,
		.global = {64 * 20 * 8},
		.local = {64},
		.arguments = {device_allocate(device, 1 << 19)},
	};
	double cycles;

	device_run(device, &launch); /* warms */
	cycles = (double)device_run(device, &launch);
	evg_program_free(program);
	device_free(device);
	return cycles;
}

static double cache_rate(struct table *table, unsigned start, unsigned step,
			 unsigned range)
{
	const unsigned few = 10, many = table_is_short(table) ? 20 : 40;
	double cycles = cache_cycles(table, many, start, step, range) -
			cache_cycles(table, few, start, step, range);

	return gigabytes(table, (many - few) * 8 * 1024.0 * 20 * 8, cycles);
}

/* Fetches of kernel parameters, `clauses` times sixteen; the index is that of
 * the work-item, from 0 to `last`. */
static struct evg_program *constant_code(unsigned clauses, unsigned last)
{
	struct text text;

	text_begin(&text);
	text_add(&text, ".kernel constant\n.registers 4\n"
			"ALU:\n0 x: AND_INT R2.x, R0.x, %u\n"
			"1 x: LSHL R2.x, PV.x, 2\n", last);
	for (unsigned i = 0; i < clauses; i++) {
		text_add(&text, "TEX:\n");
		for (unsigned k = 0; k < 16; k++)
			text_add(&text, "VFETCH R3.x___, R2.x, fc3 MEGA(5) "
					"FORMAT(32) NUM_FORMAT(INT) "
					"FETCH_TYPE(NO_INDEX_OFFSET)\n");
	}
	text_add(&text, "NOP\nEND_OF_PROGRAM\n");
	return text_end(&text);
}

static void constant_rate(struct table *table, const char *name,
			  double published, const char *from, unsigned last)
{
	enum { FEW = 5, MANY = 25, EACH = 8 };
	double units = table_options(table)->config.compute_units;
	double cores = table_options(table)->config.stream_cores;
	uint32_t wavefronts = (uint32_t)units * EACH;
	double cycles = (double)cycles_of_code(table,
					       constant_code(MANY, last),
					       wavefronts, 0) -
			(double)cycles_of_code(table,
					       constant_code(FEW, last),
					       wavefronts, 0);

	table_row(table, KIND_INPUT, name, published, "B/clk", "G, 4", from,
		  4.0 * 64 * 16 * EACH * (MANY - FEW) / (cycles * cores));
}

void rows_cache(struct table *table)
{
	constant_rate(table, "constants, indexed, one index", 4,
		      "IndexedBytesPerCycle", 0);
	constant_rate(table, "constants, indexed, several indices", 0.6,
		      "DivergentBytesPerCycle", 7);
	table_row(table, KIND_INPUT, "L1, float4 that hit", 1088, "GB/s",
		  "G, 6", "TEXEngine BytesPerCycle",
		  cache_rate(table, 0, 1024, 4096));
	/* Wavefronts of one unit lie 28 KB apart: what one leaves in the L1
	 * is gone when the next comes by. */
	table_row(table, KIND_INPUT, "L2 to L1, float4", 435, "GB/s",
		  "G, 6", "evg-net-l1-l2 bandwidth",
		  cache_rate(table, 27 * 1024, 1024, 256 * 1024));
}

/* --- Hidden latency ------------------------------------------------------- */

enum { BODY = 16 };

/* Loads, each followed by `groups` dependent ALU groups; BODY of them in a
 * loop, so that only the first round waits for its code. */
static struct evg_program *hiding_code(unsigned groups, unsigned rounds)
{
	struct text text;

	text_begin(&text);
	text_add(&text, ".kernel hiding\n.registers 4\n.stack 1\n"
			".argument global \"float*\" input\n"
			"ALU: KCACHE0(CB0:0-31)\n"
			"0 t: MULLO_INT R2.y, R1.x, %u\n"
			"1 x: LSHL R2.x, R0.x, 2\n"
			"2 x: ADD_INT R2.x, PV.x, R2.y\n"
			"3 x: ADD_INT R2.x, KC0[2].y, PV.x\n"
			"  w: MOV R2.w, %u\n"
			"LOOP_DX10 i0 FAIL_JUMP_ADDR(@done)\n@again:\n"
			"ALU_BREAK:\n"
			"0 x: PREDNE_INT ____, R2.w, 0 UPDATE_EXEC_MASK\n"
			"  w: ADD_INT R2.w, R2.w, -1\n",
		 256 * (BODY * rounds + 1), rounds);
	for (unsigned i = 0; i < BODY; i++) {
		text_add(&text,
			 "TEX:\nVFETCH R3.x___, R2.x, fc1 MEGA(5) FORMAT(32) "
			 "NUM_FORMAT(INT) FETCH_TYPE(NO_INDEX_OFFSET)\n"
			 "ALU:\n");
		for (unsigned k = 0; k < groups; k++)
			text_add(&text,
				 "4 x: ADD_INT R2.x, R2.x, %u\n"
				 "  y: ADD R3.y, R3.y, R3.x\n",
				 k ? 0 : 256);
	}
	text_add(&text, "ENDLOOP i0 PASS_JUMP_ADDR(@again)\n@done:\n"
			"NOP\nEND_OF_PROGRAM\n");
	return text_end(&text);
}

static double hiding_cycles(struct table *table, unsigned groups,
			    unsigned rounds, unsigned wavefronts)
{
	struct evg_config config = table_options(table)->config;
	struct evg_program *program = hiding_code(groups, rounds);
	struct launch launch = {
		.program = program,
		.global = {64 * wavefronts},
		.local = {64},
	};
	struct device *device;
	double cycles;

	config.compute_units = 1;
	config.max_work_groups = 64;
	config.max_wavefronts = 64;
	device = device_create(table_options(table), &config);
	launch.arguments[0] = device_allocate(device, 8 << 20);
	cycles = (double)device_run(device, &launch);
	evg_program_free(program);
	device_free(device);
	return cycles;
}

/* Clocks per load and wavefront, start and end subtracted. */
static double step_clocks(struct table *table, unsigned groups,
			  unsigned wavefronts)
{
	enum { SHORT = 1, LONG = 3 };

	return (hiding_cycles(table, groups, LONG, wavefronts) -
		hiding_cycles(table, groups, SHORT, wavefronts)) /
	       ((LONG - SHORT) * BODY);
}

/* The wavefronts from which on more of them bring no more than 3 %, beside the
 * number that the guide's rule gives for the latency that a lone wavefront
 * sees. The rule counts "other" wavefronts, which execute while a pair waits:
 * that pair is not among them. */
static void hiding(struct table *table, unsigned groups)
{
	enum { PAIR = 2, MOST = 62 }; /* as four registers each allow */
	double latency = step_clocks(table, groups, 1) - 8.0 * groups;
	double rule = latency / (4.0 * groups), before = 0;
	double most = MOST / step_clocks(table, groups, MOST);
	unsigned wavefronts = 1;
	double needed = MOST;
	char *name = xasprintf("others that hide %.0f clk, %u groups",
			       latency, groups);

	for (; wavefronts < MOST; wavefronts++) {
		double rate = wavefronts /
			      step_clocks(table, groups, wavefronts) / most;

		if (rate >= 0.97) {
			needed = wavefronts - 1 +
				 (0.97 - before) / (rate - before);
			break;
		}
		before = rate;
	}
	table_row(table, KIND_INPUT, name, rule, "", "G, 3",
		  "rule of the model's own latency", needed - PAIR);
	free(name);
}

void rows_hiding(struct table *table)
{
	/* With the five groups between loads. */
	table_row(table, KIND_INPUT, "load of a lone wavefront", 500, "clk",
		  "G, 3", "latencies of the hierarchy",
		  step_clocks(table, 5, 1) - 8.0 * 5);
	hiding(table, 5);
	hiding(table, 10);
	hiding(table, 20);
}
