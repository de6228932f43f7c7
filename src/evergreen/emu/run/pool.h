/* Host threads that wait for work between kernel launches: starting a thread
 * costs more than a small launch. */
#ifndef M2S_EVERGREEN_EMU_RUN_POOL_H
#define M2S_EVERGREEN_EMU_RUN_POOL_H

#include <stdbool.h>

struct evg_pool;

/* Up to `threads` - 1 helpers for the thread that owns the pool; they are
 * started when first wanted. A host that refuses threads is no error. */
struct evg_pool *evg_pool_create(unsigned threads);
void evg_pool_free(struct evg_pool *pool); /* NULL is fine */

/* Has up to `helpers` threads call work(owner), which must be safe to call any
 * number of times, none included. Only one piece of work at a time. */
void evg_pool_start(struct evg_pool *pool, unsigned helpers,
		    void (*work)(void *owner), void *owner);
/* Calls off helpers that have not begun, and waits at most that many seconds
 * for the others: whether all have returned. */
bool evg_pool_wait(struct evg_pool *pool, double seconds);

#endif
