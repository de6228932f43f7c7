/* The micro-operations that compute. */
#include "x86/timing/uops/build.h"

#include <string.h>

/* Outputs that wait for the same inputs. */
struct group {
	uint32_t inputs, outputs; /* sets */
	int longest;
};

static unsigned make_groups(const struct x86_latencies *l, struct group *group,
			    unsigned most)
{
	unsigned count = 0;

	for (unsigned o = 0; o < l->outputs; o++) {
		uint32_t inputs = 0;
		unsigned g;
		int longest = 0;

		for (unsigned i = 0; i < l->inputs; i++)
			if (l->latency[i][o] >= 0) {
				inputs |= 1u << i;
				if (l->latency[i][o] > longest)
					longest = l->latency[i][o];
			}
		/* A value that is stored unchanged is not computed. */
		if (l->output[o] >= X86_OUTPUT_MEMORY && !longest)
			continue;
		for (g = 0; g < count; g++)
			if (group[g].inputs == inputs)
				break;
		if (g == count) {
			if (count == most)
				g = count - 1;
			else
				group[count++] = (struct group){0};
		}
		group[g].inputs |= inputs;
		group[g].outputs |= 1u << o;
		if (longest > group[g].longest)
			group[g].longest = longest;
	}
	return count;
}

/* Sorts flexible uops first. */
static int restriction(uint16_t ports)
{
	return -__builtin_popcount(ports);
}

/* The uop that gives a result with this latency: one that divides; for long
 * latencies one that few ports can execute; else the least flexible one. */
static unsigned choose_main(const struct x86_build *b,
			    const struct x86_build_ports *pool, int longest)
{
	bool vector = b->inst->class == X86_CLASS_VECTOR ||
		      b->inst->class == X86_CLASS_MMX ||
		      b->inst->class == X86_CLASS_X87;
	unsigned best = 0;

	for (unsigned i = 1; i < pool->count; i++) {
		uint16_t ports = pool->ports[i], other = pool->ports[best];
		int order = restriction(ports) - restriction(other);

		/* Ports 0 and 1 have the long units; shuffles (5) and
		 * branches (6) take one cycle. */
		if ((longest >= 3 || vector) && ports != other) {
			bool here = !(ports & ~3), there = !(other & ~3);

			if (here != there) {
				if (here)
					best = i;
				continue;
			}
			/* Multipliers are at port 1, dividers at 0. */
			if (here && !b->line->divider && ports == 2 &&
			    !vector) {
				best = i;
				continue;
			}
			if (here && (b->line->divider || vector) &&
			    ports == 1) {
				best = i;
				continue;
			}
		}
		if (order >= 0)
			best = i;
	}
	return best;
}

static unsigned choose_first(const struct x86_build_ports *pool)
{
	unsigned best = 0;

	for (unsigned i = 1; i < pool->count; i++)
		if (restriction(pool->ports[i]) <
		    restriction(pool->ports[best]))
			best = i;
	return best;
}

/* With one spare uop for several excesses all would get the largest. Where that
 * is the larger error (gathers: the mask takes long, the data do not), the uop
 * that gives the result takes the smallest instead, for all inputs. */
static void raise_least(const struct x86_latencies *l,
			const struct group *group, int *excess, int *least,
			unsigned spare)
{
	int smallest = 0, largest = 0;

	for (unsigned i = 0; i < l->inputs; i++) {
		if (excess[i] > largest)
			largest = excess[i];
		if (excess[i] && (!smallest || excess[i] < smallest))
			smallest = excess[i];
	}
	if (spare != 1 || smallest >= largest - smallest)
		return;
	for (unsigned i = 0; i < l->inputs; i++)
		excess[i] -= excess[i] ? smallest : 0;
	for (unsigned o = 0; o < l->outputs; o++)
		if (group->outputs >> o & 1)
			least[o] += smallest;
}

