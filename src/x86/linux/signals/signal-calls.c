/* System calls about signals. */
#include <errno.h>
#include <signal.h>

#include "x86/linux/calls.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/signals/frame.h"
#include "x86/linux/signals/information.h"
#include "x86/linux/signals/kind.h"
#include "x86/linux/signals/pending.h"
#include "x86/linux/signals/queue.h"
#include "x86/linux/signals/signal.h"
#include "x86/linux/state.h"
#include "x86/linux/time/clock.h"
#include "x86/linux/wait.h"

/* ---- Actions ---- */

static bool action_allowed(int number, bool change)
{
	return number >= 1 && number <= SIGNALS &&
	       (!change || (number != SIGKILL && number != SIGSTOP));
}

static void drop_ignored(struct process *process, int number)
{
	struct signal_information information;

	/* POSIX: a pending signal that becomes ignored is discarded. */
	if (!signal_ignored(process, number))
		return;
	for (struct context *context = process->system->contexts; context;
	     context = context->next)
		if (context->process == process && !context->ended)
			while (signal_take(context, SIGNAL_BIT(number),
					   &information))
				;
}

int64_t call_rt_sigaction(struct context *context, const uint64_t *a)
{
	struct process *process = context->process;
	struct signal_action old, new = { 0 };
	int number = (int)a[0];

	if (a[3] != 8 || !action_allowed(number, a[1]))
		return -EINVAL;
	old = process->signals.action[number];
	if (context->abi32) {
		uint32_t words[5] = { 0 };

		if (a[1] && guest_get(context, a[1], words, sizeof words))
			return -EFAULT;
		new = (struct signal_action){
			.handler = words[0], .flags = words[1],
			.restorer = words[2],
			.mask = words[3] | (uint64_t)words[4] << 32,
		};
		words[0] = (uint32_t)old.handler;
		words[1] = (uint32_t)old.flags;
		words[2] = (uint32_t)old.restorer;
		words[3] = (uint32_t)old.mask;
		words[4] = (uint32_t)(old.mask >> 32);
		if (a[2] && guest_put(context, a[2], words, sizeof words))
			return -EFAULT;
	} else {
		uint64_t words[4] = { 0 };

		if (a[1] && guest_get(context, a[1], words, sizeof words))
			return -EFAULT;
		new = (struct signal_action){ words[0], words[1], words[2],
					      words[3] };
		words[0] = old.handler;
		words[1] = old.flags;
		words[2] = old.restorer;
		words[3] = old.mask;
		if (a[2] && guest_put(context, a[2], words, sizeof words))
			return -EFAULT;
	}
	if (a[1]) {
		new.mask &= ~NEVER_BLOCKED;
		process->signals.action[number] = new;
		drop_ignored(process, number);
	}
	return 0;
}

/* struct old_sigaction of i386: handler, mask, flags, restorer. */
int64_t call_sigaction(struct context *context, const uint64_t *a)
{
	struct process *process = context->process;
	uint32_t new[4], old[4];
	int number = (int)a[0];

	if (!action_allowed(number, a[1]))
		return -EINVAL;
	if (a[1] && guest_get(context, a[1], new, sizeof new))
		return -EFAULT;
	old[0] = (uint32_t)process->signals.action[number].handler;
	old[1] = (uint32_t)process->signals.action[number].mask;
	old[2] = (uint32_t)process->signals.action[number].flags;
	old[3] = (uint32_t)process->signals.action[number].restorer;
	if (a[2] && guest_put(context, a[2], old, sizeof old))
		return -EFAULT;
	if (a[1]) {
		process->signals.action[number] = (struct signal_action){
			.handler = new[0],
			.mask = new[1] & ~NEVER_BLOCKED,
			.flags = new[2],
			.restorer = new[3],
		};
		drop_ignored(process, number);
	}
	return 0;
}

int64_t call_signal(struct context *context, const uint64_t *a)
{
	struct process *process = context->process;
	int number = (int)a[0];
	int64_t old;

	if (!action_allowed(number, true))
		return -EINVAL;
	old = (int64_t)process->signals.action[number].handler;
	process->signals.action[number] = (struct signal_action){
		.handler = a[1],
		.flags = SA_RESETHAND | SA_NODEFER,
	};
	drop_ignored(process, number);
	return old;
}

/* ---- Masks ---- */

static int change_mask(struct context *context, int how, uint64_t set)
{
	switch (how) {
	case SIG_BLOCK:
		set |= context->signals.mask;
		break;
	case SIG_UNBLOCK:
		set = context->signals.mask & ~set;
		break;
	case SIG_SETMASK:
		break;
	default:
		return -EINVAL;
	}
	context->signals.mask = set & ~NEVER_BLOCKED;
	return 0;
}

int64_t call_rt_sigprocmask(struct context *context, const uint64_t *a)
{
	uint64_t old = context->signals.mask, set;
	int result = 0;

	if (a[3] != sizeof set)
		return -EINVAL;
	if (a[1]) {
		if (guest_get(context, a[1], &set, sizeof set))
			return -EFAULT;
		result = change_mask(context, (int)a[0], set);
	}
	if (!result && a[2])
		result = guest_put(context, a[2], &old, sizeof old);
	return result;
}

int64_t call_sigprocmask(struct context *context, const uint64_t *a)
{
	uint32_t old = (uint32_t)context->signals.mask, set;
	uint64_t high = context->signals.mask & ~UINT64_C(0xffffffff);
	int result = 0;

	if (a[1]) {
		if (guest_get(context, a[1], &set, sizeof set))
			return -EFAULT;
		result = change_mask(context, (int)a[0], set);
		if ((int)a[0] == SIG_SETMASK)
			context->signals.mask |= high;
	}
	if (!result && a[2])
		result = guest_put(context, a[2], &old, sizeof old);
	return result;
}

