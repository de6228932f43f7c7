/* Checks of the copies of a block while nothing is under way. */
#include "memsys/module.h"

#include <inttypes.h>

static bool is_owner(enum cache_state state)
{
	return state == CACHE_OWNED || state >= CACHE_EXCLUSIVE;
}

static enum cache_state state_of(const struct module *module, int32_t line)
{
	return line < 0 ? CACHE_INVALID
			: (enum cache_state)module->cache->states[line];
}

/* Two tracked caches above one module may have a block in these states. */
static bool agree(enum cache_state a, enum cache_state b)
{
	if (a == CACHE_INVALID || b == CACHE_INVALID)
		return true;
	if (a >= CACHE_EXCLUSIVE || b >= CACHE_EXCLUSIVE)
		return false;
	return (a == CACHE_NONCOHERENT) == (b == CACHE_NONCOHERENT) &&
	       !(a == CACHE_OWNED && b == CACHE_OWNED);
}

/* A single writer, or readers, or writers without coherence. */
static int check_others(const struct module *low, const struct module *module,
			uint64_t block, enum cache_state state,
			struct error *error)
{
	for (uint32_t i = 0; i < low->upper_count; i++) {
		const struct module *other = low->upper[i];
		uint64_t at = block & other->block_mask;

		for (; other != module && at < block + module->block_size;
		     at += other->block_size) {
			enum cache_state has =
				state_of(other, cache_find(other->cache, at));

			if (!agree(state, has))
				return error_set(
					error, "block 0x%" PRIx64 " is in "
					"state %c in '%s' and in state %c in "
					"'%s'", block,
					cache_state_letters[state],
					module->name,
					cache_state_letters[has], other->name);
		}
	}
	return 0;
}

/* The directory below knows of the copy. */
static int check_entry(const struct module *low, int32_t line,
		       const struct module *module, uint64_t block,
		       enum cache_state state, struct error *error)
{
	const struct directory *directory = low->directory;
	int number = low->upper_number[module->index];
	uint32_t sub, end;

	sub = (uint32_t)(block & ~low->block_mask) / directory->sub_size;
	end = sub + module->block_size / directory->sub_size;
	for (; sub < end; sub++) {
		if (!directory_has(directory, line, sub, sub + 1, number))
			return error_set(error, "'%s' does not know that '%s' "
					 "has block 0x%" PRIx64, low->name,
					 module->name, block);
		if (directory_owns(directory, line, sub, sub + 1, number) !=
		    is_owner(state))
			return error_set(error, "block 0x%" PRIx64 " is in "
					 "state %c in '%s', which %s its owner "
					 "in '%s'", block,
					 cache_state_letters[state],
					 module->name,
					 is_owner(state) ? "is not" : "is",
					 low->name);
		if (directory_noncoherent(directory, line, sub, sub + 1,
					  DIRECTORY_NOBODY) !=
		    (state == CACHE_NONCOHERENT))
			return error_set(error, "block 0x%" PRIx64 " is in "
					 "state %c in '%s', but '%s' says that "
					 "it is%s in state N there", block,
					 cache_state_letters[state],
					 module->name, low->name,
					 state == CACHE_NONCOHERENT ? " not"
								    : "");
	}
	return 0;
}

static int check_copy(const struct module *module, uint64_t block,
		      enum cache_state state, struct error *error)
{
	const struct module *low = module_low(module, block);
	enum cache_state has;
	int32_t line;

	if (!module->config.coherent)
		return 0;
	if (check_others(low, module, block, state, error))
		return -1;
	if (!low->cache)
		return 0;
	line = cache_find(low->cache, block & low->block_mask);
	if (line < 0)
		return error_set(error, "'%s' has block 0x%" PRIx64 ", but "
					"'%s' below does not have it",
					module->name, block,
				 low->name);
	if (check_entry(low, line, module, block, state, error))
		return -1;
	if (low->cache->away[line] &&
	    !directory_owned(low->directory, line, 0,
			     low->directory->sub_blocks, DIRECTORY_NOBODY))
		return error_set(error, "block 0x%" PRIx64 " is away from "
				 "'%s', and no module above owns it", block,
				 low->name);
	has = state_of(low, line);
	if ((state == CACHE_NONCOHERENT && has < CACHE_NONCOHERENT) ||
	    (state == CACHE_OWNED && has < CACHE_OWNED) ||
	    (state == CACHE_OWNED && has == CACHE_NONCOHERENT) ||
	    (state >= CACHE_EXCLUSIVE && has < CACHE_EXCLUSIVE))
		return error_set(error, "block 0x%" PRIx64 " is in state %c "
				 "in '%s', but only in state %c in '%s' below",
				 block, cache_state_letters[state],
				 module->name, cache_state_letters[has],
				 low->name);
	return 0;
}

int memsys_check(const struct memsys *memsys, struct error *error)
{
	for (size_t i = 0; i < memsys->module_count; i++) {
		const struct module *module = memsys->modules[i];
		const struct cache *cache = module->cache;
		uint32_t lines;

		if (module->kind != MODULE_CACHE)
			continue;
		lines = cache->geometry.sets * cache->geometry.ways;
		for (uint32_t line = 0; line < lines; line++)
			if (cache->states[line] != CACHE_INVALID &&
			    check_copy(module, cache->blocks[line],
				       (enum cache_state)cache->states[line],
				       error))
				return -1;
	}
	return 0;
}
