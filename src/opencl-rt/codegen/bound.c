/* The least number of groups of a clause. Operations that all come behind a group
 * and all before another take, together, the slots of the groups between: that
 * bounds the clause's length, and the first and the last group that each operation
 * can be in, from which the next such bound is tighter.
 * The method: M. Langevin, E. Cerny, A recursive technique for computing lower-bound
 * performance of schedules (1996); B. R. Rau's minimum of resources for the rest. */
#include "opencl-rt/codegen/bound.h"

#include <string.h>

#include "base/memory.h"

enum {
	LITERALS = 4,       /* of a group */
	CONSTANT_PAIRS = 2, /* of a group: xy or zw of a constant */
	READS = 3,          /* of a group in each channel: registers */
};

/* Seen forwards, what comes before an operation is what must; backwards, what
 * must come behind it. */
struct view {
	const struct unit *unit;
	bool backwards;
	/* Groups that must lie before (backwards: behind) each operation. */
	unsigned first[UNIT_OPS];
	/* Operations by their `first`, the latest ones in front. */
	uint8_t latest[UNIT_OPS];
	unsigned count;
};

static unsigned apart(const struct view *view, unsigned before, unsigned after)
{
	return view->backwards ? view->unit->apart[after][before]
			       : view->unit->apart[before][after];
}

static unsigned nth(const struct view *view, unsigned n)
{
	return view->unit->sorted[view->backwards
					  ? view->unit->op_count - 1 - n
					  : n];
}

/* --- Slots ---------------------------------------------------------------- */

enum { XY = 1 << EVG_X | 1 << EVG_Y, ZW = 1 << EVG_Z | 1 << EVG_W };

/* The sets for which operations are counted. */
static const uint8_t sets[] = {
	EVG_SLOTS_ANY, EVG_SLOTS_VECTOR, EVG_SLOTS_T,
	1 << EVG_X, 1 << EVG_Y, 1 << EVG_Z, 1 << EVG_W,
	1 << EVG_X | EVG_SLOTS_T, 1 << EVG_Y | EVG_SLOTS_T,
	1 << EVG_Z | EVG_SLOTS_T, 1 << EVG_W | EVG_SLOTS_T,
};

/* The slots that an operation of one part can have: a result that must be in one
 * channel comes from that channel's slot, or from t. */
static unsigned slots_of(const struct unit *unit, const struct unit_op *op)
{
	if (op->value[0] != UNIT_NONE && unit->value[op->value[0]].fixed &&
	    op->slots != EVG_SLOTS_T)
		return op->slots &
		       (1u << op->inst[0].dest_channel | EVG_SLOTS_T);
	return op->slots;
}

static unsigned fewest(unsigned set, unsigned other)
{
	int here = __builtin_popcount(set), there = __builtin_popcount(other);

	return (unsigned)(here < there ? here : there);
}

/* Slots of a set that an operation takes in any case. */
static unsigned demand(const struct unit *unit, unsigned number, unsigned set)
{
	const struct unit_op *op = &unit->op[number];

	if (op->alone)
		return (unsigned)__builtin_popcount(set);
	if (op->parts == 1)
		return !(slots_of(unit, op) & ~set);
	if (op->either_pair)
		return fewest(set & XY, set & ZW);
	return op->parts ? (unsigned)__builtin_popcount(op->slots & set) : 0;
}

/* Groups until the last of the operations that are behind[] has come and what
 * must follow it: behind[] are the groups that follow each, plus 1; 0: it does not
 * count. Of all operations that come behind r groups and before q the slots are
 * summed, for each r and q. */
static unsigned span(const struct view *view, const unsigned *behind,
		     unsigned set)
{
	unsigned slots[2 * UNIT_OPS] = { 0 }, width, most = 0, groups = 0;

	width = (unsigned)__builtin_popcount(set);
	for (unsigned n = 0; n < view->count; n++) {
		unsigned i = view->latest[n], sum = 0;

		if (!behind[i])
			continue;
		slots[behind[i]] += demand(view->unit, i, set);
		if (most < behind[i])
			most = behind[i];
		/* The next has the same r. */
		if (n + 1 < view->count &&
		    view->first[view->latest[n + 1]] == view->first[i] &&
		    behind[view->latest[n + 1]])
			continue;
		for (unsigned q = most; q; q--) {
			unsigned length;

			sum += slots[q];
			length = view->first[i] + (sum + width - 1) / width +
				 q - 1;
			if (sum && groups < length)
				groups = length;
		}
	}
	return groups;
}

static unsigned longest_span(const struct view *view, const unsigned *behind)
{
	unsigned groups = 0;

	for (unsigned s = 0; s < ARRAY_SIZE(sets); s++) {
		unsigned length = span(view, behind, sets[s]);

		if (groups < length)
			groups = length;
	}
	return groups;
}

/* --- First groups --------------------------------------------------------- */

static void enter(struct view *view, unsigned op)
{
	unsigned n = view->count++;

	while (n && view->first[view->latest[n - 1]] < view->first[op]) {
		view->latest[n] = view->latest[n - 1];
		n--;
	}
	view->latest[n] = (uint8_t)op;
}

/* The longest way from each operation to the n-th, plus 1; 0: there is none. */
static void find_ways(const struct view *view, unsigned last, unsigned *way)
{
	memset(way, 0, UNIT_OPS * sizeof *way);
	way[nth(view, last)] = 1;
	for (unsigned n = last + 1; n--;) {
		unsigned j = nth(view, n);

		for (unsigned m = 0; way[j] && m < n; m++) {
			unsigned i = nth(view, m), distance = apart(view, i, j);

			if (distance && way[i] < way[j] + distance - 1)
				way[i] = way[j] + distance - 1;
		}
	}
}

