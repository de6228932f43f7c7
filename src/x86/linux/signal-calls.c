/* System calls about signals and interval timers. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/process.h"

#define BIT(number) (UINT64_C(1) << ((number) - 1))
#define NEVER_BLOCKED (BIT(SIGKILL) | BIT(SIGSTOP))

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
			while (signal_take(context, BIT(number), &information))
				;
}

int64_t call_rt_sigaction(struct context *context, const uint64_t *a)
{
	struct process *process = context->process;
	struct signal_action old, new = { 0 };
	int number = (int)a[0];

	if (a[3] != 8 || !action_allowed(number, a[1]))
		return -EINVAL;
	old = process->action[number];
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
		process->action[number] = new;
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
	old[0] = (uint32_t)process->action[number].handler;
	old[1] = (uint32_t)process->action[number].mask;
	old[2] = (uint32_t)process->action[number].flags;
	old[3] = (uint32_t)process->action[number].restorer;
	if (a[2] && guest_put(context, a[2], old, sizeof old))
		return -EFAULT;
	if (a[1]) {
		process->action[number] = (struct signal_action){
			.handler = new[0], .mask = new[1] & ~NEVER_BLOCKED,
			.flags = new[2], .restorer = new[3],
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
	old = (int64_t)process->action[number].handler;
	process->action[number] = (struct signal_action){
		.handler = a[1], .flags = SA_RESETHAND | SA_NODEFER,
	};
	drop_ignored(process, number);
	return old;
}

/* ---- Masks ---- */

static int change_mask(struct context *context, int how, uint64_t set)
{
	switch (how) {
	case SIG_BLOCK:
		set |= context->mask;
		break;
	case SIG_UNBLOCK:
		set = context->mask & ~set;
		break;
	case SIG_SETMASK:
		break;
	default:
		return -EINVAL;
	}
	context->mask = set & ~NEVER_BLOCKED;
	return 0;
}

int64_t call_rt_sigprocmask(struct context *context, const uint64_t *a)
{
	uint64_t old = context->mask, set;
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
	uint32_t old = (uint32_t)context->mask, set;
	uint64_t high = context->mask & ~UINT64_C(0xffffffff);
	int result = 0;

	if (a[1]) {
		if (guest_get(context, a[1], &set, sizeof set))
			return -EFAULT;
		result = change_mask(context, (int)a[0], set);
		if ((int)a[0] == SIG_SETMASK)
			context->mask |= high;
	}
	if (!result && a[2])
		result = guest_put(context, a[2], &old, sizeof old);
	return result;
}

int64_t call_sgetmask(struct context *context, const uint64_t *a)
{
	(void)a;
	return (int64_t)(context->mask & 0xffffffff);
}

int64_t call_ssetmask(struct context *context, const uint64_t *a)
{
	int64_t old = (int64_t)(context->mask & 0xffffffff);

	context->mask = a[0] & 0xffffffff & ~NEVER_BLOCKED;
	return old;
}

int64_t call_rt_sigpending(struct context *context, const uint64_t *a)
{
	uint64_t set = signal_pending_set(context) & context->mask;

	if (a[1] > sizeof set)
		return -EINVAL;
	return guest_put(context, a[0], &set, a[1]);
}

int64_t call_sigpending(struct context *context, const uint64_t *a)
{
	uint32_t set = (uint32_t)(signal_pending_set(context) & context->mask);

	return guest_put(context, a[0], &set, sizeof set);
}

