#include "opencl-rt/codegen/stage/stage.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const char *const names[STAGE_COUNT] = {
#define STAGE(name, text) [STAGE_##name] = text,
#include "opencl-rt/codegen/stage/stage.def"
};

const char *stage_name(enum stage stage)
{
	return names[stage];
}

enum stage stage_find(const char *text)
{
	for (unsigned i = STAGE_NONE + 1; i < STAGE_COUNT; i++)
		if (!strcmp(names[i], text))
			return (enum stage)i;
	return STAGE_NONE;
}

int stage_set(const char *text, unsigned *set, struct error *error)
{
	while (*text) {
		size_t length = strcspn(text, ",");
		char *name = xasprintf("%.*s", (int)length, text);
		enum stage stage = stage_find(name);

		if (stage == STAGE_NONE || stage == STAGE_SELECT ||
		    stage == STAGE_REGISTERS) {
			error_set(error, "there is no pass '%s' to be switched "
				  "off", name);
			free(name);
			return -1;
		}
		free(name);
		*set |= 1u << stage;
		text += length + (text[length] == ',');
	}
	return 0;
}

void stage_end(struct stage_watch *watch, const struct machine *machine,
	       enum stage stage)
{
	bool placed = stage == STAGE_REGISTERS;
	const char *why;
	unsigned place = 0;

	if (watch->print_after == stage) {
		fprintf(stderr, "%s after %s:\n", watch->kernel, names[stage]);
		stage_print(stderr, machine, placed);
	}
	if (*watch->fault)
		return;
	why = stage_verify(machine, &place);
	if (!why && placed)
		why = stage_verify_places(machine, &place);
	if (why)
		snprintf(watch->fault, sizeof watch->fault,
			 "internal error after stage %s, instruction %u: %s",
			 names[stage], place, why);
}
