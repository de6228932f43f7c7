#include "report/wavefront-report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "evergreen/emu/count/wavefront-stats.h"
#include "report/kernel-report.h"

struct launch {
	const struct evg_wavefront_stats *wavefronts;
	uint64_t index, wavefront_count, wavefronts_per_group;
	uint64_t items_per_group, groups[3];
};

/* --- Paths ---------------------------------------------------------------- */

/* Work-items of the launch whose paths have the same digest. */
struct digest {
	uint64_t digest, work_items;
};

static int compare_digests(const void *a, const void *b)
{
	const struct digest *left = a, *right = b;

	return (left->digest > right->digest) - (left->digest < right->digest);
}

/* The most frequent first. */
static int compare_counts(const void *a, const void *b)
{
	const struct digest *left = a, *right = b;

	if (left->work_items != right->work_items)
		return left->work_items < right->work_items ? 1 : -1;
	return compare_digests(a, b);
}

/* The caller frees the result. */
static struct digest *collect_digests(const struct launch *launch,
				      size_t *count)
{
	struct digest *digests = NULL;
	size_t all = 0, capacity = 0, different = 0;

	for (uint64_t i = 0; i < launch->wavefront_count; i++)
		for (uint32_t k = 0; k < launch->wavefronts[i].path_count; k++) {
			const struct evg_wavefront_path *path =
				&launch->wavefronts[i].paths[k];

			ARRAY_GROW(digests, all, capacity);
			digests[all++] = (struct digest){
				path->digest,
				(uint64_t)__builtin_popcountll(path->lanes),
			};
		}
	if (all)
		qsort(digests, all, sizeof *digests, compare_digests);
	for (size_t i = 0; i < all; i++)
		if (different &&
		    digests[different - 1].digest == digests[i].digest)
			digests[different - 1].work_items +=
				digests[i].work_items;
		else
			digests[different++] = digests[i];
	if (different)
		qsort(digests, different, sizeof *digests, compare_counts);
	*count = different;
	return digests;
}

static void add_digests(struct stats_section *section,
			const struct launch *launch)
{
	size_t count;
	struct digest *digests = collect_digests(launch, &count);

#define STATS_REGISTRATION
#define WAVEFRONT_DIGESTS
#include "report/wavefront.stat.def"
	for (size_t i = 0; i < count; i++) {
		struct stats_name name;
		char text[20];

		snprintf(text, sizeof text, "%016" PRIx64, digests[i].digest);
#define STATS_REGISTRATION
#define WAVEFRONT_DIGEST
#include "report/wavefront.stat.def"
	}
	free(digests);
}

/* Numbers of work-items as ranges: "0-15 17 19-63". */
static void add_path(struct stats_section *section, uint32_t number,
		     uint64_t lanes, uint64_t first)
{
	struct stats_name name;
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	for (unsigned i = 0; stream && i < EVG_WAVEFRONT_SIZE; i++) {
		unsigned from = i;

		if (!(lanes >> i & 1))
			continue;
		while (i + 1 < EVG_WAVEFRONT_SIZE && lanes >> (i + 1) & 1)
			i++;
		fprintf(stream, "%s%" PRIu64,
			from == (unsigned)__builtin_ctzll(lanes) ? "" : " ",
			first + from);
		if (i > from)
			fprintf(stream, "-%" PRIu64, first + i);
	}
	if (stream)
		fclose(stream);
#define STATS_REGISTRATION
#define WAVEFRONT_PATH
#include "report/wavefront.stat.def"
	free(text);
}

static void add_paths(struct stats_section *section,
		      const struct evg_wavefront_stats *wavefront,
		      uint64_t first)
{
	uint64_t sizes[EVG_WAVEFRONT_SIZE];

	for (uint32_t i = 0; i < wavefront->path_count; i++)
		sizes[i] = (uint64_t)__builtin_popcountll(
			wavefront->paths[i].lanes);
#define STATS_REGISTRATION
#define WAVEFRONT_PATHS
#include "report/wavefront.stat.def"
	stats_section_freeze(section);
	for (uint32_t i = 0; i < wavefront->path_count; i++)
		add_path(section, i, wavefront->paths[i].lanes, first);
}

