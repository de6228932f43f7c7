/* Machine instructions with their places to the assembler's text. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/codegen/stage/stage.h"
#include "opencl-rt/codegen/write/clause.h"
#include "opencl-rt/codegen/write/writing.h"

enum { MORE_REGISTERS = 8 };

/* --- Text ----------------------------------------------------------------- */

void writing_put(struct writing *writing, const char *format, ...)
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

/* Some clauses have no schedule with the registers that are enough for one
 * operation after the other. A few more cost less than groups of one slot. */
static struct codegen_result schedule(struct writing *writing,
				      struct codegen_clause *clause)
{
	unsigned most = writing->machine->most_registers
				? writing->machine->most_registers
				: EVG_FIRST_TEMPORARY;
	unsigned start = clause->registers;
	struct codegen_result result = codegen_schedule(clause);

	while (result.bound && !result.found && clause->registers < most &&
	       clause->registers < start + MORE_REGISTERS) {
		clause->registers++;
		result = codegen_schedule(clause);
	}
	if (result.groups)
		writing->registers = clause->registers;
	return result;
}

void writing_end_clause(struct writing *writing, const char *name)
{
	struct codegen_registers live;
	struct codegen_clause clause = {
		.groups = writing->groups, .count = writing->count,
		.live = &live,
		.registers = writing->registers,
		.units = CLAUSE_UNITS + 8,
	};
	struct codegen_result result;

	if (!writing->count)
		return;
	writing->fetches = 0;
	write_live_find(&writing->live, writing->place, &live);
	if (writing->machine->without >> STAGE_GROUPS & 1)
		result = (struct codegen_result){ .kept = "switched off" };
	else
		result = schedule(writing, &clause);
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
	unsigned most = writing->units +
			machine_most_units(writing->machine, inst);
	bool full = !inst->predicate && !writing->queued && most > CLAUSE_UNITS;

	if (is_idle_copy(writing->machine, inst))
		return;
	if (full)
		writing_end_clause(writing, "ALU");
	else if (most > CLAUSE_UNITS + 6)
		writing->why = "a clause that would be too long";
	if (writing->why)
		return;
	if (inst->op == EVG_ALU_LDS_IDX_OP)
		writing->queued += evg_lds_info[inst->lds_op].returns;
	writing->queued -= machine_takes_from_queue(inst);
	add_groups(writing, inst, false);
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

static unsigned innermost_loop(const struct writing *writing)
{
	unsigned depth = writing->depth - 1;

	while (!writing->is_loop[depth])
		depth--;
	return writing->labels[depth];
}

/* The clause so far, and a test that takes out the lanes that do not pass. */
static void write_test(struct writing *writing, const struct machine_inst *inst,
		       const char *clause)
{
	struct machine_inst test = *inst;

	test.kind = MACHINE_ALU;
	add_groups(writing, &test, true);
	writing_end_clause(writing, clause);
}

/* The same, with the mask saved for the branch that ends at @end `label`. */
static void write_branch(struct writing *writing,
			 const struct machine_inst *inst, unsigned label)
{
	if (write_stack_clause_saves(&writing->stack)) {
		write_test(writing, inst, "ALU_PUSH_BEFORE");
	} else {
		/* Without a lane nothing is pushed. */
		writing_put(writing, "\tPUSH ADDR(@end%u)\n", label);
		write_test(writing, inst, "ALU");
	}
	write_stack_branch(&writing->stack);
}

/* Lanes leave the loop by a test. */
static void write_leave(struct writing *writing,
			const struct machine_inst *inst)
{
	unsigned label = writing->label++;

	if (write_stack_clause_saves(&writing->stack)) {
		/* The clause saves a mask for a moment. */
		write_stack_branch(&writing->stack);
		write_test(writing, inst, "ALU_BREAK");
	} else {
		write_branch(writing, inst, label);
		writing_put(writing, "\tJUMP ADDR(@else%u)\n@else%u:\n"
		    "\tELSE POP_CNT(1) ADDR(@end%u)\n", label, label, label);
		writing_put(writing, "\tLOOP_BREAK ADDR(@repeat%u)\n",
		    innermost_loop(writing));
		writing_put(writing, "\tPOP (1) ADDR(@end%u)\n@end%u:\n", label,
		    label);
	}
	write_stack_end(&writing->stack, false);
}

static void write_if(struct writing *writing, const struct machine_inst *inst)
{
	open_flow(writing);
	if (writing->why)
		return;
	write_branch(writing, inst, writing->labels[writing->depth - 1]);
	if (finds_else(writing->machine, writing->place - 1))
		writing_put(writing, "\tJUMP ADDR(@else%u)\n",
		    writing->labels[writing->depth - 1]);
	else
		writing_put(writing, "\tJUMP POP_CNT(1) ADDR(@end%u)\n",
		    writing->labels[writing->depth - 1]);
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
		write_leave(writing, inst);
		return;
	}
	if (inst->kind == MACHINE_END_IF)
		write_stack_end(&writing->stack, false);
	if (inst->kind == MACHINE_END_IF && writing->count) {
		writing_end_clause(writing, "ALU_POP_AFTER");
		fprintf(writing->out, "@end%u:\n",
			writing->labels[--writing->depth]);
		return;
	}
	writing_end_clause(writing, "ALU");
	if (inst->kind == MACHINE_LOOP) {
		open_flow(writing);
		if (writing->why)
			return;
		write_stack_loop(&writing->stack);
		label = writing->labels[writing->depth - 1];
		writing->is_loop[writing->depth - 1] = true;
		writing_put(writing, "\tLOOP_DX10 i0 FAIL_JUMP_ADDR(@after%u)\n"
		    "@body%u:\n", label, label);
		return;
	}
	label = writing->labels[writing->depth - 1];
	switch (inst->kind) {
	case MACHINE_ELSE:
		writing_put(writing, "@else%u:\n"
		    "\tELSE POP_CNT(1) ADDR(@end%u)\n", label, label);
		break;
	case MACHINE_END_IF:
		writing_put(writing, "\tPOP (1) ADDR(@end%u)\n@end%u:\n", label,
		    label);
		writing->depth--;
		break;
	case MACHINE_BREAK:
		writing_put(writing, "\tLOOP_BREAK ADDR(@repeat%u)\n",
		    innermost_loop(writing));
		break;
	default: /* the end of a loop */
		writing_put(writing, "@repeat%u:\n"
		    "\tENDLOOP i0 PASS_JUMP_ADDR(@body%u)\n@after%u:\n",
		    label, label, label);
		write_stack_end(&writing->stack, true);
		writing->depth--;
		break;
	}
}

