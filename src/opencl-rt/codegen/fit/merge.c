/* Registers between which values are copied become one register, where no lane
 * ever needs the values of both at once. The lanes of the two sides of a branch
 * each go their own way, so that a value of one side does not disturb those that
 * wait for the other. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/codegen/fit/fit.h"

enum {
	WORD = 64,
	/* Registers that take part, so that their pairs have room: 8 MiB. */
	MOST_CANDIDATES = 8192,
};

typedef uint64_t word;

struct merge {
	struct machine *machine;
	int *number;         /* of a register among the candidates */
	int *reg;            /* of a candidate */
	int *class;          /* of a candidate: another one, or itself */
	unsigned count, words;
	word *apart;         /* count x words: pairs that must stay two */
	bool bound;          /* one of two may be */
};

/* --- Sets ----------------------------------------------------------------- */

static bool has(const word *set, int number)
{
	return set[number / WORD] >> number % WORD & 1;
}

static void add(word *set, int number)
{
	set[number / WORD] |= (word)1 << number % WORD;
}

static void drop(word *set, int number)
{
	set[number / WORD] &= ~((word)1 << number % WORD);
}

static void join(word *set, const word *other, unsigned words)
{
	for (unsigned i = 0; i < words; i++)
		set[i] |= other[i];
}

/* --- Candidates ----------------------------------------------------------- */

/* For all lanes. */
static bool is_whole_copy(const struct machine_inst *inst)
{
	return machine_is_copy(inst) && !inst->predicate;
}

static void add_candidate(struct merge *merge, int reg)
{
	if (merge->machine->registers[reg].given ||
	    merge->number[reg] != MACHINE_NONE)
		return;
	merge->number[reg] = (int)merge->count;
	merge->reg[merge->count++] = reg;
}

static void find_candidates(struct merge *merge)
{
	const struct machine *machine = merge->machine;

	for (unsigned r = 0; r < machine->register_count; r++)
		merge->number[r] = MACHINE_NONE;
	for (unsigned i = 0; i < machine->inst_count; i++) {
		if (!is_whole_copy(&machine->insts[i]))
			continue;
		add_candidate(merge, machine->insts[i].dest[0]);
		add_candidate(merge, machine->insts[i].source[0].reg);
	}
	merge->words = (merge->count + WORD - 1) / WORD;
}

/* --- What is needed at once ----------------------------------------------- */

/* A branch or a loop around the place that is being looked at. */
struct around {
	unsigned end;        /* END_LOOP */
	word *behind;        /* what is needed behind it */
	word *other;         /* behind ELSE, or at a loop's start */
	bool has_else;
};

struct walk {
	struct merge *merge;
	word *needed;        /* behind the instruction */
	struct around around[MACHINE_DEPTH];
	unsigned depth;
	/* For each LOOP what is needed at its start, as far as is known. */
	word **starts;
};

static void set_to(struct walk *walk, const word *set)
{
	memcpy(walk->needed, set, walk->merge->words * sizeof *set);
}

static word *new_set(const struct walk *walk, const word *like)
{
	word *set = xcalloc(walk->merge->words + 1, sizeof *set);

	if (like)
		memcpy(set, like, walk->merge->words * sizeof *set);
	return set;
}

static void read_sources(struct walk *walk, const struct machine_inst *inst)
{
	for (unsigned k = 0; k < inst->source_count; k++) {
		int reg = inst->source[k].reg;

		if (reg != MACHINE_NONE &&
		    walk->merge->number[reg] != MACHINE_NONE)
			add(walk->needed, walk->merge->number[reg]);
	}
}

static void keep_apart(struct merge *merge, int number, const word *needed,
		       int except)
{
	word *row = merge->apart + (size_t)number * merge->words;
	bool kept = except != MACHINE_NONE && has(row, except);

	join(row, needed, merge->words);
	if (except != MACHINE_NONE && !kept)
		drop(row, except);
}

/* What an instruction writes is not in the place of what others still need. A
 * copy may be in its source's. */
