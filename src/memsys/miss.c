/* The way of a miss: request, reply, the data of a peer, a line. */
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

void module_place(struct module *module, struct transaction *transaction)
{
	struct cache *cache = module->cache;
	int32_t line = cache_find(cache, transaction->block);

	if (line < 0) {
		line = cache_victim(cache, transaction->block);
		if (line < 0) {
			place_later(module, transaction);
			return;
		}
		if (cache->states[line] != CACHE_INVALID) {
			if (module->directory &&
			    directory_shared(module->directory, line, 0,
					     module->directory->sub_blocks,
					     DIRECTORY_NOBODY)) {
				struct transaction *eviction =
				    transaction_begin(module,
						      cache->blocks[line],
						      STAGE_EVICT, NULL, true);

				transaction->stage = STAGE_PLACE;
				eviction->then = transaction;
				transaction_lock(module, eviction, line);
				module_send_probes(
				    module, eviction, 0,
				    module->directory->sub_blocks, MEMSYS_STORE,
				    DIRECTORY_NOBODY, NULL);
				return;
			}
			module->count.evictions++;
			module_drop(module, line);
		}
		cache_fill(cache, line, transaction->block, CACHE_SHARED);
		if (module->directory)
			directory_clear(module->directory, line);
	} else if (cache->locked[line]) {
		/* An old copy that is just being evicted. */
		place_later(module, transaction);
		return;
	} else if (cache->states[line] == CACHE_NONCOHERENT &&
		   module->directory &&
		   directory_shared(module->directory, line, 0,
				    module->directory->sub_blocks,
				    DIRECTORY_NOBODY)) {
		recall(module, transaction, line);
		return;
	}
	module_take_block(module, transaction, line);
	if (module_conflict(module, line, transaction->initiator)) {
		transaction->stage = STAGE_PROBE;
		transaction_lock(module, transaction, line);
		module_send_access_probes(module, transaction,
					  transaction->initiator);
		return;
	}
	module_finish(module, transaction, line);
}

void module_evicted(struct module *module, struct transaction *eviction)
{
	struct transaction *then = eviction->then;

	transaction_end(module, eviction);
	module->count.evictions++;
	module_drop(module, eviction->line);
	/* Before anybody else can take the line. */
	module_place(module, then);
	transaction_resume(module, eviction);
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
	module_send_down(module, request, start + module->directory_latency,
			 true);
}

/* A store took effect below; no copy is here. */
static void through_done(struct module *module, struct transaction *transaction)
{
	struct access *access = transaction->initiator;
	picoseconds now = event_queue_now(module->events);

	transaction_end(module, transaction);
	if (access->from) {
		access->type = MESSAGE_REPLY;
		module_send_up(module, access->from, access,
			       now + module->directory_latency,
			       module_tracked(module, access) !=
				   DIRECTORY_NOBODY);
	} else {
		access_complete_at(module, access, now);
	}
	transaction_resume(module, transaction);
}

void module_receive_reply(struct module *module, struct access *access)
{
	struct transaction *transaction = access->transaction;
	bool through = access->through, peer = access->peer;

	transaction->granted = access->granted;
	if (!peer) {
		transaction->words = access->words;
		access->words = NULL;
	}
	access_free(module->pool, access);
	if (through) {
		through_done(module, transaction);
	} else if (peer && !transaction->arrived) {
		transaction->stage = STAGE_DATA;
	} else {
		module_place(module, transaction);
	}
}

void module_receive_peer(struct module *module, struct access *access)
{
	struct transaction *transaction = access->transaction;

	module->count.peer_received++;
	transaction->arrived = true;
	transaction->words = access->words;
	access->words = NULL;
	access_free(module->pool, access);
	if (transaction->stage == STAGE_DATA)
		module_place(module, transaction);
}
