/* Short branches without a branch: the test sets the predicate, and what only
 * some lanes may do asks for it. All of it must stand in one clause. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/codegen/machine.h"

/* A branch costs two clauses more and a jump, which is about what the groups of
 * so many instructions cost. */
enum { LONGEST = 24 };

/* A branch with one side that writes local memory stays when it is longer:
 * trees in local memory have it, and there whole wavefronts jump over it. */
enum { LONGEST_LOCAL = 2 };

enum { PREDICATE_NOT_PASSED = 2, PREDICATE_PASSED = 3 };

/* The end of a branch that may go without; 0: it may not. */
static unsigned find_end(const struct machine *machine, unsigned place)
{
	bool writes_local = false, has_else = false;

	for (unsigned i = place + 1; i <= place + LONGEST + 2; i++) {
		const struct machine_inst *inst = &machine->insts[i];

		if (inst->kind == MACHINE_END_IF)
			return writes_local && !has_else &&
					       i > place + 1 + LONGEST_LOCAL
				       ? 0
				       : i;
		if (inst->kind == MACHINE_ELSE) {
			has_else = true;
			continue;
		}
		if (inst->kind != MACHINE_ALU ||
		    inst->op == EVG_ALU_GROUP_BARRIER || inst->predicate ||
		    evg_alu_info[inst->op].is_predicate)
			return 0;
		writes_local |= inst->op == EVG_ALU_LDS_IDX_OP &&
				!evg_lds_info[inst->lds_op].returns;
	}
	return 0;
}

/* Whether lanes that do not take the branch may execute it all the same. */
static bool is_harmless(const struct machine_inst *inst,
			const unsigned *writes)
{
	for (unsigned k = 0; k < inst->dest_count; k++)
		if (writes[inst->dest[k]] != 1)
			return false;
	return machine_is_pure(inst);
}

static void convert(struct machine *machine, unsigned place, unsigned end,
		    const unsigned *writes, bool *gone)
{
	uint8_t predicate = PREDICATE_PASSED;

	machine->insts[place].kind = MACHINE_ALU;
	gone[end] = true;
	for (unsigned i = place + 1; i < end; i++) {
		struct machine_inst *inst = &machine->insts[i];

		if (inst->kind == MACHINE_ELSE) {
			predicate = PREDICATE_NOT_PASSED;
			gone[i] = true;
		} else if (!is_harmless(inst, writes)) {
			inst->predicate = predicate;
		}
	}
}

void machine_predicate(struct machine *machine)
{
	unsigned *writes = machine_count_writes(machine);
	bool *gone = xcalloc(machine->inst_count + 1, sizeof *gone);

	for (unsigned i = 0; i < machine->inst_count; i++) {
		unsigned end = 0;

		if (machine->insts[i].kind == MACHINE_IF)
			end = find_end(machine, i);
		if (end)
			convert(machine, i, end, writes, gone);
	}
	machine_take_out(machine, gone);
	free(writes);
	free(gone);
}
