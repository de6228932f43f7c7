/* Control flow as the device has it: lanes are taken out of the active mask and
 * put back, and leave loops. The blocks of a function come out in an order in
 * which each construct is whole. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/codegen/structure.h"

enum { DEPTH = 32 };

/* Where the blocks that are being written belong. */
struct context {
	struct graph_region region; /* a loop's: its blocks; ends at the header */
	int exit;        /* where those who leave the loop go on; GRAPH_NONE */
};

static void write_from(struct structuring *structuring,
		       const struct context *context, int block, int stop);

static void refuse_flow(struct structuring *structuring, const char *why)
{
	structuring->selection->unstructured = true;
	select_refuse(structuring->selection, NULL, "%s", why);
}

/* --- Phis ----------------------------------------------------------------- */

static LLVMValueRef incoming(LLVMValueRef phi, LLVMBasicBlockRef from)
{
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
		if (LLVMGetIncomingBlock(phi, i) == from)
			return LLVMGetIncomingValue(phi, i);
	return NULL;
}

/* Copies and control flow are for the line of a block's end. */
static void set_line(struct structuring *structuring, int block)
{
	select_line(structuring->selection,
		    LLVMGetBasicBlockTerminator(
			    structuring->graph->blocks[block]));
}

/* Copies that happen at once. */
struct copies {
	struct machine_source *sources;
	int *places;
	unsigned count;
};

static unsigned count_copies(struct selection *selection,
			     LLVMBasicBlockRef block)
{
	unsigned count = 0;

	for (LLVMValueRef inst = LLVMGetFirstInstruction(block);
	     inst && LLVMIsAPHINode(inst);
	     inst = LLVMGetNextInstruction(inst))
		count += select_parts(selection, inst).count;
	return count;
}

static void find_copies(struct structuring *structuring, int from, int to,
			struct copies *copies)
{
	struct selection *selection = structuring->selection;
	LLVMBasicBlockRef block = structuring->graph->blocks[to];

	for (LLVMValueRef inst = LLVMGetFirstInstruction(block);
	     inst && LLVMIsAPHINode(inst);
	     inst = LLVMGetNextInstruction(inst)) {
		struct parts phi = select_parts(selection, inst), values;

		values = select_parts(
			selection,
			incoming(inst, structuring->graph->blocks[from]));
		for (unsigned k = 0; k < phi.count; k++) {
			if (values.part[k].reg == phi.part[k].reg)
				continue;
			copies->sources[copies->count] = values.part[k];
			copies->places[copies->count++] = phi.part[k].reg;
		}
	}
}

/* All are read before any is written. */
void structure_copy_phis(struct structuring *structuring, int from, int to)
{
	struct selection *selection = structuring->selection;
	unsigned most = count_copies(selection,
				     structuring->graph->blocks[to]);
	struct copies copies = {
		.sources = xcalloc(most + 1, sizeof *copies.sources),
		.places = xcalloc(most + 1, sizeof *copies.places),
	};

	set_line(structuring, from);
	find_copies(structuring, from, to, &copies);
	for (unsigned i = 0; i < copies.count; i++) {
		struct machine_source *source = &copies.sources[i];
		bool overwritten = false;

		for (unsigned j = 0; j < i; j++)
			overwritten |= source->reg == copies.places[j];
		for (unsigned j = i + 1; j < copies.count && !overwritten; j++)
			overwritten = copies.sources[j].reg ==
				      copies.places[i];
		if (overwritten) {
			int reg = machine_register(&selection->machine);

			select_copy(selection, reg, *source);
			*source = select_register(reg);
		}
	}
	for (unsigned i = 0; i < copies.count; i++)
		select_copy(selection, copies.places[i], copies.sources[i]);
	free(copies.sources);
	free(copies.places);
}

/* Every phi has registers of its own from the start. */
static void define_phis(struct structuring *structuring)
{
	struct selection *selection = structuring->selection;

	for (unsigned b = 0; b < structuring->graph->count; b++)
		for (LLVMValueRef inst = LLVMGetFirstInstruction(
			     structuring->graph->blocks[b]);
		     inst && LLVMIsAPHINode(inst);
		     inst = LLVMGetNextInstruction(inst)) {
			struct parts parts = {
				.count = select_count(LLVMTypeOf(inst)),
			};

			if (!parts.count) {
				select_refuse(selection, inst,
					      "a phi of its type");
				return;
			}
			for (unsigned k = 0; k < parts.count; k++)
				parts.part[k] = select_register(
					machine_register(&selection->machine));
			select_define(selection, inst, &parts);
		}
}

