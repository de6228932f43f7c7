/* Loads, stores and the protocol that keeps tracked copies in order.
 *
 * A directory protocol with the states of NMOESI. For the modules above, each
 * block is in one of these ways: nobody has it; one has it in E or M; some
 * share it in S, one of them perhaps in O; or some have it in N, each with what
 * it wrote itself. A non-coherent store asks for N: copies in other states go
 * away, those in N stay. A coherent access takes all copies in N away, and what
 * was written to them comes together in the module below.
 *
 * Each module serves one transaction per block; what arrives for the block
 * meanwhile waits in order. A miss goes
 *
 *	FETCH -> (DATA) -> PLACE -> (EVICT of the victim) -> (PROBE) -> answer
 *
 * FETCH waits for the module below; PLACE, EVICT and PROBE only for modules
 * above, DATA for a message that its sender sent before FETCH ended; and a
 * module always answers a probe from below without waiting for anything below
 * it. So no circle of waits can form. Lines are locked only in EVICT and PROBE:
 * a miss takes its line when its block arrives. Should a line in O or N be
 * replaced while its block waits for more rights, what it has stays in the
 * transaction.
 *
 * Clean blocks are dropped without a word; a module that is asked for a block
 * it no longer has says so. */
#include "memsys/module.h"

#include <stdlib.h>
#include <string.h>

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
	free(transaction->words);
	free(transaction->kept);
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

/* What the access asks of the others above: stores and atomics that they give
 * the block up. */
static enum memsys_access_kind demand(const struct access *access)
{
	switch (access->kind) {
	case MEMSYS_STORE:
	case MEMSYS_ATOMIC:
		return MEMSYS_STORE;
	case MEMSYS_NC_STORE:
		return module_passes(access) ? MEMSYS_STORE : MEMSYS_NC_STORE;
	default:
		return MEMSYS_LOAD;
	}
}

/* Somebody above other than `except` has sub-blocks in a way that forbids a
 * load, a store or a non-coherent store. */
static bool forbidden(const struct directory *directory, int32_t line,
		      uint32_t first, uint32_t end_,
		      enum memsys_access_kind kind, int except)
{
	if (kind == MEMSYS_STORE)
		return directory_shared(directory, line, first, end_, except);
	if (kind == MEMSYS_NC_STORE)
		return directory_coherent(directory, line, first, end_,
					  except);
	return directory_owned(directory, line, first, end_, except) ||
	       directory_noncoherent(directory, line, first, end_, except);
}

/* Those whose accesses pass have no copy that could stay. */
static int exempt(const struct module *module, const struct access *access)
{
	return module_passes(access) ? DIRECTORY_NOBODY
				     : tracked(module, access);
}

static bool conflict(const struct module *module, int32_t line,
		     const struct access *access)
{
	uint32_t first, end_;

	if (!module->directory || line < 0)
		return false;
	sub_blocks(module, access->address, access->extent, &first, &end_);
	return forbidden(module->directory, line, first, end_, demand(access),
			 exempt(module, access));
}

/* The owner may send the block to who asked for it. */
static bool peers(const struct module *module, const struct module *owner,
		  const struct access *access)
{
	return access && module->peer_transfers && access->from &&
	       access->from != owner &&
	       access->origin == ORIGIN_TRANSACTION && !access->through &&
	       access->kind != MEMSYS_NC_STORE &&
	       tracked(module, access) != DIRECTORY_NOBODY &&
	       access->from->block_size == owner->block_size;
}

/* Probes for the blocks above in [first, end_) of a line, to all but `except`
 * whose copies forbid an access of the kind; `access`, if not NULL, is the
 * one that asks. */
