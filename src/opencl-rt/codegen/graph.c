#include "opencl-rt/codegen/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static uint64_t *new_set(const struct graph *graph)
{
	return xcalloc(graph->words, sizeof(uint64_t));
}

static void add(uint64_t *set, int block)
{
	set[block / 64] |= UINT64_C(1) << block % 64;
}

int graph_find(const struct graph *graph, LLVMBasicBlockRef block)
{
	for (unsigned i = 0; i < graph->count; i++)
		if (graph->blocks[i] == block)
			return (int)i;
	return GRAPH_NONE;
}

static const char *find_next(struct graph *graph, unsigned i)
{
	LLVMValueRef last = LLVMGetBasicBlockTerminator(graph->blocks[i]);
	unsigned count = LLVMGetNumSuccessors(last);

	graph->next[i][0] = graph->next[i][1] = GRAPH_NONE;
	switch (LLVMGetInstructionOpcode(last)) {
	case LLVMBr:
		for (unsigned k = 0; k < count; k++)
			graph->next[i][k] =
				graph_find(graph, LLVMGetSuccessor(last, k));
		if (graph->next[i][0] == graph->next[i][1])
			graph->next[i][1] = GRAPH_NONE;
		return NULL;
	case LLVMRet:
		return NULL;
	default:
		return "a switch or an end that cannot be reached";
	}
}

/* --- Order and dominators -------------------------------------------------- */

/* A list for each block, made block by block. */
static void add_to_list(struct graph_lists *lists, unsigned block, int added)
{
	unsigned count = lists->start[block + 1];

	/* Doubles at each power of two. */
	if (!(count & (count - 1)))
		lists->blocks = xrealloc(lists->blocks,
					 (2 * count + 1) *
						 sizeof *lists->blocks);
	lists->blocks[lists->start[block + 1]++] = added;
}

static void free_lists(struct graph_lists *lists)
{
	free(lists->start);
	free(lists->blocks);
	lists->start = NULL;
	lists->blocks = NULL;
}

/* Blocks behind those before them: the order in which a walk in depth leaves
 * them, backwards. */
static void find_order(struct graph *graph)
{
	const struct graph_lists *ahead = &graph->ahead;
	int *todo = xcalloc(graph->count + 1, sizeof *todo);
	unsigned *taken = xcalloc(graph->count + 1, sizeof *taken);
	unsigned depth = 0, at = graph->count;

	for (unsigned i = 0; i < graph->count; i++) {
		graph->place[i] = GRAPH_NONE;
		taken[i] = ahead->start[i];
	}
	graph->place[0] = 0;
	todo[depth++] = 0;
	while (depth) {
		int block = todo[depth - 1], next;

		if (taken[block] == ahead->start[block + 1]) {
			graph->order[--at] = block;
			depth--;
			continue;
		}
		next = ahead->blocks[taken[block]++];
		if (graph->place[next] != GRAPH_NONE)
			continue;
		graph->place[next] = 0;
		todo[depth++] = next;
	}
	graph->ordered = graph->count - at;
	memmove(graph->order, graph->order + at,
		graph->ordered * sizeof *graph->order);
	for (unsigned i = 0; i < graph->ordered; i++)
		graph->place[graph->order[i]] = (int)i;
	free(todo);
	free(taken);
}

/* The ways as they are, for the first order. */
static void find_ahead(struct graph *graph)
{
	graph->ahead.start = xcalloc(graph->count + 1,
				     sizeof *graph->ahead.start);
	for (unsigned i = 0; i < graph->count; i++) {
		graph->ahead.start[i + 1] = graph->ahead.start[i];
		for (unsigned k = 0; k < 2; k++)
			if (graph->next[i][k] != GRAPH_NONE)
				add_to_list(&graph->ahead, i,
					    graph->next[i][k]);
	}
}

/* The blocks from which there is a way of one step to each. */
static void find_before(const struct graph *graph, struct graph_lists *before)
{
	before->start = xcalloc(graph->count + 2, sizeof *before->start);
	before->blocks = xcalloc(2 * graph->count + 1, sizeof *before->blocks);
	for (unsigned i = 0; i < graph->count; i++)
		for (unsigned k = 0; k < 2; k++)
			if (graph->next[i][k] != GRAPH_NONE)
				before->start[graph->next[i][k] + 2]++;
	for (unsigned i = 2; i <= graph->count; i++)
		before->start[i] += before->start[i - 1];
	for (unsigned i = 0; i < graph->count; i++)
		for (unsigned k = 0; k < 2; k++) {
			int next = graph->next[i][k];

			if (next != GRAPH_NONE)
				before->blocks[before->start[next + 1]++] =
					(int)i;
		}
}

