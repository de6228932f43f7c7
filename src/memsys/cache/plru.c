#include "base/optimize.h"

#include "memsys/cache/plru.h"

#include <stdlib.h>

#include "base/memory.h"

static struct plru_path path_to(uint32_t ways, uint32_t way)
{
	struct plru_path path = { 0, 0 };
	uint32_t node = 1;

	for (uint32_t half = ways / 2; half; half /= 2) {
		bool upper = way & half;

		path.nodes |= 1ull << node;
		path.set |= (uint64_t)!upper << node;
		node = 2 * node + upper;
	}
	return path;
}

struct plru *plru_create(uint32_t sets, uint32_t ways)
{
	struct plru *plru = xcalloc(1, sizeof *plru);

	plru->ways = ways;
	plru->words = (ways + 63) / 64;
	plru->bits = xcalloc((size_t)sets * plru->words, sizeof *plru->bits);
	if (plru->words > 1)
		return plru;
	plru->path = xcalloc(ways, sizeof *plru->path);
	for (uint32_t way = 0; way < ways; way++)
		plru->path[way] = path_to(ways, way);
	return plru;
}

void plru_free(struct plru *plru)
{
	if (!plru)
		return;
	free(plru->bits);
	free(plru->path);
	free(plru);
}

void plru_touch(struct plru *plru, uint32_t set, uint32_t way)
{
	uint64_t *bits = plru->bits + (size_t)set * plru->words;
	uint32_t node = 1;

	if (plru->path) {
		*bits = (*bits & ~plru->path[way].nodes) | plru->path[way].set;
		return;
	}
	for (uint32_t half = plru->ways / 2; half; half /= 2) {
		bool upper = way & half;

		if (upper)
			bits[node / 64] &= ~(1ull << node % 64);
		else
			bits[node / 64] |= 1ull << node % 64;
		node = 2 * node + upper;
	}
}

static bool all_locked(const bool *locked, uint32_t first, uint32_t count)
{
	for (uint32_t way = first; way < first + count; way++)
		if (!locked[way])
			return false;
	return true;
}

uint32_t plru_victim(const struct plru *plru, uint32_t set,
		     const bool *locked)
{
	const uint64_t *bits = plru->bits + (size_t)set * plru->words;
	uint32_t node = 1, way = 0;

	for (uint32_t half = plru->ways / 2; half; half /= 2) {
		bool upper = bits[node / 64] >> node % 64 & 1;

		if (all_locked(locked, upper ? way + half : way, half))
			upper = !upper;
		node = 2 * node + upper;
		way += upper ? half : 0;
	}
	return way;
}