/* The last group of all that comes before an operation, by the longest chain; with
 * `tight` also by what else comes before it. */
static void find_first(struct view *view, bool tight)
{
	view->count = 0;
	for (unsigned n = 0; n < view->unit->op_count; n++) {
		unsigned i = nth(view, n), way[UNIT_OPS], groups = 0;

		view->first[i] = 0;
		for (unsigned m = 0; m < n; m++) {
			unsigned j = nth(view, m), distance = apart(view, j, i);

			if (distance && view->first[i] <
						view->first[j] + distance - 1)
				view->first[i] = view->first[j] + distance - 1;
		}
		if (tight) {
			find_ways(view, n, way);
			way[i] = 0;
			groups = longest_span(view, way);
		}
		if (groups && view->first[i] < groups - 1)
			view->first[i] = groups - 1;
		enter(view, i);
	}
}

/* --- What a group can read ------------------------------------------------ */

/* A set of numbers, each of which some group must read. */
struct numbers {
	uint32_t number[3 * EVG_SLOT_COUNT * UNIT_OPS];
	unsigned count;
};

static void add(struct numbers *numbers, uint32_t number)
{
	unsigned n = 0;

	while (n < numbers->count && numbers->number[n] != number)
		n++;
	numbers->number[n] = number;
	numbers->count += n == numbers->count;
}

static bool is_constant(unsigned select)
{
	return (select >= EVG_SELECT_KCACHE0 &&
		select < EVG_SELECT_KCACHE1 + 32) ||
	       (select >= EVG_SELECT_KCACHE2 && select < EVG_SELECT_KCACHE3 + 32);
}

/* What is read. */
struct reads {
	struct numbers literals, pairs, registers[CODEGEN_CHANNELS];
};

/* Values of the clause itself may come as PV or PS, which need no port. */
static void add_source(struct reads *reads, const struct unit *unit,
		       const struct evg_source *source,
		       const struct unit_source *from)
{
	if (source->select == EVG_SELECT_LITERAL)
		add(&reads->literals, from->literal);
	else if (is_constant(source->select))
		add(&reads->pairs, source->select * 2u + source->channel / 2u);
	else if (from->value != UNIT_NONE &&
		 unit->value[from->value].op == UNIT_NONE)
		add(&reads->registers[source->channel], source->select);
}

static unsigned shared(const struct numbers *numbers, unsigned width)
{
	return (numbers->count + width - 1) / width;
}

static unsigned reads_groups(const struct unit *unit)
{
	static const struct reads none;
	struct reads reads = none;
	unsigned groups;

	for (unsigned i = 0; i < unit->op_count; i++)
		for (unsigned part = 0; part < unit->op[i].parts; part++)
			for (unsigned k = 0;
			     k < unit->op[i].inst[part].source_count; k++)
				add_source(&reads, unit,
					   &unit->op[i].inst[part].source[k],
					   &unit->op[i].source[part][k]);
	groups = shared(&reads.literals, LITERALS);
	if (groups < shared(&reads.pairs, CONSTANT_PAIRS))
		groups = shared(&reads.pairs, CONSTANT_PAIRS);
	for (unsigned c = 0; c < CODEGEN_CHANNELS; c++)
		if (groups < shared(&reads.registers[c], READS))
			groups = shared(&reads.registers[c], READS);
	return groups;
}

/* --- Together ------------------------------------------------------------- */

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

/* What must be alone in its group has one that no other operation of a chain is
 * in: a chain's groups, but for those in which nothing of it need be, and those of
 * all that is alone and not of the chain. */
static unsigned chain_and_alone(const struct unit *unit)
{
	int chain[UNIT_OPS], longest = 0, alone = 0;

	for (unsigned n = 0; n < unit->op_count; n++) {
		unsigned i = unit->sorted[n];
		int own = unit->op[i].alone;

		alone += own;
		chain[i] = 1 - own;
		for (unsigned j = 0; j < unit->op_count; j++) {
			int next = chain[j] + (unit->apart[j][i] > 1) - own;

			if (unit->apart[j][i] && chain[i] < next)
				chain[i] = next;
		}
		if (longest < chain[i])
			longest = chain[i];
	}
	return alone ? (unsigned)(longest + alone) : 0;
}

/* With the first groups that are known; the chain alone is known at first. */
static unsigned whole_span(const struct view *forwards,
			   const struct view *backwards)
{
	unsigned behind[UNIT_OPS];

	for (unsigned i = 0; i < forwards->unit->op_count; i++)
		behind[i] = backwards->first[i] + 1;
	return longest_span(forwards, behind);
}

unsigned bound_groups(const struct unit *unit, unsigned enough)
{
	struct view forwards = { .unit = unit };
	struct view backwards = { .unit = unit, .backwards = true };
	unsigned bound = reads_groups(unit), groups = bound_chain(unit);

	if (bound < groups)
		bound = groups;
	groups = chain_and_alone(unit);
	if (bound < groups)
		bound = groups;
	for (int tight = 0; tight < 2 && bound < enough; tight++) {
		find_first(&forwards, tight);
		find_first(&backwards, tight);
		groups = whole_span(&forwards, &backwards);
		if (bound < groups)
			bound = groups;
	}
	return bound;
}
