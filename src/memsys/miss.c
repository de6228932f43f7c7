/* The way of a miss: the request, then a line for the block; and lines that make
 * room for others. */
#include "base/optimize.h"

#include "memsys/coherence.h"

static void place_later(struct module *module, struct transaction *transaction)
{
	transaction->stage = STAGE_PLACE;
	transaction->next_placing = NULL;
	*module->placing_end = transaction;
	module->placing_end = &transaction->next_placing;
}

/* A line in N gets coherent rights. Copies of any part of it above, also in S
 * and also of whoever asks, may lack what others wrote to the block. */
static void recall(struct module *module, struct transaction *transaction,
		   int32_t line)
{
	transaction->stage = STAGE_PLACE;
	transaction->recall = true;
	transaction_lock(module, transaction, line);
	module_send_probes(module, transaction, 0,
			   module->directory->sub_blocks, MEMSYS_STORE,
			   DIRECTORY_NOBODY, NULL);
}

bool module_recall(struct module *module, int32_t line,
		   struct transaction *then)
{
	struct directory *directory = module->directory;
	struct transaction *eviction;

	if (!directory || !directory_shared(directory, line, 0,
					    directory->sub_blocks,
					    DIRECTORY_NOBODY))
		return false;
	eviction = transaction_begin(module, module->cache->blocks[line],
				     STAGE_EVICT, NULL, true);
	if (then)
		then->stage = STAGE_PLACE;
	eviction->then = then;
	transaction_lock(module, eviction, line);
	module_send_probes(module, eviction, 0, directory->sub_blocks,
			   MEMSYS_STORE, DIRECTORY_NOBODY, NULL);
	return true;
}

void module_make_room(struct module *module, uint64_t block)
{
	int32_t line;

	if (module->kind != MODULE_CACHE || !module->config.victim)
		return;
	while ((line = module_surplus(module, block)) >= 0) {
		if (module_recall(module, line, NULL))
			continue;
		module->count.evictions++;
		module_drop(module, line);
	}
}

int32_t module_take_line(struct module *module,
			 struct transaction *transaction)
{
	struct cache *cache = module->cache;
	int32_t line = cache_find(cache, transaction->block);

	if (line < 0) {
		line = cache_victim(cache, transaction->block);
		if (line < 0) {
			place_later(module, transaction);
			return -1;
		}
		if (cache->states[line] != CACHE_INVALID) {
			if (module_recall(module, line, transaction))
				return -1;
			module->count.evictions++;
			module_drop(module, line);
		}
		cache_fill(cache, line, transaction->block, CACHE_SHARED);
		if (module->directory)
			directory_clear(module->directory, line);
	} else if (cache->locked[line]) {
		/* An old copy that is just being evicted. */
		place_later(module, transaction);
		return -1;
	} else if (cache->states[line] == CACHE_NONCOHERENT &&
		   module->directory &&
		   directory_shared(module->directory, line, 0,
				    module->directory->sub_blocks,
				    DIRECTORY_NOBODY)) {
		recall(module, transaction, line);
		return -1;
	}
	module_take_block(module, transaction, line);
	if (module_conflict(module, line, transaction->initiator)) {
		transaction->stage = STAGE_PROBE;
		transaction_lock(module, transaction, line);
		module_send_access_probes(module, transaction,
					  transaction->initiator);
		return -1;
	}
	return line;
}

/* The modules above give up what is likely to be replaced while the block is on
 * its way: nobody waits for it. If the line is another one when the block is
 * here, module_take_line() asks for that. */
static void recall_early(struct module *module, uint64_t block)
{
	struct cache *cache = module->cache;
	int32_t line;

	if (!module->directory || cache_find(cache, block) >= 0)
		return;
	line = cache_victim(cache, block);
	if (line >= 0 && cache->states[line] != CACHE_INVALID)
		module_recall(module, line, NULL);
}

void module_fetch(struct module *module, struct access *access, uint64_t block,
		  picoseconds start, bool through)
{
	struct transaction *transaction =
	    transaction_begin(module, block, STAGE_FETCH, access, true);
	struct access *request;

	module_count_access(module, access, false);
	if (access->kind == MEMSYS_PREFETCH)
		module->count.prefetches++;
	else if (module->prefetch && !through)
		prefetch_learn(module, access);
	transaction->uses_mshr = true;
	module->mshr_used++;
	if (!through)
		recall_early(module, block);
	request = access_take(module->pool);
	request->type = MESSAGE_REQUEST;
	request->kind =
	    access->kind == MEMSYS_STORE || access->kind == MEMSYS_NC_STORE
		? access->kind
		: MEMSYS_LOAD;
	request->origin = ORIGIN_TRANSACTION;
	request->through = through;
	request->address = through ? access->address : block;
	request->size = through ? access->size : module->block_size;
	request->extent = through ? access->extent : module->block_size;
	request->from = module;
	request->instruction = access->instruction;
	if (through) {
		if (!access->from)
			shadow_carry(module, access);
		request->words = access->words;
		request->written = access->written;
		request->grain = access->grain;
		access->words = NULL;
	}
	request->transaction = transaction;
	module_send_down(module, request, module_tags(module, start),
			 true);
}