/* --- Constructs ----------------------------------------------------------- */

void structure_add(struct structuring *structuring, enum machine_kind kind,
		   int block)
{
	set_line(structuring, block);
	machine_add(&structuring->selection->machine, kind);
}

void structure_add_if(struct structuring *structuring, int block,
		      enum evg_alu_op test, struct machine_source value,
		      uint32_t number)
{
	struct machine *machine = &structuring->selection->machine;
	struct machine_inst *inst;

	set_line(structuring, block);
	if (value.reg == MACHINE_NONE) {
		int reg = machine_register(machine);

		select_copy(structuring->selection, reg, value);
		value = select_register(reg);
	}
	inst = machine_add(machine, MACHINE_IF);
	inst->op = test;
	inst->source[0] = value;
	inst->source[1] = select_number(number);
	inst->source_count = 2;
}

/* For lanes with a condition, or for those without it. */
static void add_if(struct structuring *structuring, int block,
		   struct machine_source condition, bool inverted)
{
	structure_add_if(structuring, block,
			 inverted ? EVG_ALU_PRED_SETE_INT
				  : EVG_ALU_PRED_SETNE_INT,
			 condition, 0);
}

/* Whether a block lies outside of the loop that is being written. */
static bool leaves(const struct context *context, int block)
{
	return context->exit != GRAPH_NONE && block != context->region.end &&
	       !graph_in(context->region.blocks, block);
}

/* What those who leave a loop do on their way out. */
static void write_leaving(struct structuring *structuring,
			  const struct context *context, int from, int to)
{
	struct context side = { .exit = GRAPH_NONE };
	uint64_t *blocks;

	structure_copy_phis(structuring, from, to);
	if (to != context->exit) {
		blocks = graph_reach(structuring->graph, to, context->exit);
		side.region = (struct graph_region){ blocks, context->exit };
		write_from(structuring, &side, to, context->exit);
		free(blocks);
	}
	structure_add(structuring, MACHINE_BREAK, from);
}

static void write_side(struct structuring *structuring,
		       const struct context *context, int from, int to,
		       int meeting)
{
	structure_copy_phis(structuring, from, to);
	write_from(structuring, context, to, meeting);
}

bool structure_has_phis(const struct structuring *structuring, int block)
{
	LLVMValueRef first = LLVMGetFirstInstruction(
		structuring->graph->blocks[block]);

	return LLVMIsAPHINode(first);
}

/* A branch; where those who stay go on. Ways between blocks of which the first has
 * several out and the second several in have a block of their own, so that no side
 * is empty; and of a loop's block one way out at least stays in the loop. */
static int write_branch(struct structuring *structuring,
			const struct context *context, int block)
{
	LLVMBasicBlockRef at = structuring->graph->blocks[block];
	LLVMValueRef last = LLVMGetBasicBlockTerminator(at);
	int yes = structuring->graph->next[block][0];
	int no = structuring->graph->next[block][1], meeting;
	struct machine_source condition =
		select_value(structuring->selection, LLVMGetCondition(last));

	set_line(structuring, block);
	if (leaves(context, yes) || leaves(context, no)) {
		bool first = leaves(context, yes);
		int stay = first ? no : yes;

		add_if(structuring, block, condition, !first);
		write_leaving(structuring, context, block, first ? yes : no);
		structure_add(structuring, MACHINE_END_IF, block);
		structure_copy_phis(structuring, block, stay);
		return stay;
	}
	meeting = graph_meeting(structuring->graph, &context->region, block);
	add_if(structuring, block, condition, false);
	write_side(structuring, context, block, yes, meeting);
	structure_add(structuring, MACHINE_ELSE, block);
	write_side(structuring, context, block, no, meeting);
	structure_add(structuring, MACHINE_END_IF, block);
	return meeting;
}