/* The last block that is on all ways to two. */
static int find_common(const struct graph *graph, int a, int b)
{
	while (a != b) {
		while (graph->place[a] > graph->place[b])
			a = graph->dominator[a];
		while (graph->place[b] > graph->place[a])
			b = graph->dominator[b];
	}
	return a;
}

static bool find_dominator(struct graph *graph, const struct graph_lists *before,
			   int block)
{
	int found = GRAPH_NONE;

	for (unsigned k = before->start[block]; k < before->start[block + 1];
	     k++) {
		int from = before->blocks[k];

		if (graph->place[from] == GRAPH_NONE ||
		    graph->dominator[from] == GRAPH_NONE)
			continue;
		found = found == GRAPH_NONE ? from
					    : find_common(graph, found, from);
	}
	if (found == graph->dominator[block])
		return false;
	graph->dominator[block] = found;
	return true;
}

static void find_dominators(struct graph *graph, const struct graph_lists *before)
{
	bool changed = true;

	graph->dominator = xcalloc(graph->count + 1, sizeof *graph->dominator);
	for (unsigned i = 1; i < graph->count; i++)
		graph->dominator[i] = GRAPH_NONE;
	while (changed) {
		changed = false;
		for (unsigned i = 1; i < graph->ordered; i++)
			changed |= find_dominator(graph, before,
						  graph->order[i]);
	}
}

/* Whether all ways to a block go through another. */
static bool dominates(const struct graph *graph, int other, int block)
{
	while (graph->place[block] > graph->place[other])
		block = graph->dominator[block];
	return block == other;
}

/* --- Loops ----------------------------------------------------------------- */

/* The blocks from which a loop's last block is reached without its header. */
static void add_loop(struct graph *graph, const struct graph_lists *before,
		     int header, int last)
{
	int *todo = xcalloc(graph->count + 1, sizeof *todo);
	unsigned count = 0;

	if (!graph->loop[header])
		graph->loop[header] = new_set(graph);
	add(graph->loop[header], header);
	todo[count++] = last;
	while (count) {
		int block = todo[--count];

		if (graph_in(graph->loop[header], block))
			continue;
		add(graph->loop[header], block);
		for (unsigned k = before->start[block];
		     k < before->start[block + 1]; k++)
			if (!graph_in(graph->loop[header], before->blocks[k]))
				todo[count++] = before->blocks[k];
	}
	free(todo);
}

/* --- Ways on, without ways back --------------------------------------------- */

/* Where those who go from a block back to a header get out of its loop. No
 * critical edge is left, so a way out to the header of a loop around has a block
 * of its own, from which that goes on. */
static void add_exits(const struct graph *graph, struct graph_lists *ahead,
		      unsigned block, int header)
{
	const uint64_t *loop = graph->loop[header];

	if (!loop)
		return;
	for (unsigned i = 0; i < graph->count; i++)
		for (unsigned k = 0; k < 2 && graph_in(loop, (int)i); k++) {
			int next = graph->next[i][k];

			if (next != GRAPH_NONE && !graph_in(loop, next))
				add_to_list(ahead, block, next);
		}
}

static void resolve_back(struct graph *graph)
{
	struct graph_lists ahead = {
		.start = xcalloc(graph->count + 1, sizeof *ahead.start),
	};

	for (unsigned i = 0; i < graph->count; i++) {
		ahead.start[i + 1] = ahead.start[i];
		for (unsigned k = 0; k < 2; k++) {
			int next = graph->next[i][k];

			if (next == GRAPH_NONE)
				continue;
			add_to_list(&ahead, i, next);
			if (graph->place[next] <= graph->place[i])
				add_exits(graph, &ahead, i, next);
		}
	}
	free_lists(&graph->ahead);
	graph->ahead = ahead;
}

static void find_loops(struct graph *graph, const struct graph_lists *before)
{
	graph->loop = xcalloc(graph->count + 1, sizeof *graph->loop);
	for (unsigned i = 0; i < graph->ordered; i++)
		for (unsigned k = 0; k < 2; k++) {
			int block = graph->order[i];
			int next = graph->next[block][k];

			if (next == GRAPH_NONE || graph->place[next] > (int)i)
				continue;
			if (dominates(graph, next, block))
				add_loop(graph, before, next, block);
			else
				graph->irreducible = true;
		}
}

