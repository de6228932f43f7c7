/* Objects in flight: accesses, transactions and combined stores. */
#include "base/optimize.h"

#include "memsys/module.h"

#include <string.h>

#include "base/memory.h"

enum { CHUNK_OBJECTS = 128 };

/* Fresh objects of one type on a free list that is linked by `next`. */
#define REFILL(pool, type, list)                                             \
	do {                                                                   \
		struct type *chunk =                                           \
			xcalloc_aligned(CHUNK_OBJECTS * sizeof *chunk);        \
		ARRAY_GROW((pool)->chunks, (pool)->chunk_count,            \
			   (pool)->chunk_capacity);                          \
		(pool)->chunks[(pool)->chunk_count++] = chunk;             \
		for (int i = 0; i < CHUNK_OBJECTS; i++) {                      \
			chunk[i].next = (pool)->list;                        \
			(pool)->list = &chunk[i];                              \
		}                                                              \
	} while (0)

__attribute__((noinline)) void access_refill(struct memsys_pool *pool)
{
	REFILL(pool, access, free_access);
	pool->access_count += CHUNK_OBJECTS;
	pool->short_of_accesses = true;
}

struct transaction *transaction_take(struct memsys_pool *pool)
{
	struct transaction *transaction;

	if (!pool->free_transaction)
		REFILL(pool, transaction, free_transaction);
	transaction = pool->free_transaction;
	pool->free_transaction = transaction->next;
	/* All members: a library call for so few bytes takes longer. */
	transaction->next = transaction->next_placing = NULL;
	transaction->block = 0;
	transaction->stage = STAGE_FETCH;
	transaction->listed = transaction->uses_mshr = false;
	transaction->used = transaction->peer = false;
	transaction->arrived = transaction->recall = false;
	transaction->written = transaction->passed = 0;
	transaction->words = transaction->kept = NULL;
	transaction->line = -1;
	transaction->pending = 0;
	transaction->granted = CACHE_INVALID;
	transaction->initiator = transaction->probe = NULL;
	transaction->waiting = (struct access_list){ NULL, NULL };
	transaction->deferred = (struct access_list){ NULL, NULL };
	transaction->then = NULL;
	return transaction;
}

void transaction_free(struct memsys_pool *pool, struct transaction *transaction)
{
	transaction->next = pool->free_transaction;
	pool->free_transaction = transaction;
}

struct combine *combine_take(struct memsys_pool *pool)
{
	struct combine *combine;

	if (!pool->free_combine)
		REFILL(pool, combine, free_combine);
	combine = pool->free_combine;
	pool->free_combine = combine->next;
	/* Tells a timer that it was set for another use of the object. */
	combine->generation++;
	combine->bytes = 0;
	combine->elements = 0;
	combine->sent = false;
	combine->words = NULL;
	combine->waiting = (struct access_list){ NULL, NULL };
	return combine;
}

void combine_free(struct memsys_pool *pool, struct combine *combine)
{
	combine->sent = true;
	combine->next = pool->free_combine;
	pool->free_combine = combine;
}
