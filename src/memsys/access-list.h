/* Accesses are taken from a pool, given back and put into lists all the time.
 * Private to src/memsys. */
#ifndef M2S_MEMSYS_ACCESS_LIST_H
#define M2S_MEMSYS_ACCESS_LIST_H

#include "memsys/module.h"

/* An access that has nothing yet but what every message may look at. */
static inline struct access *access_take(struct memsys_pool *pool)
{
	struct access *access;

	if (!pool->free_access)
		access_refill(pool);
	access = pool->free_access;
	pool->free_access = access->next;
	/* The next one has not been used for long if many are taken. */
	__builtin_prefetch(pool->free_access, 1);
	__builtin_prefetch((const char *)pool->free_access + 64, 1);
	pool->access_count--;
	access->next = NULL;
	access->bits = 0;
	access->written = 0;
	access->requester = NULL;
	access->instruction = access->elements = 0;
	access->words = NULL;
	return access;
}

static inline void access_free(struct memsys_pool *pool, struct access *access)
{
	access->next = pool->free_access;
	pool->free_access = access;
	pool->access_count++;
}

static inline void access_append(struct access_list *list,
				 struct access *access)
{
	access->next = NULL;
	if (list->first)
		list->last->next = access;
	else
		list->first = access;
	list->last = access;
}

static inline struct access *access_pop(struct access_list *list)
{
	struct access *access = list->first;

	if (access)
		list->first = access->next;
	return access;
}

#endif