struct graph *graph_make(LLVMValueRef function, const char **why)
{
	struct graph *graph = xcalloc(1, sizeof *graph);
	struct graph_lists before;

	graph->count = LLVMCountBasicBlocks(function);
	graph->words = (graph->count + 63) / 64;
	graph->blocks = xcalloc(graph->count, sizeof *graph->blocks);
	graph->next = xcalloc(graph->count, sizeof *graph->next);
	LLVMGetBasicBlocks(function, graph->blocks);
	*why = NULL;
	for (unsigned i = 0; i < graph->count && !*why; i++)
		*why = find_next(graph, i);
	if (*why) {
		graph_free(graph);
		return NULL;
	}
	graph->order = xcalloc(graph->count + 1, sizeof *graph->order);
	graph->place = xcalloc(graph->count + 1, sizeof *graph->place);
	find_ahead(graph);
	find_order(graph);
	find_before(graph, &before);
	find_dominators(graph, &before);
	find_loops(graph, &before);
	free_lists(&before);
	resolve_back(graph);
	find_order(graph);
	return graph;
}

void graph_free(struct graph *graph)
{
	if (!graph)
		return;
	for (unsigned i = 0; graph->loop && i < graph->count; i++)
		free(graph->loop[i]);
	free(graph->blocks);
	free(graph->next);
	free(graph->order);
	free(graph->place);
	free(graph->dominator);
	free_lists(&graph->ahead);
	free(graph->loop);
	free(graph);
}

/* --- Questions -------------------------------------------------------------- */

/* The first place of a set, from one on, or GRAPH_NONE. */
static int first_place(const struct graph *graph, const uint64_t *set, int from)
{
	unsigned word = (unsigned)from / 64;
	uint64_t bits = set[word] & ~UINT64_C(0) << from % 64;

	while (!bits && ++word < graph->words)
		bits = set[word];
	return bits ? (int)(word * 64) + __builtin_ctzll(bits) : GRAPH_NONE;
}

/* Adds the places to which there are ways from a block; false: one of the ways
 * ends the region. */
static bool add_ahead(const struct graph *graph,
		      const struct graph_region *region, int block,
		      uint64_t *ahead, unsigned *count)
{
	const struct graph_lists *lists = &graph->ahead;

	if (graph->next[block][0] == GRAPH_NONE)
		return false;
	for (unsigned k = lists->start[block]; k < lists->start[block + 1];
	     k++) {
		int next = lists->blocks[k];

		if (next == region->end)
			return false;
		/* Not back, and not out. */
		if (graph->place[next] <= graph->place[block] ||
		    !graph_in(region->blocks, next) ||
		    graph_in(ahead, graph->place[next]))
			continue;
		add(ahead, graph->place[next]);
		++*count;
	}
	return true;
}

/* Goes through the blocks in their order, with the set of places to which there
 * are ways from the blocks so far: where that is but one, all ways meet. */
int graph_meeting(const struct graph *graph, const struct graph_region *region,
		  int block)
{
	uint64_t *ahead = new_set(graph);
	int found = region->end, place = graph->place[block];
	unsigned count = 1;

	add(ahead, place);
	while ((place = first_place(graph, ahead, place)) != GRAPH_NONE) {
		int at = graph->order[place];

		if (count == 1 && at != block) {
			found = at;
			break;
		}
		ahead[place / 64] &= ~(UINT64_C(1) << place % 64);
		count--;
		if (!add_ahead(graph, region, at, ahead, &count))
			break;
	}
	free(ahead);
	return found;
}

uint64_t *graph_reach(const struct graph *graph, int block, int end)
{
	uint64_t *seen = new_set(graph);
	int *todo = xcalloc(graph->count + 1, sizeof *todo);
	unsigned count = 0;

	add(seen, block);
	todo[count++] = block;
	while (count) {
		int from = todo[--count];

		for (unsigned k = 0; k < 2; k++) {
			int next = graph->next[from][k];

			if (next == GRAPH_NONE || next == end ||
			    graph_in(seen, next))
				continue;
			add(seen, next);
			todo[count++] = next;
		}
	}
	free(todo);
	return seen;
}
