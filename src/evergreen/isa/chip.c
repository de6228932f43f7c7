#include "evergreen/isa/chip.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

const struct evg_chip_info evg_chip_info[EVG_CHIP_COUNT] = {
#define CHIP(id, ...) [EVG_CHIP_##id] = { __VA_ARGS__ },
#include "evergreen/isa/chip.def"
};

int evg_chip_find(const char *name, size_t length)
{
	for (int i = 0; i < EVG_CHIP_COUNT; i++)
		if (strlen(evg_chip_info[i].name) == length &&
		    !memcmp(evg_chip_info[i].name, name, length))
			return i;
	return -1;
}

int evg_chip_by_number(uint32_t number)
{
	for (int i = 0; i < EVG_CHIP_COUNT; i++)
		if (evg_chip_info[i].number == number)
			return i;
	return -1;
}

char *evg_chip_names(void)
{
	char *text = xstrdup(evg_chip_info[0].name);

	for (int i = 1; i < EVG_CHIP_COUNT; i++) {
		char *more = xasprintf("%s%s%s", text,
				       i + 1 < EVG_CHIP_COUNT ? ", " : " or ",
				       evg_chip_info[i].name);

		free(text);
		text = more;
	}
	return text;
}

const char *evg_chip_lacks(enum evg_chip chip, enum evg_alu_op op)
{
	const struct evg_alu_info *info = &evg_alu_info[op];

	if (op == EVG_ALU_FMA && !evg_chip_info[chip].fma)
		return "FMA";
	if ((info->takes_doubles || info->gives_double) &&
	    !evg_chip_info[chip].fp64)
		return "double-precision units";
	return NULL;
}
