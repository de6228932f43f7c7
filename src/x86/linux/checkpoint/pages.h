/* Pages of memory in a checkpoint. */
#ifndef M2S_X86_LINUX_CHECKPOINT_PAGES_H
#define M2S_X86_LINUX_CHECKPOINT_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsys/space/space.h"

/* The kind of a run of pages. It follows the run's address and count in a PAGE
 * section. */
enum run_kind { RUN_DATA, RUN_ZERO };

struct saved_region {
	struct space_region region;
	char *name;
	/* Number of pages, from the start, that could be read: a file may be
	 * shorter than its mapping. */
	uint64_t extent;
};

struct saved_regions {
	struct saved_region *list;
	size_t count, capacity;
};

/* Whether a region maps a file. */
bool region_is_file(const struct space_region *region);

#endif
