/* The table of the work in flight on blocks, and of the accesses that wait for
 * it. */
#include "base/optimize.h"

#include "memsys/coherence.h"
#include "memsys/transaction.h"

struct transaction *transaction_fetching(const struct module *module,
					 uint64_t block)
{
	struct transaction *transaction = *transaction_slot(module, block);

	while (transaction && (transaction->block != block ||
			       transaction->stage == STAGE_EVICT ||
			       transaction->stage == STAGE_PROBE))
		transaction = transaction->next;
	return transaction;
}

struct transaction *transaction_begin(struct module *module, uint64_t block,
				      enum transaction_stage stage,
				      struct access *initiator, bool listed)
{
	struct transaction *transaction = transaction_take(module->pool);

	transaction->block = block;
	transaction->stage = stage;
	transaction->initiator = initiator;
	transaction->listed = listed;
	if (listed) {
		struct transaction **at = transaction_slot(module, block);

		transaction->next = *at;
		*at = transaction;
	}
	return transaction;
}

void transaction_lock(struct module *module, struct transaction *transaction,
		      int32_t line)
{
	transaction->line = line;
	cache_lock(module->cache, line);
}

void transaction_end(struct module *module, struct transaction *transaction)
{
	if (transaction->line >= 0)
		cache_unlock(module->cache, transaction->line);
	if (transaction->uses_mshr)
		module->mshr_used--;
	if (transaction->listed) {
		struct transaction **at = transaction_slot(module, transaction->block);

		while (*at != transaction)
			at = &(*at)->next;
		*at = transaction->next;
	}
}
