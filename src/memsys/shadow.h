/* The data that would travel, for tests: every 32-bit word of every copy has
 * the number of the store that wrote it, and messages carry these numbers as
 * they would carry the bytes. Simulations do without (all pointers NULL). */
#ifndef M2S_MEMSYS_SHADOW_H
#define M2S_MEMSYS_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#include "memsys/memsys.h"

struct access;
struct combine;
struct transaction;

/* Told when an access of a processor takes effect: stores and atomics with the
 * number that they write, loads with the one that they read. Accesses of
 * processors must be aligned words. */
struct shadow_observer {
	void *owner;
	void (*performed)(void *owner, const struct module *module,
			  enum memsys_access_kind kind, uint64_t address,
			  uint32_t number);
};

/* Before the first access: addresses go up to `bytes`; all words are 0. The
 * number of a store is its tag. */
void shadow_enable(struct memsys *memsys, uint64_t bytes,
		   const struct shadow_observer *observer);

/* Where the words of an address in a line (or a main memory) are. */
uint32_t *shadow_words(const struct module *module, int32_t line,
		       uint64_t address);
/* The message gets the words of [address, address + size) from a line. */
void shadow_load(const struct module *module, int32_t line,
		 struct access *access);
/* The chunks `written` (one bit per 2^grain bytes from `address`) go into a
 * line. */
void shadow_store(const struct module *module, int32_t line, uint64_t address,
		  uint32_t size, const uint32_t *words, uint64_t written,
		  unsigned grain);
/* An access takes effect on a line. */
void shadow_perform(const struct module *module, int32_t line,
		    struct access *access);
/* A store of a processor that takes effect elsewhere gets its words. */
void shadow_carry(const struct module *module, struct access *access);

#endif
