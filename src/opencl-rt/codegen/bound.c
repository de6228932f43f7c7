#include "opencl-rt/codegen/bound.h"

/* Groups on the longest chain that ends with each operation. */
unsigned bound_chain(const struct unit *unit)
{
	unsigned chain[UNIT_OPS], longest = 0;

	for (unsigned n = 0; n < unit->op_count; n++) {
		unsigned i = unit->sorted[n];

		chain[i] = 1;
		for (unsigned j = 0; j < unit->op_count; j++)
			if (unit->apart[j][i] &&
			    chain[i] < chain[j] + unit->apart[j][i] - 1)
				chain[i] = chain[j] + unit->apart[j][i] - 1u;
		if (longest < chain[i])
			longest = chain[i];
	}
	return longest;
}

/* Instructions that can only go to slots of a set, divided among those. */
static unsigned crowding(const struct unit *unit, unsigned slots)
{
	unsigned width = (unsigned)__builtin_popcount(slots), sum = 0;

	for (unsigned i = 0; i < unit->op_count; i++) {
		const struct unit_op *op = &unit->op[i];

		if (op->alone)
			sum += width;
		else if (op->parts == 1 && !(op->slots & ~slots))
			sum++;
		else if (op->parts > 1)
			sum += (unsigned)__builtin_popcount(op->slots & slots);
	}
	return (sum + width - 1) / width;
}

unsigned bound_groups(const struct unit *unit)
{
	unsigned bound = bound_chain(unit);

	for (unsigned slots = 1; slots <= EVG_SLOTS_ANY; slots++) {
		unsigned groups = crowding(unit, slots);

		if (bound < groups)
			bound = groups;
	}
	return bound;
}
