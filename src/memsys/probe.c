/* Probes of the module below. */
#include "base/optimize.h"

#include "memsys/coherence.h"
#include "memsys/transaction.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Sends the owner's block to the module that asked for it. */
static void send_to_peer(struct module *module, const struct access *probe,
			 int32_t line, struct transaction *fetch)
{
	struct access *access = access_take(module->pool);

	access->type = MESSAGE_PEER;
	access->kind = probe->kind;
	access->origin = ORIGIN_TRANSACTION;
	access->address = probe->address;
	access->size = access->extent = module->block_size;
	access->from = module;
	access->transaction = probe->requester_transaction;
	if (line >= 0) {
		shadow_load(module, line, access);
	} else if (module->shadow) {
		access->words = xmalloc(module->block_size);
		memcpy(access->words, fetch->kept, module->block_size);
	}
	module->count.peer_sent++;
	module_send_peer(module, probe->requester, access,
			 module_data(module, event_queue_now(module->events)));
}

void module_obey(struct module *module, struct access *probe, int32_t line)
{
	struct cache *cache = module->cache;
	picoseconds now = event_queue_now(module->events);
	picoseconds when = module_tags(module, now);
	struct transaction *transaction =
	    transaction_fetching(module, probe->address);
	uint64_t written = 0;

	module->count.probes++;
	if (line >= 0)
		written = module_written(module, line);
	else if (transaction)
		written = transaction->written;
	probe->present = line >= 0;
	if (written && written == module_whole(module) && probe->requester &&
	    (line < 0 || cache->states[line] != CACHE_NONCOHERENT)) {
		send_to_peer(module, probe, line, transaction);
		probe->peer = true;
	} else if (written) {
		probe->dirty = true;
		probe->written = written;
		probe->grain = module->combine_shift;
		when = module_data(module, now);
		if (line >= 0) {
			shadow_load(module, line, probe);
		} else {
			probe->words = transaction->kept;
			transaction->kept = NULL;
		}
	}
	if (line >= 0 && module_hands_down(module, line)) {
		probe->clean = true;
		probe->grain = module->combine_shift;
		when = module_data(module, now);
		shadow_load(module, line, probe);
	}
	if (probe->kind == MEMSYS_LOAD && probe->peer) {
		probe->present = true;
		if (line >= 0)
			cache->states[line] = CACHE_OWNED;
	} else if (line < 0) {
		if (transaction) {
			transaction->written = 0;
			free(transaction->kept);
			transaction->kept = NULL;
		}
	} else if (probe->kind == MEMSYS_STORE) {
		module->count.useless_prefetches += cache->prefetched[line];
		cache_invalidate(cache, line);
	} else {
		cache->states[line] = CACHE_SHARED;
	}
	/* Accesses that arrive now come after this answer. */
	if (transaction)
		transaction->passed = 0;
	probe->type = MESSAGE_PROBE_REPLY;
	module_send_down(module, probe, when, true);
}

void module_hold(struct module *module, uint64_t address, picoseconds until)
{
	module->held_block = address & module->block_mask;
	module->held_until = until;
}

static void release(void *owner, uint64_t tag)
{
	(void)tag;
	module_receive_probe(((struct access *)owner)->to, owner);
}

void module_receive_probe(struct module *module, struct access *probe)
{
	uint64_t block = probe->address & module->block_mask;
	struct transaction *transaction = transaction_find(module, block);
	struct directory *directory = module->directory;
	picoseconds now = event_queue_now(module->events);
	int32_t line;

	if (block == module->held_block && now < module->held_until) {
		probe->to = module;
		event_schedule(module->events, module->held_until - now,
			       module->source, release, probe, 0);
		return;
	}
	/* A transaction that waits for modules above ends without help from
	 * below. */
	if (transaction && transaction->stage != STAGE_FETCH) {
		access_append(&transaction->deferred, probe);
		return;
	}
	line = cache_find(module->cache, block);
	if (line >= 0 && directory &&
	    module_forbidden(directory, line, 0, directory->sub_blocks,
			     probe->kind, DIRECTORY_NOBODY)) {
		/* During a FETCH others wait for that already. */
		struct transaction *up = transaction_begin(
		    module, block, STAGE_PROBE, NULL, !transaction);

		up->probe = probe;
		transaction_lock(module, up, line);
		module_send_probes(module, up, 0, directory->sub_blocks,
				   probe->kind, DIRECTORY_NOBODY, NULL);
		return;
	}
	module_obey(module, probe, line);
}