static void write_results(struct walk *walk, const struct machine_inst *inst)
{
	struct merge *merge = walk->merge;
	int from = is_whole_copy(inst) ? merge->number[inst->source[0].reg]
				 : MACHINE_NONE;

	/* Also results that nothing reads take their places. */
	for (unsigned k = 0; k < inst->dest_count && inst->dest_count > 1; k++)
		if (merge->number[inst->dest[k]] != MACHINE_NONE)
			add(walk->needed, merge->number[inst->dest[k]]);
	for (unsigned k = 0; k < inst->dest_count; k++)
		if (merge->number[inst->dest[k]] != MACHINE_NONE)
			keep_apart(merge, merge->number[inst->dest[k]],
				   walk->needed, from);
	/* Lanes that a predicate leaves out keep the old value. */
	for (unsigned k = 0; k < inst->dest_count && !inst->predicate; k++)
		if (merge->number[inst->dest[k]] != MACHINE_NONE)
			drop(walk->needed, merge->number[inst->dest[k]]);
}

static struct around *innermost_loop(struct walk *walk)
{
	unsigned depth = walk->depth;

	while (walk->around[--depth].end == 0)
		;
	return &walk->around[depth];
}

static void enter(struct walk *walk, unsigned end, word *other)
{
	walk->around[walk->depth++] = (struct around){
		.end = end,
		.behind = new_set(walk, walk->needed),
		.other = other,
	};
}

static void leave(struct walk *walk)
{
	free(walk->around[--walk->depth].behind);
}

/* The loop that starts at `place`: true when the start needs more than was known
 * at its end, so that the loop must be looked at once more. */
static bool start_loop(struct walk *walk, unsigned place)
{
	word *known = walk->starts[place];
	bool more = false;

	for (unsigned i = 0; i < walk->merge->words; i++)
		more |= walk->needed[i] & ~known[i];
	join(known, walk->needed, walk->merge->words);
	return more;
}

static unsigned find_start(const struct machine *machine, unsigned end)
{
	unsigned depth = 0, i = end;

	while (machine->insts[--i].kind != MACHINE_LOOP || depth--)
		depth += machine->insts[i].kind == MACHINE_END_LOOP;
	return i;
}

/* One instruction, from behind it to before it; the next one to look at. */
static unsigned step(struct walk *walk, unsigned place)
{
	const struct machine *machine = walk->merge->machine;
	const struct machine_inst *inst = &machine->insts[place];
	struct around *around = walk->depth ? &walk->around[walk->depth - 1]
					    : NULL;
	unsigned start;

	switch (inst->kind) {
	case MACHINE_END_IF:
		enter(walk, 0, NULL);
		break;
	case MACHINE_ELSE:
		around->other = new_set(walk, walk->needed);
		set_to(walk, around->behind);
		break;
	case MACHINE_IF:
		join(walk->needed,
		     around->other ? around->other : around->behind,
		     walk->merge->words);
		free(around->other);
		leave(walk);
		break;
	case MACHINE_END_LOOP:
		start = find_start(machine, place);
		if (!walk->starts[start])
			walk->starts[start] = new_set(walk, NULL);
		enter(walk, place, walk->starts[start]);
		set_to(walk, walk->starts[start]);
		break;
	case MACHINE_BREAK:
		if (!inst->source_count)
			memset(walk->needed, 0,
			       walk->merge->words * sizeof *walk->needed);
		join(walk->needed, innermost_loop(walk)->behind,
		     walk->merge->words);
		break;
	case MACHINE_LOOP:
		if (start_loop(walk, place)) {
			set_to(walk, walk->starts[place]);
			return around->end - 1;
		}
		leave(walk);
		break;
	default:
		write_results(walk, inst);
		break;
	}
	read_sources(walk, inst);
	return place - 1;
}

