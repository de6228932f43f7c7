#include <stdlib.h>

#include "base/memory.h"
#include "x86/timing/branches/format.h"

static size_t home(const struct branch_paths *paths, uint32_t process,
		   uint64_t start)
{
	uint64_t mixed = (start + process) * UINT64_C(0x9e3779b97f4a7c15);

	return mixed >> 32 & (paths->slot_count - 1);
}

static uint32_t *slot_for(const struct branch_paths *paths, uint32_t process,
			  uint64_t start)
{
	size_t at = home(paths, process, start);

	for (;; at = (at + 1) & (paths->slot_count - 1)) {
		uint32_t *slot = &paths->slots[at];

		if (!*slot || (paths->list[*slot - 1].start == start &&
			       paths->list[*slot - 1].process == process))
			return slot;
	}
}

struct branch_path *branch_paths_find(const struct branch_paths *paths,
				      uint32_t process, uint64_t start)
{
	uint32_t found = paths->slot_count
				 ? *slot_for(paths, process, start)
				 : 0;

	return found ? &paths->list[found - 1] : NULL;
}

/* At most half of the slots are used. */
static void grow(struct branch_paths *paths)
{
	if (2 * (paths->count + 1) <= paths->slot_count)
		return;
	paths->slot_count = paths->slot_count ? 2 * paths->slot_count : 1024;
	free(paths->slots);
	paths->slots = xcalloc(paths->slot_count, sizeof *paths->slots);
	for (size_t i = 0; i < paths->count; i++)
		*slot_for(paths, paths->list[i].process, paths->list[i].start) =
			(uint32_t)i + 1;
}

struct branch_path *branch_paths_put(struct branch_paths *paths,
				     const struct branch_path *path)
{
	uint32_t *slot;

	grow(paths);
	slot = slot_for(paths, path->process, path->start);
	if (!*slot) {
		ARRAY_GROW(paths->list, paths->count, paths->capacity);
		*slot = (uint32_t)++paths->count;
	}
	paths->list[*slot - 1] = *path;
	return &paths->list[*slot - 1];
}

void branch_paths_clear(struct branch_paths *paths)
{
	free(paths->list);
	free(paths->slots);
	*paths = (struct branch_paths){ 0 };
}

size_t branch_threads_find(struct branch_threads *threads, uint32_t process,
			   uint32_t thread)
{
	for (size_t i = 0; i < threads->count; i++)
		if (threads->list[i].process == process &&
		    threads->list[i].thread == thread)
			return i;
	ARRAY_GROW(threads->list, threads->count, threads->capacity);
	threads->list[threads->count] = (struct branch_thread){
		.process = process,
		.thread = thread,
	};
	return threads->count++;
}
