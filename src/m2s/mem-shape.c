#include "m2s/mem-shape.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const struct {
	const char *name, *variable;
} rows[] = {
	{ "units", "evg:Device.NumComputeUnits" },
	{ "l1", "evg:Memory.L1Size" },
	{ "l2", "evg:Memory.L2SliceSize" },
	{ "slices", "evg:Memory.L2Slices" },
	{ "channels", "evg:Memory.Channels" },
};

static int add_word(struct settings *settings, const char *word, size_t length,
		    struct error *error)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t name = strlen(rows[i].name);
		char *setting;
		int status;

		if (length < name + 2 || word[name] != '=' ||
		    strncmp(word, rows[i].name, name))
			continue;
		setting = xasprintf("%s%.*s", rows[i].variable,
				    (int)(length - name), word + name);
		status = settings_add(settings, setting, error);
		free(setting);
		return status;
	}
	return error_set(error, "--mem-shape: '%.*s': expected units=N, l1=N, "
			 "l2=N, slices=N or channels=N", (int)length, word);
}

int mem_shape_add(struct settings *settings, const char *text,
		  struct error *error)
{
	while (true) {
		size_t length = strcspn(text, ",");

		if (add_word(settings, text, length, error))
			return -1;
		if (!text[length])
			return 0;
		text += length + 1;
	}
}