int64_t call_sgetmask(struct context *context, const uint64_t *a)
{
	(void)a;
	return (int64_t)(context->signals.mask & 0xffffffff);
}

int64_t call_ssetmask(struct context *context, const uint64_t *a)
{
	int64_t old = (int64_t)(context->signals.mask & 0xffffffff);

	context->signals.mask = a[0] & 0xffffffff & ~NEVER_BLOCKED;
	return old;
}

int64_t call_rt_sigpending(struct context *context, const uint64_t *a)
{
	uint64_t set = signal_pending_set(context) & context->signals.mask;

	if (a[1] > sizeof set)
		return -EINVAL;
	return guest_put(context, a[0], &set, a[1]);
}

int64_t call_sigpending(struct context *context, const uint64_t *a)
{
	uint32_t set =
		(uint32_t)(signal_pending_set(context) & context->signals.mask);

	return guest_put(context, a[0], &set, sizeof set);
}

static int64_t suspend(struct context *context, uint64_t set)
{
	if (!context->call.resumed) {
		context->signals.saved_mask = context->signals.mask;
		context->signals.restore_mask = true;
		context->signals.mask = set & ~NEVER_BLOCKED;
	}
	return wait_for(context, WAIT_TIME, "a signal (sigsuspend)");
}

int64_t call_rt_sigsuspend(struct context *context, const uint64_t *a)
{
	uint64_t set;

	if (a[1] != sizeof set)
		return -EINVAL;
	if (guest_get(context, a[0], &set, sizeof set))
		return -EFAULT;
	return suspend(context, set);
}

int64_t call_sigsuspend(struct context *context, const uint64_t *a)
{
	return suspend(context, a[2]);
}

int64_t call_pause(struct context *context, const uint64_t *a)
{
	(void)a;
	return wait_for(context, WAIT_TIME, "a signal (pause)");
}

static int64_t timed_wait(struct context *context, const uint64_t *a,
			  bool wide)
{
	struct linux_system *system = context->process->system;
	struct signal_information information;
	uint8_t bytes[128];
	uint64_t set;

	if (a[3] != sizeof set)
		return -EINVAL;
	if (guest_get(context, a[0], &set, sizeof set))
		return -EFAULT;
	if (signal_take(context, set & ~NEVER_BLOCKED, &information)) {
		signal_pack(&information, context->abi32, bytes);
		if (a[1] && guest_put(context, a[1], bytes, sizeof bytes))
			return -EFAULT;
		return information.number;
	}
	if (a[2] && !context->call.resumed) {
		int64_t duration;
		int result = guest_get_time(context, a[2], wide, &duration);

		if (result)
			return result;
		if (!duration)
			return -EAGAIN;
		context->wait.deadline = clock_monotonic(system) + duration;
	}
	if (context->wait.deadline <= clock_monotonic(system))
		return -EAGAIN;
	return wait_for(context, WAIT_SIGNAL, "a signal (sigwait)");
}

int64_t call_rt_sigtimedwait(struct context *context, const uint64_t *a)
{
	return timed_wait(context, a, false);
}

int64_t call_rt_sigtimedwait_time64(struct context *context, const uint64_t *a)
{
	return timed_wait(context, a, true);
}

int64_t call_sigaltstack(struct context *context, const uint64_t *a)
{
	bool on = signal_on_stack(context, context->cpu->reg[X86_RSP]);
	uint64_t base = 0, size = 0;
	uint32_t flags = 0, shown, disarm;
	unsigned word = context->abi32 ? 4 : 8;

	if (a[0] && (guest_get_word(context, a[0], &base) ||
		     guest_get(context, a[0] + word, &flags, 4) ||
		     guest_get_word(context, a[0] + 2 * word, &size)))
		return -EFAULT;
	shown = on ? SS_ONSTACK : context->signals.stack_size ? 0 : SS_DISABLE;
	shown |= context->signals.stack_flags & STACK_AUTODISARM;
	if (a[1] &&
	    (guest_put_word(context, a[1], context->signals.stack_base) ||
	     guest_put(context, a[1] + word, &shown, 4) ||
	     guest_put_word(context, a[1] + 2 * word,
			    context->signals.stack_size)))
		return -EFAULT;
	if (!a[0])
		return 0;
	if (on)
		return -EPERM;
	disarm = flags & STACK_AUTODISARM;
	flags &= ~STACK_AUTODISARM;
	if (flags != 0 && flags != SS_DISABLE && flags != SS_ONSTACK)
		return -EINVAL;
	if (flags == SS_DISABLE) {
		base = size = 0;
	} else if (size < 2048) {
		return -ENOMEM;
	}
	context->signals.stack_base = base;
	context->signals.stack_size = size;
	context->signals.stack_flags =
		(flags == SS_DISABLE ? SS_DISABLE : 0) | disarm;
	return 0;
}

/* ---- Returns ---- */

static int64_t signal_return(struct context *context, bool rt)
{
	if (frame_pop(context, rt))
		signal_force(context, &(struct signal_information){
					      .number = SIGSEGV,
					      .code = SI_KERNEL,
				      });
	context->signals.mask &= ~NEVER_BLOCKED;
	context->call.original_rax = -1; /* nothing to be made again */
	return CALL_NO_RESULT;
}

int64_t call_rt_sigreturn(struct context *context, const uint64_t *a)
{
	(void)a;
	return signal_return(context, true);
}

int64_t call_sigreturn(struct context *context, const uint64_t *a)
{
	(void)a;
	return signal_return(context, false);
}
