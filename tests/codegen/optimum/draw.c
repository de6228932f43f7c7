#include "codegen/optimum/graph.h"

#include <string.h>

#include "base/memory.h"
#include "evergreen/emu/fixture.h"
#include "evergreen/isa/ports.h"

enum { INPUTS = 3, LIVE_OF = 3 };

static const struct evg_source unused;

/* What is being drawn. */
struct drawing {
	struct graph *graph;
	struct evg_alu_group *groups;
	/* The operation that wrote each input last. */
	int writer[INPUTS][4];
	unsigned queued;        /* values in queue A */
	bool local, predicated; /* what the clause may have */
	bool predicate_ready;
};

static bool chance(unsigned of)
{
	return random_bits() % of == 0;
}

static struct graph_source from_register(struct drawing *drawing,
					 struct evg_source *text)
{
	unsigned number = random_bits() % INPUTS, channel = random_bits() % 4;
	struct graph_source source = {.queue = -1, .op = GRAPH_INPUT};

	source.op = drawing->writer[number][channel];
	source.waits = source.op != GRAPH_INPUT;
	source.read = (struct read){.kind = READ_REGISTER,
				    .number = number,
				    .channel = (uint8_t)channel};
	*text = gpr(number, channel);
	return source;
}

/* The result of an operation that comes before, or an input. */
static struct graph_source from_result(struct drawing *drawing,
				       struct evg_source *text)
{
	const struct graph *graph = drawing->graph;
	unsigned number = graph->count ? random_bits() % graph->count : 0;
	const struct graph_op *op = &graph->op[number];

	/* A register that is written again has its last content. */
	if (!graph->count || !op->has_result || op->gpr < INPUTS)
		return from_register(drawing, text);
	*text = gpr(op->gpr, op->channel);
	return (struct graph_source){
	    .queue = -1, .waits = true, .op = (int)number};
}

static struct graph_source random_source(struct drawing *drawing,
					 struct evg_alu_group *group,
					 struct evg_source *text)
{
	struct graph_source source = {.queue = -1, .op = GRAPH_INPUT};

	switch (random_bits() % 12) {
	case 0:
	case 1:
		source.read.kind = READ_LITERAL;
		source.read.number = 100 + random_bits() % 6;
		*text = group_literal(group, source.read.number);
		return source;
	case 2:
		source.read.kind = READ_FILE;
		source.read.number = EVG_SELECT_KCACHE0 + random_bits() % 4;
		source.read.channel = (uint8_t)(random_bits() % 4);
		*text = selector(source.read.number, source.read.channel);
		return source;
	case 3:
		source.read.kind = READ_INLINE;
		*text = selector(EVG_SELECT_1_INT, 0);
		return source;
	case 4:
	case 5:
	case 6:
	case 7:
		return from_register(drawing, text);
	default:
		return from_result(drawing, text);
	}
}

static void random_sources(struct drawing *drawing, struct graph_op *op,
			   unsigned part, struct evg_alu_group *group,
			   struct evg_source text[3])
{
	for (unsigned k = 0; k < 3; k++) {
		text[k] = unused;
		op->source[part][k].queue = -1;
		if (k < op->source_count)
			op->source[part][k] =
			    random_source(drawing, group, &text[k]);
	}
}

/* A result's register: one of its own, or an input's that nothing has written.
 * Only those may keep something for the lanes that a predicate leaves out. */
static void random_dest(struct drawing *drawing, struct graph_op *op,
			unsigned number)
{
	unsigned input = random_bits() % INPUTS;

	op->has_result = true;
	op->channel = (uint8_t)(random_bits() % 4);
	op->gpr = (uint8_t)(GRAPH_RESULTS + number);
	if ((op->predicated || chance(6)) &&
	    drawing->writer[input][op->channel] == GRAPH_INPUT) {
		op->gpr = (uint8_t)input;
		op->live = true;
	}
	op->predicated &= op->gpr < INPUTS;
	op->live |= chance(LIVE_OF);
	op->fixed = op->live;
}

static void take_note(struct drawing *drawing, const struct graph_op *op,
		      unsigned number)
{
	if (op->has_result && op->gpr < INPUTS)
		drawing->writer[op->gpr][op->channel] = (int)number;
}

/* --- Kinds of operations -------------------------------------------------- */

static void draw_plain(struct drawing *drawing, struct graph_op *op,
		       unsigned number, struct evg_alu_group *group)
{
	static const enum evg_alu_op ops[] = {
	    EVG_ALU_ADD_INT,    EVG_ALU_XOR_INT,  EVG_ALU_MULADD_IEEE,
	    EVG_ALU_BFE_UINT,   EVG_ALU_CNDE_INT, EVG_ALU_MULLO_INT,
	    EVG_ALU_INT_TO_FLT, EVG_ALU_ADD_INT,  EVG_ALU_MUL_IEEE,
	};
	struct evg_source text[3];
	struct evg_alu_inst *inst;
	unsigned slot;

	op->op = ops[random_bits() % ARRAY_SIZE(ops)];
	op->slots = rules_slots(op->op);
	op->parts = 1;
	op->source_count = evg_alu_info[op->op].source_count;
	op->predicated = drawing->predicate_ready && chance(3);
	random_sources(drawing, op, 0, group, text);
	random_dest(drawing, op, number);
	slot = op->slots == 1u << EVG_T ? EVG_T : op->channel;
	inst = group_add(group, slot, op->op, op->gpr, op->channel, text[0],
			 text[1], text[2]);
	if (op->predicated)
		inst->predicate_select = 2;
}

