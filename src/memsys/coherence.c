/* Loads, stores and the protocol that keeps tracked copies in order.
 *
 * A directory protocol with the states invalid, shared, exclusive and
 * modified. Each module serves one transaction per block; what arrives for
 * the block meanwhile waits in order. A miss goes
 *
 *	FETCH -> (PLACE -> (EVICT of the victim)) -> (PROBE) -> answer
 *
 * FETCH waits for the module below; PLACE, EVICT and PROBE only for modules
 * above, and a module always answers a probe from below without waiting for
 * anything below it. So no circle of waits can form. Lines are locked only in
 * EVICT and PROBE: a miss takes its line when its block arrives.
 *
 * Clean blocks are dropped without a word; a module that is asked for a block
 * it no longer has says so. */
#include "memsys/module.h"

#include "base/memory.h"

/* --- Transactions ------------------------------------------------------- */

static struct transaction **slot(const struct module *module, uint64_t block)
{
	uint64_t number = block >> module->block_shift;

	return &module->table[(number ^ number >> 7 ^ number >> 14) &
			      module->table_mask];
}

struct transaction *transaction_find(const struct module *module,
				     uint64_t block)
{
	struct transaction *transaction = *slot(module, block);

	while (transaction && transaction->block != block)
		transaction = transaction->next;
	return transaction;
}

static struct transaction *begin(struct module *module, uint64_t block,
				 enum transaction_stage stage,
				 struct access *initiator, bool listed)
{
	struct transaction *transaction = transaction_take(module->pool);

	transaction->block = block;
	transaction->stage = stage;
	transaction->initiator = initiator;
	transaction->listed = listed;
	if (listed) {
		struct transaction **at = slot(module, block);

		transaction->next = *at;
		*at = transaction;
	}
	return transaction;
}

static void lock(struct module *module, struct transaction *transaction,
		 int32_t line)
{
	transaction->line = line;
	module->cache->locked[line] = true;
}

static void place(struct module *module, struct transaction *transaction);

/* Takes the transaction off the table; its line may be used again. */
static void end(struct module *module, struct transaction *transaction)
{
	if (transaction->line >= 0)
		module->cache->locked[transaction->line] = false;
	if (transaction->uses_mshr)
		module->mshr_used--;
	if (transaction->listed) {
		struct transaction **at = slot(module, transaction->block);

		while (*at != transaction)
			at = &(*at)->next;
		*at = transaction->next;
	}
}

/* After end(): who waited for the block, for a line or for an MSHR goes on. */
static void resume(struct module *module, struct transaction *transaction)
{
	picoseconds now = event_queue_now(module->events);
	struct transaction *placing;
	struct access *access;

	while ((access = access_pop(&transaction->deferred)))
		module_receive_probe(module, access);
	while ((access = access_pop(&transaction->waiting)))
		module_resolve(module, access, now, false);
	transaction_free(module->pool, transaction);
	/* Each once more; who finds no line again joins the new list. */
	placing = module->placing;
	module->placing = NULL;
	module->placing_end = &module->placing;
	while (placing) {
		struct transaction *next = placing->next_placing;

		place(module, placing);
		placing = next;
	}
	while (module->stalled.first &&
	       module->mshr_used < module->config.mshr)
		module_resolve(module, access_pop(&module->stalled), now,
			       false);
}

/* --- Directory ---------------------------------------------------------- */

/* The number here of the module that sent it; -1 when it is not tracked. */
static int tracked(const struct module *module, const struct access *access)
{
	if (!module->directory || !access->from)
		return DIRECTORY_NOBODY;
	return module->upper_number[access->from->index];
}

/* Sub-blocks of [address, address + size) in its line. */
static void sub_blocks(const struct module *module, uint64_t address,
		       uint32_t size, uint32_t *first, uint32_t *end_)
{
	uint32_t offset = (uint32_t)(address & ~module->block_mask);

	*first = offset / module->directory->sub_size;
	*end_ = (offset + size - 1) / module->directory->sub_size + 1;
}

/* Others above hold the block in a way that forbids the access. */
static bool conflict(const struct module *module, int32_t line,
		     const struct access *access)
{
	uint32_t first, end_;
	int upper;

	if (!module->directory || line < 0)
		return false;
	upper = tracked(module, access);
	sub_blocks(module, access->address, access->size, &first, &end_);
	return access->kind == MEMSYS_STORE
		       ? directory_shared(module->directory, line, first, end_,
					  upper)
		       : directory_owned(module->directory, line, first, end_,
					 upper);
}

/* Probes for the blocks above in [first, end_) of a line: to all but `except`
 * that have them (kind MEMSYS_STORE) or own them (MEMSYS_LOAD). */
