/* The ALU engine, the CF engine, local memory and occupancy. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fidelity/rows.h"

enum { CLAUSE_GROUPS = 24, FULL_DEVICE = 20 * 8 };

/* Clauses of CLAUSE_GROUPS groups with the same text. */
static struct evg_program *groups_code(const char *group, unsigned clauses)
{
	struct text text;

	text_begin(&text);
	text_add(&text, ".kernel groups\n.registers 12\n");
	for (unsigned i = 0; i < clauses; i++) {
		text_add(&text, "ALU: KCACHE0(CB0:0-31)\n");
		for (unsigned k = 0; k < CLAUSE_GROUPS; k++)
			text_add(&text, "0 %s\n", group);
	}
	text_add(&text, "NOP\nEND_OF_PROGRAM\n");
	return text_end(&text);
}

/* Clocks of one group in one compute unit when it is the device's only work:
 * between two lengths of the same kernel, so that beginning and end cancel. */
static double group_clocks(struct table *table, const char *group,
			   uint32_t wavefronts)
{
	enum { SHORT = 10, LONG = 60 };
	double cycles = (double)cycles_of_code(table,
					       groups_code(group, LONG),
					       wavefronts, 0) -
			(double)cycles_of_code(table,
					       groups_code(group, SHORT),
					       wavefronts, 0);
	double units = table_options(table)->config.compute_units;
	double per_unit = wavefronts > units ? wavefronts / units : 1;

	return cycles / ((LONG - SHORT) * CLAUSE_GROUPS * per_unit);
}

/* Operations of a type per stream core and clock. */
static void rate(struct table *table, const char *name, double published,
		 const char *source, double operations,
		 const char *group)
{
	double cores = table_options(table)->config.stream_cores;

	table_row(table, KIND_INPUT, name, published, "ops/clk", source,
		  "slots of the operation", operations * 64 / cores /
			  group_clocks(table, group, FULL_DEVICE));
}

/* Bytes that a group reads, per stream core and clock. */
static void bytes_rate(struct table *table, const char *name, double published,
		       const char *from, const char *group)
{
	double cores = table_options(table)->config.stream_cores;

	table_row(table, KIND_INPUT, name, published, "B/clk", "G, 4", from,
		  published * 64 / cores /
			  group_clocks(table, group, FULL_DEVICE));
}

/* A chain of dependent MADs in one wavefront: inside a clause only. */
static double chain_clocks(struct table *table)
{
	static const char mad[] = "x: MULADD R2.x, R2.x, R3.x, R4.x";
	char *text[2];
	double cycles[2];

	for (int i = 0; i < 2; i++) {
		char *end;
		unsigned count = i ? 120 : 20;

		end = text[i] = xmalloc(1 << 14);
		end += sprintf(end, ".kernel chain\nALU:\n");
		while (count--)
			end += sprintf(end, "0 %s\n", mad);
		sprintf(end, "NOP\nEND_OF_PROGRAM\n");
		cycles[i] = (double)cycles_of_code(
			table, program_assemble(text[i]), 1, 0);
		free(text[i]);
	}
	return (cycles[1] - cycles[0]) / 100;
}

/* if (odd) c = 0; else c = 1; beside the same three clauses without it. */
static double branch_clocks(struct table *table)
{
	static const char plain[] =
		".kernel plain\nALU:\n0 x: AND_INT R3.x, R0.x, 1\n"
		"1 y: MOV R3.y, PV.x\n"
		"ALU:\n0 x: MOV R2.x, 0\nALU:\n0 x: MOV R2.x, 1\n"
		"NOP\nEND_OF_PROGRAM\n";
	static const char branch[] =
		".kernel branch\n.stack 1\n"
		"ALU_PUSH_BEFORE:\n0 x: AND_INT R3.x, R0.x, 1\n"
		"1 x: PREDNE_INT ____, PV.x, 0 UPDATE_EXEC_MASK\n"
		"JUMP POP_CNT(1) ADDR(@else)\n"
		"ALU:\n0 x: MOV R2.x, 0\n"
		"@else:\nELSE POP_CNT(1) ADDR(@end)\n"
		"ALU:\n0 x: MOV R2.x, 1\n"
		"POP (1) ADDR(@end)\n"
		"@end:\nNOP\nEND_OF_PROGRAM\n";

	return (double)cycles_of_code(table, program_assemble(branch), 1, 0) -
	       (double)cycles_of_code(table, program_assemble(plain), 1, 0);
}

