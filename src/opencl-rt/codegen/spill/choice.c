/* Which registers are moved: where too many have a value, the one whose moves
 * cost least for the crowded places that it leaves. */
#include <stdlib.h>

#include "base/memory.h"
#include "opencl-rt/codegen/spill/spill.h"

struct choice {
	struct move_uses *uses;
	int room;
	/* Values behind each instruction, and how many of the instructions
	 * before it are crowded. */
	int *values;
	unsigned *crowded;
};

/* Behind which instruction a register's value is no longer there: a result that
 * nothing reads has its place, too. */
static unsigned end_of(const struct choice *choice, unsigned reg)
{
	int first = choice->uses->registers[reg].first;
	int last = choice->uses->machine->registers[reg].last;

	return (unsigned)(last > first ? last : first + 1);
}

static bool is_used(const struct choice *choice, unsigned reg)
{
	const struct machine_register *own =
		&choice->uses->machine->registers[reg];

	return own->last >= own->first;
}

static void count_crowded(struct choice *choice)
{
	const struct machine *machine = choice->uses->machine;

	for (unsigned i = 0; i < machine->inst_count; i++)
		choice->crowded[i + 1] =
			choice->crowded[i] +
			(choice->values[i] > choice->room);
}

static void add_values(struct choice *choice, unsigned from, unsigned to,
		       int step)
{
	for (unsigned i = from; i < to; i++)
		choice->values[i] += step;
}

/* Calls for each stretch of a moved register in which it stays one. */
#define FOR_KEPT(uses, reg, k)                                                 \
	for (unsigned k = (uses)->start[reg] + 1;                              \
	     k < (uses)->start[(reg) + 1]; k++)                                \
		if (move_is_near(uses, (uses)->at[k - 1], (uses)->at[k]))

/* How many crowded places a register leaves when it is moved; 0 also where it
 * stays at `place`. */
static unsigned relief(const struct choice *choice, unsigned reg,
		       unsigned place)
{
	const struct move_uses *uses = choice->uses;
	const unsigned *crowded = choice->crowded;
	unsigned sum = crowded[end_of(choice, reg)] -
		       crowded[uses->registers[reg].first];

	FOR_KEPT(uses, reg, k) {
		if (uses->at[k - 1] <= place && place < uses->at[k])
			return 0;
		sum -= crowded[uses->at[k]] - crowded[uses->at[k - 1]];
	}
	return sum;
}

static void move(struct choice *choice, unsigned reg)
{
	struct move_uses *uses = choice->uses;
	struct move_register *own = &uses->registers[reg];

	own->move = own->again ? MOVE_AGAIN : MOVE_MEMORY;
	add_values(choice, (unsigned)own->first, end_of(choice, reg), -1);
	FOR_KEPT(uses, reg, k)
		add_values(choice, uses->at[k - 1], uses->at[k], 1);
	count_crowded(choice);
}

/* The best register to be moved away from a place; MACHINE_NONE: there is none. */
static int find_best(const struct choice *choice, unsigned place)
{
	const struct move_uses *uses = choice->uses;
	int best = MACHINE_NONE;
	double least = 0;

	for (unsigned r = 0; r < uses->machine->register_count; r++) {
		const struct move_register *own = &uses->registers[r];
		double price;
		unsigned left;

		if (!own->possible || own->move != MOVE_NONE ||
		    own->first > (int)place || end_of(choice, r) <= place)
			continue;
		left = relief(choice, r, place);
		if (!left)
			continue;
		price = own->cost / left;
		if (best != MACHINE_NONE && price >= least)
			continue;
		best = (int)r;
		least = price;
	}
	return best;
}

unsigned move_choose(struct move_uses *uses, int room)
{
	const struct machine *machine = uses->machine;
	struct choice choice = {
		.uses = uses, .room = room,
		.values = xcalloc(machine->inst_count + 2, sizeof(int)),
		.crowded = xcalloc(machine->inst_count + 2, sizeof(unsigned)),
	};
	unsigned count = 0;

	for (unsigned r = 0; r < machine->register_count; r++)
		if (is_used(&choice, r))
			add_values(&choice, (unsigned)uses->registers[r].first,
				   end_of(&choice, r), 1);
	count_crowded(&choice);
	for (unsigned i = 0; i < machine->inst_count; i++)
		while (choice.values[i] > room) {
			int reg = find_best(&choice, i);

			if (reg == MACHINE_NONE)
				break;
			move(&choice, (unsigned)reg);
			count++;
		}
	free(choice.values);
	free(choice.crowded);
	return count;
}