static void send_probes(struct module *module, struct transaction *transaction,
			uint32_t first, uint32_t end_,
			enum memsys_access_kind kind, int except)
{
	struct directory *directory = module->directory;
	int32_t line = transaction->line;
	picoseconds when = event_queue_now(module->events) +
			   module->directory_latency;

	for (int number = 0; number < (int)module->upper_count; number++) {
		struct module *upper = module->upper[number];
		uint32_t step = upper->block_size / directory->sub_size;

		if (number == except)
			continue;
		for (uint32_t sub = first / step * step; sub < end_;
		     sub += step) {
			struct access *probe;

			if (!(kind == MEMSYS_STORE
				      ? directory_has(directory, line, sub,
						      sub + step, number)
				      : directory_owns(directory, line, sub,
						       sub + step, number)))
				continue;
			probe = access_take(module->pool);
			probe->type = MESSAGE_PROBE;
			probe->kind = kind;
			probe->origin = ORIGIN_TRANSACTION;
			probe->address = transaction->block +
					 (uint64_t)sub * directory->sub_size;
			probe->size = upper->block_size;
			probe->from = upper;
			probe->transaction = transaction;
			transaction->pending++;
			module_send_up(module, upper, probe, when, true);
		}
	}
}

static void send_access_probes(struct module *module,
			       struct transaction *transaction,
			       const struct access *access)
{
	uint32_t first, end_;

	sub_blocks(module, access->address, access->size, &first, &end_);
	send_probes(module, transaction, first, end_,
		    access->kind == MEMSYS_STORE ? MEMSYS_STORE : MEMSYS_LOAD,
		    tracked(module, access));
}

/* --- Answers ------------------------------------------------------------ */

/* What the sender may do with the block from now on. */
static enum cache_state grant(struct module *module,
			      const struct access *access, int32_t line)
{
	int upper = tracked(module, access);
	uint32_t first, end_;
	bool owner;

	if (upper == DIRECTORY_NOBODY || line < 0)
		return CACHE_EXCLUSIVE;
	sub_blocks(module, access->address, access->size, &first, &end_);
	owner = access->kind == MEMSYS_STORE ||
		(module->cache->states[line] >= CACHE_EXCLUSIVE &&
		 !directory_shared(module->directory, line, first, end_,
				   upper));
	directory_add(module->directory, line, first, end_, upper, owner);
	return owner ? CACHE_EXCLUSIVE : CACHE_SHARED;
}

/* The module's own copy is used. */
static void use_line(struct module *module, const struct access *access,
		     int32_t line)
{
	cache_touch(module->cache, line);
	if (access->kind != MEMSYS_PREFETCH)
		module->cache->prefetched[line] = false;
	if (!access->from && access->kind == MEMSYS_STORE)
		module->cache->states[line] = CACHE_MODIFIED;
}

/* The access ends here; its data leave the arrays `latency` after start. */
static void answer(struct module *module, struct access *access, int32_t line,
		   picoseconds start)
{
	picoseconds when;

	if (line >= 0)
		use_line(module, access, line);
	when = module->kind == MODULE_MAIN_MEMORY
		       ? controller_access(module, access, start)
		       : start + module->latency;
	if (access->from) {
		access->granted = grant(module, access, line);
		access->type = MESSAGE_REPLY;
		module_send_up(module, access->from, access, when,
			       tracked(module, access) != DIRECTORY_NOBODY);
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
		answer(module, first, line, start);
		return;
	}
	use_line(module, first, line);
	module->cache->prefetched[line] = first->kind == MEMSYS_PREFETCH;
	while ((access = transaction->waiting.first) && !access->from &&
	       access->kind == MEMSYS_LOAD) {
		access_pop(&transaction->waiting);
		module_count_access(module, access, true);
		module->cache->prefetched[line] = false;
		last->next = access;
		last = access;
	}
	last->next = NULL;
	access_complete_list_at(module, first, start + module->latency);
}

/* --- Misses ------------------------------------------------------------- */

void module_write_back(struct module *module, uint64_t block)
{
	struct access *access = access_take(module->pool);

	access->type = MESSAGE_WRITE_BACK;
	access->kind = MEMSYS_STORE;
	access->address = block;
	access->size = module->block_size;
	access->from = module;
	module->count.write_backs++;
	module_send_down(module, access,
			 event_queue_now(module->events) +
				 module->directory_latency,
			 true);
}

/* Frees a line; nobody above has its block any more. */
static void drop(struct module *module, int32_t line)
{
	struct cache *cache = module->cache;

	module->count.evictions++;
	module->count.useless_prefetches += cache->prefetched[line];
	if (module->kind == MODULE_CACHE &&
	    cache->states[line] == CACHE_MODIFIED)
		module_write_back(module, cache->blocks[line]);
	cache_invalidate(cache, line);
}

