/* Whether machine instructions are well formed. */
#include <stdlib.h>

#include "base/memory.h"
#include "opencl-rt/codegen/stage/stage.h"

/* --- One instruction ------------------------------------------------------ */

static bool is_register(const struct machine *machine, int reg)
{
	return reg >= 0 && (unsigned)reg < machine->register_count;
}

static const char *verify_alu(const struct machine_inst *inst)
{
	const struct evg_alu_info *info = &evg_alu_info[inst->op];

	if (inst->op == EVG_ALU_LDS_IDX_OP)
		return inst->dest_count ? "a result beside the queue" : NULL;
	if (machine_is_double(inst))
		return NULL;
	if (inst->source_count != info->source_count)
		return "another number of operands than the operation has";
	if (inst->dest_count > 1 || (inst->dest_count && !info->has_result))
		return "more results than the operation has";
	return NULL;
}

static const char *verify_operands(const struct machine *machine,
				   const struct machine_inst *inst)
{
	if (inst->source_count > MACHINE_SOURCES ||
	    inst->dest_count > MACHINE_DWORDS)
		return "too many operands";
	for (unsigned k = 0; k < inst->source_count; k++)
		if (inst->source[k].reg != MACHINE_NONE &&
		    !is_register(machine, inst->source[k].reg))
			return "an operand that is no register";
	for (unsigned k = 0; k < inst->dest_count; k++)
		if (!is_register(machine, inst->dest[k]))
			return "a result that is no register";
	switch (inst->kind) {
	case MACHINE_ALU:
		return verify_alu(inst);
	case MACHINE_FETCH:
		return inst->source_count && inst->dest_count
			       ? NULL
			       : "a fetch from or to nowhere";
	case MACHINE_STORE:
		return inst->dest_count		       ? "a store's result"
		       : !inst->waits && !inst->source_count
			       ? "a store of nothing"
			       : NULL;
	case MACHINE_IF:
		return evg_alu_info[inst->op].is_predicate
			       ? NULL
			       : "a branch by what is no test";
	case MACHINE_BREAK:
		return !inst->source_count ||
				       evg_alu_info[inst->op].is_predicate
			       ? NULL
			       : "a way out of a loop by what is no test";
	default:
		return inst->source_count ? "operands of control flow" : NULL;
	}
}

/* --- Nesting and queues --------------------------------------------------- */

struct state {
	enum machine_kind open[MACHINE_DEPTH];
	unsigned depth, loops;
	unsigned queued;         /* values that nothing has taken yet */
	bool tested;             /* the predicate is set in this stretch */
};

static const char *close_flow(struct state *state, enum machine_kind kind)
{
	if (!state->depth || (state->open[state->depth - 1] != kind &&
			      (kind != MACHINE_IF ||
			       state->open[state->depth - 1] != MACHINE_ELSE)))
		return "an end without its beginning";
	state->depth--;
	state->loops -= kind == MACHINE_LOOP;
	return NULL;
}

static const char *verify_nesting(struct state *state,
				  const struct machine_inst *inst)
{
	switch (inst->kind) {
	case MACHINE_IF:
	case MACHINE_LOOP:
		/* The writer refuses these, as a limit. */
		if (state->depth == MACHINE_DEPTH - 1)
			return NULL;
		state->open[state->depth++] = inst->kind;
		state->loops += inst->kind == MACHINE_LOOP;
		return NULL;
	case MACHINE_ELSE:
		if (!state->depth ||
		    state->open[state->depth - 1] != MACHINE_IF)
			return "ELSE without IF";
		state->open[state->depth - 1] = MACHINE_ELSE;
		return NULL;
	case MACHINE_END_IF:
		return close_flow(state, MACHINE_IF);
	case MACHINE_END_LOOP:
		return close_flow(state, MACHINE_LOOP);
	case MACHINE_BREAK:
		return state->loops ? NULL : "BREAK outside of loops";
	default:
		return NULL;
	}
}

/* The queues and the predicate end with the clause. */
static const char *verify_clause(struct state *state,
				 const struct machine_inst *inst)
{
	if (machine_takes_from_queue(inst) && !state->queued)
		return "a value is taken from an empty queue";
	state->queued -= machine_takes_from_queue(inst);
	if (inst->kind != MACHINE_ALU) {
		state->tested = false;
		return state->queued ? "a value is left in the queue" : NULL;
	}
	if (inst->predicate && !state->tested)
		return "nothing has set the predicate";
	if (inst->op == EVG_ALU_LDS_IDX_OP)
		state->queued += evg_lds_info[inst->lds_op].returns;
	else
		state->tested |= evg_alu_info[inst->op].is_predicate;
	return NULL;
}

/* --- Values --------------------------------------------------------------- */

/* The instruction behind which each register may have been written: the first
 * that writes it, or the beginning of the outermost loop around that. */
static int *find_writers(const struct machine *machine)
{
	int *writers = xcalloc(machine->register_count + 1, sizeof *writers);
	unsigned depth = 0, outer = 0;

	for (unsigned r = 0; r < machine->register_count; r++)
		writers[r] = machine->registers[r].given
				     ? -1
				     : (int)machine->inst_count;
	for (unsigned i = 0; i < machine->inst_count; i++) {
		const struct machine_inst *inst = &machine->insts[i];

		if (inst->kind == MACHINE_LOOP && !depth++)
			outer = i;
		depth -= inst->kind == MACHINE_END_LOOP;
		for (unsigned k = 0; k < inst->dest_count; k++) {
			int *writer = &writers[inst->dest[k]];
			int from = (int)(depth ? outer : i);

			if (*writer > from)
				*writer = from;
		}
	}
	return writers;
}

static const char *verify_values(const struct machine *machine,
				 unsigned *place)
{
	int *writers = find_writers(machine);
	const char *why = NULL;

	for (unsigned i = 0; i < machine->inst_count && !why; i++) {
		const struct machine_inst *inst = &machine->insts[i];

		*place = i;
		for (unsigned k = 0; k < inst->source_count; k++)
			if (inst->source[k].reg != MACHINE_NONE &&
			    writers[inst->source[k].reg] >= (int)i)
				why = "a value that nothing has computed";
	}
	free(writers);
	return why;
}

const char *stage_verify(const struct machine *machine, unsigned *place)
{
	struct state state = { .depth = 0 };
	const char *why = NULL;

	for (unsigned i = 0; i < machine->inst_count && !why; i++) {
		const struct machine_inst *inst = &machine->insts[i];

		*place = i;
		why = verify_operands(machine, inst);
		if (!why)
			why = verify_clause(&state, inst);
		if (!why)
			why = verify_nesting(&state, inst);
	}
	if (!why && state.depth)
		why = "control flow without an end";
	if (!why && state.queued)
		why = "a value is left in the queue";
	return why ? why : verify_values(machine, place);
}
