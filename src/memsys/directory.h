/* Who above has which part of a module's blocks: owner and sharers.
 *
 * One entry per line and sub-block; a sub-block is the smallest block of the
 * modules above. The modules above are numbered by the module. Entries may
 * name modules that have dropped a clean block without a word. */
#ifndef M2S_MEMSYS_DIRECTORY_H
#define M2S_MEMSYS_DIRECTORY_H

#include <stdbool.h>
#include <stdint.h>

enum { DIRECTORY_NOBODY = -1 };

struct directory {
	uint32_t sub_blocks, sub_size; /* per line; bytes */
	uint32_t words;                /* 64 modules each */
	int16_t *owners;
	uint64_t *sharers;
	bool *noncoherent; /* those who have it have it in state N */
};

struct directory *directory_create(uint32_t lines, uint32_t sub_blocks,
				   uint32_t sub_size, uint32_t uppers);
void directory_free(struct directory *directory);

/* Sub-blocks are given as [first, end) of one line. */
bool directory_has(const struct directory *directory, int32_t line,
		   uint32_t first, uint32_t end, int upper);
/* Somebody other than `except` shares, or owns, one of them. */
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
/* One of the sub-blocks may be written non-coherently above by somebody other
 * than `except`; or somebody else has one of them in another way. */
bool directory_noncoherent(const struct directory *directory, int32_t line,
			   uint32_t first, uint32_t end, int except);
bool directory_coherent(const struct directory *directory, int32_t line,
			uint32_t first, uint32_t end, int except);
void directory_set_noncoherent(struct directory *directory, int32_t line,
			       uint32_t first, uint32_t end, bool noncoherent);
void directory_clear(struct directory *directory, int32_t line);

#endif
