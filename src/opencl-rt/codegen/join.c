/* Accesses of global memory that lie side by side become one of two to four
 * dwords. */
#include <stdlib.h>

#include "base/memory.h"
#include "opencl-rt/codegen/machine.h"
#include "opencl-rt/codegen/target.h"

enum { NEAR = 64 };      /* instructions between accesses that are compared */

struct joining {
	struct machine *machine;
	int *writers;    /* of registers that are written once; -1 */
	bool *gone;
};

/* base + offset, in bytes. */
struct place {
	struct machine_source base;
	uint32_t offset;
};

static int *find_writers(const struct machine *machine)
{
	int *writers = xcalloc(machine->register_count + 1, sizeof *writers);

	for (unsigned r = 0; r < machine->register_count; r++)
		writers[r] = -1;
	for (unsigned i = 0; i < machine->inst_count; i++)
		for (unsigned k = 0; k < machine->insts[i].dest_count; k++) {
			int *writer = &writers[machine->insts[i].dest[k]];

			*writer = *writer == -1 ? (int)i : -2;
		}
	return writers;
}

/* A number that an instruction contains. */
static bool number_of(const struct machine_source *source, uint32_t *number)
{
	if (source->reg != MACHINE_NONE || source->relocated)
		return false;
	switch (source->select) {
	case EVG_SELECT_LITERAL:
		*number = source->literal;
		return true;
	case EVG_SELECT_1_INT:
		*number = 1;
		return true;
	case EVG_SELECT_M1_INT:
		*number = UINT32_MAX;
		return true;
	default:
		return false;
	}
}

static const struct machine_inst *writer_of(const struct joining *joining,
					    const struct machine_source *source)
{
	int writer = source->reg == MACHINE_NONE
			     ? -1
			     : joining->writers[source->reg];

	return writer < 0 ? NULL : &joining->machine->insts[writer];
}

/* Takes numbers that are added out of an address. */
static struct place resolve(const struct joining *joining,
			    struct machine_source base, uint32_t offset)
{
	struct place place = { base, offset };
	const struct machine_inst *inst = writer_of(joining, &base);
	uint32_t number;

	if (inst && inst->kind == MACHINE_ALU && !inst->predicate &&
	    inst->op == EVG_ALU_ADD_INT &&
	    number_of(&inst->source[1], &number) &&
	    (inst->source[0].reg == MACHINE_NONE ||
	     joining->writers[inst->source[0].reg] >= 0)) {
		place.base = inst->source[0];
		place.offset += number;
	}
	return place;
}

/* Where an access goes; false when that cannot be told. */
static bool place_of(const struct joining *joining,
		     const struct machine_inst *access, struct place *place)
{
	const struct machine_inst *index;
	uint32_t number;

	if (access->kind == MACHINE_FETCH) {
		*place = resolve(joining, access->source[0], access->offset);
		return true;
	}
	/* The index of a dword. */
	index = writer_of(joining, &access->source[0]);
	if (!index || index->op != EVG_ALU_LSHR_INT || index->predicate ||
	    !number_of(&index->source[1], &number) || number != 2)
		return false;
	*place = resolve(joining, index->source[0], 0);
	return true;
}

static unsigned dwords_of(const struct machine_inst *access)
{
	return access->kind == MACHINE_FETCH ? access->dest_count
					     : access->source_count - 1;
}

/* --- Joining -------------------------------------------------------------- */

/* The registers of both become one tuple, the lower ones first. */
static void join_registers(struct machine *machine, const int *registers,
			   unsigned count, bool in_order)
{
	for (unsigned k = 0; k < count; k++) {
		struct machine_register *reg =
			&machine->registers[registers[k]];

		reg->tuple = registers[0];
		if (in_order)
			reg->channel = (int8_t)k;
	}
}

static void join_fetches(struct joining *joining, unsigned first,
			 unsigned second, bool exchanged)
{
	struct machine_inst *kept = &joining->machine->insts[first];
	const struct machine_inst *other = &joining->machine->insts[second];
	const struct machine_inst low = exchanged ? *other : *kept;
	const struct machine_inst high = exchanged ? *kept : *other;

	for (unsigned k = 0; k < low.dest_count; k++)
		kept->dest[k] = low.dest[k];
	for (unsigned k = 0; k < high.dest_count; k++)
		kept->dest[low.dest_count + k] = high.dest[k];
	kept->dest_count = low.dest_count + high.dest_count;
	kept->source[0] = low.source[0];
	kept->offset = low.offset;
	join_registers(joining->machine, kept->dest, kept->dest_count, false);
	joining->gone[second] = true;
}

