/* Disjoint intervals of addresses in order: a balanced tree (a treap), so that
 * every operation takes time logarithmic in their number. Each node also knows
 * the largest gap in its subtree, for finding room.
 *
 * A node is the first member of the object that its owner keeps in the tree. */
#ifndef M2S_MEMSYS_SPACE_INTERVAL_H
#define M2S_MEMSYS_SPACE_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interval {
	uint64_t start, end;     /* end exclusive; not empty */
	/* Private to the tree. */
	struct interval *parent, *child[2];
	struct interval *beside[2]; /* the intervals before and after */
	uint64_t gap;            /* free addresses just below `start` */
	uint64_t largest_gap;    /* in this subtree */
	uint32_t priority;       /* at least that of each child */
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
/* `node` has its start and end set, and overlaps no interval of the set. */
void intervals_insert(struct intervals *set, struct interval *node);
/* Takes the node out; its owner frees it. */
void intervals_remove(struct intervals *set, struct interval *node);
/* Sets a new end, at most the start of the next interval. */
void interval_set_end(struct interval *node, uint64_t end);
/* Sets a new start, at least the end of the interval before. */
void interval_set_start(struct interval *node, uint64_t start);
/* The start of the lowest gap of `size` addresses in [low, high), at the gap's
 * lower end, or of the highest one, at its upper end; 0 if there is none. */
uint64_t intervals_gap(const struct intervals *set, uint64_t low,
		       uint64_t high, uint64_t size, bool from_top);

#endif