static void send_probes(struct module *module, struct transaction *transaction,
			uint32_t first, uint32_t end_,
			enum memsys_access_kind kind, int except,
			const struct access *access)
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
			enum memsys_access_kind what = MEMSYS_STORE;
			bool noncoherent;
			struct access *probe;

			if (!directory_has(directory, line, sub, sub + step,
					   number))
				continue;
			noncoherent = directory_noncoherent(
				directory, line, sub, sub + step,
				DIRECTORY_NOBODY);
			if (kind == MEMSYS_LOAD && !noncoherent) {
				if (!directory_owns(directory, line, sub,
						    sub + step, number))
					continue;
				what = MEMSYS_LOAD;
			}
			if (kind == MEMSYS_NC_STORE &&
			    !directory_coherent(directory, line, sub,
						sub + step, DIRECTORY_NOBODY))
				continue;
			probe = access_take(module->pool);
			probe->type = MESSAGE_PROBE;
			probe->kind = what;
			probe->origin = ORIGIN_TRANSACTION;
			probe->address = transaction->block +
					 (uint64_t)sub * directory->sub_size;
			probe->size = probe->extent = upper->block_size;
			probe->from = upper;
			probe->transaction = transaction;
			if (peers(module, upper, access)) {
				probe->requester = access->from;
				probe->requester_transaction =
					access->transaction;
			}
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

	sub_blocks(module, access->address, access->extent, &first, &end_);
	send_probes(module, transaction, first, end_, demand(access),
		    exempt(module, access), access);
}

/* --- What a line has ------------------------------------------------------ */

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
	for (uint32_t at = 0; at < access->extent; at += 1u << access->grain)
		if (access->written >> (at >> access->grain) & 1)
			mask |= chunks(module, access->address + at,
				       1u << access->grain > access->extent
					       ? access->extent
					       : 1u << access->grain);
	return mask;
}

/* The transaction that waits for a block from below, or for its line. */
static struct transaction *fetching(const struct module *module,
				    uint64_t block)
{
	struct transaction *transaction = *slot(module, block);

	while (transaction && (transaction->block != block ||
			       transaction->stage == STAGE_EVICT ||
			       transaction->stage == STAGE_PROBE))
		transaction = transaction->next;
	return transaction;
}

/* Parts of a line are newer now than below. */
static void dirty(struct module *module, int32_t line, uint64_t written)
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
		transaction = fetching(module, cache->blocks[line]);
		if (transaction)
			transaction->passed |= written;
	} else if (cache->states[line] == CACHE_MODIFIED) {
		cache->states[line] = CACHE_EXCLUSIVE;
	}
}

/* --- Answers ------------------------------------------------------------ */

/* What the sender may do with the block from now on. */
static enum cache_state grant(struct module *module,
			      const struct access *access, int32_t line)
{
	struct directory *directory = module->directory;
	int upper = tracked(module, access);
	uint32_t first, end_;
	bool owner;

	if (upper == DIRECTORY_NOBODY || line < 0 || access->through)
		return CACHE_EXCLUSIVE;
	sub_blocks(module, access->address, access->extent, &first, &end_);
	if (access->kind == MEMSYS_STORE)
		owner = true;
	else if (access->kind == MEMSYS_NC_STORE)
		/* All others are gone; its copy may be newer than this one. */
		owner = directory_owns(directory, line, first, end_, upper);
	else
		owner = module->cache->states[line] >= CACHE_EXCLUSIVE &&
			!directory_shared(directory, line, first, end_, upper);
	directory_add(directory, line, first, end_, upper, owner);
	directory_set_noncoherent(directory, line, first, end_,
				  access->kind == MEMSYS_NC_STORE && !owner);
	if (access->peer && owner)
		return CACHE_MODIFIED;
	if (owner)
		return CACHE_EXCLUSIVE;
	return access->kind == MEMSYS_NC_STORE ? CACHE_NONCOHERENT
					       : CACHE_SHARED;
}

/* The access takes effect here. */
static bool performs(const struct access *access)
{
	return !access->from || access->through ||
	       (access->kind == MEMSYS_NC_STORE &&
		access->origin != ORIGIN_TRANSACTION);
}

