/* Futexes. */
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/futex/futex.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/processes/process.h"
#include "x86/linux/signals/restart.h"
#include "x86/linux/state.h"
#include "x86/linux/time/clock.h"
#include "x86/linux/wait.h"

/* A waiter is a context whose wait names (memory, address), or several of
 * them. What a futex is follows from its place: in private memory the address
 * space and the address, in shared memory the object and the offset, so that
 * processes that map the object anywhere meet. */

struct futex_key {
	const struct guest_memory *memory; /* NULL: shared */
	dev_t device;
	ino_t inode;
	uint64_t offset;
};

static struct futex_key key_of(const struct guest_memory *memory,
			       uint64_t address)
{
	const struct space_region *region =
		space_region_at(memory->space, address);
	struct futex_key key = { .memory = memory, .offset = address };

	if (!region || !region->shared)
		return key;
	for (size_t i = 0; i < memory->shared_count; i++) {
		const struct shared_object *object = memory->shared + i;

		if (!strcmp(object->name, region->name))
			return (struct futex_key){
				NULL, object->device, object->inode,
				region->offset + (address - region->start)
			};
	}
	return key;
}

static bool same_key(const struct futex_key *a, const struct futex_key *b)
{
	return a->memory == b->memory && a->offset == b->offset &&
	       a->device == b->device && a->inode == b->inode;
}

/* Which of the futexes that a context waits for it is, or -1. */
static int waits_on(const struct context *context, const struct futex_key *key,
		    bool pi)
{
	const struct wait *wait = &context->wait;
	struct futex_key own;

	if (context->ended || wait->kind != WAIT_FUTEX || wait->woken ||
	    wait->futex.pi != pi)
		return -1;
	for (int i = 0; i < wait->futex.count; i++) {
		own = key_of(wait->futex.memory, wait->futex.list[i]);
		if (same_key(&own, key))
			return i;
	}
	if (wait->futex.count)
		return -1;
	own = key_of(wait->futex.memory, wait->futex.key);
	return same_key(&own, key) ? 0 : -1;
}

/* The context that has waited longest on a key. */
static struct context *first_waiter(struct linux_system *system,
				    const struct futex_key *key, uint32_t bits,
				    bool pi)
{
	struct context *first = NULL;

	for (struct context *context = system->contexts; context;
	     context = context->next)
		if (context->wait.kind == WAIT_FUTEX &&
		    (context->wait.futex.bits & bits) &&
		    (!first ||
		     context->wait.futex.order < first->wait.futex.order) &&
		    waits_on(context, key, pi) >= 0)
			first = context;
	return first;
}

/* `futex_bits` 0 distinguishes a wake from a time-out or a signal. */
static void wake(struct context *waiter, int index)
{
	waiter->wait.woken = true;
	waiter->wait.futex.bits = 0;
	waiter->wait.futex.index = index;
}

int futex_wake(struct linux_system *system, struct guest_memory *memory,
	       uint64_t address, int count, uint32_t bits)
{
	struct futex_key key = key_of(memory, address);
	int woken = 0;

	/* Linux wakes one even when asked for none. */
	do {
		struct context *waiter =
			first_waiter(system, &key, bits, false);

		if (!waiter)
			break;
		wake(waiter, waits_on(waiter, &key, false));
		woken++;
	} while (woken < count);
	return woken;
}

/* Waits for context->wait's futexes; *absolute time in ns of `clock`, or
 * relative, or none. */
static int64_t begin_wait(struct context *context, uint32_t bits,
			  uint64_t time_address, bool absolute, int clock,
			  bool wide)
{
	struct linux_system *system = context->process->system;

	if (!context->call.restarted)
		context->wait.deadline = INT64_MAX;
	if (time_address && !context->call.restarted) {
		int64_t time, now = clock_monotonic(system);
		int result = guest_get_time(context, time_address, wide,
					    &time);

		if (result)
			return result;
		if (absolute)
			time -= clock_read(context, clock);
		context->wait.deadline = now + time;
		if (time <= 0)
			return -ETIMEDOUT;
	}
	context->wait.futex.memory = context->process->memory;
	context->wait.futex.bits = bits;
	context->wait.futex.order = ++system->futex_serial;
	return wait_for(context, WAIT_FUTEX,
			"a futex (lock, condition or join)");
}

/* After a wait: 0 when woken, -ETIMEDOUT, or CALL_BLOCKS. */
static int64_t end_wait(struct context *context)
{
	if (context->wait.futex.bits == 0)
		return 0;
	if (context->wait.deadline <=
	    clock_monotonic(context->process->system))
		return -ETIMEDOUT;
	return wait_for(context, WAIT_FUTEX, context->wait.what);
}

