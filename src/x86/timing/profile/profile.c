#include "x86/timing/profile/profile.h"

#include <stdlib.h>

#include "base/memory.h"

enum { FIRST_SIZE = 1024 };

struct x86_profile *x86_profile_create(
	void (*made)(void *owner, struct x86_profile_row *row), void *owner)
{
	struct x86_profile *profile = xcalloc(1, sizeof *profile);

	profile->made = made;
	profile->owner = owner;
	profile->size = FIRST_SIZE;
	profile->table = xcalloc(profile->size, sizeof *profile->table);
	return profile;
}

void x86_profile_free(struct x86_profile *profile)
{
	if (!profile)
		return;
	for (size_t i = 0; i < profile->count; i++)
		free(profile->row[i]);
	free(profile->row);
	free(profile->table);
	free(profile);
}

static size_t place_of(const struct x86_profile *profile, uint64_t address)
{
	size_t place = (size_t)((address * 0x9e3779b97f4a7c15) >> 20);

	while (profile->table[place & (profile->size - 1)] &&
	       profile->table[place & (profile->size - 1)]->address != address)
		place++;
	return place & (profile->size - 1);
}

static void grow(struct x86_profile *profile)
{
	free(profile->table);
	profile->size *= 2;
	profile->table = xcalloc(profile->size, sizeof *profile->table);
	for (size_t i = 0; i < profile->count; i++)
		profile->table[place_of(profile, profile->row[i]->address)] =
			profile->row[i];
}

struct x86_profile_row *x86_profile_row(struct x86_profile *profile,
					uint64_t address)
{
	struct x86_profile_row *row = profile->table[place_of(profile, address)];

	if (row)
		return row;
	if (profile->count * 2 >= profile->size)
		grow(profile);
	row = xcalloc(1, sizeof *row);
	row->address = address;
	profile->table[place_of(profile, address)] = row;
	ARRAY_GROW(profile->row, profile->count, profile->capacity);
	profile->row[profile->count++] = row;
	if (profile->made)
		profile->made(profile->owner, row);
	return row;
}

static void note_target(struct x86_profile_row *row, uint64_t next)
{
	for (unsigned i = 0; i < row->targets; i++) {
		if (row->target[i].address != next)
			continue;
		row->target[i].count++;
		return;
	}
	if (row->targets == X86_PROFILE_TARGETS)
		row->other_targets++;
	else
		row->target[row->targets++] =
			(struct x86_profile_target){ next, 1 };
}

void x86_profile_branch(struct x86_profile *profile, uint64_t address,
			uint64_t next, bool taken, bool wrong, bool indirect)
{
	struct x86_profile_row *row = x86_profile_row(profile, address);

	row->branches++;
	row->taken += taken;
	row->wrong += wrong;
	row->indirect = indirect;
	if (indirect)
		note_target(row, next);
}

uint64_t x86_profile_slots(const struct x86_profile_row *row)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < X86_CORE_PARTS; i++)
		sum += row->part[i];
	return sum;
}
