/* Machine instructions with their places to the assembler's text. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/asm/asm.h"
#include "opencl-rt/codegen/clause.h"
#include "opencl-rt/codegen/machine.h"
#include "opencl-rt/codegen/report/report.h"
#include "opencl-rt/codegen/stage/stage.h"
#include "opencl-rt/codegen/target.h"
#include "opencl-rt/codegen/write/clause.h"
#include "opencl-rt/codegen/write/group.h"

enum {
	/* A branch's test comes to it. */
	CLAUSE_UNITS = EVG_CLAUSE_UNITS - 8,
	CLAUSE_GROUPS = EVG_CLAUSE_UNITS + GROUP_MOST,
};

/* Text in the making. */
struct writing {
	const struct machine *machine;
	FILE *out;
	struct codegen_group groups[CLAUSE_GROUPS];
	unsigned count, units, queued;
	unsigned place;          /* the instruction behind the clause */
	unsigned fetches;        /* of the clause; 0: it is none of fetches */
	unsigned label, labels[MACHINE_DEPTH], depth;
	bool is_loop[MACHINE_DEPTH];
	const char *why;
	struct report report;
	struct write_lines *lines;
	const void *line;        /* of the instruction */
};

/* Adds a line of text, that of a fetch or of a CF instruction without a
 * clause. */
static void put(struct writing *writing, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void put(struct writing *writing, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vfprintf(writing->out, format, arguments);
	va_end(arguments);
	write_lines_add(writing->lines, writing->line);
}

/* --- ALU clauses ---------------------------------------------------------- */

/* Groups of one instruction each. */
static void add_groups(struct writing *writing, const struct machine_inst *from,
		       bool takes_lanes_out)
{
	struct codegen_group *made = &writing->groups[writing->count];
	unsigned count = machine_groups(writing->machine, from, takes_lanes_out,
				    made);

	if (!count)
		writing->why = "an operation whose operands cannot be read at "
			       "once";
	for (unsigned i = 0; i < count; i++) {
		writing->count++;
		for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++)
			made[i].line[slot] = from->line;
		writing->units += made[i].group.size;
	}
}

static void find_live(const struct writing *writing,
		      struct codegen_registers *live)
{
	memset(live, 0, sizeof *live);
	for (unsigned r = 0; r < writing->machine->register_count; r++) {
		const struct machine_register *reg =
			&writing->machine->registers[r];

		if (reg->last >= reg->first &&
		    reg->first < (int)writing->place &&
		    reg->last >= (int)writing->place)
			codegen_add(live, reg->number, (unsigned)reg->channel);
	}
}

static void end_clause(struct writing *writing, const char *name)
{
	struct codegen_registers live;
	const struct codegen_clause clause = {
		.groups = writing->groups, .count = writing->count,
		.live = &live,
		.registers = writing->machine->hardware_registers,
		.units = CLAUSE_UNITS + 8,
	};
	struct codegen_result result;

	if (!writing->count)
		return;
	writing->fetches = 0;
	find_live(writing, &live);
	if (writing->machine->without >> STAGE_GROUPS & 1)
		result = (struct codegen_result){ .kept = "switched off" };
	else
		result = codegen_schedule(&clause);
	report_clause(&writing->report, name, &clause, &result);
	write_clause(writing->out, writing->lines, name,
		     result.kept ? writing->groups : result.groups,
		     result.kept ? writing->count : result.count);
	free(result.groups);
	writing->count = writing->units = 0;
}

/* A copy whose source has got the same place. */
static bool is_idle_copy(const struct machine *machine,
			 const struct machine_inst *inst)
{
	const struct machine_register *from, *to;

	if (inst->op != EVG_ALU_MOV || inst->source[0].reg == MACHINE_NONE ||
	    inst->source[0].negate || inst->source[0].absolute)
		return false;
	from = &machine->registers[inst->source[0].reg];
	to = &machine->registers[inst->dest[0]];
	return from->number == to->number && from->channel == to->channel;
}