static int64_t futex_wait(struct context *context, const uint64_t *a,
			  uint32_t bits, bool absolute, int clock, bool wide)
{
	uint32_t value;

	if (!bits)
		return -EINVAL;
	if (context->call.resumed) {
		int64_t result = end_wait(context);

		/* A timeout goes on where it was. */
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
	return begin_wait(context, bits, a[3], absolute, clock, wide);
}

static int64_t futex_requeue(struct context *context, const uint64_t *a,
			     int wake, int limit, bool compare)
{
	struct linux_system *system = context->process->system;
	struct guest_memory *memory = context->process->memory;
	struct futex_key key = key_of(memory, a[0]);
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
			first_waiter(system, &key, UINT32_MAX, false);

		if (!waiter)
			break;
		if (waiter->wait.futex.count)
			waiter->wait.futex.list[waits_on(waiter, &key, false)] =
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

/* ---- Priority inheritance: turns know no priorities, so that these are
 * locks whose owner is named in the word ---- */

static int64_t lock_pi(struct context *context, const uint64_t *a, bool try,
		       int clock, bool wide)
{
	uint32_t value, owner;

	if (context->call.resumed)
		return end_wait(context); /* 0: the lock was handed over */
	if (a[0] % 4)
		return -EINVAL;
	if (guest_get(context, a[0], &value, sizeof value))
		return -EFAULT;
	owner = value & FUTEX_TID_MASK;
	if (owner == (uint32_t)context->tid)
		return -EDEADLK;
	if (!owner) {
		value = (value & (FUTEX_OWNER_DIED | FUTEX_WAITERS)) |
			(uint32_t)context->tid;
		return guest_put(context, a[0], &value, sizeof value);
	}
	if (try)
		return -EAGAIN;
	if (!context_find(context->process->system, (int)owner))
		return -ESRCH;
	value |= FUTEX_WAITERS;
	if (guest_put(context, a[0], &value, sizeof value))
		return -EFAULT;
	context->wait.futex.key = a[0];
	context->wait.futex.count = 0;
	context->wait.futex.pi = true;
	context->wait.futex.owner = (int)owner;
	return begin_wait(context, UINT32_MAX, a[3], true, clock, wide);
}

/* Those who wait for a lock learn who has it now; whether there are any. */
static bool tell_owner(struct linux_system *system,
		       const struct futex_key *key, int owner)
{
	bool any = false;

	for (struct context *context = system->contexts; context;
	     context = context->next)
		if (waits_on(context, key, true) >= 0) {
			context->wait.futex.owner = owner;
			any = true;
		}
	return any;
}

/* Gives a lock to the first who waits for it. */
static int hand_over(struct context *context, uint64_t address, uint32_t flags)
{
	struct linux_system *system = context->process->system;
	struct futex_key key = key_of(context->process->memory, address);
	struct context *heir = first_waiter(system, &key, UINT32_MAX, true);
	uint32_t value = flags;

	if (heir) {
		wake(heir, 0);
		value |= (uint32_t)heir->tid;
		if (tell_owner(system, &key, heir->tid))
			value |= FUTEX_WAITERS;
	}
	return guest_put(context, address, &value, sizeof value);
}

static int64_t unlock_pi(struct context *context, uint64_t address)
{
	uint32_t value;

	if (address % 4)
		return -EINVAL;
	if (guest_get(context, address, &value, sizeof value))
		return -EFAULT;
	if ((value & FUTEX_TID_MASK) != (uint32_t)context->tid)
		return -EPERM;
	return hand_over(context, address, 0);
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
		return lock_pi(context, a, false, CLOCK_REALTIME, wide);
	case FUTEX_LOCK_PI2:
		return lock_pi(context, a, false, clock, wide);
	case FUTEX_TRYLOCK_PI:
		return lock_pi(context, a, true, clock, wide);
	case FUTEX_UNLOCK_PI:
		return unlock_pi(context, a[0]);
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
		int64_t result = end_wait(context);

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
	return begin_wait(context, UINT32_MAX, a[3], true, clock, true);
}

/* ---- Robust mutexes: what a dead thread held is marked and handed on ---- */

static void owner_died(struct context *context, uint64_t address, bool pi)
{
	uint32_t value;

	if (guest_get(context, address, &value, sizeof value) ||
	    (value & FUTEX_TID_MASK) != (uint32_t)context->tid)
		return;
	bool waiters = value & FUTEX_WAITERS;

	if (pi) {
		hand_over(context, address, FUTEX_OWNER_DIED);
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

/* ---- The end of a thread ---- */

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
			hand_over(waiter, waiter->wait.futex.key,
				  FUTEX_OWNER_DIED);
}

void futex_exit(struct context *context)
{
	pi_locks_exit(context);
	robust_list_exit(context);
}
