/* Futexes with priority inheritance. Turns know no priorities, so these are
 * locks whose owner is named in the word. */
#include <errno.h>
#include <linux/futex.h>

#include "x86/linux/futex/lock.h"
#include "x86/linux/futex/waiters.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/state.h"

uint32_t futex_thread(const struct context *context)
{
	return (uint32_t)id_seen(context->process->pids, context->tid);
}

int64_t futex_lock_pi(struct context *context, const uint64_t *a, bool try,
		      int clock, bool wide)
{
	uint32_t value, owner;

	if (context->call.resumed)
		/* 0: the lock was handed over. */
		return futex_end_wait(context);
	if (a[0] % 4)
		return -EINVAL;
	if (guest_get(context, a[0], &value, sizeof value))
		return -EFAULT;
	owner = value & FUTEX_TID_MASK;
	if (owner == futex_thread(context))
		return -EDEADLK;
	if (!owner) {
		value = (value & (FUTEX_OWNER_DIED | FUTEX_WAITERS)) |
			futex_thread(context);
		return guest_put(context, a[0], &value, sizeof value);
	}
	if (try)
		return -EAGAIN;
	owner = (uint32_t)id_meant(context->process->pids, (int)owner);
	if (!context_find(context->process->system, (int)owner))
		return -ESRCH;
	value |= FUTEX_WAITERS;
	if (guest_put(context, a[0], &value, sizeof value))
		return -EFAULT;
	context->wait.futex.key = a[0];
	context->wait.futex.count = 0;
	context->wait.futex.pi = true;
	context->wait.futex.owner = (int)owner;
	return futex_begin_wait(context, UINT32_MAX, a[3], true, clock, wide);
}

/* Tells the waiters of a lock its present holder. Returns whether there are
 * any. */
static bool tell_owner(struct linux_system *system,
		       const struct futex_key *key, int owner)
{
	bool any = false;

	for (struct context *context = system->contexts; context;
	     context = context->next)
		if (futex_waits_on(context, key, true) >= 0) {
			context->wait.futex.owner = owner;
			any = true;
		}
	return any;
}

int futex_hand_over(struct context *context, uint64_t address, uint32_t flags)
{
	struct linux_system *system = context->process->system;
	struct futex_key key = futex_key_of(context->process->memory, address);
	struct context *heir =
		futex_first_waiter(system, &key, UINT32_MAX, true);
	uint32_t value = flags;

	if (heir) {
		futex_wake_waiter(heir, 0);
		value |= futex_thread(heir);
		if (tell_owner(system, &key, heir->tid))
			value |= FUTEX_WAITERS;
	}
	return guest_put(context, address, &value, sizeof value);
}

int64_t futex_unlock_pi(struct context *context, uint64_t address)
{
	uint32_t value;

	if (address % 4)
		return -EINVAL;
	if (guest_get(context, address, &value, sizeof value))
		return -EFAULT;
	if ((value & FUTEX_TID_MASK) != futex_thread(context))
		return -EPERM;
	return futex_hand_over(context, address, 0);
}
