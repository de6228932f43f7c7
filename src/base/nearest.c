#include "base/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

static size_t edit_distance(const char *a, const char *b)
{
	size_t row[64], length = strlen(b);

	if (length + 1 > ARRAY_SIZE(row))
		return SIZE_MAX;
	for (size_t j = 0; j <= length; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 1; j <= length; j++) {
			bool same = tolower((unsigned char)a[i]) ==
				    tolower((unsigned char)b[j - 1]);
			size_t best = diagonal + !same;

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[length];
}

const char *nearest_name(const char *name, const char *const *candidates,
			 size_t count)
{
	size_t best = strlen(name) / 2 + 1;
	const char *nearest = NULL;

	for (size_t i = 0; i < count; i++) {
		size_t distance = edit_distance(name, candidates[i]);

		if (distance < best) {
			best = distance;
			nearest = candidates[i];
		}
	}
	return nearest;
}
