#include "base/optimize.h"

#include "memsys/warm.h"

#include "memsys/coherence.h"
#include "memsys/prefetch/prefetch.h"
#include "memsys/transaction.h"

static void recall(struct module *module, int32_t line,
		   enum memsys_access_kind kind, int except,
		   struct access *asker);

/* Takes the copy of a block from a module above, or lets it stay, shared. True:
 * it goes straight to the asker, so that this module does not get it. */
static bool recall_copy(struct module *module, int32_t line,
			struct module *upper, int32_t copy,
			enum memsys_access_kind kind,
			const struct access *asker)
{
	struct cache *cache = upper->cache;
	uint64_t written;
	bool peer;

	if (upper->directory)
		recall(upper, copy, kind, DIRECTORY_NOBODY, NULL);
	written = module_written(upper, copy);
	peer = written && written == module_whole(upper) &&
	       cache->states[copy] != CACHE_NONCOHERENT &&
	       module_peers(module, upper, asker);
	if (written && !peer && module->kind == MODULE_CACHE &&
	    module->cache->states[line] != CACHE_OWNED)
		module->cache->states[line] = CACHE_MODIFIED;
	if ((written && !peer) || module_hands_down(upper, copy))
		module->cache->away[line] = false;
	if (kind == MEMSYS_STORE)
		cache_invalidate(cache, copy);
	else
		cache->states[copy] = peer ? CACHE_OWNED : CACHE_SHARED;
	return peer;
}

/* Takes the copies of a line from the modules above but `except`. A load lets
 * them stay, shared. `asker`: the access that needs it, or NULL. */
static void recall(struct module *module, int32_t line,
		   enum memsys_access_kind kind, int except,
		   struct access *asker)
{
	struct directory *directory = module->directory;
	uint32_t all = directory->sub_blocks;

	/* Copies in N are merged, and none stays. */
	if (directory_noncoherent(directory, line, 0, all, DIRECTORY_NOBODY))
		kind = MEMSYS_STORE;
	for (int number = 0; number < (int)module->upper_count; number++) {
		struct module *upper = module->upper[number];
		bool present = false, peer = false;

		if (number == except ||
		    !directory_has(directory, line, 0, all, number) ||
		    (kind == MEMSYS_LOAD &&
		     !directory_owns(directory, line, 0, all, number)))
			continue;
		for (uint32_t at = 0; at < module->block_size;
		     at += upper->block_size) {
			int32_t copy = cache_find(
				upper->cache, module->cache->blocks[line] + at);

			if (copy < 0)
				continue;
			present = true;
			peer |= recall_copy(module, line, upper, copy, kind,
					    asker);
		}
		if (kind == MEMSYS_STORE || !present)
			directory_remove(directory, line, 0, all, number);
		else if (!peer)
			directory_disown(directory, line, 0, all, number);
		if (peer)
			asker->peer = true;
	}
}

static void make_room(struct module *module, uint64_t block);

/* What is newer than below goes there, and to a victim cache what is clean. */
static void write_back(const struct module *module, uint64_t block, bool clean)
{
	struct module *low = module_low(module, block);
	int32_t line = low->cache ? cache_find(low->cache,
					       block & low->block_mask) : -1;
	int upper = low->directory ? low->upper_number[module->index]
				   : DIRECTORY_NOBODY;
	uint32_t first, end;

	if (line >= 0 && upper != DIRECTORY_NOBODY) {
		module_sub_blocks(low, block, module->block_size,
				  &first, &end);
		directory_remove(low->directory, line, first, end, upper);
	}
	if (low->kind == MODULE_MAIN_MEMORY)
		return;
	if (line >= 0 && low->cache->away[line]) {
		low->cache->away[line] = false;
		cache_touch(low->cache, line);
	}
	if (clean)
		;
	else if (line >= 0 && low->cache->states[line] != CACHE_SHARED)
		low->cache->states[line] = CACHE_MODIFIED;
	else
		write_back(low, block, false);
	make_room(low, block);
}

/* A line leaves a module. */
static void drop(struct module *module, int32_t line)
{
	struct cache *cache = module->cache;

	if (module->directory)
		recall(module, line, MEMSYS_STORE, DIRECTORY_NOBODY, NULL);
	if (module->kind == MODULE_CACHE &&
	    (module_written(module, line) || module_hands_down(module, line)))
		write_back(module, cache->blocks[line],
			   !module_written(module, line));
	cache_invalidate(cache, line);
}

static void make_room(struct module *module, uint64_t block)
{
	int32_t line;

	while (module->kind == MODULE_CACHE && module->config.victim &&
	       (line = module_surplus(module, block)) >= 0)
		drop(module, line);
}

static enum cache_state touch(struct module *module, struct access *access,
			      int32_t *found);

/* Before the block is asked for, as in module_fetch(). */
static void recall_early(struct module *module, uint64_t block)
{
	int32_t line = module->directory ? cache_victim(module->cache, block)
					 : -1;

	if (line >= 0 && module->cache->states[line] != CACHE_INVALID &&
	    directory_shared(module->directory, line, 0,
			     module->directory->sub_blocks, DIRECTORY_NOBODY))
		drop(module, line);
}

