/* The end of a thread: what it held is marked and handed on. */
#include <linux/futex.h>

#include "x86/linux/futex/futex.h"
#include "x86/linux/futex/lock.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/state.h"
#include "x86/linux/wait.h"

static void owner_died(struct context *context, uint64_t address, bool pi)
{
	uint32_t value;

	if (guest_get(context, address, &value, sizeof value) ||
	    (value & FUTEX_TID_MASK) != futex_thread(context))
		return;
	bool waiters = value & FUTEX_WAITERS;

	if (pi) {
		futex_hand_over(context, address, FUTEX_OWNER_DIED);
		return;
	}
	value = (value & FUTEX_WAITERS) | FUTEX_OWNER_DIED;
	guest_put(context, address, &value, sizeof value);
	if (waiters)
		futex_wake(context->process->system, context->process->memory,
			   address, 1, UINT32_MAX);
}

static void robust_list_exit(struct context *context)
{
	uint64_t head = context->robust_list, entry, offset, pending;
	unsigned word;

	if (!head)
		return;
	context->abi32 = context->process->memory->abi32;
	word = context->abi32 ? 4 : 8;
	if (guest_get_word(context, head, &entry) ||
	    guest_get_word(context, head + word, &offset) ||
	    guest_get_word(context, head + 2 * word, &pending))
		return;
	if (context->abi32) /* the lock comes before its list entry */
		offset = (uint64_t)(int32_t)offset;
	for (int limit = 0; entry != head && limit < 2048; limit++) {
		uint64_t next;

		if (guest_get_word(context, entry & ~UINT64_C(1), &next))
			return;
		if (entry != pending)
			owner_died(context, (entry & ~UINT64_C(1)) + offset,
				   entry & 1);
		entry = next;
	}
	if (pending)
		owner_died(context, (pending & ~UINT64_C(1)) + offset,
			   pending & 1);
}

/* Linux hands a lock with priority inheritance over when its owner is gone,
 * in a robust list or not: futex(2), "Priority-inheritance futexes". Who the
 * owner is counts as the kernel knows it: musl clears the word of a robust
 * lock before its thread ends. */
static void pi_locks_exit(struct context *context)
{
	for (struct context *waiter = context->process->system->contexts;
	     waiter; waiter = waiter->next)
		if (!waiter->ended && waiter->wait.kind == WAIT_FUTEX &&
		    waiter->wait.futex.pi && !waiter->wait.woken &&
		    waiter->wait.futex.owner == context->tid)
			futex_hand_over(waiter, waiter->wait.futex.key,
					FUTEX_OWNER_DIED);
}

void futex_exit(struct context *context)
{
	pi_locks_exit(context);
	robust_list_exit(context);
}
