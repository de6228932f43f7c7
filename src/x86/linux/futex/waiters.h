/* The waiters of futexes: what the files of this folder share.
 *
 * A waiter is a context whose wait names (memory, address), or several such
 * pairs. A futex is identified by its place: in private memory by address space
 * and address, in shared memory by object and offset. So processes that map the
 * object at different addresses use the same futex. */
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
/* The index of the key among the futexes that a context waits for, or -1. With
 * `pi` only futexes with priority inheritance count. */
int futex_waits_on(const struct context *context, const struct futex_key *key,
		   bool pi);
/* The context that has waited longest on a key, for any of `bits`. */
struct context *futex_first_waiter(struct linux_system *system,
				   const struct futex_key *key, uint32_t bits,
				   bool pi);
/* Wakes a waiter by its futex of this index. Its bits become 0, which
 * distinguishes a wake from a time-out or a signal. */
void futex_wake_waiter(struct context *waiter, int index);
/* Begins to wait for the futexes of context->wait, with an absolute time-out on
 * `clock`, a relative one, or none. */
int64_t futex_begin_wait(struct context *context, uint32_t bits,
			 uint64_t time_address, bool absolute, int clock,
			 bool wide);
/* The result after a wait: 0 when woken, -ETIMEDOUT, or CALL_BLOCKS. */
int64_t futex_end_wait(struct context *context);

#endif
