/* A log of stores that memory does not show yet, and what loads see of it.
 * Internal to x86/emu. */
#ifndef M2S_X86_EMU_STORES_H
#define M2S_X86_EMU_STORES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct x86_stores;

struct x86_stores *x86_stores_create(void);
void x86_stores_free(struct x86_stores *stores);

/* How many there are. */
size_t x86_stores_count(const struct x86_stores *stores);

/* Appends one: it is younger than the others. */
void x86_stores_append(struct x86_stores *stores, uint64_t address,
		       const void *bytes, size_t size);

/* Whether one of [address, address + size) is stored to. */
bool x86_stores_touch(const struct x86_stores *stores, uint64_t address,
		      size_t size);
/* Puts the youngest stores' bytes over `bytes`, which are memory's. */
void x86_stores_over(const struct x86_stores *stores, uint64_t address,
		     void *bytes, size_t size);

/* The oldest one, until the next change. Bytes are the log's. */
const void *x86_stores_oldest(const struct x86_stores *stores,
			      uint64_t *address, size_t *size);
/* Forgets the oldest. */
void x86_stores_remove_oldest(struct x86_stores *stores);
/* Forgets the youngest ones, so that `count` are left. */
void x86_stores_keep(struct x86_stores *stores, size_t count);

#endif
