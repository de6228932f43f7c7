/* The branches that lose most time, for the profile and the x86 report. */
#include <stdlib.h>

#include "base/memory.h"
#include "m2s/profile/internal.h"

uint64_t profile_branch_loss(const struct profile_place *place)
{
	return place->row.part[X86_CORE_BRANCH] +
	       place->row.part[X86_CORE_RESTEER];
}

static int by_loss(const void *left, const void *right)
{
	const struct profile_place *a = *(const struct profile_place *const *)left;
	const struct profile_place *b =
		*(const struct profile_place *const *)right;

	uint64_t left_loss = profile_branch_loss(a);
	uint64_t right_loss = profile_branch_loss(b);

	if (left_loss != right_loss)
		return left_loss > right_loss ? -1 : 1;
	if (a->row.wrong != b->row.wrong)
		return a->row.wrong > b->row.wrong ? -1 : 1;
	return a < b ? -1 : a > b;
}

const struct profile_place **
profile_hot_branches(const struct profile_place *places, size_t count,
		     size_t *used)
{
	const struct profile_place **list =
		xcalloc(count + 1, sizeof(struct profile_place *));

	*used = 0;
	for (size_t i = 0; i < count; i++)
		if (places[i].row.wrong || profile_branch_loss(&places[i]))
			list[(*used)++] = &places[i];
	qsort(list, *used, sizeof *list, by_loss);
	return list;
}

static void report_branch(const struct machine_profile *profile,
			  const struct profile_place *place,
			  struct stats_section *section)
{
	const struct x86_profile_row *row = &place->row;
	struct stats_name address;

	stats_text(section, "Address",
		   stats_name(&address, "0x%llx",
			      (unsigned long long)place->address),
		   "address of the branch in the first thread that executed "
		   "it");
	stats_text(section, "Function", place->function,
		   "its function, or its file in brackets");
	stats_text(section, "Line", *place->line ? place->line : "-",
		   "its source line; -: not known");
	stats_u64(section, "Executions", row->branches, "branches",
		  "times that it has retired");
	stats_u64(section, "Taken", row->taken, "branches",
		  "times that it was taken");
	stats_u64(section, "Mispred", row->wrong, "branches",
		  "times that it was mispredicted");
	stats_u64(section, "Targets", row->indirect ? row->targets : 1, "",
		  "different targets of an indirect branch, as far as they "
		  "were counted");
	stats_double(section, "LostCycles",
		     (double)profile_branch_loss(place) / profile->width,
		     "cycles", "cycles without work behind it: after "
		     "mispredictions, and until its target was known");
}

void machine_profile_report_branches(struct machine_profile *profile,
				     struct stats *stats, uint64_t most)
{
	size_t count, used;
	struct profile_place *places = profile_places(profile, &count);
	const struct profile_place **list =
		profile_hot_branches(places, count, &used);
	struct stats_name name;

	for (size_t i = 0; i < used && i < most; i++)
		report_branch(profile, list[i],
			      stats_section(stats, "x86",
					    stats_name(&name, "HotBranch %zu",
						       i)));
	free(list);
	profile_places_free(places, count);
}
