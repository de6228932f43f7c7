/* --mem-shape: the built-in memory hierarchy in a few numbers. */
#ifndef M2S_M2S_MEM_SHAPE_H
#define M2S_M2S_MEM_SHAPE_H

#include "base/error.h"
#include "base/settings.h"

/* Adds the settings that a text "units=10,l1=16k" stands for. -1 and *error if
 * it is malformed. */
int mem_shape_add(struct settings *settings, const char *text,
		  struct error *error);

#endif
