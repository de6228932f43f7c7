/* Suggestions for a misspelt name. */
#ifndef M2S_BASE_NEAREST_H
#define M2S_BASE_NEAREST_H

#include <stddef.h>

/* The candidate with the smallest edit distance to `name`, or NULL when none
 * is near enough to be worth suggesting. */
const char *nearest_name(const char *name, const char *const *candidates,
			 size_t count);

#endif
