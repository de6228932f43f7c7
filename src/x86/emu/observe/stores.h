/* A log of stores that are not in memory yet, and loads from it. Internal to
 * x86/emu. */
#ifndef M2S_X86_EMU_STORES_H
#define M2S_X86_EMU_STORES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct x86_stores;

struct x86_stores *x86_stores_create(void);
void x86_stores_free(struct x86_stores *stores);

/* The number of stores. */
size_t x86_stores_count(const struct x86_stores *stores);

/* Appends a store, which is younger than the others. */
void x86_stores_append(struct x86_stores *stores, uint64_t address,
		       const void *bytes, size_t size);

/* Whether a store of the log writes to [address, address + size). */
bool x86_stores_touch(const struct x86_stores *stores, uint64_t address,
		      size_t size);
/* Replaces bytes that were read from memory by those of the youngest stores to
 * them. */
void x86_stores_over(const struct x86_stores *stores, uint64_t address,
		     void *bytes, size_t size);

/* Clears the flags of bytes from `address` on that the oldest `count` stores
 * write. */
void x86_stores_mark(const struct x86_stores *stores, size_t count,
		     uint64_t address, bool *flags, size_t size);

/* The oldest store. The returned bytes belong to the log, and are valid until
 * it changes. */
const void *x86_stores_oldest(const struct x86_stores *stores,
			      uint64_t *address, size_t *size);
/* Removes the oldest store. */
void x86_stores_remove_oldest(struct x86_stores *stores);
/* Removes the youngest stores, so that `count` stores are left. */
void x86_stores_keep(struct x86_stores *stores, size_t count);

#endif
