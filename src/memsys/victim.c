/* Victim caches. A block that a module above gets for itself alone is no longer
 * here; it comes back, clean or modified, when that module replaces it or is
 * asked for it. Blocks that several modules share stay.
 *
 * The tags of blocks that are only above stay, beside those of the geometry:
 * copies of the tags above, as chips keep them to find out whom to probe. So the
 * protocol is that of inclusive caches, and each block whose data are away has an
 * owner above. */
#include "memsys/coherence.h"

bool module_excludes(const struct module *module, const struct module *upper)
{
	return module->kind == MODULE_CACHE && module->config.victim &&
	       module->upper_number[upper->index] != DIRECTORY_NOBODY &&
	       upper->config.write_policy == WRITE_BACK &&
	       upper->block_size == module->block_size;
}

bool module_hands_down(const struct module *module, int32_t line)
{
	return module->kind == MODULE_CACHE &&
	       module->cache->states[line] == CACHE_EXCLUSIVE &&
	       module_excludes(module_low(module, module->cache->blocks[line]),
			       module);
}

enum cache_state module_give_up(struct module *module,
				const struct access *access, int32_t line)
{
	struct cache *cache = module->cache;
	bool modified = cache->states[line] == CACHE_MODIFIED;

	if (access->origin != ORIGIN_TRANSACTION ||
	    access->kind == MEMSYS_NC_STORE ||
	    cache->states[line] < CACHE_EXCLUSIVE ||
	    !module_excludes(module, access->from))
		return CACHE_EXCLUSIVE;
	cache->away[line] = true;
	cache->states[line] = CACHE_EXCLUSIVE;
	return modified ? CACHE_MODIFIED : CACHE_EXCLUSIVE;
}

void module_take_back(struct module *module, const struct access *access,
		      int32_t line)
{
	shadow_store(module, line, access->address, access->extent,
		     access->words, ~0ull, access->grain);
	module->cache->away[line] = false;
	cache_touch(module->cache, line);
}

int32_t module_surplus(const struct module *module, uint64_t block)
{
	const struct cache *cache = module->cache;
	uint32_t line = cache_set_line(cache, block), here = 0;
	uint32_t end = line + cache->geometry.ways;
	int32_t oldest = -1;

	for (; line < end; line++) {
		if (cache->states[line] == CACHE_INVALID || cache->away[line] ||
		    cache->locked[line])
			continue;
		here++;
		if (oldest < 0 || cache->stamps[line] < cache->stamps[oldest])
			oldest = (int32_t)line;
	}
	return here > module->config.assoc ? oldest : -1;
}
