/* The allocated blocks of device memory, by address, with the gaps between
 * them. Each operation takes time logarithmic in their number. */
#ifndef M2S_EVERGREEN_EMU_MEMORY_BLOCKS_H
#define M2S_EVERGREEN_EMU_MEMORY_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

struct block {
	uint32_t start, size;
	bool read_only;
	char *name;
	/* Owned by the tree: where the gap before the block begins; the widest
	 * such gap of its subtree, in bytes. */
	uint64_t gap_start, widest;
	uint32_t priority;
	struct block *left, *right;
};

/* A treap; zero is an empty one. */
struct block_tree {
	struct block *root;
	uint32_t inserted;
};

/* Frees the blocks and their names. */
void blocks_free(struct block_tree *tree);
/* The last block that starts at or below an address; the first above it; or
 * NULL. */
struct block *blocks_below(const struct block_tree *tree, uint32_t address);
struct block *blocks_above(const struct block_tree *tree, uint32_t address);
/* The lowest address for a new block of `bytes`, at a multiple of `alignment`, a
 * power of two, in memory that ends at `limit`; 0: there is no room. */
uint32_t blocks_place(const struct block_tree *tree, uint64_t bytes,
		      uint32_t alignment, uint64_t limit);
/* Inserts a block, which overlaps none; takes one out. */
void blocks_insert(struct block_tree *tree, struct block *block);
void blocks_remove(struct block_tree *tree, struct block *block);

#endif
