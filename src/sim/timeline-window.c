/* Which events of a run a timeline has, as users ask for them. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/timeline.h"

static const char *const kind_names[TIMELINE_KINDS] = {
	[TIMELINE_LAUNCHES] = "launches", [TIMELINE_GROUPS] = "groups",
	[TIMELINE_WAVEFRONTS] = "wavefronts", [TIMELINE_ENGINES] = "engines",
	[TIMELINE_CORES] = "cores",
};

/* Digits, or nothing: *number is left as it is. */
static const char *skip_number(const char *text, uint64_t *number)
{
	char *end;

	if (*text < '0' || *text > '9')
		return text;
	*number = strtoull(text, &end, 10);
	return end;
}

/* "A", "A-B", "A-" or "-B"; the end of the text that was read, or NULL. */
static const char *read_range(const char *text, struct timeline_range *range)
{
	const char *end;

	*range = (struct timeline_range){ 0, UINT64_MAX };
	end = skip_number(text, &range->from);
	if (*end != '-') {
		range->to = range->from + 1;
		return end > text ? end : NULL;
	}
	text = end + 1;
	end = skip_number(text, &range->to);
	if (end > text && range->to < UINT64_MAX)
		range->to++;
	return range->from < range->to ? end : NULL;
}

static int read_set(const char *option, const char *text,
		    struct timeline_set *set, struct error *error)
{
	const char *rest = text;

	set->count = 0;
	while (rest && (rest == text || *rest == ',')) {
		if (set->count == TIMELINE_RANGES)
			return error_set(error, "--%s %s: more than %d ranges",
					 option, text, TIMELINE_RANGES);
		rest = read_range(rest + (rest != text),
				  &set->range[set->count++]);
	}
	if (!rest || *rest)
		return error_set(error, "--%s %s: expected numbers or ranges "
				 "as 3-5, separated by commas", option, text);
	return 0;
}

static int read_kinds(const char *text, bool *kinds, struct error *error)
{
	memset(kinds, 0, TIMELINE_KINDS * sizeof *kinds);
	for (const char *name = text;; name++) {
		size_t length = strcspn(name, ","), i = 0;

		while (i < TIMELINE_KINDS &&
		       (strlen(kind_names[i]) != length ||
			strncmp(name, kind_names[i], length)))
			i++;
		if (i == TIMELINE_KINDS)
			return error_set(error, "--trace-events %s: expected "
					 "launches, groups, wavefronts, "
					 "engines, cores, or several separated "
					 "by commas", text);
		kinds[i] = true;
		name += length;
		if (!*name)
			return 0;
	}
}

int timeline_window_parse(struct timeline_window *window,
			  const struct timeline_texts *texts,
			  struct error *error)
{
	const char *rest;

	*window = (struct timeline_window){ .cycles = { 0, UINT64_MAX } };
	for (int i = 0; i < TIMELINE_KINDS; i++)
		window->kind[i] = true;
	if (texts->cycles) {
		rest = read_range(texts->cycles, &window->cycles);
		if (!rest || *rest)
			return error_set(error, "--trace-cycles %s: expected "
					 "a range as 1000-2000, 1000- or -2000",
					 texts->cycles);
	}
	if ((texts->launches && read_set("trace-launches", texts->launches,
					 &window->launches, error)) ||
	    (texts->units && read_set("trace-units", texts->units,
				      &window->units, error)) ||
	    (texts->kinds && read_kinds(texts->kinds, window->kind, error)))
		return -1;
	return 0;
}

bool timeline_set_has(const struct timeline_set *set, uint64_t number)
{
	for (unsigned i = 0; i < set->count; i++)
		if (number >= set->range[i].from && number < set->range[i].to)
			return true;
	return !set->count;
}