static void finish(struct module *module, struct transaction *transaction,
		   int32_t line)
{
	end(module, transaction);
	answer_all(module, transaction, line,
		   event_queue_now(module->events));
	resume(module, transaction);
}

static void place_later(struct module *module, struct transaction *transaction)
{
	transaction->stage = STAGE_PLACE;
	transaction->next_placing = NULL;
	*module->placing_end = transaction;
	module->placing_end = &transaction->next_placing;
}

/* The block has arrived: gives it a line, then to those who want it. */
static void place(struct module *module, struct transaction *transaction)
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
					begin(module, cache->blocks[line],
					      STAGE_EVICT, NULL, true);

				transaction->stage = STAGE_PLACE;
				eviction->then = transaction;
				lock(module, eviction, line);
				send_probes(module, eviction, 0,
					    module->directory->sub_blocks,
					    MEMSYS_STORE, DIRECTORY_NOBODY);
				return;
			}
			drop(module, line);
		}
		cache_fill(cache, line, transaction->block,
			   transaction->granted);
	} else if (cache->locked[line]) {
		/* An old copy that is just being evicted. */
		place_later(module, transaction);
		return;
	} else if (cache->states[line] < transaction->granted) {
		cache->states[line] = (uint8_t)transaction->granted;
	}
	if (conflict(module, line, transaction->initiator)) {
		transaction->stage = STAGE_PROBE;
		lock(module, transaction, line);
		send_access_probes(module, transaction,
				   transaction->initiator);
		return;
	}
	finish(module, transaction, line);
}

static void fetch(struct module *module, struct access *access, uint64_t block,
		  picoseconds start)
{
	struct transaction *transaction =
		begin(module, block, STAGE_FETCH, access, true);
	struct access *request;

	module_count_access(module, access, false);
	module->count.prefetches += access->kind == MEMSYS_PREFETCH;
	transaction->uses_mshr = true;
	module->mshr_used++;
	request = access_take(module->pool);
	request->type = MESSAGE_REQUEST;
	request->kind = access->kind == MEMSYS_STORE ? MEMSYS_STORE
						     : MEMSYS_LOAD;
	request->origin = ORIGIN_TRANSACTION;
	request->address = block;
	request->size = module->block_size;
	request->from = module;
	request->transaction = transaction;
	module_send_down(module, request, start + module->directory_latency,
			 true);
}

void module_receive_reply(struct module *module, struct access *access)
{
	struct transaction *transaction = access->transaction;

	transaction->granted = access->granted;
	access_free(module->pool, access);
	place(module, transaction);
}

/* --- Requests ----------------------------------------------------------- */

static bool stall(struct module *module, struct access *access,
		  bool may_refuse)
{
	if (access->kind == MEMSYS_PREFETCH) {
		module->count.prefetch_aborts++;
		access_complete_at(module, access,
				   event_queue_now(module->events) +
					   module->directory_latency);
		return true;
	}
	if (may_refuse)
		return false;
	module->count.class[CLASS_ALL].retries++;
	module->count.class[access->kind == MEMSYS_STORE ? CLASS_WRITE
							 : CLASS_READ]
		.retries++;
	access_append(&module->stalled, access);
	return true;
}

static void wait(struct module *module, struct transaction *transaction,
		 struct access *access)
{
	if (access->kind == MEMSYS_PREFETCH) {
		module->count.prefetch_aborts++;
		access_complete_at(module, access,
				   event_queue_now(module->events) +
					   module->directory_latency);
		return;
	}
	access->waited = true;
	access_append(&transaction->waiting, access);
}

/* Main memory always has the data; a directory entry is needed for tracked
 * modules only. */
static bool memory_needs_entry(const struct module *module,
			       const struct access *access, int32_t line)
{
	return line < 0 && tracked(module, access) != DIRECTORY_NOBODY;
}

bool module_resolve(struct module *module, struct access *access,
		    picoseconds start, bool may_refuse)
{
	uint64_t block = access->address & module->block_mask;
	struct transaction *transaction = transaction_find(module, block);
	int32_t line = -1;

	if (transaction) {
		wait(module, transaction, access);
		return true;
	}
	if (module->cache)
		line = cache_find(module->cache, block);
	if (module->kind == MODULE_MAIN_MEMORY) {
		if (memory_needs_entry(module, access, line)) {
			module_count_access(module, access, true);
			transaction = begin(module, block, STAGE_PLACE, access,
					    true);
			transaction->granted = CACHE_EXCLUSIVE;
			place(module, transaction);
			return true;
		}
	} else if (line < 0 || (access->kind == MEMSYS_STORE &&
				module->cache->states[line] <
					CACHE_EXCLUSIVE)) {
		if (module->mshr_used >= module->config.mshr)
			return stall(module, access, may_refuse);
		fetch(module, access, block, start);
		return true;
	}
	module_count_access(module, access, true);
	if (conflict(module, line, access)) {
		transaction = begin(module, block, STAGE_PROBE, access, true);
		lock(module, transaction, line);
		send_access_probes(module, transaction, access);
		return true;
	}
	answer(module, access, line, start);
	return true;
}

