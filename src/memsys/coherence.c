/* Accesses: which of them a module serves with what it has, which ask the
 * modules above or below first, and how they are answered. */
#include "base/optimize.h"

#include "memsys/coherence.h"
#include "memsys/transaction.h"

#include <stdlib.h>

#include "base/log.h"

/* The access takes effect here. */
static bool performs(const struct access *access)
{
	return !access->from || access->through ||
	       (access->kind == MEMSYS_NC_STORE &&
		access->origin != ORIGIN_TRANSACTION);
}

/* The module's own copy is used. */
static void use_line(struct module *module, struct access *access, int32_t line)
{
	cache_touch(module->cache, line);
	if (module->cache->prefetched[line] &&
	    access->kind != MEMSYS_PREFETCH) {
		module->cache->prefetched[line] = false;
		module->count.useful_prefetches++;
		if (module->prefetch)
			prefetch_learn(module, access);
	}
	if (!performs(access))
		return;
	shadow_perform(module, line, access);
	if (access->kind == MEMSYS_STORE || access->kind == MEMSYS_NC_STORE)
		module_dirty(module, line, module_mask(module, access));
}

/* The access ends here; its data leave the arrays `latency` after start. */
static void answer_access(struct module *module, struct access *access,
			  int32_t line, picoseconds start)
{
	bool memory = module->kind == MODULE_MAIN_MEMORY;
	picoseconds when;

	if (line >= 0 && !memory)
		use_line(module, access, line);
	else if (line >= 0)
		cache_touch(module->cache, line);
	if (memory && performs(access))
		shadow_perform(module, line, access);
	if (access->peer)
		when = module_tags(module, start);
	else if (memory)
		when = controller_access(module, access, start);
	else
		when = module_data(module, start);
	if (access->from) {
		access->granted = module_grant(module, access, line);
		if (!access->peer && !performs(access))
			shadow_load(module, line, access);
		access->type = MESSAGE_REPLY;
		module_send_up(module, access->from, access, when,
			       module_tracked(module, access) !=
				   DIRECTORY_NOBODY);
	} else {
		access_complete_at(module, access, when);
	}
}

/* The line may be gone again when a later access is resolved, so the waiting
 * ones that need nothing but the data are answered with the first, by one
 * event. */
static void answer_all(struct module *module, struct transaction *transaction,
		       int32_t line, picoseconds start)
{
	struct access *first = transaction->initiator, *last = first, *access;

	if (first->from || module->kind == MODULE_MAIN_MEMORY) {
		answer_access(module, first, line, start);
		return;
	}
	use_line(module, first, line);
	module->cache->prefetched[line] = first->kind == MEMSYS_PREFETCH &&
					  !transaction->used;
	while ((access = transaction->waiting.first) && !access->from &&
	       access->kind == MEMSYS_LOAD) {
		access_pop(&transaction->waiting);
		module_count_access(module, access, true);
		last->next = access;
		last = access;
	}
	last->next = NULL;
	access_complete_list_at(module, first, module_data(module, start));
}

/* Passes the access on to the level below. The levels above have given up the
 * block already where the access needs that. An atomic is performed at the
 * memory, so this module drops its own copy. */
static void pass_access(struct module *module, struct access *access,
			int32_t line, picoseconds start)
{
	if (line >= 0 && module->kind == MODULE_CACHE &&
	    access->kind == MEMSYS_ATOMIC)
		module_drop(module, line);
	module_pass_down(module, access, start);
}

void module_place(struct module *module, struct transaction *transaction)
{
	int32_t line = module_take_line(module, transaction);

	if (line >= 0)
		module_finish(module, transaction, line);
}

/* The module above that got the block has said so. */
static void acknowledged(void *owner, uint64_t tag)
{
	struct module *module = owner;
	struct transaction *transaction =
		(struct transaction *)(uintptr_t)tag;

	transaction_end(module, transaction);
	module_make_room(module, transaction->block);
	transaction_resume(module, transaction);
	module_changed(module);
}

/* The block has come from a module above and goes to another one, whose
 * acknowledgement is to be waited for. */
