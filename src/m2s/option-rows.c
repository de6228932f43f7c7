#include "m2s/option-rows.h"

#include <string.h>

#include "base/memory.h"
#include "x86/timing/core/preset.h"

static const struct {
	const char *option, *words;
} values[] = {
#define VALUES(option, words) { option, words },
#include "m2s/option-values.def"
	{ "evg-preset",
#define PRESET(id, name, ...) name " "
#define PRESET_VALUE(...)
#include "evergreen/timing/preset.def"
	},
	{ "net-traffic-pattern",
#define PATTERN(id, name, doc) name " "
#include "network/traffic.def"
	},
};

/* A list as messages have it, "a, b or c", in words. */
static void print_words(FILE *stream, const char *list)
{
	while (*list) {
		size_t length = strcspn(list, ", ");

		if (length != 2 || strncmp(list, "or", 2))
			fprintf(stream, "%.*s ", (int)length, list);
		list += length;
		list += strspn(list, ", ");
	}
}

void option_row(FILE *stream, const char *name, const char *argument,
		const char *help)
{
	fprintf(stream, "\t--%s\t%s\t", name, argument);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		if (!strcmp(values[i].option, name))
			fputs(values[i].words, stream);
	if (!strcmp(name, "x86-preset"))
		print_words(stream, x86_core_names());
	fprintf(stream, "\t%s\n", help);
}
