/* Objects in flight: accesses, transactions and combined stores, each taken from
 * a pool and given back to one. */
#ifndef M2S_MEMSYS_POOL_H
#define M2S_MEMSYS_POOL_H

struct combine;
struct memsys_pool;
struct network_carrier;
struct transaction;

/* Allocates more free accesses; access-list.h takes them. */
void access_refill(struct memsys_pool *pool);
struct transaction *transaction_take(struct memsys_pool *pool);
void transaction_free(struct memsys_pool *pool, struct transaction *transaction);
struct combine *combine_take(struct memsys_pool *pool);
void combine_free(struct memsys_pool *pool, struct combine *combine);

/* Carries accesses between threads (network.h). The carrier's memory is a
 * pool. */
extern const struct network_carrier access_carrier;

#endif