/* The module's own copy is used. */
static void use_line(struct module *module, struct access *access,
		     int32_t line)
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
		dirty(module, line, module_mask(module, access));
}

/* The access ends here; its data leave the arrays `latency` after start. */
static void answer(struct module *module, struct access *access, int32_t line,
		   picoseconds start)
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
		when = start + module->directory_latency;
	else if (memory)
		when = controller_access(module, access, start);
	else
		when = start + module->latency;
	if (access->from) {
		access->granted = grant(module, access, line);
		if (!access->peer && !performs(access))
			shadow_load(module, line, access);
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
	access_complete_list_at(module, first, start + module->latency);
}

/* --- Misses ------------------------------------------------------------- */

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
	access->grain = (uint8_t)module->combine_shift;
	shadow_load(module, line, access);
	module->count.write_backs += !keep;
	module->count.write_throughs += keep;
	module->throughs_waiting += keep;
	module_send_down(module, access,
			 event_queue_now(module->events) +
				 module->directory_latency,
			 true);
}

/* Frees a line; nobody above has its block any more. */
static void drop(struct module *module, int32_t line)
{
	struct cache *cache = module->cache;
	uint64_t written = module_written(module, line);
	struct transaction *transaction = NULL;

	module->count.useless_prefetches += cache->prefetched[line];
	if (module->kind == MODULE_CACHE)
		transaction = fetching(module, cache->blocks[line]);
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
	}
	cache_invalidate(cache, line);
}

/* Nobody above has the block any more, if the access must not find it. */
static void pass(struct module *module, struct access *access, int32_t line,
		 picoseconds start)
{
	if (line >= 0 && module->kind == MODULE_CACHE &&
	    access->kind == MEMSYS_ATOMIC)
		drop(module, line);
	module_pass_down(module, access, start);
}

static void finish(struct module *module, struct transaction *transaction,
		   int32_t line)
{
	picoseconds now = event_queue_now(module->events);

	end(module, transaction);
	transaction->initiator->peer = transaction->peer;
	if (module_passes(transaction->initiator))
		pass(module, transaction->initiator, line, now);
	else
		answer_all(module, transaction, line, now);
	resume(module, transaction);
}

static void place_later(struct module *module, struct transaction *transaction)
{
	transaction->stage = STAGE_PLACE;
	transaction->next_placing = NULL;
	*module->placing_end = transaction;
	module->placing_end = &transaction->next_placing;
}

/* The block goes into its line, with what this module has itself. */
static void take_block(struct module *module, struct transaction *transaction,
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
	shadow_store(module, line, transaction->block, module->block_size,
		     transaction->words, ~(own | transaction->passed),
		     module->combine_shift);
	shadow_store(module, line, transaction->block, module->block_size,
		     transaction->kept,
		     transaction->written | transaction->passed,
		     module->combine_shift);
	own |= transaction->written;
	transaction->written = 0;
	transaction->passed = 0;
	cache->states[line] = (uint8_t)(modified ? CACHE_EXCLUSIVE : state);
	cache->written[line] = 0;
	if (own || modified)
		dirty(module, line, modified ? module_whole(module) : own);
}

/* A line in N gets coherent rights. Copies of any part of it above, also in S
 * and also of whoever asks, may lack what others wrote to the block. */