void rows_alu(struct table *table)
{
	static const char mad5[] =
		"x: MULADD R2.x, R2.x, R3.x, R4.x\n"
		"y: MULADD R2.y, R2.y, R3.y, R4.y\n"
		"z: MULADD R2.z, R2.z, R3.z, R4.z\n"
		"w: MULADD R2.w, R2.w, R3.w, R4.w\n"
		"t: MULADD R5.x, R5.x, R3.x, R4.x";
	double one, two, cores = table_options(table)->config.compute_units;

	table_row(table, KIND_INPUT, "dependent MAD, clocks each", 8, "clk",
		  "G, 3", "ProcessingElementLatency", chain_clocks(table));
	one = group_clocks(table, mad5, (uint32_t)cores);
	two = group_clocks(table, mad5, (uint32_t)cores * 2);
	table_row(table, KIND_INPUT, "lone wavefront, of the full rate", 0.5,
		  "", "G, 3", "ProcessingElementLatency", two / one);
	table_row(table, KIND_INPUT, "IF/ELSE/ENDIF, three CF steps", 120,
		  "clk", "G, 3", "StepLatency", branch_clocks(table));
	rate(table, "f32 MAD", 5, "G, 3", 5, mad5);
	rate(table, "f32 FMA", 4, "G, 3", 4,
	     "x: FMA R2.x, R2.x, R3.x, R4.x\n"
	     "y: FMA R2.y, R2.y, R3.y, R4.y\n"
	     "z: FMA R2.z, R2.z, R3.z, R4.z\n"
	     "w: FMA R2.w, R2.w, R3.w, R4.w");
	rate(table, "f32 reciprocal", 1, "G, 3", 1,
	     "t: RECIP_IEEE R2.x, R3.x");
	rate(table, "f32 log, exp, sin (t slot)", 1, "G, 3", 1,
	     "t: SIN R2.x, R3.x");
	rate(table, "f64 ADD", 2, "G, 3", 2,
	     "x: ADD_64 R2.x, R3.y, R4.y\ny: ADD_64 R2.y, R3.x, R4.x\n"
	     "z: ADD_64 R2.z, R3.w, R4.w\nw: ADD_64 R2.w, R3.z, R4.z");
	rate(table, "f64 FMA", 1, "G, 3", 1,
	     "x: FMA_64 R2.x, R3.y, R4.y, R5.y\n"
	     "y: FMA_64 R2.y, R3.y, R4.y, R5.y\n"
	     "z: FMA_64 R127.z, R3.y, R4.y, R5.y\n"
	     "w: FMA_64 R127.w, R3.x, R4.x, R5.x");
	rate(table, "f64 MUL", 1, "G, 3", 1,
	     "x: MUL_64 R2.x, R3.y, R4.y\ny: MUL_64 R2.y, R3.y, R4.y\n"
	     "z: MUL_64 ____, R3.y, R4.y\nw: MUL_64 ____, R3.x, R4.x");
	rate(table, "i32 add", 5, "G, 3", 5,
	     "x: ADD_INT R2.x, R2.x, R3.x\ny: ADD_INT R2.y, R2.y, R3.y\n"
	     "z: ADD_INT R2.z, R2.z, R3.z\nw: ADD_INT R2.w, R2.w, R3.w\n"
	     "t: ADD_INT R5.x, R5.x, R3.x");
	rate(table, "i32 multiply", 1, "G, 3", 1,
	     "t: MULLO_INT R2.x, R2.x, R3.x");
	rate(table, "u24 multiply-add", 4, "G, 3 and 13.4", 4,
	     "x: MULADD_UINT24 R2.x, R2.x, R3.x, R4.x\n"
	     "y: MULADD_UINT24 R2.y, R2.y, R3.y, R4.y\n"
	     "z: MULADD_UINT24 R2.z, R2.z, R3.z, R4.z\n"
	     "w: MULADD_UINT24 R2.w, R2.w, R3.w, R4.w");
	rate(table, "int to float", 1, "G, 3", 1,
	     "t: INT_TO_FLT R2.x, R3.x");
	bytes_rate(table, "registers, three in each vector slot", 48,
		   "slots of the operation",
		   "x: MULADD R2.x, R3.x, R4.x, R5.x\n"
		   "y: MULADD R2.y, R3.y, R4.y, R5.y\n"
		   "z: MULADD R2.z, R3.z, R4.z, R5.z\n"
		   "w: MULADD R2.w, R3.w, R4.w, R5.w");
	bytes_rate(table, "constants, direct", 16, "ALU_SRC_KCACHE",
		   "x: MOV R2.x, KC0[2].x\ny: MOV R2.y, KC0[2].y\n"
		   "z: MOV R2.z, KC0[2].z\nw: MOV R2.w, KC0[2].w");
}

/* --- Local memory --------------------------------------------------------- */

/* Reads of one kind; R2.x = item * stride, R2.y = that + 4. The value of a read
 * leaves the queue in the next group. */