/* --- Kernels -------------------------------------------------------------- */

/* With *registers or more, which *registers becomes. */
static char *write_kernel(const struct machine *machine, const char *name,
			  bool reports, unsigned *registers,
			  struct write_lines *lines, const char **why)
{
	struct writing *writing = xcalloc(1, sizeof *writing);
	char *text = NULL;
	size_t size;

	*why = NULL;
	writing->machine = machine;
	writing->stack.chip = machine->chip;
	writing->lines = lines;
	writing->registers = *registers;
	writing->report.wanted = reports;
	report_begin(&writing->report, name, *registers);
	writing->out = open_memstream(&text, &size);
	if (!writing->out) {
		free(writing);
		*why = "no memory for its text";
		return NULL;
	}
	write_live_begin(&writing->live, machine);
	fprintf(writing->out, ".kernel %s\n.registers %u\n", name,
		*registers);
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
		writing->line =
			(struct write_line){ inst->line, inst->argument };
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
		writing_end_clause(writing, "ALU");
	report_end(&writing->report);
	fprintf(writing->out, ".stack %u\n",
		write_stack_entries(&writing->stack));
	writing->line = (struct write_line){ .line = NULL };
	writing_put(writing, "\tNOP\nEND_OF_PROGRAM\n");
	fclose(writing->out);
	write_live_end(&writing->live);
	*why = writing->why;
	*registers = writing->registers;
	if (*why) {
		free(text);
		text = NULL;
	}
	free(writing);
	return text;
}

/* Once more if a clause wants more registers, as the others can have them, too. */
char *machine_write(const struct machine *machine, const char *name,
		    struct write_lines *lines, const char **why)
{
	unsigned registers = machine->hardware_registers, with;
	size_t line_count = lines->count;
	char *text = NULL;

	do {
		free(text);
		lines->count = line_count;
		with = registers;
		text = write_kernel(machine, name, false, &registers, lines,
				    why);
	} while (text && registers != with);
	if (text && machine->report) {
		free(text);
		lines->count = line_count;
		text = write_kernel(machine, name, true, &registers, lines,
				    why);
	}
	return text;
}