static int64_t suspend(struct context *context, uint64_t set)
{
	if (!context->resumed) {
		context->saved_mask = context->mask;
		context->restore_mask = true;
		context->mask = set & ~NEVER_BLOCKED;
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
	if (a[2] && !context->resumed) {
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
	shown = on ? SS_ONSTACK : context->stack_size ? 0 : SS_DISABLE;
	shown |= context->stack_flags & STACK_AUTODISARM;
	if (a[1] &&
	    (guest_put_word(context, a[1], context->stack_base) ||
	     guest_put(context, a[1] + word, &shown, 4) ||
	     guest_put_word(context, a[1] + 2 * word, context->stack_size)))
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
	context->stack_base = base;
	context->stack_size = size;
	context->stack_flags = (flags == SS_DISABLE ? SS_DISABLE : 0) | disarm;
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
	context->mask &= ~NEVER_BLOCKED;
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

/* ---- Sending ---- */

int64_t call_kill(struct context *context, const uint64_t *a)
{
	struct linux_system *system = context->process->system;
	int target = (int)a[0], number = (int)a[1];
	struct process *next;
	bool found = false, refused = false, sent = false;
	struct signal_information information = {
		.number = number, .code = SI_USER,
		.pid = context->process->pid,
		.uid = (int)context->process->credentials.user[0],
	};

	if (number < 0 || number > SIGNALS)
		return -EINVAL;
	for (struct process *process = system->processes; process;
	     process = next) {
		next = process->next;
		if (process->reaped ||
		    !(target > 0 ? process->pid == target
		      : target == 0
			      ? process->group == context->process->group
		      : target == -1 ? process != context->process
				     : process->group == -target))
			continue;
		found = true;
		if (!may_signal(context->process, process)) {
			refused = true;
			continue;
		}
		sent = true;
		if (number)
			signal_send_process(process, &information);
	}
	return !found ? -ESRCH : refused && !sent ? -EPERM : 0;
}

static int64_t send_thread(struct context *context, int group, int thread,
			   const struct signal_information *information)
{
	struct context *target =
		context_find(context->process->system, thread);

	if (thread <= 0 || information->number < 0 ||
	    information->number > SIGNALS)
		return -EINVAL;
	if (!target || (group && target->process->pid != group))
		return -ESRCH;
	if (information->number)
		signal_send_context(target, information);
	return 0;
}

int64_t call_tkill(struct context *context, const uint64_t *a)
{
	return send_thread(context, 0, (int)a[0],
			   &(struct signal_information){
				   .number = (int)a[1], .code = SI_TKILL,
				   .pid = context->process->pid,
				   .uid = (int)context->process
						  ->credentials.user[0],
			   });
}

int64_t call_tgkill(struct context *context, const uint64_t *a)
{
	if ((int)a[0] <= 0)
		return -EINVAL;
	return send_thread(context, (int)a[0], (int)a[1],
			   &(struct signal_information){
				   .number = (int)a[2], .code = SI_TKILL,
				   .pid = context->process->pid,
				   .uid = (int)context->process
						  ->credentials.user[0],
			   });
}

static int get_information(struct context *context, uint64_t address,
			   int number, struct signal_information *information)
{
	uint8_t bytes[128];

	if (guest_get(context, address, bytes, sizeof bytes))
		return -EFAULT;
	signal_unpack(information, context->abi32, bytes);
	information->number = number;
	return information->code >= 0 ? -EPERM : 0;
}

int64_t call_rt_sigqueueinfo(struct context *context, const uint64_t *a)
{
	struct process *process =
		process_find(context->process->system, (int)a[0]);
	struct signal_information information;
	int result = get_information(context, a[2], (int)a[1], &information);

	if (result)
		return result;
	if (!process)
		return -ESRCH;
	if ((int)a[1] < 0 || (int)a[1] > SIGNALS)
		return -EINVAL;
	if ((int)a[1])
		signal_send_process(process, &information);
	return 0;
}

int64_t call_rt_tgsigqueueinfo(struct context *context, const uint64_t *a)
{
	struct signal_information information;
	int result = get_information(context, a[3], (int)a[2], &information);

	return result ? result
		      : send_thread(context, (int)a[0], (int)a[1],
				    &information);
}

/* ---- alarm, setitimer ---- */

static int64_t timer_left(const struct interval_timer *timer, int64_t now)
{
	return timer->expires ? (timer->expires > now ? timer->expires - now
						      : 1)
			      : 0;
}

int64_t call_alarm(struct context *context, const uint64_t *a)
{
	struct interval_timer *timer = &context->process->real_timer;
	int64_t now = clock_monotonic(context->process->system);
	int64_t left = timer_left(timer, now);

	timer->interval = 0;
	timer->expires = (uint32_t)a[0]
				 ? now + (int64_t)(uint32_t)a[0] * 1000000000
				 : 0;
	return (left + 999999999) / 1000000000;
}

static struct interval_timer *find_timer(struct context *context, int which,
					 int64_t *now)
{
	struct process *process = context->process;

	if (which == ITIMER_REAL) {
		*now = clock_monotonic(process->system);
		return &process->real_timer;
	}
	if (which != ITIMER_VIRTUAL && which != ITIMER_PROF)
		return NULL;
	*now = clock_process(process);
	process->virtual_timer.signal =
		which == ITIMER_VIRTUAL ? SIGVTALRM : SIGPROF;
	return &process->virtual_timer;
}

static int put_itimer(struct context *context, uint64_t address,
		      const struct interval_timer *timer, int64_t now)
{
	int64_t values[2] = { timer->interval, timer_left(timer, now) };
	unsigned word = context->abi32 ? 4 : 8;

	for (unsigned i = 0; i < 2; i++)
		if (guest_put_word(context, address + 2 * i * word,
				   (uint64_t)(values[i] / 1000000000)) ||
		    guest_put_word(
			    context, address + (2 * i + 1) * word,
			    (uint64_t)(values[i] % 1000000000 / 1000)))
			return -EFAULT;
	return 0;
}

int64_t call_getitimer(struct context *context, const uint64_t *a)
{
	int64_t now;
	struct interval_timer *timer = find_timer(context, (int)a[0], &now);

	return timer ? put_itimer(context, a[1], timer, now) : -EINVAL;
}

int64_t call_setitimer(struct context *context, const uint64_t *a)
{
	int64_t now, values[2] = { 0 };
	struct interval_timer *timer = find_timer(context, (int)a[0], &now);
	unsigned word = context->abi32 ? 4 : 8;

	if (!timer)
		return -EINVAL;
	for (unsigned i = 0; a[1] && i < 2; i++) {
		uint64_t seconds, micro;

		if (guest_get_word(context, a[1] + 2 * i * word, &seconds) ||
		    guest_get_word(context, a[1] + (2 * i + 1) * word,
				   &micro))
			return -EFAULT;
		if (micro > 999999 || seconds > INT32_MAX)
			return -EINVAL;
		values[i] = (int64_t)(seconds * 1000000000 + micro * 1000);
	}
	if (a[2] && put_itimer(context, a[2], timer, now))
		return -EFAULT;
	timer->interval = values[0];
	timer->expires = values[1] ? now + values[1] : 0;
	return 0;
}

/* ---- POSIX timers ---- */

static struct interval_timer *posix_timer(struct context *context,
					  uint64_t id)
{
	struct process *process = context->process;

	if (id >= process->timer_count || !process->timers[id].used)
		return NULL;
	return process->timers + id;
}

static int64_t clock_now(struct context *context, int clock)
{
	return clock_read(context, clock);
}

int64_t call_timer_create(struct context *context, const uint64_t *a)
{
	struct process *process = context->process;
	struct interval_timer timer = {
		.used = true, .clock = (int)a[0], .signal = SIGALRM,
		.notify = SIGEV_SIGNAL,
	};
	unsigned word = context->abi32 ? 4 : 8;
	size_t id = 0;

	if (clock_now(context, (int)a[0]) < 0)
		return -EINVAL;
	while (id < process->timer_count && process->timers[id].used)
		id++;
	timer.id = (int)id;
	timer.value = id;
	if (a[1]) {
		if (guest_get_word(context, a[1], &timer.value) ||
		    guest_get(context, a[1] + word, &timer.signal, 4) ||
		    guest_get(context, a[1] + word + 4, &timer.notify, 4) ||
		    guest_get(context, a[1] + word + 8, &timer.thread, 4))
			return -EFAULT;
		if (timer.notify != SIGEV_NONE &&
		    (timer.signal < 1 || timer.signal > SIGNALS))
			return -EINVAL;
	}
	if (guest_put(context, a[2], &timer.id, 4))
		return -EFAULT;
	if (id == process->timer_count)
		process->timers = xrealloc(process->timers,
					   ++process->timer_count *
						   sizeof timer);
	process->timers[id] = timer;
	return 0;
}

static int put_timer(struct context *context, uint64_t address, bool wide,
		     const struct interval_timer *timer, int64_t now)
{
	unsigned size = context->abi32 && !wide ? 8 : 16;

	if (guest_put_time(context, address, wide, timer->interval) ||
	    guest_put_time(context, address + size, wide,
			   timer_left(timer, now)))
		return -EFAULT;
	return 0;
}

static int64_t set_timer(struct context *context, const uint64_t *a, bool wide)
{
	struct interval_timer *timer = posix_timer(context, a[0]);
	unsigned size = context->abi32 && !wide ? 8 : 16;
	int64_t interval, first, now;
	int result;

	if (!timer)
		return -EINVAL;
	result = guest_get_time(context, a[2], wide, &interval);
	if (!result)
		result = guest_get_time(context, a[2] + size, wide, &first);
	if (result)
		return result;
	now = clock_now(context, timer->clock);
	if (a[3] && put_timer(context, a[3], wide, timer, now))
		return -EFAULT;
	timer->interval = interval;
	timer->overrun = 0;
	timer->expires = !first ? 0
			 : (a[1] & TIMER_ABSTIME) ? first
						  : now + first;
	return 0;
}

int64_t call_timer_settime(struct context *context, const uint64_t *a)
{
	return set_timer(context, a, false);
}

int64_t call_timer_settime64(struct context *context, const uint64_t *a)
{
	return set_timer(context, a, true);
}

int64_t call_timer_gettime(struct context *context, const uint64_t *a)
{
	struct interval_timer *timer = posix_timer(context, a[0]);

	return timer ? put_timer(context, a[1], false, timer,
				 clock_now(context, timer->clock))
		     : -EINVAL;
}

int64_t call_timer_gettime64(struct context *context, const uint64_t *a)
{
	struct interval_timer *timer = posix_timer(context, a[0]);

	return timer ? put_timer(context, a[1], true, timer,
				 clock_now(context, timer->clock))
		     : -EINVAL;
}

int64_t call_timer_getoverrun(struct context *context, const uint64_t *a)
{
	struct interval_timer *timer = posix_timer(context, a[0]);

	return timer ? timer->overrun : -EINVAL;
}

int64_t call_timer_delete(struct context *context, const uint64_t *a)
{
	struct interval_timer *timer = posix_timer(context, a[0]);

	if (!timer)
		return -EINVAL;
	timer->used = false;
	timer->expires = 0;
	return 0;
}
