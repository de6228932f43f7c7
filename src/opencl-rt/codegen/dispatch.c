#include "opencl-rt/codegen/structure.h"

struct dispatching {
	struct structuring *structuring;
	int wanted;      /* the register */
};

/* The lanes that want a block, or those that do not. */
static void add_if(const struct dispatching *dispatching, int block,
		   enum evg_alu_op test)
{
	structure_add_if(dispatching->structuring, block, test,
			 select_register(dispatching->wanted),
			 (uint32_t)block);
}

static void go_to(const struct dispatching *dispatching, int from, int to)
{
	structure_copy_phis(dispatching->structuring, from, to);
	select_copy(dispatching->structuring->selection, dispatching->wanted,
		    select_number((uint32_t)to));
}

static void write_branch(const struct dispatching *dispatching, int block)
{
	struct structuring *structuring = dispatching->structuring;
	struct selection *selection = structuring->selection;
	LLVMValueRef last = LLVMGetBasicBlockTerminator(
		structuring->graph->blocks[block]);
	const int *next = structuring->graph->next[block];
	struct machine_source condition =
		select_value(selection, LLVMGetCondition(last));

	if (!structure_has_phis(structuring, next[0]) &&
	    !structure_has_phis(structuring, next[1])) {
		select_copy(selection, dispatching->wanted,
			    select_either(selection, condition,
					  select_number((uint32_t)next[0]),
					  select_number((uint32_t)next[1])));
		return;
	}
	structure_add_if(structuring, block, EVG_ALU_PRED_SETNE_INT, condition,
			 0);
	go_to(dispatching, block, next[0]);
	structure_add(structuring, MACHINE_ELSE, block);
	go_to(dispatching, block, next[1]);
	structure_add(structuring, MACHINE_END_IF, block);
}

static void write_block(const struct dispatching *dispatching, int block)
{
	struct structuring *structuring = dispatching->structuring;
	const int *next = structuring->graph->next[block];

	structuring->written[block] = true;
	select_block(structuring->selection,
		     structuring->graph->blocks[block]);
	if (next[1] != GRAPH_NONE)
		write_branch(dispatching, block);
	else if (next[0] != GRAPH_NONE)
		go_to(dispatching, block, next[0]);
}

static void write_loop(const struct dispatching *dispatching, int header);

/* The blocks of a loop, or of the function. All lanes want the first one. */
static void write_blocks(const struct dispatching *dispatching,
			 const uint64_t *blocks, int first)
{
	struct structuring *structuring = dispatching->structuring;
	const struct graph *graph = structuring->graph;

	for (unsigned i = 0; i < graph->ordered; i++) {
		int block = graph->order[i];

		if (select_refused(structuring->selection))
			return;
		if ((blocks && !graph_in(blocks, block)) ||
		    structuring->written[block])
			continue;
		if (block != first)
			add_if(dispatching, block, EVG_ALU_PRED_SETE_INT);
		if (graph->loop[block] && (block != first || !blocks))
			write_loop(dispatching, block);
		else
			write_block(dispatching, block);
		if (block != first)
			structure_add(structuring, MACHINE_END_IF, block);
	}
}

static void write_loop(const struct dispatching *dispatching, int header)
{
	struct structuring *structuring = dispatching->structuring;

	structure_add(structuring, MACHINE_LOOP, header);
	write_blocks(dispatching, structuring->graph->loop[header], header);
	add_if(dispatching, header, EVG_ALU_PRED_SETNE_INT);
	structure_add(structuring, MACHINE_BREAK, header);
	structure_add(structuring, MACHINE_END_IF, header);
	structure_add(structuring, MACHINE_END_LOOP, header);
}

void structure_dispatch(struct structuring *structuring)
{
	struct dispatching dispatching = {
		.structuring = structuring,
		.wanted = machine_register(&structuring->selection->machine),
	};

	structuring->selection->machine.dispatched = true;
	if (structuring->graph->irreducible) {
		select_refuse(structuring->selection, NULL,
			      "a loop with several beginnings");
		return;
	}
	write_blocks(&dispatching, NULL, structuring->graph->order[0]);
}
