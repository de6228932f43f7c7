/* Sums by function and by source line. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "m2s/profile/internal.h"

void profile_sum_add(struct profile_sum *sum, const struct x86_profile_row *row)
{
	sum->executions += row->executions;
	sum->branches += row->branches;
	sum->taken += row->taken;
	sum->wrong += row->wrong;
	for (unsigned i = 0; i < X86_CORE_PARTS; i++)
		sum->part[i] += row->part[i];
}

void profile_sum_add_all(struct profile_sum *sum,
			 const struct x86_profile *profile)
{
	profile_sum_add(sum, &profile->outside);
	for (size_t i = 0; i < profile->count; i++)
		profile_sum_add(sum, profile->row[i]);
}

uint64_t profile_sum_slots(const struct profile_sum *sum)
{
	uint64_t slots = 0;

	for (unsigned i = 0; i < X86_CORE_PARTS; i++)
		slots += sum->part[i];
	return slots;
}

static int compare(const struct profile_place *a, const struct profile_place *b,
		   bool lines)
{
	int order = a->file == b->file ? 0 : a->file < b->file ? -1 : 1;

	if (!order)
		order = strcmp(lines ? a->line : a->function,
			       lines ? b->line : b->function);
	return order;
}

/* Places of the same group together, otherwise in their order. */
static int by_name(const void *left, const void *right, bool lines)
{
	const struct profile_place *a = *(const struct profile_place *const *)left;
	const struct profile_place *b =
		*(const struct profile_place *const *)right;
	int order = compare(a, b, lines);

	return order ? order : a < b ? -1 : a > b;
}

static int by_function(const void *left, const void *right)
{
	return by_name(left, right, false);
}

static int by_line(const void *left, const void *right)
{
	return by_name(left, right, true);
}

static int by_slots(const void *left, const void *right)
{
	const struct profile_group *a = left, *b = right;
	uint64_t mine = profile_sum_slots(&a->sum);
	uint64_t other = profile_sum_slots(&b->sum);

	if (mine != other)
		return mine > other ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

struct profile_group *profile_groups(const struct profile_place *places,
				     size_t count, bool lines,
				     size_t *group_count)
{
	const struct profile_place **order =
		xcalloc(count + 1, sizeof(struct profile_place *));
	struct profile_group *groups = xcalloc(count + 1, sizeof *groups);
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		order[i] = &places[i];
	qsort(order, count, sizeof *order, lines ? by_line : by_function);
	for (size_t i = 0; i < count; i++) {
		struct profile_group *group;

		if (!i || compare(order[i - 1], order[i], lines))
			groups[used++] = (struct profile_group){
				.name = lines ? order[i]->line
					      : order[i]->function,
				.first = order[i], .worst = order[i],
			};
		group = &groups[used - 1];
		profile_sum_add(&group->sum, &order[i]->row);
		if (x86_profile_slots(&order[i]->row) >
		    x86_profile_slots(&group->worst->row))
			group->worst = order[i];
	}
	qsort(groups, used, sizeof *groups, by_slots);
	free(order);
	*group_count = used;
	return groups;
}

static const struct profile_group *
largest(const struct profile_group *groups, size_t count,
	enum x86_core_part part, uint64_t *all)
{
	const struct profile_group *most = NULL;

	*all = 0;
	for (size_t i = 0; i < count; i++) {
		*all += groups[i].sum.part[part];
		if (groups[i].sum.part[part] > (most ? most->sum.part[part] : 0))
			most = &groups[i];
	}
	return most;
}

char *machine_profile_worst(struct machine_profile *profile,
			    enum x86_core_part part, double *share)
{
	size_t count, used;
	struct profile_place *places = profile_places(profile, &count);
	struct profile_group *groups =
		profile_groups(places, count, false, &used);
	const struct profile_group *most;
	uint64_t all, own = 0;
	const struct profile_place *worst = NULL;
	char *text = NULL;

	most = largest(groups, used, part, &all);
	for (size_t i = 0; most && i < count; i++)
		if (!compare(&places[i], most->first, false) &&
		    places[i].row.part[part] > own) {
			own = places[i].row.part[part];
			worst = &places[i];
		}
	if (worst) {
		*share = (double)most->sum.part[part] / (double)all;
		text = xasprintf("%s%s%s", most->name,
				 *worst->line ? " at " : "", worst->line);
	}
	free(groups);
	profile_places_free(places, count);
	return text;
}
