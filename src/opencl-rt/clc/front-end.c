#include "opencl-rt/clc/front-end.h"

#include <string.h>

const struct front_end_info front_end_info[FRONT_END_COUNT] = {
#define FRONT_END(id, name, triple, kernel, has_chips, ...)                    \
	[FRONT_END_##id] = { name, triple, kernel, has_chips, { __VA_ARGS__ } },
#include "opencl-rt/clc/front-end.def"
};

int front_end_read(const char *name, enum front_end *front_end,
		   struct error *error)
{
	for (unsigned i = 0; i < FRONT_END_COUNT; i++)
		if (!strcmp(front_end_info[i].name, name)) {
			*front_end = (enum front_end)i;
			return 0;
		}
	return error_set(error, "there is no front end '%s': %s or %s", name,
			 front_end_info[FRONT_END_R600].name,
			 front_end_info[FRONT_END_SPIR].name);
}