static struct evg_program *local_code(unsigned stride, bool two,
				      unsigned clauses)
{
	enum { READS = 40 };
	struct text text;

	text_begin(&text);
	text_add(&text, ".kernel local\nALU:\n"
			"0 t: MULLO_INT R2.x, R0.x, %u\n"
			"1 x: AND_INT R2.x, PS, 8191\n"
			"2 y: ADD_INT R2.y, PV.x, 4\n", stride);
	for (unsigned i = 0; i < clauses; i++) {
		text_add(&text, "ALU:\n");
		for (unsigned k = 0; k <= READS; k++) {
			text_add(&text, "0 ");
			if (k < READS)
				text_add(&text, two ? "x: LDS_READ2_RET QAB, "
						      "R2.x, R2.y\n"
						    : "x: LDS_READ_RET QA, "
						      "R2.x\n");
			if (k)
				text_add(&text, "y: MOV R3.y, QA.pop\n");
			if (k && two)
				text_add(&text, "z: MOV R3.z, QB.pop\n");
		}
	}
	text_add(&text, "NOP\nEND_OF_PROGRAM\n");
	return text_end(&text);
}

/* Clocks of one wavefront's read in a full device. */
static double read_clocks(struct table *table, unsigned stride, bool two)
{
	enum { SHORT = 5, LONG = 25, READS = 40 };
	/* As many wavefronts as the reach of the reads lets fit. */
	unsigned per_unit = stride > 16 ? 3 : 8;
	uint32_t local = 64 * stride + 128;
	uint32_t wavefronts = table_options(table)->config.compute_units *
			      per_unit;
	double cycles = (double)cycles_of_code(table,
					       local_code(stride, two, LONG),
					       wavefronts, local) -
			(double)cycles_of_code(table,
					       local_code(stride, two, SHORT),
					       wavefronts, local);

	return cycles / ((LONG - SHORT) * READS * (double)per_unit);
}

static double local_rate(struct table *table, unsigned stride, bool two)
{
	double units = table_options(table)->config.compute_units;

	return gigabytes(table, (two ? 8 : 4) * 64 * units,
			 read_clocks(table, stride, two));
}

void rows_local(struct table *table)
{
	table_row(table, KIND_INPUT, "LDS, one dword a read", 1088,
		  "GB/s", "G, 5", "LocalMemory Banks",
		  local_rate(table, 4, false));
	table_row(table, KIND_INPUT, "LDS, two dwords a read", 2176,
		  "GB/s", "G, 5", "LocalMemory Banks",
		  local_rate(table, 8, true));
	table_row(table, KIND_INPUT, "LDS, float4 unit stride", 1088,
		  "GB/s", "G, 5", "ConflictWindow",
		  local_rate(table, 16, true));
	table_row(table, KIND_INPUT, "LDS, all lanes in one bank", 64,
		  "clk", "G, 5", "LocalMemory Banks",
		  read_clocks(table, 128, false));
}

/* --- Occupancy ------------------------------------------------------------ */

static double peak(struct table *table, const struct evg_config *config,
		   unsigned registers, uint32_t local_size, uint32_t local)
{
	struct device *device = device_create(table_options(table), config);
	char *text = xasprintf(".kernel occupancy\n.registers %u\n"
			       "NOP\nNOP\nNOP\nNOP\nNOP\nNOP\nNOP\nNOP\n"
			       "NOP\nNOP\nNOP\nNOP\nEND_OF_PROGRAM\n",
			       registers);
	struct evg_program *program = program_assemble(text);
	struct launch launch = {
		.program = program,
		.global = {300 * local_size * config->compute_units},
		.local = {local_size},
		.local_memory = local,
	};
	double wavefronts;

	device_run(device, &launch);
	wavefronts = device_figure(device, "ComputeUnit 0", "PeakWavefronts");
	evg_program_free(program);
	device_free(device);
	free(text);
	return wavefronts;
}

void rows_occupancy(struct table *table)
{
	static const uint8_t registers[][2] = {
		{1, 248}, {4, 62}, {8, 31}, {16, 15}, {25, 9}, {62, 4},
	};
	static const uint32_t local[][2] = {
		{4096, 32}, {4608, 28}, {5376, 24}, {6528, 20}, {8192, 16},
		{10880, 12}, {16384, 8}, {32768, 4},
	};
	struct evg_config config = table_options(table)->config;

	config.compute_units = 1;
	for (size_t i = 0; i < ARRAY_SIZE(local); i++) {
		char *name = xasprintf("wavefronts with %u B LDS a group",
				       local[i][0]);

		table_row(table, KIND_INPUT, name, local[i][1], "",
			  "G, 2", "LocalMemory Size",
			  peak(table, &config, 1, 256, local[i][0]));
		free(name);
	}
	/* Without the other limits, as the guide's table is. */
	config.max_work_groups = config.max_wavefronts = 1024;
	for (size_t i = 0; i < ARRAY_SIZE(registers); i++) {
		char *name = xasprintf("wavefronts with %u registers",
				       registers[i][0]);

		table_row(table, KIND_INPUT, name, registers[i][1],
			  "", "G, 2", "NumRegisters",
			  peak(table, &config, registers[i][0], 64, 0));
		free(name);
	}
}
