/* A line's own state: which parts of it are newer than the module below, how
 * they get there, and what comes in from below. */
#include "base/optimize.h"

#include "memsys/coherence.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

uint64_t module_whole(const struct module *module)
{
	unsigned bits = module->block_size >> module->combine_shift;

	return bits == 64 ? ~0ull : (1ull << bits) - 1;
}

uint64_t module_written(const struct module *module, int32_t line)
{
	switch ((enum cache_state)module->cache->states[line]) {
	case CACHE_MODIFIED:
	case CACHE_OWNED:
		return module_whole(module);
	case CACHE_NONCOHERENT:
		return module->cache->written[line];
	default:
		return 0;
	}
}

/* Bits of this module's chunks for [address, address + size) of a block. */
static uint64_t chunks(const struct module *module, uint64_t address,
		       uint32_t size)
{
	uint32_t offset = (uint32_t)(address & ~module->block_mask);
	uint32_t first = offset >> module->combine_shift;
	uint32_t last = (offset + size - 1) >> module->combine_shift;

	return ~0ull >> (63 - (last - first)) << first;
}

uint64_t module_mask(const struct module *module, const struct access *access)
{
	uint64_t mask = 0;

	if (!access->written)
		return chunks(module, access->address, access->extent);
	/* Nearly always both modules count in the same parts of a block. */
	if (access->grain == module->combine_shift && access->extent &&
	    !((access->address | access->extent) &
	      ((1u << access->grain) - 1)))
		return (access->written &
			~0ull >> (64 - (access->extent >> access->grain)))
		       << ((access->address & ~module->block_mask) >>
			   access->grain);
	for (uint32_t at = 0; at < access->extent; at += 1u << access->grain)
		if (access->written >> (at >> access->grain) & 1)
			mask |= chunks(module, access->address + at,
				       1u << access->grain > access->extent
					   ? access->extent
					   : 1u << access->grain);
	return mask;
}

void module_dirty(struct module *module, int32_t line, uint64_t written)
{
	struct cache *cache = module->cache;
	struct transaction *transaction;

	if (cache->states[line] == CACHE_NONCOHERENT)
		cache->written[line] |= written;
	else if (cache->states[line] != CACHE_OWNED)
		cache->states[line] = CACHE_MODIFIED;
	if (module->config.write_policy == WRITE_BACK)
		return;
	module_write_back(module, line, written, true);
	if (cache->states[line] == CACHE_NONCOHERENT) {
		cache->written[line] = 0;
		/* The reply may have left before this reached its sender. */
		transaction = transaction_fetching(module, cache->blocks[line]);
		if (transaction)
			transaction->passed |= written;
	} else if (cache->states[line] == CACHE_MODIFIED) {
		cache->states[line] = CACHE_EXCLUSIVE;
	}
}

void module_write_back(struct module *module, int32_t line, uint64_t written,
		       bool keep)
{
	struct access *access = access_take(module->pool);

	access->type = MESSAGE_WRITE_BACK;
	access->kind = MEMSYS_STORE;
	access->address = module->cache->blocks[line];
	access->size = access->extent = module->block_size;
	access->from = module;
	access->keep = keep;
	access->written = written;
	access->grain = module->combine_shift;
	shadow_load(module, line, access);
	module->count.write_backs += !keep;
	module->count.write_throughs += keep;
	module->throughs_waiting += keep;
	module_send_down(
	    module, access,
		module_tags(module, event_queue_now(module->events)), true);
}

void module_send_clean(struct module *module, int32_t line)
{
	struct access *access = access_take(module->pool);

	access->type = MESSAGE_WRITE_BACK;
	access->kind = MEMSYS_STORE;
	access->clean = true;
	access->address = module->cache->blocks[line];
	access->size = access->extent = module->block_size;
	access->from = module;
	access->grain = module->combine_shift;
	shadow_load(module, line, access);
	module_send_down(
	    module, access,
		module_tags(module, event_queue_now(module->events)), true);
}

void module_drop(struct module *module, int32_t line)
{
	struct cache *cache = module->cache;
	uint64_t written = module_written(module, line);
	struct transaction *transaction = NULL;

	module->count.useless_prefetches += cache->prefetched[line];
	if (module->kind == MODULE_CACHE)
		transaction = transaction_fetching(module, cache->blocks[line]);
	if (transaction && (written | transaction->passed)) {
		transaction->written = written;
		if (module->shadow) {
			transaction->kept = xmalloc(module->block_size);
			memcpy(transaction->kept,
			       shadow_words(module, line, cache->blocks[line]),
			       module->block_size);
		}
	} else if (module->kind == MODULE_CACHE && written) {
		module_write_back(module, line, written, false);
	} else if (module_hands_down(module, line)) {
		module_send_clean(module, line);
	}
	cache_invalidate(cache, line);
}

void module_take_block(struct module *module, struct transaction *transaction,
		       int32_t line)
{
	struct cache *cache = module->cache;
	uint64_t own = module_written(module, line);
	enum cache_state state = transaction->granted;
	bool modified = state == CACHE_MODIFIED;

	if (module->kind == MODULE_MAIN_MEMORY) {
		cache->states[line] = (uint8_t)state;
		return;
	}
	if (module->shadow) {
		shadow_store(module, line, transaction->block,
			     module->block_size, transaction->words,
			     ~(own | transaction->passed),
			     module->combine_shift);
		shadow_store(module, line, transaction->block,
			     module->block_size, transaction->kept,
			     transaction->written | transaction->passed,
			     module->combine_shift);
	}
	own |= transaction->written;
	transaction->written = 0;
	transaction->passed = 0;
	cache->states[line] = (uint8_t)(modified ? CACHE_EXCLUSIVE : state);
	cache->written[line] = 0;
	if (own || modified)
		module_dirty(module, line,
			     modified ? module_whole(module) : own);
}

void module_merge(struct module *module, int32_t line,
		  const struct access *access, picoseconds start)
{
	uint64_t written = module_mask(module, access);

	module->count.merges += access->written != module_whole(access->from);
	shadow_store(module, line, access->address, access->extent,
		     access->words, access->written, access->grain);
	if (module->kind == MODULE_MAIN_MEMORY) {
		controller_write_back(module, access, start);
		return;
	}
	if (module->cache->away[line] && written == module_whole(module)) {
		module->cache->away[line] = false;
		cache_touch(module->cache, line);
	}
	module_dirty(module, line, written);
}
