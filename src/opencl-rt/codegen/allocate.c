/* Places for virtual registers: each is in use from its first instruction to
 * its last, and of two that are in use at once none takes the other's place. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/codegen/registers.h"
#include "opencl-rt/codegen/machine.h"

/* --- Uses ----------------------------------------------------------------- */

static void use(struct machine_register *reg, int place)
{
	if (reg->last < reg->first) {
		reg->first = reg->last = place;
		return;
	}
	if (place < reg->first)
		reg->first = place;
	if (place > reg->last)
		reg->last = place;
}

/* What comes into a loop from before it and is read in it is read again by the
 * next iteration. */
static void stretch_over_loops(struct machine *machine)
{
	unsigned *starts = xcalloc(machine->inst_count + 1, sizeof *starts);
	unsigned depth = 0;

	for (unsigned i = 0; i < machine->inst_count; i++) {
		if (machine->insts[i].kind == MACHINE_LOOP)
			starts[depth++] = i;
		if (machine->insts[i].kind != MACHINE_END_LOOP)
			continue;
		depth--;
		for (unsigned r = 0; r < machine->register_count; r++) {
			struct machine_register *reg = &machine->registers[r];

			if (reg->first < (int)starts[depth] &&
			    reg->last > (int)starts[depth] &&
			    reg->last < (int)i)
				reg->last = (int)i;
		}
	}
	free(starts);
}

void machine_find_uses(struct machine *machine)
{
	for (unsigned r = 0; r < machine->register_count; r++) {
		machine->registers[r].first = 0;
		machine->registers[r].last =
			machine->registers[r].given ? 0 : -1;
	}
	for (unsigned i = 0; i < machine->inst_count; i++) {
		const struct machine_inst *inst = &machine->insts[i];

		for (unsigned k = 0; k < inst->source_count; k++)
			if (inst->source[k].reg != MACHINE_NONE)
				use(&machine->registers[inst->source[k].reg],
				    (int)i);
		for (unsigned k = 0; k < inst->dest_count; k++)
			use(&machine->registers[inst->dest[k]], (int)i);
	}
	stretch_over_loops(machine);
}

/* --- Places --------------------------------------------------------------- */

struct allocation {
	struct machine *machine;
	unsigned most;       /* hardware registers */
	/* The instruction until which each place is taken; the next use may
	 * begin there, since operands are read before results are written. */
	int until[EVG_FIRST_TEMPORARY][CODEGEN_CHANNELS];
	bool held[EVG_FIRST_TEMPORARY][CODEGEN_CHANNELS];
};

static bool is_free(const struct allocation *allocation, unsigned number,
		    unsigned channel, int first)
{
	return !allocation->held[number][channel] ||
	       allocation->until[number][channel] <= first;
}

static void take(struct allocation *allocation, struct machine_register *reg,
		 unsigned number, unsigned channel)
{
	reg->number = (uint8_t)number;
	reg->channel = (int8_t)channel;
	allocation->held[number][channel] = true;
	allocation->until[number][channel] = reg->last;
	if (allocation->machine->hardware_registers <= number)
		allocation->machine->hardware_registers = number + 1;
}

static bool place_in(struct allocation *allocation,
		     struct machine_register *reg, unsigned channels)
{
	/* x is left to those that must have it. */
	static const unsigned order[] = { 3, 2, 1, 0 };

	for (unsigned n = 0; n < allocation->most; n++)
		for (unsigned i = 0; i < CODEGEN_CHANNELS; i++)
			if (channels >> order[i] & 1 &&
			    is_free(allocation, n, order[i], reg->first)) {
				take(allocation, reg, n, order[i]);
				return true;
			}
	return false;
}

/* The registers of a tuple that are in use from now on; those without a channel
 * get the first ones. */
static bool place_tuple(struct allocation *allocation,
			struct machine_register *const *members,
			unsigned member_count, int first)
{
	int count = 0;

	for (unsigned i = 0; i < member_count; i++)
		if (members[i]->channel == MACHINE_NONE)
			members[i]->channel = (int8_t)count++;
	for (unsigned n = 0; n < allocation->most; n++) {
		bool fits = true;

		for (unsigned i = 0; i < member_count && fits; i++)
			fits = is_free(allocation, n,
				       (unsigned)members[i]->channel, first);
		if (!fits)
			continue;
		for (unsigned i = 0; i < member_count; i++)
			take(allocation, members[i], n,
			     (unsigned)members[i]->channel);
		return true;
	}
	return false;
}

