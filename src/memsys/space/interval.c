#include "memsys/space/interval.h"

static uint64_t largest_gap(const struct interval *node)
{
	return node ? node->largest_gap : 0;
}

/* Recomputes what a node knows of its subtree; true when that changed. */
static bool refresh(struct interval *node)
{
	uint64_t low = largest_gap(node->child[0]);
	uint64_t high = largest_gap(node->child[1]);
	uint64_t old = node->largest_gap;

	node->largest_gap = node->gap;
	if (low > node->largest_gap)
		node->largest_gap = low;
	if (high > node->largest_gap)
		node->largest_gap = high;
	return node->largest_gap != old;
}

static void refresh_upwards(struct interval *node)
{
	while (node && refresh(node))
		node = node->parent;
}

/* After a neighbour came, went or moved. */
static void measure_gap(struct interval *node)
{
	const struct interval *before;

	if (!node)
		return;
	before = node->beside[0];
	node->gap = node->start - (before ? before->end : 0);
	refresh_upwards(node);
}

static unsigned side_of(const struct interval *node)
{
	return node->parent->child[1] == node;
}

static void replace_child(struct intervals *set, struct interval *old,
			  struct interval *new)
{
	if (new)
		new->parent = old->parent;
	if (old->parent)
		old->parent->child[side_of(old)] = new;
	else
		set->root = new;
}

/* Makes a node its parent's parent. */
static void rotate_up(struct intervals *set, struct interval *node)
{
	struct interval *parent = node->parent;
	unsigned side = side_of(node);
	struct interval *inner = node->child[!side];

	replace_child(set, parent, node);
	node->child[!side] = parent;
	parent->parent = node;
	parent->child[side] = inner;
	if (inner)
		inner->parent = parent;
	refresh(parent);
	refresh(node);
}

static struct interval *outermost(const struct intervals *set, unsigned side)
{
	struct interval *node = set->root;

	while (node && node->child[side])
		node = node->child[side];
	return node;
}

struct interval *intervals_first(const struct intervals *set)
{
	return outermost(set, 0);
}

struct interval *intervals_last(const struct intervals *set)
{
	return outermost(set, 1);
}

struct interval *intervals_from(const struct intervals *set, uint64_t address)
{
	struct interval *node = set->root, *found = NULL;

	while (node) {
		bool ends_after = node->end > address;

		if (ends_after)
			found = node;
		node = node->child[!ends_after];
	}
	return found;
}

/* Marsaglia's xorshift: any order of insertions gives a balanced tree. */
static uint32_t next_priority(struct intervals *set)
{
	uint32_t x = set->random ? set->random : 1;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return set->random = x;
}

static void link_neighbours(struct interval *low, struct interval *high)
{
	if (low)
		low->beside[1] = high;
	if (high)
		high->beside[0] = low;
}

void intervals_insert(struct intervals *set, struct interval *node)
{
	struct interval *after = intervals_from(set, node->start);
	struct interval *before = after ? after->beside[0]
					: intervals_last(set);

	node->child[0] = node->child[1] = node->parent = NULL;
	node->priority = next_priority(set);
	node->largest_gap = 0;
	/* One of the neighbours has no child on this node's side. */
	if (!after && !before) {
		set->root = node;
	} else if (after && !after->child[0]) {
		after->child[0] = node;
		node->parent = after;
	} else {
		before->child[1] = node;
		node->parent = before;
	}
	link_neighbours(before, node);
	link_neighbours(node, after);
	measure_gap(node);
	measure_gap(after);
	while (node->parent && node->parent->priority < node->priority)
		rotate_up(set, node);
	set->count++;
}

void intervals_remove(struct intervals *set, struct interval *node)
{
	struct interval *after = node->beside[1];

	while (node->child[0] && node->child[1]) {
		unsigned side = node->child[1]->priority >
				node->child[0]->priority;

		rotate_up(set, node->child[side]);
	}
	replace_child(set, node,
		      node->child[0] ? node->child[0] : node->child[1]);
	/* Gaps may have shrunk in every ancestor, though not in the first. */
	for (struct interval *at = node->parent; at; at = at->parent)
		refresh(at);
	link_neighbours(node->beside[0], after);
	measure_gap(after);
	set->count--;
}

void interval_set_end(struct interval *node, uint64_t end)
{
	node->end = end;
	measure_gap(node->beside[1]);
}

void interval_set_start(struct interval *node, uint64_t start)
{
	node->start = start;
	measure_gap(node);
}

/* The place of `size` addresses in the part of [start, end) that is in [low,
 * high); 0 when they do not fit. */
static uint64_t fit(uint64_t start, uint64_t end, uint64_t low, uint64_t high,
		    uint64_t size, bool from_top)
{
	if (start < low)
		start = low;
	if (end > high)
		end = high;
	if (start >= end || end - start < size)
		return 0;
	return from_top ? end - size : start;
}

static uint64_t search(const struct interval *node, uint64_t low,
		       uint64_t high, uint64_t size, bool from_top)
{
	uint64_t found;

	if (!node || node->largest_gap < size)
		return 0;
	/* The lower subtree ends where the gap begins, and the upper one
	 * begins where the node ends. */
	for (unsigned turn = 0; turn < 3; turn++) {
		unsigned part = from_top ? 2 - turn : turn;

		if (part == 1)
			found = fit(node->start - node->gap, node->start, low,
				    high, size, from_top);
		else if (part == 0 ? node->start - node->gap > low
				   : node->end < high)
			found = search(node->child[part / 2], low, high, size,
				       from_top);
		else
			found = 0;
		if (found)
			return found;
	}
	return 0;
}

uint64_t intervals_gap(const struct intervals *set, uint64_t low,
		       uint64_t high, uint64_t size, bool from_top)
{
	const struct interval *last = intervals_last(set);
	uint64_t end = last ? last->end : 0, found;

	if (!size)
		return 0;
	found = from_top ? fit(end, UINT64_MAX, low, high, size, true)
			 : search(set->root, low, high, size, false);
	if (found)
		return found;
	return from_top ? search(set->root, low, high, size, true)
			: fit(end, UINT64_MAX, low, high, size, false);
}
