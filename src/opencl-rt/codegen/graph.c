#include "opencl-rt/codegen/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static uint64_t *new_set(const struct graph *graph, bool full)
{
	uint64_t *set = xcalloc(graph->words, sizeof *set);

	if (full)
		memset(set, 0xff, graph->words * sizeof *set);
	return set;
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

/* Blocks before all ways to each. */
static void find_dominators(struct graph *graph)
{
	uint64_t *set = new_set(graph, false);
	bool changed = true;

	graph->dominators = xcalloc(graph->count, sizeof *graph->dominators);
	for (unsigned i = 0; i < graph->count; i++)
		graph->dominators[i] = new_set(graph, i > 0);
	add(graph->dominators[0], 0);
	while (changed) {
		changed = false;
		for (unsigned i = 1; i < graph->count; i++) {
			memset(set, 0xff, graph->words * sizeof *set);
			for (unsigned j = 0; j < graph->count; j++) {
				if (graph->next[j][0] != (int)i &&
				    graph->next[j][1] != (int)i)
					continue;
				for (unsigned w = 0; w < graph->words; w++)
					set[w] &= graph->dominators[j][w];
			}
			add(set, (int)i);
			if (!memcmp(set, graph->dominators[i],
				    graph->words * sizeof *set))
				continue;
			memcpy(graph->dominators[i], set,
			       graph->words * sizeof *set);
			changed = true;
		}
	}
	free(set);
}

/* The blocks from which a loop's last block is reached without its header. */
static void add_loop(struct graph *graph, int header, int last)
{
	bool changed = true;

	if (!graph->loop[header])
		graph->loop[header] = new_set(graph, false);
	add(graph->loop[header], header);
	add(graph->loop[header], last);
	while (changed) {
		changed = false;
		for (unsigned i = 0; i < graph->count; i++) {
			if (graph_in(graph->loop[header], (int)i))
				continue;
			for (unsigned k = 0; k < 2; k++) {
				int next = graph->next[i][k];

				if (next == GRAPH_NONE || next == header ||
				    !graph_in(graph->loop[header], next))
					continue;
				add(graph->loop[header], (int)i);
				changed = true;
			}
		}
	}
}

static void find_loops(struct graph *graph)
{
	graph->loop = xcalloc(graph->count, sizeof *graph->loop);
	for (unsigned i = 0; i < graph->count; i++)
		for (unsigned k = 0; k < 2; k++) {
			int next = graph->next[i][k];

			if (next != GRAPH_NONE &&
			    graph_in(graph->dominators[i], next))
				add_loop(graph, next, (int)i);
		}
}

struct graph *graph_make(LLVMValueRef function, const char **why)
{
	struct graph *graph = xcalloc(1, sizeof *graph);

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
	find_dominators(graph);
	find_loops(graph);
	return graph;
}

void graph_free(struct graph *graph)
{
	for (unsigned i = 0; graph && i < graph->count; i++) {
		if (graph->dominators)
			free(graph->dominators[i]);
		if (graph->loop)
			free(graph->loop[i]);
	}
	if (graph) {
		free(graph->blocks);
		free(graph->next);
		free(graph->dominators);
		free(graph->loop);
	}
	free(graph);
}

/* Whether a way through the region from `from` comes to its end, or to the end
 * of the function, without `around`. */
static bool passes(const struct graph *graph, const struct graph_region *region,
		   int from, int around)
{
	uint64_t *seen = new_set(graph, false);
	int *todo = xcalloc(graph->count + 1, sizeof *todo);
	unsigned count = 0;
	bool found = false;

	if (from != around) {
		todo[count++] = from;
		add(seen, from);
	}
	while (count && !found) {
		int block = todo[--count];

		found = graph->next[block][0] == GRAPH_NONE;
		for (unsigned k = 0; k < 2; k++) {
			int next = graph->next[block][k];

			if (next == GRAPH_NONE || next == around)
				continue;
			if (next == region->end) {
				found = true;
				continue;
			}
			if (!graph_in(region->blocks, next) ||
			    graph_in(seen, next))
				continue;
			add(seen, next);
			todo[count++] = next;
		}
	}
	free(seen);
	free(todo);
	return found;
}

int graph_meeting(const struct graph *graph, const struct graph_region *region,
		  int block)
{
	uint64_t *reach = graph_reach(graph, block, region->end);
	int found = region->end;

	/* Of the blocks that no way goes around the nearest is the one that the
	 * others come behind. */
	for (unsigned i = 0; i < graph->count; i++) {
		if ((int)i == block || !graph_in(reach, (int)i) ||
		    !graph_in(region->blocks, (int)i) ||
		    passes(graph, region, block, (int)i))
			continue;
		if (found == region->end ||
		    !passes(graph, &(struct graph_region){ region->blocks,
							   found },
			    block, (int)i))
			found = (int)i;
	}
	free(reach);
	return found;
}

uint64_t *graph_reach(const struct graph *graph, int block, int end)
{
	uint64_t *seen = new_set(graph, false);
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
