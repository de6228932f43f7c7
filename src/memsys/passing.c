/* Accesses that take effect below the module where they start: atomics, at the
 * main memory, and the non-coherent stores of a cache that is not tracked, at
 * the first one on their way that is, or at the main memory.
 *
 * Such stores of processors wait a few cycles in the write buffer of their
 * entry module for others to the same block, then leave as one message; a block
 * that is complete leaves at once. Caches that are not tracked allocate nothing
 * for them; a copy that is there is written as well. A tracked cache takes them
 * as its own, in state N or M (coherence.c). Atomics happen in the order in
 * which they arrive at the main memory; the copies that they pass are dropped
 * first. */
#include "base/optimize.h"

#include "memsys/access/access.h"

#include <stdlib.h>

#include "base/memory.h"
#include "sim/queue.h"

/* --- Write buffer ------------------------------------------------------- */

static struct combine **combine_slot(struct module *module, uint64_t block)
{
	uint64_t number = block >> module->block_shift;

	return &module->combines[(number ^ number >> 7) &
				 module->combine_mask];
}

static struct combine *combine_find(struct module *module, uint64_t block)
{
	struct combine *combine = *combine_slot(module, block);

	while (combine && combine->block != block)
		combine = combine->next;
	return combine;
}

static bool combine_complete(const struct module *module, uint64_t bytes)
{
	unsigned bits = module->block_size >> module->combine_shift;

	return bytes == (bits == 64 ? ~0ull : (1ull << bits) - 1);
}

static void combine_send(struct combine *combine, picoseconds when)
{
	struct module *module = combine->module;
	struct combine **at = combine_slot(module, combine->block);
	struct access *access = access_take(module->pool);

	while (*at != combine)
		at = &(*at)->next;
	*at = combine->next;
	combine->sent = true;
	access->type = MESSAGE_REQUEST;
	access->kind = MEMSYS_NC_STORE;
	access->origin = ORIGIN_COMBINE;
	access->address = combine->block;
	access->size = (uint32_t)__builtin_popcountll(combine->bytes)
		       << module->combine_shift;
	access->extent = module->block_size;
	access->written = combine->bytes;
	access->grain = module->combine_shift;
	access->words = combine->words;
	access->elements = combine->elements;
	access->from = module;
	access->combine = combine;
	module_send_down(module, access, when, false);
}

static void combine_timer(void *owner, uint64_t generation)
{
	struct combine *combine = owner;

	if (!combine->sent && combine->generation == (uint32_t)generation)
		combine_send(combine,
			     event_queue_now(combine->module->events));
}

bool module_combine(struct module *module, struct access *access,
		    picoseconds start, bool *coalesced)
{
	uint64_t block = access->address & module->block_mask;
	uint32_t offset = (uint32_t)(access->address - block);
	uint32_t first = offset >> module->combine_shift;
	uint32_t last = (offset + access->size - 1) >> module->combine_shift;
	uint64_t bytes = (~0ull >> (63 - (last - first))) << first;
	struct combine *combine = combine_find(module, block);
	picoseconds now = event_queue_now(module->events);

	if (combine) {
		*coalesced = true;
		access->waited = true;
	} else {
		struct combine **slot = combine_slot(module, block);

		if (module->writes_pending == module->config.write_buffer)
			return false;
		module->writes_pending++;
		combine = combine_take(module->pool);
		combine->module = module;
		combine->block = block;
		combine->next = *slot;
		*slot = combine;
		if (module->config.combine_delay &&
		    !combine_complete(module, bytes))
			event_put_after(module->events,
				       module_after(module, now,
						    module->config
							    .combine_delay) -
					       now,
				       module->source, combine_timer, combine,
				       combine->generation);
	}
	module_count_access(module, access,
			    cache_find(module->cache, block) >= 0);
	if (module->shadow) {
		int32_t line = cache_find(module->cache, block);

		if (!combine->words)
			combine->words = xcalloc(module->block_size, 1);
		combine->words[offset / 4] = (uint32_t)access->tag;
		if (line >= 0)
			*shadow_words(module, line, access->address) =
				(uint32_t)access->tag;
	}
	access_append(&combine->waiting, access);
	combine->bytes |= bytes;
	combine->elements += access->elements;
	if (!module->config.combine_delay ||
	    combine_complete(module, combine->bytes))
		combine_send(combine, module_tags(module, start));
	return true;
}

