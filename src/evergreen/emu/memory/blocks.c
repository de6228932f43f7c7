#include "evergreen/emu/memory/blocks.h"

#include <stdlib.h>

#include "evergreen/emu/emu.h"

enum { GAP = EVG_MEMORY_ALIGNMENT };

static uint64_t align(uint64_t address, uint32_t alignment)
{
	return (address + alignment - 1) / alignment * alignment;
}

/* The first address that is free behind a block; NULL: before all blocks. */
static uint64_t free_behind(const struct block *block)
{
	if (!block)
		return EVG_MEMORY_FIRST;
	return align((uint64_t)block->start + block->size,
		     EVG_MEMORY_ALIGNMENT) + GAP;
}

static uint64_t gap_end(const struct block *block)
{
	return block->start - GAP;
}

/* --- The tree ----------------------------------------------------------- */

static uint64_t widest_of(const struct block *block)
{
	return block ? block->widest : 0;
}

static void update(struct block *block)
{
	uint64_t left = widest_of(block->left);
	uint64_t right = widest_of(block->right);
	uint64_t below = left > right ? left : right;
	uint64_t own = gap_end(block) > block->gap_start
			       ? gap_end(block) - block->gap_start
			       : 0;

	block->widest = own > below ? own : below;
}

static struct block *join(struct block *low, struct block *high)
{
	if (!low)
		return high;
	if (!high)
		return low;
	if (low->priority > high->priority) {
		low->right = join(low->right, high);
		update(low);
		return low;
	}
	high->left = join(low, high->left);
	update(high);
	return high;
}

/* Into the blocks below an address and those from there on. */
static void split(struct block *block, uint64_t address, struct block **low,
		  struct block **high)
{
	if (!block) {
		*low = *high = NULL;
		return;
	}
	if (block->start < address) {
		*low = block;
		split(block->right, address, &block->right, high);
	} else {
		*high = block;
		split(block->left, address, low, &block->left);
	}
	update(block);
}

/* The gap before the lowest block of a subtree begins somewhere else. */
static void move_gap(struct block *block, uint64_t gap_start)
{
	if (!block)
		return;
	if (block->left)
		move_gap(block->left, gap_start);
	else
		block->gap_start = gap_start;
	update(block);
}

static struct block *last_of(struct block *block)
{
	while (block && block->right)
		block = block->right;
	return block;
}

void blocks_insert(struct block_tree *tree, struct block *block)
{
	struct block *low, *high;

	/* A hash of how many there have been is as good as a random number. */
	block->priority = ++tree->inserted * UINT32_C(2654435769);
	block->left = block->right = NULL;
	split(tree->root, block->start, &low, &high);
	block->gap_start = free_behind(last_of(low));
	update(block);
	move_gap(high, free_behind(block));
	tree->root = join(join(low, block), high);
}

void blocks_remove(struct block_tree *tree, struct block *block)
{
	struct block *low, *high, *own;

	split(tree->root, block->start, &low, &high);
	split(high, (uint64_t)block->start + 1, &own, &high);
	move_gap(high, block->gap_start);
	tree->root = join(low, high);
}

static void free_all(struct block *block)
{
	if (!block)
		return;
	free_all(block->left);
	free_all(block->right);
	free(block->name);
	free(block);
}

void blocks_free(struct block_tree *tree)
{
	free_all(tree->root);
	tree->root = NULL;
}

/* --- Searches ----------------------------------------------------------- */

struct block *blocks_below(const struct block_tree *tree, uint32_t address)
{
	struct block *block = tree->root, *found = NULL;

	while (block)
		if (block->start <= address) {
			found = block;
			block = block->right;
		} else {
			block = block->left;
		}
	return found;
}

struct block *blocks_above(const struct block_tree *tree, uint32_t address)
{
	struct block *block = tree->root, *found = NULL;

	while (block)
		if (block->start > address) {
			found = block;
			block = block->left;
		} else {
			block = block->right;
		}
	return found;
}

/* The lowest gap that has room: where a block would start in it, or 0. */
static uint64_t first_fit(const struct block *block, uint64_t bytes,
			  uint32_t alignment)
{
	uint64_t start;

	if (!block || block->widest < bytes)
		return 0;
	start = first_fit(block->left, bytes, alignment);
	if (start)
		return start;
	start = align(block->gap_start, alignment);
	if (start + bytes <= gap_end(block))
		return start;
	return first_fit(block->right, bytes, alignment);
}

uint32_t blocks_place(const struct block_tree *tree, uint64_t bytes,
		      uint32_t alignment, uint64_t limit)
{
	uint64_t start = first_fit(tree->root, bytes, alignment);

	if (start)
		return (uint32_t)start;
	start = align(free_behind(last_of(tree->root)), alignment);
	return start + bytes <= limit ? (uint32_t)start : 0;
}
