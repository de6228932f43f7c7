/* The prefetcher of a cache: learns from demand misses and from the first uses
 * of prefetched blocks (which would have missed without it), and fetches what
 * it expects into the cache.
 *
 * A prefetch is a load that nobody waits for. It has the lowest priority: at
 * the end of each cycle prefetches take the ports that the cycle left unused,
 * and one that finds no free MSHR is dropped. Each block fetched is in the end
 *
 *	useful   a demand access found it in the cache, or on its way (late)
 *	useless  it left the cache before
 *
 * or still there unused. */
#include "base/optimize.h"

#include "memsys/prefetch/prefetch.h"
#include "memsys/transaction.h"

#include <stdlib.h>

#include "base/memory.h"

void prefetch_create(struct module *module, event_action *turn)
{
	const struct module_config *config = &module->config;
	struct prefetcher_config shape = {
		.type = (enum prefetcher_type)config->prefetcher_type,
		.history = config->prefetcher_ghb,
		.table = config->prefetcher_it,
		.depth = config->prefetcher_depth,
		.degree = config->prefetcher_degree,
		.page = module->memsys->config.page_size > module->block_size
				? (uint32_t)(module->memsys->config.page_size /
					     module->block_size)
				: 1,
		.pair = config->prefetcher_pair,
	};

	module->prefetch = xcalloc(1, sizeof *module->prefetch +
					      config->prefetcher_queue *
						      sizeof(struct prefetch_proposal));
	module->prefetch->turn = turn;
	module->prefetch->prefetcher[0] = prefetcher_create(&shape);
	if (!config->prefetcher_second)
		return;
	shape.type = (enum prefetcher_type)(config->prefetcher_second - 1);
	shape.degree = config->prefetcher_second_degree;
	module->prefetch->prefetcher[1] = prefetcher_create(&shape);
}

void prefetch_free(struct module *module)
{
	if (!module->prefetch)
		return;
	prefetcher_free(module->prefetch->prefetcher[0]);
	prefetcher_free(module->prefetch->prefetcher[1]);
	free(module->prefetch);
}

uint32_t prefetch_waiting(const struct module *module)
{
	return module->prefetch ? module->prefetch->count : 0;
}

bool module_has_prefetches(const struct module *module)
{
	return module->prefetch && module->prefetch->count;
}

/* --- Addresses ------------------------------------------------------------ */

/* Number of a block among those that the module serves, so that the stream of
 * an interleaved module has no gaps. */
static uint64_t block_number(const struct module *module, uint64_t address)
{
	const struct address_range *range = &module->range;

	if (range->kind == RANGE_INTERLEAVED)
		address = address / (range->divide * range->modulo) *
				  range->divide +
			  address % range->divide;
	return address >> module->block_shift;
}

/* The address of a block by its number. False when the module has no such
 * block. */
static bool block_address(const struct module *module, uint64_t number,
			  uint64_t *address)
{
	const struct address_range *range = &module->range;
	uint64_t local = number << module->block_shift;

	if (local >> module->block_shift != number)
		return false;
	*address = local;
	if (range->kind == RANGE_INTERLEAVED)
		return !__builtin_mul_overflow(local / range->divide,
					       range->divide * range->modulo,
					       address) &&
		       !__builtin_add_overflow(*address,
					       range->equal * range->divide +
						       local % range->divide,
					       address);
	return local >= range->low && local <= range->high;
}

/* --- Waiting -------------------------------------------------------------- */

bool prefetch_is_there(const struct module *module, uint64_t block)
{
	return cache_find(module->cache, block) >= 0 ||
	       transaction_find(module, block);
}

void prefetch_schedule(struct module *module)
{
	struct prefetch *prefetch = module->prefetch;
	picoseconds now = event_queue_now(module->events), last;

	if (prefetch->scheduled || !prefetch->count)
		return;
	last = module_after(module, module_cycle(module), 1) - 1 - now;
	prefetch->scheduled = true;
	/* From the end of a cycle: that of the next. */
	event_schedule(module->events,
		       last ? last : module_after(module, now, 1) - now,
		       module->source, prefetch->turn, module, 0);
}

/* --- Learning ------------------------------------------------------------- */

static bool is_queued(const struct module *module, uint64_t block)
{
	const struct prefetch *prefetch = module->prefetch;
	uint32_t at = prefetch->head;

	for (uint32_t i = 0; i < prefetch->count; i++) {
		if (prefetch->queue[at].block == block)
			return true;
		at = at + 1 == module->config.prefetcher_queue ? 0 : at + 1;
	}
	return false;
}

static void propose(struct module *module, uint64_t block,
		    uint32_t instruction)
{
	struct prefetch *prefetch = module->prefetch;
	uint32_t size = module->config.prefetcher_queue;

	module->count.prefetch_requests++;
	if (prefetch_is_there(module, block) || is_queued(module, block)) {
		module->count.redundant_prefetches++;
	} else if (prefetch->count == size) {
		module->count.prefetch_aborts++;
	} else {
		prefetch->queue[(prefetch->head + prefetch->count++) % size] =
			(struct prefetch_proposal){ block, instruction };
		prefetch_schedule(module);
	}
}

/* Streams of one instruction that come from several modules above are kept
 * apart; where no instruction is known (0), those of each module above. */
static uint64_t stream(const struct access *access)
{
	uint64_t above = access->from ? access->from->index + 1 : 0;

	return above << 32 | access->instruction;
}

static void learn(struct module *module, struct prefetcher *prefetcher,
		  const struct access *access)
{
	uint64_t next[PREFETCHER_DEGREE_MAX], block;
	uint64_t page = module->memsys->config.page_size;
	unsigned count;

	count = prefetcher_train(prefetcher, stream(access),
				 block_number(module, access->address), next);
	for (unsigned i = 0; i < count; i++)
		if (block_address(module, next[i], &block) &&
		    (module->config.prefetcher_cross_page ||
		     block / page == access->address / page))
			propose(module, block, access->instruction);
}

void prefetch_learn(struct module *module, const struct access *access)
{
	for (unsigned i = 0; i < 2; i++)
		if (module->prefetch->prefetcher[i])
			learn(module, module->prefetch->prefetcher[i], access);
}