/* --- On the way --------------------------------------------------------- */

/* When a store that has come to a cache passes it: after those before it, at
 * StoreElements a cycle. */
static picoseconds store_start(struct module *module,
			       const struct access *access, picoseconds start)
{
	uint32_t rate = module->config.store_elements;

	if (!rate || access->kind != MEMSYS_NC_STORE)
		return start;
	if (module->stores_end > start)
		start = module->stores_end;
	module->stores_end = start + (module_after(module, start,
						   access->elements) -
				      start) / rate;
	return start;
}

void module_pass_down(struct module *module, struct access *access,
		      picoseconds start)
{
	struct access *child;
	int32_t line;

	if (module->kind == MODULE_MAIN_MEMORY) {
		picoseconds when;

		shadow_perform(module, -1, access);
		when = controller_access(module, access, start);

		module_count_access(module, access, true);
		if (access->from) {
			access->type = MESSAGE_REPLY;
			module_send_up(module, access->from, access, when,
				       false);
		} else {
			access_complete_at(module, access, when);
		}
		return;
	}
	line = cache_find(module->cache, access->address & module->block_mask);
	module_count_access(module, access,
			    line >= 0 && access->kind == MEMSYS_NC_STORE);
	if (line >= 0 && access->kind == MEMSYS_NC_STORE)
		shadow_store(module, line, access->address, access->extent,
			     access->words, access->written, access->grain);
	child = access_take(module->pool);
	child->type = MESSAGE_REQUEST;
	child->kind = access->kind;
	child->operation = access->operation;
	child->origin = ORIGIN_PARENT;
	child->address = access->address;
	child->size = access->size;
	child->extent = access->extent;
	if (!access->from)
		shadow_carry(module, access);
	child->written = access->written;
	child->grain = access->grain;
	child->words = access->words;
	child->elements = access->elements;
	access->words = NULL;
	child->from = module;
	child->parent = access;
	/* The access must not overtake the data that this module has just
	 * written back. */
	module_send_down(module, child,
			 module_tags(module,
				     store_start(module, access, start)),
			 access->kind == MEMSYS_ATOMIC);
}

void module_receive_passed(struct module *module, struct access *reply)
{
	picoseconds now = event_queue_now(module->events);
	struct access *access;
	bool uncached;

	if (reply->origin == ORIGIN_COMBINE) {
		struct combine *combine = reply->combine;

		access_free(module->pool, reply);
		module->writes_pending--;
		access = combine->waiting.first;
		combine_free(module->pool, combine);
		while (access) {
			struct access *next = access->next;

			__builtin_prefetch(next);
			access_complete(module, access);
			access = next;
		}
		return;
	}
	access = reply->parent;
	if (reply->words)
		free(reply->words);
	access_free(module->pool, reply);
	if (access->kind == MEMSYS_LOAD) {
		access_complete(module, access);
		return;
	}
	/* An access that bypasses the arrays goes through the same pipeline. */
	uncached = access->kind == MEMSYS_ATOMIC &&
		   access->operation == MEMSYS_UNCACHED_LOAD;
	if (access->from) {
		access->type = MESSAGE_REPLY;
		module_send_up(module, access->from, access,
			       uncached ? module_data(module, now)
					: module_tags(module, now),
			       false);
		return;
	}
	module->writes_pending--;
	if (uncached)
		access_complete_at(module, access, module_data(module, now));
	else
		access_complete(module, access);
}
