/* Shadow data for tests: what the modelled messages would carry. Every 32-bit
 * word of every copy holds the number of the store that wrote it, and messages
 * carry these numbers as they would carry the bytes. Simulations have no shadow
 * data (all pointers NULL). */
#ifndef M2S_MEMSYS_SHADOW_H
#define M2S_MEMSYS_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#include "memsys/memsys.h"

struct access;
struct combine;
struct transaction;

/* Called when an access of a processor takes effect: for stores and atomics
 * with the number that they write, for loads with the number that they read.
 * Accesses of processors must be aligned words. */
struct shadow_observer {
	void *owner;
	void (*performed)(void *owner, const struct module *module,
			  enum memsys_access_kind kind, uint64_t address,
			  uint32_t number);
};

/* To be called before the first access. Addresses are below `bytes`; all words
 * are 0. The number of a store is its tag. */
void shadow_enable(struct memsys *memsys, uint64_t bytes,
		   const struct shadow_observer *observer);

/* The words of an address in a line, or in a main memory. */
uint32_t *shadow_words(const struct module *module, int32_t line,
		       uint64_t address);
/* Copies the words of [address, address + size) from a line into the
 * message. */
void shadow_load(const struct module *module, int32_t line,
		 struct access *access);
/* Copies the chunks `written` (one bit per 2^grain bytes from `address`) into a
 * line. */
void shadow_store(const struct module *module, int32_t line, uint64_t address,
		  uint32_t size, const uint32_t *words, uint64_t written,
		  unsigned grain);
/* An access takes effect on a line. */
void shadow_perform(const struct module *module, int32_t line,
		    struct access *access);
/* Gives words to a processor's store that takes effect in another module. */
void shadow_carry(const struct module *module, struct access *access);

#endif
