/* Who waits for a futex. What the files of this folder share.
 *
 * A waiter is a context whose wait names (memory, address), or several of
 * them. What a futex is follows from its place: in private memory the address
 * space and the address, in shared memory the object and the offset, so that
 * processes that map the object anywhere meet. */
#ifndef M2S_X86_LINUX_FUTEX_WAITERS_H
#define M2S_X86_LINUX_FUTEX_WAITERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct context;
struct guest_memory;
struct linux_system;

struct futex_key {
	const struct guest_memory *memory; /* NULL: shared */
	dev_t device;
	ino_t inode;
	uint64_t offset;
};

struct futex_key futex_key_of(const struct guest_memory *memory,
			      uint64_t address);
/* Which of the futexes that a context waits for it is, or -1; `pi`: those with
 * priority inheritance. */
int futex_waits_on(const struct context *context, const struct futex_key *key,
		   bool pi);
/* The context that has waited longest on a key, for some of `bits`. */
struct context *futex_first_waiter(struct linux_system *system,
				   const struct futex_key *key, uint32_t bits,
				   bool pi);
/* By its futex of this index: bits of 0 then distinguish that from a time-out
 * or a signal. */
void futex_wake_waiter(struct context *waiter, int index);
/* Waits for context->wait's futexes; *absolute time in ns of `clock`, or
 * relative, or none. */
int64_t futex_begin_wait(struct context *context, uint32_t bits,
			 uint64_t time_address, bool absolute, int clock,
			 bool wide);
/* After a wait: 0 when woken, -ETIMEDOUT, or CALL_BLOCKS. */
int64_t futex_end_wait(struct context *context);

#endif
