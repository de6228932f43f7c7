/* What lies at the addresses: functions by libelf, source lines by libdw. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "m2s/profile/internal.h"

/* Opens the file if it is still the one that was executed. */
static void open_file(struct profile_file *file)
{
	struct error error;
	struct stat status;

	if (file->opened)
		return;
	file->opened = true;
	if (stat(file->name, &status) || !S_ISREG(status.st_mode) ||
	    (uint64_t)status.st_dev != file->device ||
	    (uint64_t)status.st_ino != file->inode)
		return;
	file->image = elf_open(file->name, &error);
	if (file->image)
		file->lines = dwarf_begin(file->image->file, DWARF_C_READ);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static char *line_of(Dwarf *lines, uint64_t address)
{
	Dwarf_Die unit;
	Dwarf_Line *line;
	const char *name;
	int number;

	if (!lines || !dwarf_addrdie(lines, address, &unit))
		return xstrdup("");
	line = dwarf_getsrc_die(&unit, address);
	name = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	if (!name || dwarf_lineno(line, &number) || !number)
		return xstrdup("");
	return xasprintf("%s:%d", last_part(name), number);
}

static void name_place(struct machine_profile *profile,
		       struct profile_place *place)
{
	struct profile_file *file;
	const char *symbol = NULL;
	uint64_t address, distance;

	if (place->file == PROFILE_NO_FILE) {
		place->function = xstrdup("[memory]");
		place->line = xstrdup("");
		return;
	}
	file = &profile->file[place->file];
	open_file(file);
	if (file->image &&
	    elf_address_of_offset(file->image, place->offset, &address)) {
		symbol = elf_symbol_at(file->image, address, &distance);
		place->line = line_of(file->lines, address);
	} else {
		place->line = xstrdup("");
	}
	place->function = symbol ? xstrdup(symbol)
				 : xasprintf("[%s]", last_part(file->name));
}

static int by_place(const void *left, const void *right)
{
	const struct profile_place *a = left, *b = right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return 0;
}

static void add_targets(struct x86_profile_row *to,
			const struct x86_profile_row *from)
{
	to->other_targets += from->other_targets;
	for (unsigned i = 0; i < from->targets; i++) {
		unsigned k = 0;

		while (k < to->targets &&
		       to->target[k].address != from->target[i].address)
			k++;
		if (k == X86_PROFILE_TARGETS) {
			to->other_targets += from->target[i].count;
			continue;
		}
		if (k == to->targets)
			to->target[to->targets++] =
				(struct x86_profile_target){
					from->target[i].address, 0 };
		to->target[k].count += from->target[i].count;
	}
}

static void add_row(struct x86_profile_row *to,
		    const struct x86_profile_row *from)
{
	to->executions += from->executions;
	to->branches += from->branches;
	to->taken += from->taken;
	to->wrong += from->wrong;
	to->indirect |= from->indirect;
	for (unsigned i = 0; i < X86_CORE_PARTS; i++)
		to->part[i] += from->part[i];
	add_targets(to, from);
}

struct profile_place *profile_places(struct machine_profile *profile,
				     size_t *count)
{
	struct profile_place *places;
	size_t all = 0, kept = 0;

	for (size_t i = 0; i < profile->thread_count; i++)
		all += profile->thread[i]->profile->count;
	places = xcalloc(all + 1, sizeof *places);
	all = 0;
	for (size_t i = 0; i < profile->thread_count; i++) {
		const struct profile_thread *thread = profile->thread[i];

		for (size_t k = 0; k < thread->profile->count; k++) {
			const struct x86_profile_row *row =
				thread->profile->row[k];

			places[all++] = (struct profile_place){
				.file = row->file, .offset = row->offset,
				.address = row->address, .wide = thread->wide,
				.row = *row,
			};
		}
	}
	qsort(places, all, sizeof *places, by_place);
	for (size_t i = 0; i < all; i++) {
		if (kept && !by_place(&places[kept - 1], &places[i]))
			add_row(&places[kept - 1].row, &places[i].row);
		else
			places[kept++] = places[i];
	}
	for (size_t i = 0; i < kept; i++)
		name_place(profile, &places[i]);
	*count = kept;
	return places;
}

void profile_places_free(struct profile_place *places, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(places[i].function);
		free(places[i].line);
	}
	free(places);
}
