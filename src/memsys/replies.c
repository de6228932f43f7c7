/* Answers from other modules: what waits for them goes on. The module below
 * replies to requests, a peer sends its data, and the modules above reply to
 * probes, or replace blocks. */
#include "base/optimize.h"

#include "memsys/coherence.h"

#include <stdlib.h>

/* A store took effect below; no copy is here. */
static void through_done(struct module *module, struct transaction *transaction)
{
	struct access *access = transaction->initiator;
	picoseconds now = event_queue_now(module->events);

	transaction_end(module, transaction);
	if (access->from) {
		access->type = MESSAGE_REPLY;
		module_send_up(module, access->from, access,
			       module_tags(module, now),
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

/* No module above holds the victim any more. */
static void evicted(struct module *module, struct transaction *eviction)
{
	struct transaction *then = eviction->then;

	transaction_end(module, eviction);
	module->count.evictions++;
	module_drop(module, eviction->line);
	/* Before anybody else can take the line. */
	if (then)
		module_place(module, then);
	transaction_resume(module, eviction);
}

void module_receive_probe_reply(struct module *module, struct access *reply)
{
	struct transaction *transaction = reply->transaction;
	struct directory *directory = module->directory;
	int upper = module->upper_number[reply->from->index];
	int32_t line = transaction->line;
	uint32_t first, end;
	struct access *probe;

	module_sub_blocks(module, reply->address, reply->extent, &first, &end);
	if (reply->kind == MEMSYS_STORE || !reply->present)
		directory_remove(directory, line, first, end, upper);
	else if (!reply->peer)
		directory_disown(directory, line, first, end, upper);
	transaction->peer |= reply->peer;
	if (reply->dirty)
		module_merge(module, line, reply,
			     event_queue_now(module->events));
	else if (reply->clean)
		module_take_back(module, reply, line);
	free(reply->words);
	access_free(module->pool, reply);
	if (--transaction->pending)
		return;
	probe = transaction->probe;
	if (transaction->stage == STAGE_EVICT) {
		evicted(module, transaction);
	} else if (transaction->recall) {
		transaction->recall = false;
		transaction->line = -1;
		cache_unlock(module->cache, line);
		module_place(module, transaction);
	} else if (probe) {
		transaction_end(module, transaction);
		module_obey(module, probe, line);
		module_make_room(module, transaction->block);
		transaction_resume(module, transaction);
	} else {
		module_finish(module, transaction, line);
	}
}

void module_receive_write_back(struct module *module, struct access *access)
{
	uint64_t block = access->address & module->block_mask;
	int32_t line = module->cache ? cache_find(module->cache, block) : -1;
	picoseconds start = module_port(module);
	int upper = module_tracked(module, access);
	uint32_t first, end;

	module->count.write_backs_received += !access->keep && !access->clean;
	module->count.write_throughs_received += access->keep;
	if (line >= 0 && upper != DIRECTORY_NOBODY && !access->keep) {
		module_sub_blocks(module, access->address, access->extent,
				  &first, &end);
		directory_remove(module->directory, line, first, end, upper);
	}
	if (access->clean) {
		if (line >= 0)
			module_take_back(module, access, line);
	} else if (module->kind == MODULE_MAIN_MEMORY) {
		module_merge(module, line, access, start);
	} else if (line >= 0 && module->cache->states[line] != CACHE_SHARED) {
		module_merge(module, line, access, start);
	} else {
		/* The access is from a module that is not tracked. */
		shadow_store(module, line < 0 ? 0 : line, access->address,
			     line < 0 ? 0 : access->extent, access->words,
			     access->written, access->grain);
		access->from = module;
		module->count.write_throughs += access->keep;
		module->count.write_backs += !access->keep;
		module->throughs_waiting += access->keep;
		module_send_down(module, access,
				 module_tags(module, start), true);
		return;
	}
	free(access->words);
	access_free(module->pool, access);
	module_make_room(module, block);
}