static bool place_single(struct allocation *allocation,
			 struct machine_register *reg)
{
	if (reg->channel != MACHINE_NONE)
		return place_in(allocation, reg, 1u << reg->channel);
	return (reg->preferred &&
		place_in(allocation, reg, reg->preferred)) ||
	       place_in(allocation, reg, 0xf);
}

/* For each register the next of its tuple, from the first on. */
struct tuples {
	int *first, *next;
};

static struct tuples find_tuples(const struct machine *machine)
{
	const unsigned count = machine->register_count;
	struct tuples tuples = {
		.first = xcalloc(count + 1, sizeof(int)),
		.next = xcalloc(count + 1, sizeof(int)),
	};

	for (unsigned r = 0; r < count; r++)
		tuples.first[r] = MACHINE_NONE;
	for (unsigned r = count; r--;) {
		int tuple = machine->registers[r].tuple;

		if (tuple == MACHINE_NONE)
			continue;
		tuples.next[r] = tuples.first[tuple];
		tuples.first[tuple] = (int)r;
	}
	return tuples;
}

static bool place(struct allocation *allocation, const struct tuples *tuples,
		  struct machine_register *reg)
{
	struct machine_register *members[MACHINE_DWORDS];
	unsigned count = 0;

	if (reg->tuple == MACHINE_NONE)
		return place_single(allocation, reg);
	for (int r = tuples->first[reg->tuple]; r != MACHINE_NONE;
	     r = tuples->next[r])
		members[count++] = &allocation->machine->registers[r];
	return place_tuple(allocation, members, count, reg->first);
}

static int compare_first(const void *a, const void *b)
{
	const struct machine_register *left =
		*(struct machine_register *const *)a;
	const struct machine_register *right =
		*(struct machine_register *const *)b;

	if (left->first != right->first)
		return left->first < right->first ? -1 : 1;
	return left < right ? -1 : left > right;
}

/* What registers must have, since places are channels, too. */
static int8_t *keep_channels(const struct machine *machine)
{
	int8_t *channels = xcalloc(machine->register_count + 1,
				   sizeof *channels);

	for (unsigned r = 0; r < machine->register_count; r++)
		channels[r] = machine->registers[r].channel;
	return channels;
}

const char *machine_allocate(struct machine *machine)
{
	struct allocation *allocation = xcalloc(1, sizeof *allocation);
	int8_t *channels = keep_channels(machine);
	struct machine_register **order =
		xcalloc(machine->register_count + 1, sizeof *order);
	bool *placed = xcalloc(machine->register_count + 1, sizeof *placed);
	struct tuples tuples;
	bool fits = true;

	allocation->machine = machine;
	allocation->most = machine->most_registers ? machine->most_registers
						   : EVG_FIRST_TEMPORARY;
	machine->hardware_registers = 2;
	machine_find_uses(machine);
	for (unsigned r = 0; r < machine->register_count; r++) {
		struct machine_register *reg = &machine->registers[r];

		order[r] = reg;
		if (!reg->given)
			continue;
		take(allocation, reg, reg->number, (unsigned)reg->channel);
		placed[r] = true;
	}
	qsort(order, machine->register_count, sizeof *order, compare_first);
	tuples = find_tuples(machine);
	for (unsigned i = 0; i < machine->register_count && fits; i++) {
		const struct machine_register *reg = order[i];
		int r = (int)(reg - machine->registers);

		if (placed[r] || reg->last < reg->first)
			continue;
		fits = place(allocation, &tuples, order[i]);
		if (reg->tuple != MACHINE_NONE)
			for (r = tuples.first[reg->tuple]; r != MACHINE_NONE;
			     r = tuples.next[r])
				placed[r] = true;
	}
	for (unsigned r = 0; r < machine->register_count && !fits; r++)
		machine->registers[r].channel = channels[r];
	free(tuples.first);
	free(tuples.next);
	free(channels);
	free(allocation);
	free(order);
	free(placed);
	return fits ? NULL : "too many values at once";
}