void module_receive_write_back(struct module *module, struct access *access)
{
	uint64_t block = access->address & module->block_mask;
	int32_t line = module->cache ? cache_find(module->cache, block) : -1;
	picoseconds start = module_port(module);
	int upper = tracked(module, access);
	uint32_t first, end_;

	module->count.write_backs_received++;
	if (line >= 0 && upper != DIRECTORY_NOBODY) {
		sub_blocks(module, access->address, access->size, &first,
			   &end_);
		directory_remove(module->directory, line, first, end_, upper);
	}
	if (module->kind == MODULE_MAIN_MEMORY) {
		controller_write_back(module, access->address, access->size,
				      start);
	} else if (line >= 0) {
		module->cache->states[line] = CACHE_MODIFIED;
	} else {
		access->from = module;
		module_send_down(module, access,
				 start + module->directory_latency, true);
		return;
	}
	access_free(module->pool, access);
}

/* --- Probes ------------------------------------------------------------- */

/* Does to the line what the probe from below demands, and replies. */
static void obey(struct module *module, struct access *probe, int32_t line)
{
	struct cache *cache = module->cache;
	picoseconds delay = module->directory_latency;

	module->count.probes++;
	probe->present = line >= 0;
	if (line >= 0) {
		probe->dirty = cache->states[line] == CACHE_MODIFIED;
		if (probe->dirty)
			delay = module->latency;
		if (probe->kind == MEMSYS_STORE)
			cache_invalidate(cache, line);
		else
			cache->states[line] = CACHE_SHARED;
	}
	probe->type = MESSAGE_PROBE_REPLY;
	module_send_down(module, probe,
			 event_queue_now(module->events) + delay, true);
}

void module_receive_probe(struct module *module, struct access *probe)
{
	uint64_t block = probe->address & module->block_mask;
	struct transaction *transaction = transaction_find(module, block);
	struct directory *directory = module->directory;
	int32_t line;

	/* What waits for those above ends without help from below. */
	if (transaction && transaction->stage != STAGE_FETCH) {
		access_append(&transaction->deferred, probe);
		return;
	}
	line = cache_find(module->cache, block);
	if (line >= 0 && directory &&
	    (probe->kind == MEMSYS_STORE
		     ? directory_shared(directory, line, 0,
					directory->sub_blocks,
					DIRECTORY_NOBODY)
		     : directory_owned(directory, line, 0,
				       directory->sub_blocks,
				       DIRECTORY_NOBODY))) {
		/* During a FETCH others wait for that already. */
		struct transaction *up = begin(module, block, STAGE_PROBE,
					       NULL, !transaction);

		up->probe = probe;
		lock(module, up, line);
		send_probes(module, up, 0, directory->sub_blocks, probe->kind,
			    DIRECTORY_NOBODY);
		return;
	}
	obey(module, probe, line);
}

static void evicted(struct module *module, struct transaction *eviction)
{
	struct transaction *then = eviction->then;

	end(module, eviction);
	drop(module, eviction->line);
	/* Before anybody else can take the line. */
	place(module, then);
	resume(module, eviction);
}

void module_receive_probe_reply(struct module *module, struct access *reply)
{
	struct transaction *transaction = reply->transaction;
	struct directory *directory = module->directory;
	int upper = module->upper_number[reply->from->index];
	int32_t line = transaction->line;
	uint32_t first, end_;
	struct access *probe;

	sub_blocks(module, reply->address, reply->size, &first, &end_);
	if (reply->kind == MEMSYS_STORE || !reply->present)
		directory_remove(directory, line, first, end_, upper);
	else
		directory_disown(directory, line, first, end_, upper);
	if (reply->dirty && module->kind == MODULE_MAIN_MEMORY)
		controller_write_back(module, reply->address, reply->size,
				      event_queue_now(module->events));
	else if (reply->dirty)
		module->cache->states[line] = CACHE_MODIFIED;
	access_free(module->pool, reply);
	if (--transaction->pending)
		return;
	probe = transaction->probe;
	if (transaction->stage == STAGE_EVICT) {
		evicted(module, transaction);
	} else if (probe) {
		end(module, transaction);
		obey(module, probe, line);
		resume(module, transaction);
	} else {
		finish(module, transaction, line);
	}
}
