/* The checker's own copy of a guest's memory: how it differs from the guest's,
 * and changes that make it equal. Internal to x86/timing/check. */
#ifndef M2S_X86_TIMING_CHECK_IMAGE_H
#define M2S_X86_TIMING_CHECK_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsys/space/space.h"

enum image_change_kind {
	IMAGE_MAP,     /* anew: zeros */
	IMAGE_UNMAP,
	IMAGE_WRITE,
};

struct image_change {
	uint64_t address, size;
	uint8_t *bytes;      /* of IMAGE_WRITE; owned */
	uint8_t kind;        /* enum image_change_kind */
	bool accessible;     /* of IMAGE_MAP; else nobody may read it */
};

struct image_changes {
	struct image_change *list;
	size_t count, capacity;
};

/* Appends what makes the image equal to memory, in the order in which to apply
 * it. What is shared with other processes is mapped, and its bytes are left
 * out; so are those that nobody may read. `whole` pages, or just the bytes that
 * differ. */
void image_compare(const struct space *image, const struct space *memory,
		   bool whole, struct image_changes *changes);
void image_apply(struct space *image, const struct image_change *change);
/* Appends a change with a copy of the bytes. */
void image_note_write(struct image_changes *changes, uint64_t address,
		      const void *bytes, size_t size);
/* Frees the changes and empties the list. */
void image_changes_clear(struct image_changes *changes);
/* A copy of a change that its new owner frees. */
struct image_change image_change_copy(const struct image_change *change);

#endif