static void join_stores(struct joining *joining, unsigned first,
			unsigned second, bool exchanged)
{
	struct machine_inst *kept = &joining->machine->insts[second];
	const struct machine_inst *other = &joining->machine->insts[first];
	const struct machine_inst low = exchanged ? *kept : *other;
	const struct machine_inst high = exchanged ? *other : *kept;
	int registers[MACHINE_DWORDS];
	unsigned count = 0;

	for (unsigned k = 1; k < low.source_count; k++)
		registers[count++] = low.source[k].reg;
	for (unsigned k = 1; k < high.source_count; k++)
		registers[count++] = high.source[k].reg;
	kept->source[0] = low.source[0];
	for (unsigned k = 0; k < count; k++)
		kept->source[1 + k].reg = registers[k];
	kept->source_count = 1 + count;
	join_registers(joining->machine, registers, count, true);
	joining->gone[first] = true;
}

/* Whether the second may be done with the first: nothing between them touches
 * what a store changes, and the address of a fetch is there in time. */
static bool may_meet(const struct joining *joining, unsigned first,
		     unsigned second, bool exchanged)
{
	const struct machine *machine = joining->machine;
	enum machine_kind kind = machine->insts[first].kind;

	for (unsigned i = first + 1; i < second; i++) {
		const struct machine_inst *inst = &machine->insts[i];

		if (joining->gone[i])
			continue;
		if (inst->kind == MACHINE_STORE ||
		    (kind == MACHINE_STORE && inst->kind == MACHINE_FETCH) ||
		    inst->op == EVG_ALU_GROUP_BARRIER)
			return false;
	}
	return kind == MACHINE_STORE || !exchanged ||
	       joining->writers[machine->insts[second].source[0].reg] <
		       (int)first;
}

static bool may_join(const struct joining *joining, unsigned first,
		     unsigned second, bool *exchanged)
{
	const struct machine_inst *a = &joining->machine->insts[first];
	const struct machine_inst *b = &joining->machine->insts[second];
	unsigned sum = dwords_of(a) + dwords_of(b);
	struct place low, high;

	if (sum > MACHINE_DWORDS || (a->kind == MACHINE_STORE && sum == 3) ||
	    a->resource != b->resource || a->complete != b->complete ||
	    !place_of(joining, a, &low) || !place_of(joining, b, &high) ||
	    !machine_same_source(&low.base, &high.base) ||
	    (low.base.reg != MACHINE_NONE &&
	     joining->writers[low.base.reg] < 0))
		return false;
	*exchanged = low.offset == high.offset + 4 * dwords_of(b);
	return (*exchanged || high.offset == low.offset + 4 * dwords_of(a)) &&
	       may_meet(joining, first, second, *exchanged);
}

/* Plain dwords of global memory. */
static bool is_access(const struct machine_inst *inst)
{
	if (inst->scratch || inst->waits || inst->image)
		return false;
	if (inst->kind == MACHINE_STORE)
		return inst->rat_op == EVG_RAT_STORE_RAW;
	return inst->kind == MACHINE_FETCH && inst->unit == 4 &&
	       (inst->resource == CLC_RESOURCE_GLOBAL ||
		inst->resource == CLC_RESOURCE_UNCACHED);
}

/* Looks for another access that lies beside this one. */
static bool join_one(struct joining *joining, unsigned first)
{
	struct machine *machine = joining->machine;
	bool exchanged;

	for (unsigned i = first + 1;
	     i < machine->inst_count && i < first + NEAR &&
	     machine->insts[i].kind < MACHINE_IF; i++) {
		if (joining->gone[i] ||
		    machine->insts[i].kind != machine->insts[first].kind ||
		    !is_access(&machine->insts[i]) ||
		    !may_join(joining, first, i, &exchanged))
			continue;
		if (machine->insts[first].kind == MACHINE_FETCH)
			join_fetches(joining, first, i, exchanged);
		else
			join_stores(joining, first, i, exchanged);
		return true;
	}
	return false;
}

void machine_join_accesses(struct machine *machine)
{
	struct joining joining = {
		.machine = machine,
		.writers = find_writers(machine),
		.gone = xcalloc(machine->inst_count + 1, sizeof(bool)),
	};
	bool joined;

	do {
		joined = false;
		for (unsigned i = 0; i < machine->inst_count; i++)
			joined |= !joining.gone[i] &&
				  is_access(&machine->insts[i]) &&
				  join_one(&joining, i);
	} while (joined);
	machine_take_out(machine, joining.gone);
	free(joining.writers);
	free(joining.gone);
}
