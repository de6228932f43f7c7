/* Disjoint intervals of addresses in order: a balanced tree (a treap), so that
 * every operation costs the logarithm of their number. Each node also knows
 * the largest gap in its subtree, for finding room.
 *
 * A node is part of what its owner keeps in the tree, as its first member. */
#ifndef M2S_MEMSYS_INTERVAL_H
#define M2S_MEMSYS_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interval {
	uint64_t start, end;     /* end exclusive; not empty */
	/* The tree's own. */
	struct interval *parent, *child[2];
	struct interval *beside[2]; /* the one before, the one after */
	uint64_t gap;            /* free addresses just below `start` */
	uint64_t largest_gap;    /* in this subtree */
	uint32_t priority;       /* no child's is higher */
};

struct intervals {
	struct interval *root;
	size_t count;
	uint32_t random;
};

struct interval *intervals_first(const struct intervals *set);
struct interval *intervals_last(const struct intervals *set);
/* The first interval that ends after `address`, or NULL. */
struct interval *intervals_from(const struct intervals *set, uint64_t address);
/* `node` has its start and end, and overlaps none of the set. */
void intervals_insert(struct intervals *set, struct interval *node);
/* Leaves the node to its owner. */
void intervals_remove(struct intervals *set, struct interval *node);
/* A new end, not beyond the start of the next interval. */
void interval_set_end(struct interval *node, uint64_t end);
/* A new start, not below the end of the interval before. */
void interval_set_start(struct interval *node, uint64_t start);
/* The lowest or highest gap of `size` addresses in [low, high), at its lower
 * or upper end; 0 if none. */
uint64_t intervals_gap(const struct intervals *set, uint64_t low,
		       uint64_t high, uint64_t size, bool from_top);

#endif