static void draw_dot(struct drawing *drawing, struct graph_op *op,
		     unsigned number, struct evg_alu_group *group)
{
	op->op = EVG_ALU_DOT4_IEEE;
	op->slots = 0xf;
	op->parts = 4;
	op->source_count = 2;
	random_dest(drawing, op, number);
	op->part = op->channel;
	for (unsigned part = 0; part < 4; part++) {
		struct evg_source text[3];

		random_sources(drawing, op, part, group, text);
		group_add(group, part, op->op, op->gpr, part, text[0], text[1],
			  unused)
		    ->write_mask = part == op->part;
	}
}

static void draw_access(struct drawing *drawing, struct graph_op *op,
			struct evg_alu_group *group)
{
	struct evg_alu_group access;
	struct evg_source text[3];

	op->op = EVG_ALU_LDS_IDX_OP;
	op->lds_op = chance(4) ? EVG_LDS_WRITE : EVG_LDS_READ_RET;
	op->slots = rules_slots(op->op);
	op->parts = 1;
	op->source_count = op->lds_op == EVG_LDS_WRITE ? 2 : 1;
	random_sources(drawing, op, 0, group, text);
	access = group_lds(op->lds_op, text[0], text[1], unused);
	/* The sources' literals are in the group already. */
	memcpy(access.literal, group->literal, sizeof access.literal);
	access.literal_count = group->literal_count;
	*group = access;
	drawing->queued += op->lds_op == EVG_LDS_READ_RET;
}

static void draw_take(struct drawing *drawing, struct graph_op *op,
		      unsigned number, struct evg_alu_group *group)
{
	op->op = EVG_ALU_MOV;
	op->slots = rules_slots(op->op);
	op->parts = 1;
	op->source_count = 1;
	op->source[0][0] = (struct graph_source){.queue = 0, .op = GRAPH_INPUT};
	op->source[0][1].queue = op->source[0][2].queue = -1;
	random_dest(drawing, op, number);
	group_add(group, op->channel, op->op, op->gpr, op->channel,
		  selector(EVG_SELECT_LDS_OQ_A_POP, 0), unused, unused);
	drawing->queued--;
}

static void draw_test(struct drawing *drawing, struct graph_op *op,
		      struct evg_alu_group *group, bool takes_lanes_out)
{
	struct evg_source text;

	op->op = EVG_ALU_PRED_SETNE_INT;
	op->slots = rules_slots(op->op);
	op->parts = 1;
	op->source_count = 2;
	op->sets_predicate = !takes_lanes_out;
	op->takes_lanes_out = takes_lanes_out;
	op->source[0][0] = from_result(drawing, &text);
	op->source[0][1] = (struct graph_source){
	    .queue = -1, .op = GRAPH_INPUT, .read.kind = READ_INLINE};
	op->source[0][2].queue = -1;
	*group = group_predicate(text, takes_lanes_out, !takes_lanes_out);
	drawing->predicate_ready |= !takes_lanes_out;
}

static void draw_operation(struct drawing *drawing, struct graph_op *op,
			   struct evg_alu_group *group, unsigned left)
{
	unsigned number = drawing->graph->count;

	if (drawing->queued && (drawing->queued >= left || chance(4)))
		draw_take(drawing, op, number, group);
	else if (left == 1 && chance(6))
		draw_test(drawing, op, group, true);
	else if (drawing->local && left > drawing->queued + 1 && chance(2))
		draw_access(drawing, op, group);
	else if (drawing->predicated && chance(4))
		draw_test(drawing, op, group, false);
	else if (chance(8))
		draw_dot(drawing, op, number, group);
	else
		draw_plain(drawing, op, number, group);
}

/* An operation that has ports for all its reads. */
static void add_operation(struct drawing *drawing, unsigned left)
{
	struct graph *graph = drawing->graph;
	struct graph_op *op = &graph->op[graph->count];
	struct drawing before = *drawing;
	struct evg_alu_group group;

	do {
		*drawing = before;
		memset(op, 0, sizeof *op);
		group = group_begin();
		draw_operation(drawing, op, &group, left);
	} while (!evg_ports_assign(&group));
	drawing->groups[graph->count] = group;
	take_note(drawing, op, graph->count);
	graph->count++;
}

void graph_draw(struct graph *graph, struct evg_alu_group *groups)
{
	struct drawing drawing = {.graph = graph,
				  .groups = groups,
				  .local = chance(2),
				  .predicated = chance(3)};
	unsigned count = 5 + random_bits() % (GRAPH_OPS - 4);

	memset(drawing.writer, 0xff, sizeof drawing.writer);
	graph->count = 0;
	while (graph->count < count)
		add_operation(&drawing, count - graph->count);
	graph_order(graph);
}
