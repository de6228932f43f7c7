/* What must come before what in a small graph. */
#include <string.h>

#include "codegen/optimum/graph.h"

static void keep(struct graph *graph, int before, int after, unsigned distance)
{
	uint8_t *apart;

	if (before < 0 || before == after)
		return;
	apart = &graph->apart[before][after];
	if (*apart < distance + 1)
		*apart = (uint8_t)(distance + 1);
}

static bool writes(const struct graph_op *op, unsigned gpr, unsigned channel)
{
	return op->parts && op->has_result && op->fixed && op->gpr == gpr &&
	       op->channel == channel;
}

/* Whether an operation reads the register as `writer` left it. */
static bool reads(const struct graph_op *op, int writer, unsigned gpr,
		  unsigned channel)
{
	for (unsigned part = 0; part < op->parts; part++)
		for (unsigned k = 0; k < op->source_count; k++) {
			const struct graph_source *source =
			    &op->source[part][k];

			if (source->op == writer &&
			    (source->waits ||
			     (source->read.kind == READ_REGISTER &&
			      source->read.number == gpr &&
			      source->read.channel == channel)))
				return true;
		}
	return false;
}

/* The write of a register comes behind the one before it, in no group before
 * the reads of what that left. */
static void order_writes(struct graph *graph, unsigned number)
{
	const struct graph_op *op = &graph->op[number];
	int before = GRAPH_INPUT;

	for (unsigned i = 0; i < number; i++)
		if (writes(&graph->op[i], op->gpr, op->channel))
			before = (int)i;
	keep(graph, before, (int)number, 1);
	for (unsigned i = 0; i < graph->count; i++)
		if (reads(&graph->op[i], before, op->gpr, op->channel))
			keep(graph, (int)i, (int)number, 0);
}

static void order_values(struct graph *graph, unsigned number)
{
	const struct graph_op *op = &graph->op[number];

	for (unsigned part = 0; part < op->parts; part++)
		for (unsigned k = 0; k < op->source_count; k++)
			if (op->source[part][k].waits)
				keep(graph, op->source[part][k].op, (int)number,
				     1);
}

static bool takes(const struct graph_op *op, int queue)
{
	for (unsigned part = 0; part < op->parts; part++)
		for (unsigned k = 0; k < op->source_count; k++)
			if (op->source[part][k].queue == queue)
				return true;
	return false;
}

static bool gives(const struct graph_op *op, int queue)
{
	return op->parts && op->op == EVG_ALU_LDS_IDX_OP &&
	       (op->lds_op == EVG_LDS_READ2_RET ||
		(op->lds_op == EVG_LDS_READ_RET && !queue));
}

/* First in, first out, one in a group. */
static void order_queue(struct graph *graph, int queue)
{
	int put[2 * GRAPH_OPS], take[2 * GRAPH_OPS];
	unsigned put_count = 0, take_count = 0;

	for (unsigned i = 0; i < graph->count; i++) {
		if (gives(&graph->op[i], queue))
			put[put_count++] = (int)i;
		if (takes(&graph->op[i], queue))
			take[take_count++] = (int)i;
	}
	for (unsigned n = 0; n < take_count; n++) {
		keep(graph, put[n], take[n], 1);
		if (n)
			keep(graph, take[n - 1], take[n], 1);
	}
}

static void order_pair(struct graph *graph, unsigned i, unsigned j)
{
	const struct graph_op *first = &graph->op[i], *second = &graph->op[j];

	if (!first->parts || !second->parts)
		return;
	if (first->op == EVG_ALU_LDS_IDX_OP && second->op == EVG_ALU_LDS_IDX_OP)
		keep(graph, (int)i, (int)j, 1);
	if (first->sets_predicate && second->sets_predicate)
		keep(graph, (int)i, (int)j, 1);
	if (first->sets_predicate && second->predicated)
		keep(graph, (int)i, (int)j, 1);
	if (first->predicated && second->sets_predicate)
		keep(graph, (int)i, (int)j, 0);
	/* One test in a group, and the last one leaves lanes out. */
	if (first->sets_predicate && second->takes_lanes_out)
		keep(graph, (int)i, (int)j, 1);
	if (second->takes_lanes_out)
		keep(graph, (int)i, (int)j, 0);
}

void graph_order(struct graph *graph)
{
	memset(graph->apart, 0, sizeof graph->apart);
	for (unsigned i = 0; i < graph->count; i++) {
		order_values(graph, i);
		if (graph->op[i].has_result && graph->op[i].fixed)
			order_writes(graph, i);
		for (unsigned j = i + 1; j < graph->count; j++)
			order_pair(graph, i, j);
	}
	order_queue(graph, 0);
	order_queue(graph, 1);
}