static void write_alu(struct writing *writing, const struct machine_inst *inst)
{
	bool full = !inst->predicate && !writing->queued &&
		    writing->units + machine_most_units(writing->machine, inst) >
			    CLAUSE_UNITS;

	if (is_idle_copy(writing->machine, inst))
		return;
	if (full)
		end_clause(writing, "ALU");
	if (writing->units + (machine_is_double(inst) ? MACHINE_DOUBLE_UNITS
						      : 3) >
	    CLAUSE_UNITS + 6)
		writing->why = "a clause that would be too long";
	if (writing->why)
		return;
	if (inst->op == EVG_ALU_LDS_IDX_OP)
		writing->queued += evg_lds_info[inst->lds_op].returns;
	writing->queued -= machine_takes_from_queue(inst);
	add_groups(writing, inst, false);
}

/* --- Memory --------------------------------------------------------------- */

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

static void write_fetch(struct writing *writing,
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
	end_clause(writing, "ALU");
	if (!(writing->fetches++ % MACHINE_FETCHES))
		put(writing, "\tTEX:\n");
	for (unsigned i = 0; i < inst->dest_count; i++) {
		const struct machine_register *reg =
			&writing->machine->registers[inst->dest[i]];

		fetch.dest_gpr = reg->number;
		fetch.dest_select[reg->channel] = (uint8_t)i;
	}
	evg_fetch_format_exact(text, sizeof text, &fetch);
	put(writing, "\t\t%s\n", text);
}

/* Where something waits for stores, all of them are acknowledged. Plain stores
 * take the FastPath unless they are to take the CompletePath, as what reads and
 * writes in one step does. */