/* Fetches the block, or the right to store to it. */
static int32_t fill(struct module *module, struct access *access, int32_t line)
{
	uint64_t block = access->address & module->block_mask;
	enum cache_state state = CACHE_EXCLUSIVE;
	bool own = line >= 0 && module_written(module, line);
	int32_t below;

	if (module->kind == MODULE_CACHE) {
		struct access request = {
			.kind = access->kind, .operation = access->kind,
			.origin = ORIGIN_TRANSACTION, .address = block,
			.size = module->block_size,
			.extent = module->block_size, .from = module,
			.instruction = access->instruction,
		};

		if (line < 0)
			recall_early(module, block);
		state = touch(module_low(module, block), &request, &below);
		if (state == CACHE_INVALID)
			return -1;
	}
	/* What was below may have gone there in favour of another block. */
	line = cache_find(module->cache, block);
	if (line < 0) {
		line = cache_victim(module->cache, block);
		if (line < 0)
			return -1;
		if (module->cache->states[line] != CACHE_INVALID)
			drop(module, line);
		cache_fill(module->cache, line, block, CACHE_SHARED);
		if (module->directory)
			directory_clear(module->directory, line);
	}
	module->cache->states[line] = (uint8_t)(own ? CACHE_MODIFIED : state);
	return line;
}

/* What the prefetcher asks for comes at once. */
static void prefetch(struct module *module, struct access *access)
{
	struct prefetch *queue = module->prefetch;
	uint64_t requests = module->count.prefetch_requests;
	uint64_t redundant = module->count.redundant_prefetches;
	uint64_t aborts = module->count.prefetch_aborts;

	prefetch_learn(module, access);
	module->count.prefetch_requests = requests;
	module->count.redundant_prefetches = redundant;
	module->count.prefetch_aborts = aborts;
	while (queue->count) {
		struct prefetch_proposal next = queue->queue[queue->head];
		struct access fetch = {
			.kind = MEMSYS_LOAD, .operation = MEMSYS_LOAD,
			.origin = ORIGIN_PROCESSOR, .address = next.block,
			.size = module->block_size,
			.extent = module->block_size, .to = module,
			.instruction = next.instruction,
		};
		int32_t line;

		queue->head = (queue->head + 1) %
			      module->config.prefetcher_queue;
		queue->count--;
		if (cache_find(module->cache, next.block) >= 0 ||
		    transaction_find(module, next.block))
			continue;
		line = fill(module, &fetch, -1);
		if (line >= 0) {
			cache_touch(module->cache, line);
			module->cache->prefetched[line] = true;
		}
	}
}

/* Returns the state that the sender gets, CACHE_INVALID: nothing could be
 * done. */
static enum cache_state touch(struct module *module, struct access *access,
			      int32_t *found)
{
	uint64_t block = access->address & module->block_mask;
	struct cache *cache = module->cache;
	bool store = access->kind == MEMSYS_STORE, learn = false;
	enum cache_state granted;
	int32_t line;

	*found = -1;
	if (!cache)
		return CACHE_EXCLUSIVE; /* main memory without a directory */
	if (transaction_find(module, block))
		return CACHE_INVALID;
	line = cache_find(cache, block);
	if (line < 0 || (store && module->kind == MODULE_CACHE &&
			 cache->states[line] < CACHE_EXCLUSIVE)) {
		line = fill(module, access, line);
		if (line < 0)
			return CACHE_INVALID;
		learn = true;
	} else if (cache->prefetched[line]) {
		learn = true;
	}
	cache->prefetched[line] = false;
	if (module_conflict(module, line, access))
		recall(module, line, access->kind,
		       module_tracked(module, access), access);
	cache_touch(cache, line);
	*found = line;
	if (!access->from && store)
		cache->states[line] = CACHE_MODIFIED;
	if (learn && module->prefetch) {
		prefetch(module, access);
		/* which may have pushed the line out */
		line = cache_find(cache, block);
		if (line < 0)
			return CACHE_INVALID;
		*found = line;
	}
	if (!access->from)
		return CACHE_EXCLUSIVE;
	granted = module_grant(module, access, line);
	make_room(module, block);
	return granted;
}

bool module_can_warm(const struct module *module)
{
	if (module->kind == MODULE_CACHE &&
	    (module->config.write_policy != WRITE_BACK || module->tlb))
		return false;
	for (size_t i = 0; i < module->low_count; i++)
		if (!module_can_warm(module->low[i]))
			return false;
	return true;
}

static __attribute__((noinline)) bool warm(struct module *module,
					   enum memsys_access_kind kind,
					   uint64_t instruction,
					   uint64_t address)
{
	struct access access = {
		.kind = kind, .operation = kind,
		.origin = ORIGIN_PROCESSOR, .address = address, .size = 1,
		.extent = 1, .to = module,
		.instruction = (uint32_t)(instruction ^ instruction >> 32),
	};
	int32_t line;

	return touch(module, &access, &line) != CACHE_INVALID;
}

/* Most accesses: what touch() does when a cache below which processors are has the
 * block, and need not fetch, learn or recall anything. */
static inline bool touch_there(struct module *module,
			       enum memsys_access_kind kind, uint64_t block)
{
	struct cache *cache = module->cache;
	bool store = kind == MEMSYS_STORE;
	int32_t line;

	if (module->kind != MODULE_CACHE || module->directory ||
	    transaction_find(module, block))
		return false;
	line = cache_find(cache, block);
	if (line < 0 || cache->prefetched[line] ||
	    (store && cache->states[line] < CACHE_EXCLUSIVE))
		return false;
	cache_touch(cache, line);
	if (store)
		cache->states[line] = CACHE_MODIFIED;
	return true;
}

bool module_warm(struct module *module, enum memsys_access_kind kind,
		 uint64_t instruction, uint64_t address)
{
	if (touch_there(module, kind, address & module->block_mask))
		return true;
	return warm(module, kind, instruction, address);
}
