/* Host threads that wait for work between kernel launches, because starting a
 * thread costs more than a small launch. */
#ifndef M2S_EVERGREEN_EMU_RUN_POOL_H
#define M2S_EVERGREEN_EMU_RUN_POOL_H

#include <stdbool.h>

struct evg_pool;

/* Creates a pool of up to `threads` - 1 helpers for its owner's thread. A
 * helper is started when it is first needed. When the host refuses a thread,
 * the pool has fewer helpers. */
struct evg_pool *evg_pool_create(unsigned threads);
void evg_pool_free(struct evg_pool *pool); /* NULL is fine */

/* Lets up to `helpers` threads call work(owner), which must be safe for any
 * number of calls, none included. Only one piece of work runs at a time. */
void evg_pool_start(struct evg_pool *pool, unsigned helpers,
		    void (*work)(void *owner), void *owner);
/* Cancels helpers that have not begun, and waits up to `seconds` for the
 * others. Returns whether all have returned. */
bool evg_pool_wait(struct evg_pool *pool, double seconds);

#endif
