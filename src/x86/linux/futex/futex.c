/* The calls. */
#include <errno.h>
#include <linux/futex.h>
#include <time.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/futex/futex.h"
#include "x86/linux/futex/lock.h"
#include "x86/linux/futex/waiters.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/signals/restart.h"
#include "x86/linux/state.h"
#include "x86/linux/wait.h"

static int64_t futex_wait(struct context *context, const uint64_t *a,
			  uint32_t bits, bool absolute, int clock, bool wide)
{
	uint32_t value;

	if (!bits)
		return -EINVAL;
	if (context->call.resumed) {
		int64_t result = futex_end_wait(context);

		/* A time-out continues from the time that was left. */
		return result == CALL_BLOCKS && context->call.interrupted &&
				       a[3]
			       ? -CALL_RESTARTS_BLOCK
			       : result;
	}
	if (a[0] % 4)
		return -EINVAL;
	if (guest_get(context, a[0], &value, sizeof value))
		return -EFAULT;
	if (value != (uint32_t)a[2])
		return -EAGAIN;
	context->wait.futex.key = a[0];
	context->wait.futex.count = 0;
	context->wait.futex.pi = false;
	return futex_begin_wait(context, bits, a[3], absolute, clock, wide);
}

static int64_t futex_requeue(struct context *context, const uint64_t *a,
			     int wake, int limit, bool compare)
{
	struct linux_system *system = context->process->system;
	struct guest_memory *memory = context->process->memory;
	struct futex_key key = futex_key_of(memory, a[0]);
	int64_t moved = 0, woken;
	uint32_t value;

	if (wake < 0 || limit < 0 || a[0] % 4 || a[4] % 4)
		return -EINVAL;
	if (compare) {
		if (guest_get(context, a[0], &value, sizeof value))
			return -EFAULT;
		if (value != (uint32_t)a[5])
			return -EAGAIN;
	}
	woken = wake ? futex_wake(system, memory, a[0], wake, UINT32_MAX) : 0;
	while (moved < limit) {
		struct context *waiter =
			futex_first_waiter(system, &key, UINT32_MAX, false);

		if (!waiter)
			break;
		if (waiter->wait.futex.count)
			waiter->wait.futex
				.list[futex_waits_on(waiter, &key, false)] =
				a[4];
		waiter->wait.futex.key = a[4];
		waiter->wait.futex.memory = memory;
		waiter->wait.futex.order = ++system->futex_serial;
		moved++;
	}
	return woken + moved;
}

static int64_t futex_wake_op(struct context *context, const uint64_t *a)
{
	struct linux_system *system = context->process->system;
	uint32_t code = (uint32_t)a[5], old, new;
	int operation = code >> 28 & 7, compare = code >> 24 & 15;
	uint32_t argument = (uint32_t)((int32_t)(code << 8) >> 20);
	int32_t against = (int32_t)(code << 20) >> 20;
	bool holds;
	int64_t woken;

	if (code >> 31)
		argument = UINT32_C(1) << (argument & 31);
	if (guest_get(context, a[4], &old, sizeof old))
		return -EFAULT;
	switch (operation) {
	case FUTEX_OP_SET:
		new = argument;
		break;
	case FUTEX_OP_ADD:
		new = old + argument;
		break;
	case FUTEX_OP_OR:
		new = old | argument;
		break;
	case FUTEX_OP_ANDN:
		new = old & ~argument;
		break;
	case FUTEX_OP_XOR:
		new = old ^ argument;
		break;
	default:
		return -ENOSYS;
	}
	if (guest_put(context, a[4], &new, sizeof new))
		return -EFAULT;
	switch (compare) {
	case FUTEX_OP_CMP_EQ:
		holds = (int32_t)old == against;
		break;
	case FUTEX_OP_CMP_NE:
		holds = (int32_t)old != against;
		break;
	case FUTEX_OP_CMP_LT:
		holds = (int32_t)old < against;
		break;
	case FUTEX_OP_CMP_LE:
		holds = (int32_t)old <= against;
		break;
	case FUTEX_OP_CMP_GT:
		holds = (int32_t)old > against;
		break;
	case FUTEX_OP_CMP_GE:
		holds = (int32_t)old >= against;
		break;
	default:
		return -ENOSYS;
	}
	woken = futex_wake(system, context->process->memory, a[0], (int)a[2],
			   UINT32_MAX);
	if (holds)
		woken += futex_wake(system, context->process->memory, a[4],
				    (int)a[3], UINT32_MAX);
	return woken;
}