/* --- Sections ------------------------------------------------------------- */

static struct stats_section *new_section(struct stats *stats,
					 const struct launch *launch,
					 const char *kind, uint64_t number)
{
	struct stats_name name;
	struct stats_section *section = stats_new_section(
		stats, "kernel",
		stats_name(&name, "NDRange[%" PRIu64 "].%s[%" PRIu64 "]",
			   launch->index, kind, number));

#define STATS_REGISTRATION
#define WAVEFRONT_SECTION
#include "report/wavefront.stat.def"
	return section;
}

static void add_work_group(struct stats *stats, const struct launch *launch,
			   uint64_t group)
{
	struct stats_section *section =
		new_section(stats, launch, "WorkGroup", group);
	char position[80];

	snprintf(position, sizeof position,
		 "%" PRIu64 " %" PRIu64 " %" PRIu64,
		 group % launch->groups[0],
		 group / launch->groups[0] % launch->groups[1],
		 group / launch->groups[0] / launch->groups[1]);
#define STATS_REGISTRATION
#define WAVEFRONT_WORK_GROUP
#include "report/wavefront.stat.def"
	kernel_report_range(section, "WaveFront", "wavefronts",
			    group * launch->wavefronts_per_group,
			    launch->wavefronts_per_group);
	kernel_report_range(section, "WorkItem", "work-items",
			    group * launch->items_per_group,
			    launch->items_per_group);
}

static void add_wavefront(struct stats *stats, const struct launch *launch,
			  uint64_t number)
{
	const struct evg_wavefront_stats *wavefront =
		&launch->wavefronts[number];
	struct stats_section *section =
		new_section(stats, launch, "Wavefront", number);
	uint64_t group = number / launch->wavefronts_per_group;
	uint64_t first = number % launch->wavefronts_per_group *
			 EVG_WAVEFRONT_SIZE;
	uint64_t items = launch->items_per_group - first;

	if (items > EVG_WAVEFRONT_SIZE)
		items = EVG_WAVEFRONT_SIZE;
	first += group * launch->items_per_group;
#define STATS_REGISTRATION
#define WAVEFRONT_OF
#include "report/wavefront.stat.def"
	kernel_report_range(section, "WorkItem", "work-items", first, items);
	kernel_report_counts(section, &wavefront->n, wavefront->global_reads);
	add_paths(section, wavefront, first);
}

void wavefront_report_add(struct stats *stats, struct evg_ndrange *ndrange,
			  uint64_t index)
{
	const struct evg_launch *of = evg_ndrange_launch(ndrange);
	struct launch launch = {
		.index = index,
		.wavefronts_per_group =
			evg_ndrange_wavefronts_per_group(ndrange),
		.items_per_group = 1,
	};
	char *name = xasprintf("NDRange[%" PRIu64 "]", index);

	launch.wavefronts =
		evg_ndrange_wavefront_stats(ndrange, &launch.wavefront_count);
	for (int d = 0; d < 3; d++) {
		launch.groups[d] = of->global_size[d] / of->local_size[d];
		launch.items_per_group *= of->local_size[d];
	}
	add_digests(stats_section(stats, "kernel", name), &launch);
	free(name);
	for (uint64_t i = 0; i < launch.wavefront_count;
	     i += launch.wavefronts_per_group)
		if (launch.wavefronts[i].started)
			add_work_group(stats, &launch,
				       i / launch.wavefronts_per_group);
	for (uint64_t i = 0; i < launch.wavefront_count; i++)
		if (launch.wavefronts[i].started)
			add_wavefront(stats, &launch, i);
}
