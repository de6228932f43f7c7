#include "opencl-rt/codegen/path/ways.h"

#include <string.h>

#include "base/memory.h"

static const struct {
	const char *name;
	enum way_access access;
	enum way way;
} names[] = {
	{ "amd", WAY_OF_READS, WAY_AMD },
	{ "cached", WAY_OF_READS, WAY_CACHED },
	{ "uncached", WAY_OF_READS, WAY_UNCACHED },
	{ "amd", WAY_OF_WRITES, WAY_AMD },
	{ "fast", WAY_OF_WRITES, WAY_FAST },
	{ "complete", WAY_OF_WRITES, WAY_COMPLETE },
};

static const char *const expected[] = {
	[WAY_OF_READS] = "cached, uncached or amd",
	[WAY_OF_WRITES] = "fast, complete or amd",
};

static bool is_word(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && !memcmp(text, word, length);
}

bool way_next(enum way_access access, const char **text, struct way_part *part,
	      struct error *error)
{
	const char *start = *text, *way = start, *equals, *dot;
	size_t length = strcspn(start, ",");

	if (!*start)
		return false;
	*part = (struct way_part){ .name = NULL };
	equals = memchr(start, '=', length);
	if (equals) {
		dot = memchr(start, '.', (size_t)(equals - start));
		if (dot) {
			part->kernel = start;
			part->kernel_length = (size_t)(dot - start);
		}
		part->name = dot ? dot + 1 : start;
		part->name_length = (size_t)(equals - part->name);
		way = equals + 1;
	}
	*text = start + length + (start[length] == ',');
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].access == access &&
		    is_word(way, (size_t)(start + length - way),
			    names[i].name)) {
			part->way = names[i].way;
			return true;
		}
	if (error)
		error_set(error, "'%.*s': expected %s, for all buffers or as "
			  "ARGUMENT=WAY or KERNEL.ARGUMENT=WAY", (int)length,
			  start, expected[access]);
	return false;
}

int way_check(enum way_access access, const char *text, struct error *error)
{
	struct way_part part;
	const char *end = text + strlen(text);

	if (!*text)
		return error_set(error, "expected %s", expected[access]);
	while (text != end)
		if (!way_next(access, &text, &part, error))
			return -1;
	return 0;
}

bool way_part_is_of(const struct way_part *part, const char *kernel,
		    const char *argument)
{
	if (!part->name)
		return true;
	return argument && is_word(part->name, part->name_length, argument) &&
	       (!part->kernel ||
		is_word(part->kernel, part->kernel_length, kernel));
}

enum way way_of(enum way_access access, const char *text, const char *kernel,
		const char *argument)
{
	enum way way = access == WAY_OF_READS ? WAY_CACHED : WAY_FAST;
	struct way_part part;

	while (text && way_next(access, &text, &part, NULL))
		if (way_part_is_of(&part, kernel, argument))
			way = part.way;
	return way;
}
