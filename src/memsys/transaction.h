/* Looking for the work in flight on a block, which every access does. Private to
 * src/memsys. */
#ifndef M2S_MEMSYS_TRANSACTION_H
#define M2S_MEMSYS_TRANSACTION_H

#include "memsys/module.h"

/* The beginning of the list, in the table, in which a block's transactions
 * are. */
static inline struct transaction **
transaction_slot(const struct module *module, uint64_t block)
{
	uint64_t number = block >> module->block_shift;

	return &module->table[(number ^ number >> 7 ^ number >> 14) &
			      module->table_mask];
}
static inline struct transaction *
transaction_find(const struct module *module, uint64_t block)
{
	struct transaction *transaction = *transaction_slot(module, block);

	while (transaction && transaction->block != block)
		transaction = transaction->next;
	return transaction;
}

#endif