/* A futex that processes share is found by what its address stands for, which
 * must be there, even if it is not looked at. */
static bool shared_addresses(const struct context *context, const uint64_t *a)
{
	uint32_t value;

	switch ((int)a[1] & FUTEX_CMD_MASK) {
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
		if (guest_get(context, a[4], &value, sizeof value))
			return false;
		break;
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
		break;
	default:
		return true;
	}
	return a[0] % 4 || !guest_get(context, a[0], &value, sizeof value);
}

static int64_t futex_call(struct context *context, const uint64_t *a,
			  bool wide)
{
	int operation = (int)a[1] & FUTEX_CMD_MASK;
	int clock = a[1] & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME
						: CLOCK_MONOTONIC;

	if ((a[1] & FUTEX_CLOCK_REALTIME) && operation != FUTEX_WAIT &&
	    operation != FUTEX_WAIT_BITSET && operation != FUTEX_LOCK_PI2)
		return -ENOSYS;
	if (!(a[1] & FUTEX_PRIVATE_FLAG) && !shared_addresses(context, a))
		return -EFAULT;
	switch (operation) {
	case FUTEX_WAIT:
		return futex_wait(context, a, FUTEX_BITSET_MATCH_ANY, false,
				  clock, wide);
	case FUTEX_WAIT_BITSET:
		return futex_wait(context, a, (uint32_t)a[5], true, clock,
				  wide);
	case FUTEX_WAKE:
		return futex_wake(context->process->system,
				  context->process->memory, a[0], (int)a[2],
				  UINT32_MAX);
	case FUTEX_WAKE_BITSET:
		if (!(uint32_t)a[5])
			return -EINVAL;
		return futex_wake(context->process->system,
				  context->process->memory, a[0], (int)a[2],
				  (uint32_t)a[5]);
	case FUTEX_REQUEUE:
		return futex_requeue(context, a, (int)a[2], (int)a[3], false);
	case FUTEX_CMP_REQUEUE:
		return futex_requeue(context, a, (int)a[2], (int)a[3], true);
	case FUTEX_WAKE_OP:
		return futex_wake_op(context, a);
	case FUTEX_LOCK_PI:
		return futex_lock_pi(context, a, false, CLOCK_REALTIME, wide);
	case FUTEX_LOCK_PI2:
		return futex_lock_pi(context, a, false, clock, wide);
	case FUTEX_TRYLOCK_PI:
		return futex_lock_pi(context, a, true, clock, wide);
	case FUTEX_UNLOCK_PI:
		return futex_unlock_pi(context, a[0]);
	default:
		/* Requeueing to a lock with priority inheritance is not
		 * offered; the C library does without. */
		return -ENOSYS;
	}
}

int64_t call_futex(struct context *context, const uint64_t *a)
{
	return futex_call(context, a, false);
}

int64_t call_futex_time64(struct context *context, const uint64_t *a)
{
	return futex_call(context, a, true);
}

/* ---- futex_waitv ---- */

/* struct futex_waitv: 64 bits of value and address, 32 of flags. */
enum { WAITV_BYTES = 24 };

int64_t call_futex_waitv(struct context *context, const uint64_t *a)
{
	struct wait *wait = &context->wait;
	int count = (int)a[1], clock = (int)a[4];

	if (context->call.resumed) {
		int64_t result = futex_end_wait(context);

		return result ? result : wait->futex.index;
	}
	if (a[2] || count < 1 || count > FUTEX_WAITV_MAX || !a[0] ||
	    (a[3] && clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME))
		return -EINVAL;
	wait->futex.list = xrealloc(wait->futex.list,
				    (size_t)count * sizeof *wait->futex.list);
	wait->futex.count = 0;
	for (int i = 0; i < count; i++) {
		struct futex_waitv entry;
		uint32_t value;

		if (guest_get(context, a[0] + (unsigned)i * WAITV_BYTES,
			      &entry, sizeof entry))
			return -EFAULT;
		if ((entry.flags & ~(uint32_t)FUTEX_PRIVATE_FLAG) !=
			    FUTEX_32 ||
		    entry.__reserved || entry.uaddr % 4)
			return -EINVAL;
		if (guest_get(context, entry.uaddr, &value, sizeof value))
			return -EFAULT;
		if (value != (uint32_t)entry.val)
			return -EAGAIN;
		wait->futex.list[i] = entry.uaddr;
	}
	wait->futex.key = wait->futex.list[0];
	wait->futex.count = count;
	wait->futex.pi = false;
	return futex_begin_wait(context, UINT32_MAX, a[3], true, clock, true);
}