/* A whole loop; where control goes on behind it. */
static int write_loop(struct structuring *structuring,
		      const struct context *around, int header)
{
	const struct graph *graph = structuring->graph;
	struct context context = {
		.region = { graph->loop[header], header },
	};
	int exit = header;

	do {
		exit = graph_meeting(graph, &around->region, exit);
	} while (exit != GRAPH_NONE && graph_in(graph->loop[header], exit));
	context.exit = exit;
	if (exit == GRAPH_NONE) {
		refuse_flow(structuring, "a loop with no one way out");
		return GRAPH_NONE;
	}
	structure_add(structuring, MACHINE_LOOP, header);
	write_from(structuring, &context, header, GRAPH_NONE);
	structure_add(structuring, MACHINE_END_LOOP, header);
	return exit;
}

/* Writes blocks from one on, up to where the context or `stop` ends them. */
static void write_from(struct structuring *structuring,
		       const struct context *context, int block, int stop)
{
	struct selection *selection = structuring->selection;
	const struct graph *graph = structuring->graph;
	bool first = true;

	if (++structuring->depth > DEPTH)
		refuse_flow(structuring, "control flow that is nested too "
					 "deeply");
	while (block != GRAPH_NONE && block != stop &&
	       (first || block != context->region.end) &&
	       !select_refused(selection)) {
		int from = block;

		if (!graph_in(context->region.blocks, block) ||
		    structuring->written[block]) {
			refuse_flow(structuring,
				    "control flow that is not structured");
			break;
		}
		if (graph->loop[block] &&
		    !(first && block == context->region.end)) {
			block = write_loop(structuring, context, block);
			first = false;
			continue;
		}
		first = false;
		structuring->written[block] = true;
		select_block(selection, graph->blocks[block]);
		if (graph->next[block][1] != GRAPH_NONE) {
			block = write_branch(structuring, context, block);
			continue;
		}
		block = graph->next[block][0];
		if (block == GRAPH_NONE) {
			if (structuring->depth > 1)
				refuse_flow(structuring,
					    "a return in a branch");
			break;
		}
		structure_copy_phis(structuring, from, block);
	}
	structuring->depth--;
}

/* Work-item ids are in R0, group ids in R1, from the start. */
static void define_ids(struct selection *selection)
{
	for (unsigned set = 0; set < 2; set++)
		for (unsigned c = 0; c < 3; c++) {
			int reg = machine_register(&selection->machine);

			selection->machine.registers[reg].given = true;
			selection->machine.registers[reg].number =
				(uint8_t)set;
			selection->machine.registers[reg].channel = (int8_t)c;
			selection->ids[set][c] = reg;
		}
}

void select_block(struct selection *selection, LLVMBasicBlockRef block)
{
	selection->block_start = selection->machine.inst_count;
	for (LLVMValueRef inst = LLVMGetFirstInstruction(block);
	     inst && !select_refused(selection);
	     inst = LLVMGetNextInstruction(inst)) {
		char *text;

		if (LLVMIsAPHINode(inst) || LLVMIsATerminatorInst(inst))
			continue;
		select_line(selection, inst);
		if (LLVMIsACallInst(inst)) {
			select_call(selection, inst);
			continue;
		}
		if (select_memory(selection, inst) ||
		    select_arithmetic(selection, inst))
			continue;
		text = LLVMPrintValueToString(inst);
		select_refuse(selection, inst, "%s",
			      text + strspn(text, " "));
		LLVMDisposeMessage(text);
	}
}

void select_function(struct selection *selection)
{
	struct structuring structuring = { .selection = selection };
	struct context context = { .exit = GRAPH_NONE };
	const char *why;
	uint64_t *all;

	structuring.graph = graph_make(selection->function, &why);
	if (!structuring.graph) {
		select_refuse(selection, NULL, "%s", why);
		return;
	}
	structuring.written =
		xcalloc(structuring.graph->count, sizeof(bool));
	define_ids(selection);
	define_phis(&structuring);
	all = graph_reach(structuring.graph, 0, GRAPH_NONE);
	context.region = (struct graph_region){ all, GRAPH_NONE };
	if (!select_refused(selection) && selection->dispatched)
		structure_dispatch(&structuring);
	else if (!select_refused(selection))
		write_from(&structuring, &context, 0, GRAPH_NONE);
	selection->machine.line = NULL;
	free(all);
	free(structuring.written);
	graph_free(structuring.graph);
}