static void find_pairs(struct merge *merge)
{
	struct walk walk = { .merge = merge };
	unsigned count = merge->machine->inst_count;

	walk.needed = xcalloc(merge->words + 1, sizeof *walk.needed);
	walk.starts = xcalloc(count + 1, sizeof *walk.starts);
	for (unsigned i = count; i;)
		i = step(&walk, i - 1) + 1;
	/* Each is apart from the other, and the other from it. */
	for (unsigned a = 0; a < merge->count; a++)
		for (unsigned b = 0; b < merge->count; b++)
			if (has(merge->apart + (size_t)a * merge->words,
				(int)b))
				add(merge->apart + (size_t)b * merge->words,
				    (int)a);
	for (unsigned i = 0; i < count; i++)
		free(walk.starts[i]);
	free(walk.starts);
	free(walk.needed);
}

/* --- Merging -------------------------------------------------------------- */

static int class_of(const struct merge *merge, int number)
{
	while (merge->class[number] != number)
		number = merge->class[number];
	return number;
}

static bool is_bound(const struct machine_register *reg)
{
	return reg->tuple != MACHINE_NONE || reg->channel != MACHINE_NONE;
}

/* The class of two, which has the place of the one that is bound to one. */
static void merge_classes(struct merge *merge, int a, int b)
{
	word *apart = merge->apart;
	unsigned words = merge->words;
	int kept = is_bound(&merge->machine->registers[merge->reg[b]]) ? b : a;
	int gone = kept == a ? b : a;

	merge->class[gone] = kept;
	join(apart + (size_t)kept * words, apart + (size_t)gone * words,
	     words);
	for (unsigned n = 0; n < merge->count; n++)
		if (has(apart + (size_t)gone * words, (int)n))
			add(apart + (size_t)n * words, kept);
}

static void merge_copy(struct merge *merge, const struct machine_inst *inst)
{
	const struct machine_register *registers = merge->machine->registers;
	int a = merge->number[inst->dest[0]];
	int b = merge->number[inst->source[0].reg];

	if (a == MACHINE_NONE || b == MACHINE_NONE)
		return;
	a = class_of(merge, a);
	b = class_of(merge, b);
	if (a == b || has(merge->apart + (size_t)a * merge->words, b) ||
	    is_bound(&registers[merge->reg[a]]) +
			    is_bound(&registers[merge->reg[b]]) >
		    merge->bound)
		return;
	merge_classes(merge, a, b);
}

static int merged(const struct merge *merge, int reg)
{
	int number = merge->number[reg];

	return number == MACHINE_NONE ? reg
				      : merge->reg[class_of(merge, number)];
}

static void rename_all(struct merge *merge)
{
	struct machine *machine = merge->machine;
	bool *gone = xcalloc(machine->inst_count + 1, sizeof *gone);

	for (unsigned i = 0; i < machine->inst_count; i++) {
		struct machine_inst *inst = &machine->insts[i];

		for (unsigned k = 0; k < inst->source_count; k++)
			if (inst->source[k].reg != MACHINE_NONE)
				inst->source[k].reg = merged(
					merge, inst->source[k].reg);
		for (unsigned k = 0; k < inst->dest_count; k++)
			inst->dest[k] = merged(merge, inst->dest[k]);
		gone[i] = is_whole_copy(inst) &&
			  inst->dest[0] == inst->source[0].reg;
	}
	machine_take_out(machine, gone);
	free(gone);
}

void fit_merge(struct machine *machine, bool bound)
{
	struct merge merge = {
		.machine = machine,
		.bound = bound,
		.number = xcalloc(machine->register_count + 1, sizeof(int)),
		.reg = xcalloc(machine->register_count + 1, sizeof(int)),
		.class = xcalloc(machine->register_count + 1, sizeof(int)),
	};

	find_candidates(&merge);
	if (merge.count && merge.count <= MOST_CANDIDATES) {
		merge.apart = xcalloc((size_t)merge.count * merge.words,
				      sizeof *merge.apart);
		for (unsigned n = 0; n < merge.count; n++)
			merge.class[n] = (int)n;
		find_pairs(&merge);
		for (unsigned i = 0; i < machine->inst_count; i++)
			if (is_whole_copy(&machine->insts[i]))
				merge_copy(&merge, &machine->insts[i]);
		rename_all(&merge);
	}
	free(merge.number);
	free(merge.reg);
	free(merge.class);
	free(merge.apart);
}
