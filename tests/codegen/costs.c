#include "codegen/costs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static char *path_of(const char *file)
{
	const char *top = getenv("top_srcdir");

	return xasprintf("%s/tests/codegen/costs/%s", top ? top : ".", file);
}

static void write_costs(const char *path, const struct cost *costs,
			size_t count)
{
	FILE *file = fopen(path, "w");

	for (size_t i = 0; file && i < count; i++)
		fprintf(file, "%lu %s\n", costs[i].sum, costs[i].name);
	if (file)
		fclose(file);
}

bool costs_are_recorded(const char *name, const struct cost *costs,
			size_t count)
{
	char *path = path_of(name);
	bool same = true;
	FILE *file;

	if (getenv("GOLDEN_REBASE"))
		write_costs(path, costs, count);
	file = fopen(path, "r");
	for (size_t i = 0; i < count; i++) {
		char recorded[64] = "";
		unsigned long sum = 0;

		if (file && fscanf(file, "%lu %63[^\n]", &sum, recorded) == 2 &&
		    sum == costs[i].sum && !strcmp(recorded, costs[i].name))
			continue;
		printf("# %s: %lu, recorded %lu %s\n", costs[i].name,
		       costs[i].sum, sum, recorded);
		same = false;
	}
	if (!same)
		printf("# where that is better or no worse: GOLDEN_REBASE=1 "
		       "make check PART=codegen/test- writes %s\n", path);
	if (file)
		fclose(file);
	free(path);
	return same;
}