static void recall(struct module *module, struct transaction *transaction,
		   int32_t line)
{
	transaction->stage = STAGE_PLACE;
	transaction->recall = true;
	lock(module, transaction, line);
	send_probes(module, transaction, 0, module->directory->sub_blocks,
		    MEMSYS_STORE, DIRECTORY_NOBODY, NULL);
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
					    MEMSYS_STORE, DIRECTORY_NOBODY,
					    NULL);
				return;
			}
			module->count.evictions++;
			drop(module, line);
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
	take_block(module, transaction, line);
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
		  picoseconds start, bool through)
{
	struct transaction *transaction =
		begin(module, block, STAGE_FETCH, access, true);
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
	request->kind = access->kind == MEMSYS_STORE ||
					access->kind == MEMSYS_NC_STORE
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
static void through_done(struct module *module,
			 struct transaction *transaction)
{
	struct access *access = transaction->initiator;
	picoseconds now = event_queue_now(module->events);

	end(module, transaction);
	if (access->from) {
		access->type = MESSAGE_REPLY;
		module_send_up(module, access->from, access,
			       now + module->directory_latency,
			       tracked(module, access) != DIRECTORY_NOBODY);
	} else {
		access_complete_at(module, access, now);
	}
	resume(module, transaction);
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
		place(module, transaction);
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
	if (is_prefetch(transaction) && !transaction->used) {
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
	return line < 0 && tracked(module, access) != DIRECTORY_NOBODY;
}

/* A cache may serve the access with the line that it has. */
static bool permitted(const struct module *module,
		      const struct access *access, int32_t line)
{
	if (line < 0)
		return false;
	if (access->kind == MEMSYS_STORE)
		return module->cache->states[line] >= CACHE_EXCLUSIVE;
	if (access->kind == MEMSYS_NC_STORE)
		return module->cache->states[line] >= CACHE_NONCOHERENT;
	return true;
}

bool module_keeps_stores(const struct module *module)
{
	return module->kind == MODULE_CACHE && module->config.coherent;
}

bool module_passes(const struct access *access)
{
	return access->kind == MEMSYS_ATOMIC ||
	       (access->kind == MEMSYS_NC_STORE && access->from &&
		access->origin != ORIGIN_TRANSACTION &&
		!module_keeps_stores(access->to)) ||
	       (access->kind == MEMSYS_NC_STORE && !access->from &&
		!module_keeps_stores(access->to));
}

/* What passes waits only for those above. */
static void resolve_passing(struct module *module, struct access *access,
			    int32_t line, picoseconds start)
{
	bool all = access->kind == MEMSYS_ATOMIC &&
		   module->kind == MODULE_CACHE;
	struct directory *directory = module->directory;
	uint32_t first = 0, end_ = directory ? directory->sub_blocks : 0;

	if (directory && !all)
		sub_blocks(module, access->address, access->extent, &first,
			   &end_);
	if (line >= 0 && directory &&
	    directory_shared(directory, line, first, end_,
			     DIRECTORY_NOBODY)) {
		struct transaction *transaction =
			begin(module, access->address & module->block_mask,
			      STAGE_PROBE, access, true);

		lock(module, transaction, line);
		send_probes(module, transaction, first, end_, MEMSYS_STORE,
			    DIRECTORY_NOBODY, NULL);
		return;
	}
	pass(module, access, line, start);
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
	if (module_passes(access)) {
		resolve_passing(module, access, line, start);
		return true;
	}
	if (module->kind == MODULE_MAIN_MEMORY) {
		if (!access->through &&
		    memory_needs_entry(module, access, line)) {
			module_count_access(module, access, true);
			transaction = begin(module, block, STAGE_PLACE, access,
					    true);
			transaction->granted = CACHE_EXCLUSIVE;
			place(module, transaction);
			return true;
		}
	} else if (!permitted(module, access, line)) {
		if (module->mshr_used >= module->config.mshr)
			return stall(module, access, may_refuse);
		fetch(module, access, block, start,
		      line < 0 && access->kind == MEMSYS_STORE &&
			      performs(access) &&
			      !module->config.write_allocate);
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

/* Parts of a block that were written above reach this module. */
static void merge(struct module *module, int32_t line,
		  const struct access *access, picoseconds start)
{
	uint64_t written = module_mask(module, access);

	module->count.merges += access->written !=
				module_whole(access->from);
	shadow_store(module, line, access->address, access->extent,
		     access->words, access->written, access->grain);
	if (module->kind == MODULE_MAIN_MEMORY)
		controller_write_back(
			module, access->address,
			(uint32_t)__builtin_popcountll(access->written)
				<< access->grain,
			start);
	else
		dirty(module, line, written);
}

void module_receive_write_back(struct module *module, struct access *access)
{
	uint64_t block = access->address & module->block_mask;
	int32_t line = module->cache ? cache_find(module->cache, block) : -1;
	picoseconds start = module_port(module);
	int upper = tracked(module, access);
	uint32_t first, end_;

	module->count.write_backs_received += !access->keep;
	if (line >= 0 && upper != DIRECTORY_NOBODY && !access->keep) {
		sub_blocks(module, access->address, access->extent, &first,
			   &end_);
		directory_remove(module->directory, line, first, end_, upper);
	}
	if (module->kind == MODULE_MAIN_MEMORY) {
		merge(module, line, access, start);
	} else if (line >= 0 && module->cache->states[line] != CACHE_SHARED) {
		merge(module, line, access, start);
	} else {
		/* From a module that is not tracked. */
		shadow_store(module, line < 0 ? 0 : line, access->address,
			     line < 0 ? 0 : access->extent, access->words,
			     access->written, access->grain);
		access->from = module;
		module->count.write_throughs++;
		module->throughs_waiting += access->keep;
		module_send_down(module, access,
				 start + module->directory_latency, true);
		return;
	}
	free(access->words);
	access_free(module->pool, access);
}

/* --- Probes ------------------------------------------------------------- */

/* The owner's block goes to who asked for it. */
static void send_peer(struct module *module, const struct access *probe,
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
			 event_queue_now(module->events) + module->latency);
}

/* Does to the line what the probe from below demands, and replies. */
static void obey(struct module *module, struct access *probe, int32_t line)
{
	struct cache *cache = module->cache;
	picoseconds delay = module->directory_latency;
	struct transaction *transaction = fetching(module, probe->address);
	uint64_t written = 0;

	module->count.probes++;
	if (line >= 0)
		written = module_written(module, line);
	else if (transaction)
		written = transaction->written;
	probe->present = line >= 0;
	if (written && written == module_whole(module) && probe->requester &&
	    (line < 0 || cache->states[line] != CACHE_NONCOHERENT)) {
		send_peer(module, probe, line, transaction);
		probe->peer = true;
	} else if (written) {
		probe->dirty = true;
		probe->written = written;
		probe->grain = (uint8_t)module->combine_shift;
		delay = module->latency;
		if (line >= 0) {
			shadow_load(module, line, probe);
		} else {
			probe->words = transaction->kept;
			transaction->kept = NULL;
		}
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
	/* What arrives now comes after this answer, and has all of it. */
	if (transaction)
		transaction->passed = 0;
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
	    forbidden(directory, line, 0, directory->sub_blocks, probe->kind,
		      DIRECTORY_NOBODY)) {
		/* During a FETCH others wait for that already. */
		struct transaction *up = begin(module, block, STAGE_PROBE,
					       NULL, !transaction);

		up->probe = probe;
		lock(module, up, line);
		send_probes(module, up, 0, directory->sub_blocks, probe->kind,
			    DIRECTORY_NOBODY, NULL);
		return;
	}
	obey(module, probe, line);
}

static void evicted(struct module *module, struct transaction *eviction)
{
	struct transaction *then = eviction->then;

	end(module, eviction);
	module->count.evictions++;
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

	sub_blocks(module, reply->address, reply->extent, &first, &end_);
	if (reply->kind == MEMSYS_STORE || !reply->present)
		directory_remove(directory, line, first, end_, upper);
	else if (!reply->peer)
		directory_disown(directory, line, first, end_, upper);
	transaction->peer |= reply->peer;
	if (reply->dirty)
		merge(module, line, reply, event_queue_now(module->events));
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
		module->cache->locked[line] = false;
		place(module, transaction);
	} else if (probe) {
		end(module, transaction);
		obey(module, probe, line);
		resume(module, transaction);
	} else {
		finish(module, transaction, line);
	}
}