static void write_store(struct writing *writing,
			const struct machine_inst *inst)
{
	static const char *const masks[] = {".x___", ".xy__", ".xyz_", ""};
	bool plain = inst->rat_op == EVG_RAT_STORE_RAW;
	bool marked = writing->machine->fences || inst->returns;

	end_clause(writing, "ALU");
	writing->fetches = 0;
	if (inst->waits)
		put(writing, "\tWAIT_ACK: Outstanding_acks <= 0\n");
	else if (inst->scratch)
		put(writing,
		    "\tMEM_WR_SCRATCH: DWORD_PTR[0+R%u].x___, R%u, "
		    "ARRAY_SIZE(%u)\n",
		    place_of(writing, &inst->source[0])->number,
		    place_of(writing, &inst->source[1])->number,
		    last_element(writing));
	else
		put(writing, "\tMEM_RAT%s_%s%s: RAT(%u)[R%u]%s, R%u, "
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

/* --- Control flow --------------------------------------------------------- */

static void open_flow(struct writing *writing)
{
	if (writing->depth == MACHINE_DEPTH) {
		writing->why = "control flow that is nested too deeply";
		return;
	}
	writing->is_loop[writing->depth] = false;
	writing->labels[writing->depth++] = writing->label++;
}

/* The ELSE that belongs to an IF, or its end. */
static bool finds_else(const struct machine *machine, unsigned place)
{
	unsigned depth = 0;

	for (unsigned i = place + 1; i < machine->inst_count; i++) {
		if (machine->insts[i].kind == MACHINE_IF)
			depth++;
		else if (machine->insts[i].kind == MACHINE_END_IF && !depth--)
			return false;
		else if (machine->insts[i].kind == MACHINE_ELSE && !depth)
			return true;
	}
	return false;
}

/* The clause so far, and a test that takes out the lanes that do not pass. */
static void write_test(struct writing *writing, const struct machine_inst *inst,
		       const char *clause)
{
	struct machine_inst test = *inst;

	test.kind = MACHINE_ALU;
	add_groups(writing, &test, true);
	end_clause(writing, clause);
}

static void write_if(struct writing *writing, const struct machine_inst *inst)
{
	open_flow(writing);
	if (writing->why)
		return;
	write_test(writing, inst, "ALU_PUSH_BEFORE");
	if (finds_else(writing->machine, writing->place - 1))
		put(writing, "\tJUMP ADDR(@else%u)\n",
		    writing->labels[writing->depth - 1]);
	else
		put(writing, "\tJUMP POP_CNT(1) ADDR(@end%u)\n",
		    writing->labels[writing->depth - 1]);
}

static unsigned innermost_loop(const struct writing *writing)
{
	unsigned depth = writing->depth - 1;

	while (!writing->is_loop[depth])
		depth--;
	return writing->labels[depth];
}

static void write_flow(struct writing *writing, const struct machine_inst *inst)
{
	unsigned label;

	writing->fetches = 0;
	if (inst->kind == MACHINE_IF) {
		write_if(writing, inst);
		return;
	}
	if (inst->kind == MACHINE_BREAK && inst->source_count) {
		write_test(writing, inst, "ALU_BREAK");
		return;
	}
	if (inst->kind == MACHINE_END_IF && writing->count) {
		end_clause(writing, "ALU_POP_AFTER");
		fprintf(writing->out, "@end%u:\n",
			writing->labels[--writing->depth]);
		return;
	}
	end_clause(writing, "ALU");
	if (inst->kind == MACHINE_LOOP) {
		open_flow(writing);
		if (writing->why)
			return;
		label = writing->labels[writing->depth - 1];
		writing->is_loop[writing->depth - 1] = true;
		put(writing, "\tLOOP_DX10 i0 FAIL_JUMP_ADDR(@after%u)\n"
		    "@body%u:\n", label, label);
		return;
	}
	label = writing->labels[writing->depth - 1];
	switch (inst->kind) {
	case MACHINE_ELSE:
		put(writing, "@else%u:\n"
		    "\tELSE POP_CNT(1) ADDR(@end%u)\n", label, label);
		break;
	case MACHINE_END_IF:
		put(writing, "\tPOP (1) ADDR(@end%u)\n@end%u:\n", label,
		    label);
		writing->depth--;
		break;
	case MACHINE_BREAK:
		put(writing, "\tLOOP_BREAK ADDR(@repeat%u)\n",
		    innermost_loop(writing));
		break;
	default: /* the end of a loop */
		put(writing, "@repeat%u:\n"
		    "\tENDLOOP i0 PASS_JUMP_ADDR(@body%u)\n@after%u:\n",
		    label, label, label);
		writing->depth--;
		break;
	}
}

/* --- Kernels -------------------------------------------------------------- */

char *machine_write(const struct machine *machine, const char *name,
		    struct write_lines *lines, const char **why)
{
	struct writing *writing = xcalloc(1, sizeof *writing);
	char *text = NULL;
	size_t size;

	*why = NULL;
	writing->machine = machine;
	writing->lines = lines;
	writing->report.wanted = machine->report;
	report_begin(&writing->report, name, machine);
	writing->out = open_memstream(&text, &size);
	if (!writing->out) {
		free(writing);
		*why = "no memory for its text";
		return NULL;
	}
	fprintf(writing->out, ".kernel %s\n.registers %u\n", name,
		machine->hardware_registers);
	/* A kernel that needs more than there is builds, but is not launched:
	 * its metadata have the true size. */
	if (machine->local_size)
		fprintf(writing->out, ".local %u\n",
			machine->local_size < EVG_MAX_LOCAL_MEMORY
				? machine->local_size
				: EVG_MAX_LOCAL_MEMORY);
	for (unsigned i = 0; i < machine->inst_count && !writing->why; i++) {
		const struct machine_inst *inst = &machine->insts[i];

		/* Clauses that end now end before this instruction. */
		writing->place = i;
		writing->line = inst->line;
		switch (inst->kind) {
		case MACHINE_ALU:
			write_alu(writing, inst);
			break;
		case MACHINE_FETCH:
			write_fetch(writing, inst);
			break;
		case MACHINE_STORE:
			write_store(writing, inst);
			break;
		default:
			if (inst->source_count)
				writing->place = i + 1;
			write_flow(writing, inst);
			break;
		}
	}
	writing->place = machine->inst_count;
	if (!writing->why)
		end_clause(writing, "ALU");
	report_end(&writing->report);
	writing->line = NULL;
	put(writing, "\tNOP\nEND_OF_PROGRAM\n");
	fclose(writing->out);
	*why = writing->why;
	if (*why) {
		free(text);
		text = NULL;
	}
	free(writing);
	return text;
}
