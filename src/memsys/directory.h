/* The directory of a module: which modules above own or share which of its
 * blocks.
 *
 * It has one entry per line and sub-block; a sub-block is the smallest block of
 * the modules above. The module numbers the modules above. Entries may name
 * modules that have dropped a clean block silently. */
#ifndef M2S_MEMSYS_DIRECTORY_H
#define M2S_MEMSYS_DIRECTORY_H

#include <stdbool.h>
#include <stdint.h>

enum { DIRECTORY_NOBODY = -1 };

struct directory {
	/* Sub-blocks per line; bytes of one, a power of two. */
	uint32_t sub_blocks, sub_size;
	unsigned sub_shift; /* log2 of sub_size */
	/* Of `sharers` per entry, one bit per module. */
	uint32_t words;
	int16_t *owners;
	uint64_t *sharers;
	bool *noncoherent; /* the sharers hold it in state N */
};

struct directory *directory_create(uint32_t lines, uint32_t sub_blocks,
				   uint32_t sub_size, uint32_t uppers);
void directory_free(struct directory *directory);

/* Sub-blocks are given as [first, end) of one line. directory_has(): whether
 * `upper` shares or owns one of them. */
bool directory_has(const struct directory *directory, int32_t line,
		   uint32_t first, uint32_t end, int upper);
/* Whether a module other than `except` shares, or owns, one of the sub-blocks;
 * directory_owns(): whether `upper` owns one. */
bool directory_shared(const struct directory *directory, int32_t line,
		      uint32_t first, uint32_t end, int except);
bool directory_owned(const struct directory *directory, int32_t line,
		     uint32_t first, uint32_t end, int except);
bool directory_owns(const struct directory *directory, int32_t line,
		    uint32_t first, uint32_t end, int upper);

void directory_add(struct directory *directory, int32_t line, uint32_t first,
		   uint32_t end, int upper, bool owner);
void directory_remove(struct directory *directory, int32_t line,
		      uint32_t first, uint32_t end, int upper);
/* The owner becomes a sharer. */
void directory_disown(struct directory *directory, int32_t line,
		      uint32_t first, uint32_t end, int upper);
/* Whether a module other than `except` may hold one of the sub-blocks in state
 * N; directory_coherent(): in any other state. */
bool directory_noncoherent(const struct directory *directory, int32_t line,
			   uint32_t first, uint32_t end, int except);
bool directory_coherent(const struct directory *directory, int32_t line,
			uint32_t first, uint32_t end, int except);
void directory_set_noncoherent(struct directory *directory, int32_t line,
			       uint32_t first, uint32_t end, bool noncoherent);
void directory_clear(struct directory *directory, int32_t line);

#endif