/* --- Variants ------------------------------------------------------------- */

struct variants {
	bool (*visit)(const struct graph *variant, void *context);
	void *context;
	bool stopped;
};

/* The operand that takes the value of a read: its operation, or -1. */
static int taker_of(const struct graph *graph, unsigned access, int queue)
{
	unsigned ahead = 0;

	for (unsigned i = 0; i < access; i++)
		ahead += gives(&graph->op[i], queue);
	for (unsigned i = 0; i < graph->count; i++)
		if (takes(&graph->op[i], queue) && !ahead--)
			return (int)i;
	return -1;
}

/* Makes a read the second part of the one before it. */
static bool join(struct graph *graph, unsigned first, unsigned second)
{
	struct graph_op *op = &graph->op[first], *gone = &graph->op[second];
	int take = taker_of(graph, second, 0);
	unsigned before = 0, position = 0;

	/* Queue B is a queue as well: takes come in the order of puts. */
	for (unsigned i = 0; i < first; i++)
		before += gives(&graph->op[i], 1);
	for (int i = 0; i < take; i++)
		position += takes(&graph->op[i], 1);
	if (before != position)
		return false;
	graph->op[take].source[0][0].queue = 1;
	op->lds_op = EVG_LDS_READ2_RET;
	op->source[0][1] = gone->source[0][0];
	op->source_count = 2;
	gone->parts = 0;
	return true;
}

/* The only operand that reads what a copy makes; NULL: there is none. */
static struct graph_source *only_reader(struct graph *graph, int copy,
					struct graph_op **reader)
{
	struct graph_source *found = NULL;

	for (unsigned i = 0; i < graph->count; i++)
		for (unsigned part = 0; part < graph->op[i].parts; part++)
			for (unsigned k = 0; k < graph->op[i].source_count;
			     k++) {
				struct graph_source *source =
				    &graph->op[i].source[part][k];

				if (!source->waits || source->op != copy)
					continue;
				if (found)
					return NULL;
				found = source;
				*reader = &graph->op[i];
			}
	return found;
}

/* Lets the operation that reads a copy of a queue's value take it. */
static bool take_directly(struct graph *graph, unsigned number)
{
	struct graph_op *copy = &graph->op[number], *reader = NULL;
	struct graph_source *source = only_reader(graph, (int)number, &reader);
	int queue = copy->source[0][0].queue;

	if (!source || copy->fixed || copy->predicated || reader->predicated ||
	    reader->parts != 1 || reader->op == EVG_ALU_LDS_IDX_OP ||
	    takes(reader, queue))
		return false;
	/* No other value of the queue is taken between. */
	for (struct graph_op *op = copy + 1; op < reader; op++)
		if (takes(op, queue))
			return false;
	*source = (struct graph_source){.queue = queue, .op = GRAPH_INPUT};
	copy->parts = 0;
	return true;
}

static void vary_takes(struct variants *variants, const struct graph *graph,
		       unsigned number)
{
	struct graph other = *graph;

	if (variants->stopped)
		return;
	/* The last first: takers stand in the order of the program. */
	while (number && !(graph->op[number - 1].parts &&
			   graph->op[number - 1].op == EVG_ALU_MOV))
		number--;
	if (!number) {
		graph_order(&other);
		variants->stopped = !variants->visit(&other, variants->context);
		return;
	}
	if (take_directly(&other, number - 1))
		vary_takes(variants, &other, number - 1);
	vary_takes(variants, graph, number - 1);
}

static void vary_reads(struct variants *variants, const struct graph *graph,
		       unsigned number)
{
	struct graph other = *graph;
	unsigned second = number + 1;

	if (number >= graph->count) {
		vary_takes(variants, graph, graph->count);
		return;
	}
	while (second < graph->count &&
	       (!graph->op[second].parts ||
		graph->op[second].op != EVG_ALU_LDS_IDX_OP))
		second++;
	if (second < graph->count && graph->op[number].parts &&
	    graph->op[number].op == EVG_ALU_LDS_IDX_OP &&
	    graph->op[number].lds_op == EVG_LDS_READ_RET &&
	    graph->op[second].lds_op == EVG_LDS_READ_RET &&
	    join(&other, number, second))
		vary_reads(variants, &other, second + 1);
	vary_reads(variants, graph, number + 1);
}

void graph_variants(const struct graph *graph,
		    bool (*visit)(const struct graph *variant, void *context),
		    void *context)
{
	struct variants variants = {.visit = visit, .context = context};

	vary_reads(&variants, graph, 0);
}
