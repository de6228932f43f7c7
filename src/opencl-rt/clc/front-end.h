/* The targets of clang through which OpenCL C can come: front-end.def. */
#ifndef M2S_OPENCL_RT_CLC_FRONT_END_H
#define M2S_OPENCL_RT_CLC_FRONT_END_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* The first is the one whose IR all else works with. */
enum front_end {
#define FRONT_END(id, ...) FRONT_END_##id,
#include "opencl-rt/clc/front-end.def"
	FRONT_END_COUNT
};

struct front_end_info {
	const char *name, *triple;
	unsigned kernel; /* calling convention */
	bool has_chips;
	const char *options[4]; /* ends in NULL */
};

extern const struct front_end_info front_end_info[FRONT_END_COUNT];

/* Reads a front end's name. -1 and *error. */
int front_end_read(const char *name, enum front_end *front_end,
		   struct error *error);

#endif
