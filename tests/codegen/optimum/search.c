#include "codegen/optimum/search.h"

#include <string.h>

enum { NODES_MAX = 500000, UNPLACED = -1 };

struct search {
	const struct graph *graph;
	int groups;          /* that there may be */
	int tail[GRAPH_OPS]; /* groups behind the operation's own */
	int group_of[GRAPH_OPS];
	uint8_t channel_of[GRAPH_OPS];
	bool read[GRAPH_OPS]; /* somebody reads the result */
	unsigned nodes;
};

/* A group in the making. */
struct making {
	int number;
	unsigned taken; /* slots */
	struct group_reads reads;
};

static bool is_left(const struct search *search, unsigned number)
{
	return search->graph->op[number].parts &&
	       search->group_of[number] == UNPLACED;
}

/* How a source is read by the group of a number. */
static struct read read_of(const struct search *search,
			   const struct graph_source *source, int number)
{
	const struct graph_op *from;

	if (source->queue >= 0)
		return (struct read){.kind = READ_FORWARDED};
	if (!source->waits)
		return source->read;
	from = &search->graph->op[source->op];
	if (search->group_of[source->op] + 1 == number && !from->predicated)
		return (struct read){.kind = READ_FORWARDED};
	return (struct read){
	    .kind = READ_REGISTER,
	    .number = from->fixed ? from->gpr : 1000u + (unsigned)source->op,
	    .channel = search->channel_of[source->op],
	};
}

/* Whether all that must come at least a group before has come. */
static bool is_ready(const struct search *search, unsigned number, int group)
{
	const struct graph *graph = search->graph;

	for (unsigned i = 0; i < graph->count; i++)
		if (graph->apart[i][number] > 1 && graph->op[i].parts &&
		    (is_left(search, i) ||
		     search->group_of[i] + graph->apart[i][number] - 1 > group))
			return false;
	return true;
}

static bool fill(struct search *search, const struct making *making,
		 unsigned slot);

/* With an operation in a slot and its result in a channel. */
static bool try_place(struct search *search, const struct making *before,
		      unsigned number, unsigned slot, unsigned channel)
{
	const struct graph_op *op = &search->graph->op[number];
	struct making making = *before;
	bool found;

	for (unsigned part = 0; part < op->parts; part++) {
		making.taken |= 1u << (slot + part);
		for (unsigned k = 0; k < op->source_count; k++)
			making.reads.slot[slot + part][k] = read_of(
			    search, &op->source[part][k], making.number);
	}
	if (!rules_serve(&making.reads))
		return false;
	search->group_of[number] = making.number;
	search->channel_of[number] = (uint8_t)channel;
	found = fill(search, &making, slot + op->parts);
	search->group_of[number] = UNPLACED;
	return found;
}

/* A vector slot gives its own channel. In t, an operation that could have the
 * slot of its result's channel must find that taken. */
static bool try_slot(struct search *search, const struct making *making,
		     unsigned number, unsigned slot)
{
	const struct graph_op *op = &search->graph->op[number];
	unsigned channels = slot == EVG_T ? 0xf : 1u << slot;

	if (op->parts > 1)
		return slot == EVG_X &&
		       try_place(search, making, number, slot, op->part);
	if (op->has_result && op->fixed)
		channels &= 1u << op->channel;
	if (slot == EVG_T && op->slots != 1u << EVG_T)
		channels &= making->taken;
	if (!search->read[number])
		channels &= -channels;
	for (unsigned c = 0; c < 4; c++)
		if (channels >> c & 1 &&
		    try_place(search, making, number, slot, c))
			return true;
	return false;
}

/* Whether every operation that is left can still end in time. */
static bool in_time(const struct search *search, int group)
{
	int left = search->groups - group, slots = 0, transcendental = 0;

	for (unsigned i = 0; i < search->graph->count; i++) {
		if (!is_left(search, i))
			continue;
		if (search->tail[i] >= left)
			return false;
		slots += (int)search->graph->op[i].parts;
		transcendental += search->graph->op[i].slots == 1u << EVG_T;
	}
	return slots <= EVG_SLOT_COUNT * left && transcendental <= left;
}

/* What is in the group has with it what must not come later. */
static bool is_complete(const struct search *search, int group)
{
	const struct graph *graph = search->graph;

	for (unsigned i = 0; i < graph->count; i++)
		for (unsigned j = 0; j < graph->count; j++)
			if (graph->apart[i][j] && graph->op[j].parts &&
			    search->group_of[j] == group && is_left(search, i))
				return false;
	return true;
}

static bool close_group(struct search *search, const struct making *making)
{
	struct making next = {.number = making->number + 1};
	bool all = true;

	if (!is_complete(search, making->number))
		return false;
	for (unsigned i = 0; i < search->graph->count; i++)
		all &= !is_left(search, i);
	return all || (in_time(search, next.number) && fill(search, &next, 0));
}

/* Every way to fill the slots from one on, then the groups behind. */
static bool fill(struct search *search, const struct making *making,
		 unsigned slot)
{
	if (++search->nodes > NODES_MAX)
		return false;
	if (slot == EVG_SLOT_COUNT)
		return close_group(search, making);
	for (unsigned i = 0; i < search->graph->count; i++)
		if (is_left(search, i) &&
		    search->graph->op[i].slots >> slot & 1 &&
		    is_ready(search, i, making->number) &&
		    try_slot(search, making, i, slot))
			return true;
	return fill(search, making, slot + 1);
}

/* Groups behind each operation on the longest chain. Chains are as long as
 * there are operations at most; a graph that goes in circles never fits. */
static void find_tails(struct search *search)
{
	const struct graph *graph = search->graph;

	for (unsigned turn = 0; turn < graph->count; turn++)
		for (unsigned i = 0; i < graph->count; i++)
			for (unsigned j = 0; j < graph->count; j++) {
				int tail =
				    search->tail[j] + graph->apart[i][j] - 1;

				if (graph->apart[i][j] && graph->op[j].parts &&
				    search->tail[i] < tail)
					search->tail[i] = tail;
			}
}

static void find_readers(struct search *search)
{
	const struct graph *graph = search->graph;

	for (unsigned i = 0; i < graph->count; i++)
		for (unsigned part = 0; part < graph->op[i].parts; part++)
			for (unsigned k = 0; k < graph->op[i].source_count; k++)
				if (graph->op[i].source[part][k].waits)
					search->read
					    [graph->op[i].source[part][k].op] =
					    true;
}

enum search_answer search_fits(const struct graph *graph, unsigned groups)
{
	struct search search = {.graph = graph, .groups = (int)groups};
	struct making first = {0};

	for (unsigned i = 0; i < graph->count; i++)
		search.group_of[i] = UNPLACED;
	find_tails(&search);
	find_readers(&search);
	if (in_time(&search, 0) && fill(&search, &first, 0))
		return SEARCH_YES;
	return search.nodes > NODES_MAX ? SEARCH_UNKNOWN : SEARCH_NO;
}
