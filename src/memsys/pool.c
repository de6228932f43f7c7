/* Objects in flight: accesses, transactions and combined stores, and lists of
 * accesses. */
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

struct access *access_take(struct memsys_pool *pool)
{
	struct access *access;

	if (!pool->free_access) {
		REFILL(pool, access, free_access);
		pool->access_count += CHUNK_OBJECTS;
		pool->short_of_accesses = true;
	}
	access = pool->free_access;
	pool->free_access = access->next;
	/* The next one has not been used for long if many are taken. */
	__builtin_prefetch(pool->free_access, 1);
	__builtin_prefetch((const char *)pool->free_access + 64, 1);
	pool->access_count--;
	access->next = NULL;
	access->waited = access->dirty = access->present = false;
	access->through = access->keep = access->peer = access->clean = false;
	access->written = 0;
	access->requester = NULL;
	access->instruction = access->elements = 0;
	access->words = NULL;
	return access;
}

void access_free(struct memsys_pool *pool, struct access *access)
{
	access->next = pool->free_access;
	pool->free_access = access;
	pool->access_count++;
}

struct transaction *transaction_take(struct memsys_pool *pool)
{
	struct transaction *transaction;

	if (!pool->free_transaction)
		REFILL(pool, transaction, free_transaction);
	transaction = pool->free_transaction;
	pool->free_transaction = transaction->next;
	memory_clear(transaction, sizeof *transaction);
	transaction->line = -1;
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
	uint32_t generation;

	if (!pool->free_combine)
		REFILL(pool, combine, free_combine);
	combine = pool->free_combine;
	pool->free_combine = combine->next;
	/* Tells a timer that it was set for another use of the object. */
	generation = combine->generation + 1;
	memory_clear(combine, sizeof *combine);
	combine->generation = generation;
	return combine;
}

void combine_free(struct memsys_pool *pool, struct combine *combine)
{
	combine->sent = true;
	combine->next = pool->free_combine;
	pool->free_combine = combine;
}

void access_append(struct access_list *list, struct access *access)
{
	access->next = NULL;
	if (list->first)
		list->last->next = access;
	else
		list->first = access;
	list->last = access;
}

struct access *access_pop(struct access_list *list)
{
	struct access *access = list->first;

	if (access)
		list->first = access->next;
	return access;
}
