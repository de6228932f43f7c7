/* Fetches and stores as text. */
#include "opencl-rt/codegen/write/writing.h"

#include "evergreen/asm/asm.h"

static const struct machine_register *
place_of(const struct writing *writing, const struct machine_source *source)
{
	return &writing->machine->registers[source->reg];
}

/* Of the lane's own memory; the field holds 12 bits. */
static unsigned last_element(const struct writing *writing)
{
	unsigned elements = writing->machine->scratch_size / 4;

	return elements > 4096 ? 4095 : elements - 1;
}

/* Fetches of the lane's own memory: one dword by its index. */
static void make_scratch(const struct writing *writing,
			 struct evg_fetch_inst *fetch)
{
	fetch->op = EVG_FETCH_READ_SCRATCH;
	fetch->is_vertex = false;
	fetch->resource_id = 0;
	fetch->fetch_type = 0;
	fetch->mega_fetch = false;
	fetch->mega_fetch_count = 0;
	fetch->indexed = true;
	fetch->array_size = (uint16_t)last_element(writing);
}

static void set_address(const struct writing *writing,
			const struct machine_inst *inst,
			struct evg_fetch_inst *fetch)
{
	const struct machine_register *address =
		place_of(writing, &inst->source[0]);

	fetch->source_gpr = address->number;
	fetch->source_select[0] = (uint8_t)address->channel;
}

/* Fetches of images: four coordinates, each a channel of one register, 0 or
 * 1. */
static void make_texel(const struct writing *writing,
		       const struct machine_inst *inst,
		       struct evg_fetch_inst *fetch)
{
	enum { ZERO = 4, ONE = 5 };

	fetch->op = inst->image == MACHINE_SAMPLE ? EVG_FETCH_SAMPLE
						  : EVG_FETCH_LD;
	fetch->is_vertex = false;
	fetch->fetch_type = 0;
	fetch->mega_fetch = false;
	fetch->mega_fetch_count = 0;
	fetch->data_format = fetch->num_format = 0;
	fetch->sampler_id = inst->sampler;
	fetch->source_gpr = 0;
	for (unsigned k = 0; k < MACHINE_DWORDS; k++) {
		const struct machine_source *source = &inst->source[k];

		fetch->normalized[k] = inst->normalized >> k & 1;
		fetch->source_select[k] =
			source->select == EVG_SELECT_0 ? ZERO : ONE;
		if (source->reg == MACHINE_NONE)
			continue;
		fetch->source_gpr = place_of(writing, source)->number;
		fetch->source_select[k] =
			(uint8_t)place_of(writing, source)->channel;
	}
}

void write_fetch(struct writing *writing,
			const struct machine_inst *inst)
{
	static const uint8_t small[] = {1, 5}; /* a byte, a short */
	static const uint8_t formats[] = {13, 29, 47, 34};
	struct evg_fetch_inst fetch = {
	    .op = EVG_FETCH_VFETCH,
	    .is_vertex = true,
	    .fetch_type = 2, /* no index offset */
	    .resource_id = inst->resource,
	    .dest_select = {7, 7, 7, 7},
	    .mega_fetch = true,
	    .mega_fetch_count = (uint8_t)(inst->unit * inst->dest_count),
	    .data_format = inst->unit < 4 ? small[inst->unit - 1]
					  : formats[inst->dest_count - 1],
	    .num_format = 1,
	    .offset = (uint16_t)inst->offset,
	};
	char text[1024];

	if (inst->image)
		make_texel(writing, inst, &fetch);
	else
		set_address(writing, inst, &fetch);
	if (inst->scratch)
		make_scratch(writing, &fetch);
	writing_end_clause(writing, "ALU");
	if (!(writing->fetches++ % MACHINE_FETCHES))
		writing_put(writing, "\tTEX:\n");
	for (unsigned i = 0; i < inst->dest_count; i++) {
		const struct machine_register *reg =
			&writing->machine->registers[inst->dest[i]];

		fetch.dest_gpr = reg->number;
		fetch.dest_select[reg->channel] = (uint8_t)i;
	}
	evg_fetch_format_exact(text, sizeof text, &fetch);
	writing_put(writing, "\t\t%s\n", text);
}

/* Where something waits for stores, all of them are acknowledged. Plain stores
 * take the FastPath unless they are to take the CompletePath, as what reads and
 * writes in one step does. */
void write_store(struct writing *writing,
			const struct machine_inst *inst)
{
	static const char *const masks[] = {".x___", ".xy__", ".xyz_", ""};
	bool plain = inst->rat_op == EVG_RAT_STORE_RAW;
	bool marked = writing->machine->fences || inst->returns;

	writing_end_clause(writing, "ALU");
	writing->fetches = 0;
	if (inst->waits)
		writing_put(writing, "\tWAIT_ACK: Outstanding_acks <= 0\n");
	else if (inst->scratch)
		writing_put(writing,
		    "\tMEM_WR_SCRATCH: DWORD_PTR[0+R%u].x___, R%u, "
		    "ARRAY_SIZE(%u)\n",
		    place_of(writing, &inst->source[0])->number,
		    place_of(writing, &inst->source[1])->number,
		    last_element(writing));
	else
		writing_put(writing, "\tMEM_RAT%s_%s%s: RAT(%u)[R%u]%s, R%u, "
		    "ARRAY_SIZE(0)%s\n",
		    plain && !inst->complete ? "_CACHELESS" : "",
		    evg_rat_info[inst->rat_op].name, marked ? "_ACK" : "",
		    inst->resource,
		    place_of(writing, &inst->source[0])->number,
		    plain ? masks[inst->source_count - 2] : "",
		    place_of(writing,
			     &inst->source[inst->image ? MACHINE_DWORDS : 1])
			    ->number,
		    marked ? " MARK" : "");
}