static void build_group(struct x86_build *b, const struct x86_latencies *l,
			const struct group *group, struct x86_build_ports *pool,
			unsigned *spare, unsigned *internal)
{
	unsigned at = choose_main(b, pool, group->longest);
	uint16_t ports = x86_build_take_ports(pool, at);
	int least[X86_BUILD_PLACES], excess[X86_BUILD_PLACES] = {0};
	struct x86_uop *uop, main = {0};

	for (unsigned o = 0; o < l->outputs; o++) {
		least[o] = 0;
		if (!(group->outputs >> o & 1))
			continue;
		for (unsigned i = 0; i < l->inputs; i++) {
			int latency = l->latency[i][o];

			if (latency < 0)
				continue;
			/* Without a spare uop the longest latency counts. */
			if (!least[o] ||
			    (*spare ? latency < least[o] : latency > least[o]))
				least[o] = latency;
		}
		if (least[o] < 1)
			least[o] = 1;
	}
	for (unsigned i = 0; i < l->inputs; i++)
		for (unsigned o = 0; o < l->outputs; o++)
			if (group->outputs >> o & 1 && l->latency[i][o] >= 0 &&
			    l->latency[i][o] - least[o] > excess[i])
				excess[i] = l->latency[i][o] - least[o];
	raise_least(l, group, excess, least, *spare);
	for (unsigned i = 0; i < l->inputs; i++)
		if (group->inputs >> i & 1 && !excess[i])
			x86_build_add_source(&main, l->input[i]);
	/* What has gone in front for one output has done so for all. */
	for (unsigned o = 0; o < l->outputs && *spare; o++)
		for (unsigned i = 0; i < l->inputs; i++) {
			int left = l->latency[i][o] - excess[i];

			if (group->outputs >> o & 1 && l->latency[i][o] >= 0 &&
			    excess[i] && left < least[o])
				least[o] = left > 1 ? left : 1;
		}
	/* One uop in front for each excess. The last spare uop takes all that
	 * are left. */
	for (;;) {
		int largest = 0;
		unsigned place;

		for (unsigned i = 0; i < l->inputs; i++)
			if (excess[i] > largest)
				largest = excess[i];
		if (!largest)
			break;
		if (!*spare || *internal >= X86_PLACE_COUNT) {
			for (unsigned i = 0; i < l->inputs; i++)
				if (excess[i])
					x86_build_add_source(&main,
							     l->input[i]);
			break;
		}
		(*spare)--;
		uop = x86_build_add_uop(
		    b, X86_UOP_COMPUTE,
		    x86_build_take_ports(pool, choose_first(pool)));
		for (unsigned i = 0; i < l->inputs; i++)
			if (excess[i] == largest || (!*spare && excess[i])) {
				x86_build_add_source(uop, l->input[i]);
				excess[i] = 0;
			}
		place = (*internal)++;
		x86_build_add_result(uop, place, largest);
		x86_build_add_source(&main, place);
	}
	uop = x86_build_add_uop(b, X86_UOP_COMPUTE, ports);
	memcpy(uop->source, main.source, sizeof main.source);
	uop->source_count = main.source_count;
	for (unsigned o = 0; o < l->outputs; o++)
		if (group->outputs >> o & 1)
			x86_build_add_result(uop, l->output[o], least[o]);
}

void x86_build_computes(struct x86_build *b, const struct x86_latencies *l,
			struct x86_build_ports *pool)
{
	unsigned internal = X86_BUILD_INTERNAL, spare, groups = 0;
	struct group group[X86_BUILD_PLACES];
	unsigned divider = b->line->divider & ~(unsigned)X86_LESS_HALF;
	unsigned first = b->count, rest, others;
	struct x86_uop other[X86_BUILD_UOPS];
	bool waits;

	if (!pool->count)
		return;
	/* Outputs of loads are no longer in `l`. */
	groups = make_groups(l, group, pool->count);
	spare = pool->count - groups;
	for (unsigned g = 0; g < groups; g++)
		build_group(b, l, &group[g], pool, &spare, &internal);
	rest = b->count;
	/* The rest only takes up ports. It waits for nothing: waiting for the
	 * inputs, it would hold up the uops that give the results, and the
	 * instruction alone would take longer than it was measured to. What
	 * has no results waits, as jumps do. */
	waits = !groups || b->inst->branch != X86_BRANCH_NONE;
	while (pool->count) {
		struct x86_uop *uop = x86_build_add_uop(
		    b, X86_UOP_COMPUTE, x86_build_take_ports(pool, 0));

		for (unsigned i = 0; i < l->inputs && waits; i++)
			x86_build_add_source(uop, l->input[i]);
	}
	/* They come first. */
	others = b->count - rest;
	memcpy(other, &b->uop[rest], others * sizeof other[0]);
	memmove(&b->uop[first + others], &b->uop[first],
		(rest - first) * sizeof b->uop[0]);
	memcpy(&b->uop[first], other, others * sizeof other[0]);
	/* The divider belongs to port 0. */
	for (unsigned i = first; i < b->count && divider; i++)
		if (b->uop[i].kind == X86_UOP_COMPUTE && b->uop[i].ports == 1 &&
		    b->uop[i].result_count) {
			b->uop[i].divider_cycles = (uint8_t)divider;
			return;
		}
	for (unsigned i = first; i < b->count && divider; i++)
		if (b->uop[i].ports & 1) {
			b->uop[i].divider_cycles = (uint8_t)divider;
			return;
		}
	/* Elsewhere on other cores. */
	for (unsigned i = b->count; i-- > first && divider;)
		if (b->uop[i].result_count) {
			b->uop[i].divider_cycles = (uint8_t)divider;
			return;
		}
}