static bool hand_over(struct module *module, struct transaction *transaction,
		      int32_t line)
{
	struct access *access = transaction->initiator;
	picoseconds now = event_queue_now(module->events);

	if (!module->config.ack_latency || transaction->stage != STAGE_PROBE ||
	    !access->from || module->kind == MODULE_MAIN_MEMORY ||
	    module_passes(access))
		return false;
	if (transaction->uses_mshr) {
		transaction->uses_mshr = false;
		module->mshr_used--;
	}
	access->peer = transaction->peer;
	transaction->initiator = NULL;
	answer_access(module, access, line, now);
	event_schedule(module->events,
		       module_after(module, module_data(module, now),
				    module->config.ack_latency) - now,
		       module->source, acknowledged, module,
		       (uintptr_t)transaction);
	return true;
}

void module_finish(struct module *module, struct transaction *transaction,
		   int32_t line)
{
	picoseconds now = event_queue_now(module->events);

	if (hand_over(module, transaction, line))
		return;
	transaction_end(module, transaction);
	transaction->initiator->peer = transaction->peer;
	if (module_passes(transaction->initiator))
		pass_access(module, transaction->initiator, line, now);
	else
		answer_all(module, transaction, line, now);
	module_make_room(module, transaction->block);
	transaction_resume(module, transaction);
}

void transaction_resume(struct module *module, struct transaction *transaction)
{
	picoseconds now = event_queue_now(module->events);
	struct transaction *placing;
	struct access *access;

	while ((access = access_pop(&transaction->deferred)))
		module_receive_probe(module, access);
	while ((access = access_pop(&transaction->waiting)))
		module_resolve(module, access, now, false);
	/* Seldom there: shadow.h. */
	if (transaction->words || transaction->kept) {
		free(transaction->words);
		free(transaction->kept);
	}
	transaction_free(module->pool, transaction);
	/* Tries each once more. A transaction that still finds no line joins
	 * the new list. */
	placing = module->placing;
	module->placing = NULL;
	module->placing_end = &module->placing;
	while (placing) {
		struct transaction *next = placing->next_placing;

		module_place(module, placing);
		placing = next;
	}
	while (module->stalled.first && module->mshr_used < module->config.mshr)
		module_resolve(module, access_pop(&module->stalled), now,
			       false);
}

/* An access that passes waits only for modules above. */
static void resolve_passing(struct module *module, struct access *access,
			    int32_t line, picoseconds start)
{
	bool all =
	    access->kind == MEMSYS_ATOMIC && module->kind == MODULE_CACHE;
	struct directory *directory = module->directory;
	uint32_t first = 0, end = directory ? directory->sub_blocks : 0;

	if (directory && !all)
		module_sub_blocks(module, access->address, access->extent,
				  &first, &end);
	if (line >= 0 && directory &&
	    directory_shared(directory, line, first, end, DIRECTORY_NOBODY)) {
		struct transaction *transaction = transaction_begin(
		    module, access->address & module->block_mask, STAGE_PROBE,
		    access, true);

		transaction_lock(module, transaction, line);
		module_send_probes(module, transaction, first, end,
				   MEMSYS_STORE, DIRECTORY_NOBODY, NULL);
		return;
	}
	pass_access(module, access, line, start);
}

static bool stall_access(struct module *module, struct access *access,
			 bool may_refuse)
{
	if (access->kind == MEMSYS_PREFETCH) {
		module->count.prefetch_aborts++;
		access_complete_at(module, access,
				   module_tags(module, event_queue_now(
							       module->events)));
		return true;
	}
	if (may_refuse)
		return false;
	module->count.class[CLASS_ALL].retries++;
	module->count.class[access_class(access->kind)].retries++;
	access_append(&module->stalled, access);
	return true;
}

/* A block on its way here that only a prefetch asked for. */
static bool is_prefetch(const struct transaction *transaction)
{
	return transaction->uses_mshr &&
	       transaction->initiator->kind == MEMSYS_PREFETCH;
}

static void wait_for_transaction(struct module *module,
				 struct transaction *transaction,
				 struct access *access)
{
	if (access->kind == MEMSYS_PREFETCH) {
		module->count.prefetch_aborts++;
		access_complete_at(module, access,
				   module_tags(module, event_queue_now(
							       module->events)));
		return;
	}
	if (is_prefetch(transaction) && !transaction->used &&
	    !module_passes(access)) {
		transaction->used = true;
		module->count.useful_prefetches++;
		module->count.late_prefetches++;
		if (module->prefetch)
			prefetch_learn(module, access);
	}
	access->waited = true;
	access_append(&transaction->waiting, access);
}

