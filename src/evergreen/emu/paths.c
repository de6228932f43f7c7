#include "evergreen/emu/paths.h"

void evg_paths_start(struct evg_paths *paths, uint64_t lanes)
{
	paths->seen = lanes;
	paths->count = 1;
	paths->lanes[0] = lanes;
}

void evg_paths_part(struct evg_paths *paths, uint64_t active)
{
	uint32_t count = paths->count;

	paths->seen = active;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t inside = paths->lanes[i] & active;

		if (!inside || inside == paths->lanes[i])
			continue;
		paths->lanes[paths->count++] = paths->lanes[i] & ~active;
		paths->lanes[i] = inside;
	}
}

/* The larger ones first. */
static void add_several(const struct evg_paths *paths,
			struct evg_path_counts *counts)
{
	uint32_t with_size[EVG_WAVEFRONT_SIZE + 1] = { 0 }, rank = 0;

	for (uint32_t i = 0; i < paths->count; i++)
		with_size[__builtin_popcountll(paths->lanes[i])]++;
	for (uint32_t size = EVG_WAVEFRONT_SIZE; size; size--)
		for (; with_size[size]; with_size[size]--)
			counts->work_items[rank++] += size;
	counts->wavefronts[paths->count]++;
}

void evg_paths_add(const struct evg_paths *paths,
		   struct evg_path_counts *counts)
{
	if (paths->count != 1) {
		add_several(paths, counts);
		return;
	}
	/* Most often all go the same way. */
	counts->work_items[0] +=
		paths->lanes[0] == UINT64_MAX
			? EVG_WAVEFRONT_SIZE
			: (uint64_t)__builtin_popcountll(paths->lanes[0]);
	counts->wavefronts[1]++;
}
