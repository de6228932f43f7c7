/* Physical memory: which frame a page of an address space has. A frame is given
 * at a page's first touch. Mappings that are shared (MAP_SHARED, and files' pages
 * that are not written) have one frame in all address spaces, and so have, after
 * fork(), pages until one side stores to them.
 *
 * Frames are numbers without contents: the emulator has the bytes. */
#ifndef M2S_X86_TIMING_MEMORY_FRAMES_H
#define M2S_X86_TIMING_MEMORY_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

struct space;
struct x86_frames;

enum { X86_PAGE_BITS = 12 }; /* of pages and their frames */

/* Called when translations of [start, end) of an address space, which has this
 * number, are no longer true. */
typedef void x86_frames_lost(void *owner, uint32_t number, uint64_t start,
			     uint64_t end);

struct x86_page_table;

/* Called when something other than an instruction writes to a space, or with
 * `buffer` may write to a part of the range. */
typedef void x86_frames_written(void *owner, struct x86_page_table *table,
				uint64_t start, uint64_t end, bool buffer);

struct x86_frames *x86_frames_create(x86_frames_lost *lost, void *owner);
/* Frames are given from this number on, by default from that of the first
 * megabyte. To be called before any frame is given. */
void x86_frames_begin(struct x86_frames *frames, uint64_t first);
/* Anonymous private memory gets pages of 2 MB where a whole one lies in its
 * mapping, at the first touch of any part. They become small ones when a part of
 * them is unmapped or gets other rights, and with fork(). */
void x86_frames_give_large(struct x86_frames *frames);
/* The spaces that were told to it must not change afterwards, or be gone. */
void x86_frames_free(struct x86_frames *frames);

/* One page table. Numbers begin with 1 and are never used again. */
struct x86_page_table *x86_frames_table(struct x86_frames *frames,
					struct space *space);
uint32_t x86_page_table_number(const struct x86_page_table *table);

/* `written` gets the owner of x86_frames_create(). Spaces told of before are not
 * followed. */
void x86_frames_follow(struct x86_frames *frames, x86_frames_written *written);

enum x86_frame_answer {
	X86_FRAME_KNOWN,
	X86_FRAME_FIRST,  /* it was given now: the operating system works */
	X86_FRAME_COPIED, /* likewise, for a page shared since a fork() */
	X86_FRAME_NONE,   /* nothing is mapped there */
};

/* The frame of a page (an address by 4 KB). *writable: stores need not ask
 * again. *large: it lies in a page of 2 MB. */
enum x86_frame_answer x86_frames_find(struct x86_page_table *table,
				      uint64_t page, bool store,
				      uint64_t *frame, bool *writable,
				      bool *large);
/* Whether that would give no frame and change nothing. */
bool x86_frames_knows(const struct x86_page_table *table, uint64_t page,
		      bool store);
bool x86_frames_is_large(const struct x86_page_table *table, uint64_t page);
/* Whether the table may have large pages. */
bool x86_page_table_mixes(const struct x86_page_table *table);

/* Whether a page has a frame of its own, that is, whether lines of it can be in
 * caches; gives it none. */
bool x86_frames_has(const struct x86_page_table *table, uint64_t page,
		    uint64_t *frame);

struct x86_frames_counts {
#define STATS_MEMBERS
#include "x86/timing/memory/frames.stat.def"
};
const struct x86_frames_counts *
x86_frames_counts(const struct x86_frames *frames);

#endif