/* Main memory always has the data; a directory entry is needed for tracked
 * modules only. */
static bool memory_needs_entry(const struct module *module,
			       const struct access *access, int32_t line)
{
	return line < 0 && module_tracked(module, access) != DIRECTORY_NOBODY;
}

/* A cache may serve the access with the line that it has. */
static bool permitted(const struct module *module, const struct access *access,
		      int32_t line)
{
	if (line < 0)
		return false;
	if (access->kind == MEMSYS_STORE)
		return module->cache->states[line] >= CACHE_EXCLUSIVE;
	if (access->kind == MEMSYS_NC_STORE)
		return module->cache->states[line] >= CACHE_NONCOHERENT;
	return true;
}

/* A hit of which nothing but the line and the figures hears. */
static inline bool hit_alone(struct module *module,
			     enum memsys_access_kind kind, int32_t line)
{
	struct cache *cache = module->cache;

	if (module->directory || cache->prefetched[line] || module->shadow ||
	    log_stream(module->log, LOG_MEM))
		return false;
	if (kind == MEMSYS_STORE && module->config.write_policy == WRITE_BACK &&
	    cache->states[line] >= CACHE_EXCLUSIVE)
		cache->states[line] = CACHE_MODIFIED;
	else if (kind != MEMSYS_LOAD)
		return false;
	class_count_access(&module->count.class[CLASS_ALL], true, false);
	class_count_access(&module->count.class[kind == MEMSYS_STORE
							? CLASS_WRITE
							: CLASS_READ],
			   true, false);
	cache_touch(cache, line);
	return true;
}

/* Any other one, if it ends at once. */
static bool hit(struct module *module, enum memsys_access_kind kind,
		uint64_t instruction, uint64_t address, unsigned size,
		int32_t line)
{
	struct access access = {
		.kind = kind, .operation = kind, .address = address,
		.size = size, .extent = size, .to = module,
		.instruction = (uint32_t)(instruction ^ instruction >> 32),
	};

	if (!permitted(module, &access, line) ||
	    module_conflict(module, line, &access))
		return false;
	module_count_access(module, &access, true);
	use_line(module, &access, line);
	return true;
}

bool module_hit(struct module *module, enum memsys_access_kind kind,
		uint64_t instruction, uint64_t address, unsigned size)
{
	uint64_t block = address & module->block_mask;
	int32_t line;

	if (module->kind != MODULE_CACHE || module->tlb ||
	    transaction_find(module, block))
		return false;
	line = cache_find(module->cache, block);
	if (line < 0)
		return false;
	return hit_alone(module, kind, line) ||
	       hit(module, kind, instruction, address, size, line);
}

bool module_resolve(struct module *module, struct access *access,
		    picoseconds start, bool may_refuse)
{
	uint64_t block = access->address & module->block_mask;
	struct transaction *transaction = transaction_find(module, block);
	int32_t line = -1;

	if (transaction) {
		wait_for_transaction(module, transaction, access);
		return true;
	}
	if (module->cache)
		line = cache_find(module->cache, block);
	if (module_passes(access)) {
		resolve_passing(module, access, line, start);
		return true;
	}
	if (module->kind == MODULE_MAIN_MEMORY) {
		if (!access->through &&
		    memory_needs_entry(module, access, line)) {
			module_count_access(module, access, true);
			transaction = transaction_begin(
			    module, block, STAGE_PLACE, access, true);
			transaction->granted = CACHE_EXCLUSIVE;
			module_place(module, transaction);
			return true;
		}
	} else if (!permitted(module, access, line)) {
		if (module->mshr_used >= module->config.mshr)
			return stall_access(module, access, may_refuse);
		module_fetch(module, access, block, start,
			     line < 0 && access->kind == MEMSYS_STORE &&
				 performs(access) &&
				 !module->config.write_allocate);
		return true;
	}
	module_count_access(module, access, true);
	if (module_conflict(module, line, access)) {
		transaction =
		    transaction_begin(module, block, STAGE_PROBE, access, true);
		transaction_lock(module, transaction, line);
		module_send_access_probes(module, transaction, access);
		return true;
	}
	answer_access(module, access, line, start);
	return true;
}
