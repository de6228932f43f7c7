/* Texels that the texture units deliver from the L1: an image of 8 x 8 texels,
 * of which each work-item of a wavefront samples its own. */
#include <stdlib.h>

#include "base/memory.h"
#include "evergreen/emu/memory/resource.h"
#include "fidelity/rows.h"

enum { SIDE = 8, FETCHES = 16, IMAGE = 16 };

static struct evg_program *code(unsigned rounds)
{
	struct text text;

	text_begin(&text);
	text_add(&text,
		 ".kernel texels\n.registers 4\n.stack 1\nALU:\n"
		 "0 x: AND_INT R2.x, R0.x, 7\n"
		 "  y: LSHR R2.y, R0.x, 3\n"
		 "  w: MOV R3.w, %u\n"
		 "1 t: INT_TO_FLT R2.x, R2.x\n"
		 "2 t: INT_TO_FLT R2.y, R2.y\n"
		 "3 x: ADD R2.x, R2.x, 0.5f\n"
		 "  y: ADD R2.y, R2.y, 0.5f\n"
		 "LOOP_DX10 i0 FAIL_JUMP_ADDR(@done)\n@again:\n"
		 "ALU_BREAK:\n"
		 "0 x: PREDNE_INT ____, R3.w, 0 UPDATE_EXEC_MASK\n"
		 "  w: ADD_INT R3.w, R3.w, -1\nTEX:\n",
		 rounds);
	for (unsigned i = 0; i < FETCHES; i++)
		text_add(&text,
			 "SAMPLE R3.xyz_, R2.xyxy, t%u, s0 "
			 "UNNORM(XYZW)\n",
			 IMAGE);
	text_add(&text, "ENDLOOP i0 PASS_JUMP_ADDR(@again)\n@done:\n"
			"NOP\nEND_OF_PROGRAM\n");
	return text_end(&text);
}

/* An image of texels of `bytes`. */
static double cycles_of_rounds(struct table *table, uint8_t format,
			       unsigned bytes, enum evg_filter filter,
			       unsigned rounds)
{
	struct device *device = device_create(table_options(table), NULL);
	struct evg_bindings *bindings = xcalloc(1, sizeof *bindings);
	struct evg_program *program = code(rounds);
	struct launch launch = {
	    .program = program,
	    .global = {64 * 8 * device->config.compute_units},
	    .local = {64},
	    .bindings = bindings,
	};
	double cycles;

	bindings->images[IMAGE] = (struct evg_image){
	    .dimension = EVG_IMAGE_2D,
	    .address = device_allocate(device, SIDE * SIDE * bytes),
	    .width = SIDE,
	    .height = SIDE,
	    .depth = 1,
	    .row_pitch = SIDE * bytes,
	    .slice_pitch = SIDE * SIDE * bytes,
	    .data_format = format,
	    .number_format = EVG_NUMBER_NORM,
	    .select = {0, 1, 2, 3},
	};
	bindings->samplers[0] = (struct evg_sampler){
	    .bound = true,
	    .filter = filter,
	    .wrap = {EVG_WRAP_CLAMP_EDGE, EVG_WRAP_CLAMP_EDGE,
		     EVG_WRAP_CLAMP_EDGE},
	};
	cycles = (double)device_run(device, &launch);
	evg_program_free(program);
	device_free(device);
	free(bindings);
	return cycles;
}

void rows_texture(struct table *table)
{
	enum { BYTES_8 = 26, HALVES = 32, FLOATS = 35, FEW = 4, MANY = 12 };
	static const struct {
		const char *name;
		double published; /* Gtexel/s */
		const char *source, *from;
		uint8_t format, bytes;
		enum evg_filter filter;
	} rows[] = {
	    {"texels, 8 bits x 4, nearest", 68, "B3D, 1",
	     "TEXEngine AddressesPerCycle", BYTES_8, 4, EVG_FILTER_NEAREST},
	    {"texels, 8 bits x 4, bilinear", 68, "BT, 1",
	     "TEXEngine AddressesPerCycle", BYTES_8, 4, EVG_FILTER_LINEAR},
	    {"texels, 16 bits x 4, bilinear", 34, "iXBT, 1",
	     "passes of a filter", HALVES, 8, EVG_FILTER_LINEAR},
	    {"texels, 32 bits x 4, nearest", 68, "G, 6",
	     "TEXEngine BytesPerCycle", FLOATS, 16, EVG_FILTER_NEAREST},
	    {"texels, 32 bits x 4, bilinear", 17, "BT, 1", "passes of a filter",
	     FLOATS, 16, EVG_FILTER_LINEAR},
	};
	const struct evg_config *config = &table_options(table)->config;
	double texels =
	    64.0 * 8 * config->compute_units * FETCHES * (MANY - FEW);

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		double cycles[2];

		if (!table_wants_row(table, rows[i].name))
			continue;
		for (unsigned many = 0; many < 2; many++)
			cycles[many] = cycles_of_rounds(
			    table, rows[i].format, rows[i].bytes,
			    rows[i].filter, many ? MANY : FEW);
		table_row(table, KIND_INPUT, rows[i].name, rows[i].published,
			  "Gtexel/s", rows[i].source, rows[i].from,
			  texels / (cycles[1] - cycles[0]) * config->frequency /
			      1000);
	}
}
