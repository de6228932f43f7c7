/* Mistakes that several passes of the reader of memory configurations find. */
#include "memsys/read/reader.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/nearest.h"

int reader_no_such(struct reader *reader, const struct ini_value *value,
		   const char *kind, const char *name, const char *what)
{
	size_t count = ini_section_count(reader->ini), used = 0;
	const char **names = xcalloc(count + 1, sizeof *names);
	const char *near;

	for (size_t i = 0; i < count; i++) {
		const struct ini_section *section =
			ini_section_at(reader->ini, i);
		const char *rest =
			ini_name_after(ini_section_name(section), kind);

		if (rest)
			names[used++] = rest;
	}
	near = nearest_name(name, names, used);
	free(names);
	if (near)
		return ini_error(value, reader->error,
				 "no such %s (did you mean '%s'?)", what,
				 near);
	return ini_error(value, reader->error, "no such %s", what);
}

int reader_check_power(struct reader *reader, struct ini_section *section,
		       const char *name, uint64_t value)
{
	struct ini_value *place = ini_find(section, name);

	if (reader_is_power(value))
		return 0;
	if (place)
		return ini_error(place, reader->error,
				 "must be a power of two");
	return ini_section_error(section, reader->error,
				 "%s must be a power of two", name);
}

uint32_t reader_exact(const struct reader *reader, double frequency)
{
	uint32_t whole = (uint32_t)frequency;

	return reader->memsys->exact_clocks && whole == frequency &&
			       frequency != reader->memsys->rounded_clock
		       ? whole
		       : 0;
}
