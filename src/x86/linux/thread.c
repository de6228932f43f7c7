/* Threads: futexes, thread-local storage, scheduling calls. */
#include <asm/prctl.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/process.h"

/* ---- Futexes ----
 *
 * A waiter is a context whose wait names (memory, address). Futexes in shared
 * mappings of different processes are told apart by memory too, unless both
 * map the same object. */

struct futex_key {
	const char *object; /* name of a shared object, or NULL */
	const struct guest_memory *memory;
	uint64_t offset;
};

static struct futex_key key_of(struct guest_memory *memory, uint64_t address)
{
	const struct space_region *region =
		space_region_at(memory->space, address);
	struct futex_key key = { NULL, memory, address };

	if (region && region->shared)
		key = (struct futex_key){
			region->name, NULL,
			region->offset + (address - region->start)
		};
	return key;
}

static bool same_key(const struct futex_key *a, const struct futex_key *b)
{
	if (a->memory != b->memory || a->offset != b->offset)
		return false;
	return a->object == b->object ||
	       (a->object && b->object && !strcmp(a->object, b->object));
}

static bool waits_on(const struct context *context,
		     const struct futex_key *key)
{
	struct futex_key own;

	if (context->ended || context->wait.kind != WAIT_FUTEX ||
	    context->wait.woken)
		return false;
	own = key_of(context->wait.futex_memory, context->wait.futex);
	return same_key(&own, key);
}

/* The context that has waited longest on a key. */
static struct context *first_waiter(struct linux_system *system,
				    const struct futex_key *key, uint32_t bits)
{
	struct context *first = NULL;

	for (struct context *context = system->contexts; context;
	     context = context->next)
		if (waits_on(context, key) &&
		    (context->wait.futex_bits & bits) &&
		    (!first || context->wait.futex_order <
				       first->wait.futex_order))
			first = context;
	return first;
}

int futex_wake(struct linux_system *system, struct guest_memory *memory,
	       uint64_t address, int count, uint32_t bits)
{
	struct futex_key key = key_of(memory, address);
	int woken = 0;

	while (woken < count) {
		struct context *waiter = first_waiter(system, &key, bits);

		if (!waiter)
			break;
		waiter->wait.woken = true;
		/* Distinguishes a wake from a time-out or a signal. */
		waiter->wait.futex_bits = 0;
		woken++;
	}
	return woken;
}

static int64_t futex_wait(struct context *context, const uint64_t *a,
			  uint32_t bits, bool absolute, int clock, bool wide)
{
	struct linux_system *system = context->process->system;
	uint32_t value;

	if (!bits)
		return -EINVAL;
	if (context->resumed) {
		if (context->wait.futex_bits == 0)
			return 0;
		if (context->wait.deadline <= clock_monotonic(system))
			return -ETIMEDOUT;
		return wait_for(context, WAIT_FUTEX, context->wait.what);
	}
	if (a[0] % 4)
		return -EINVAL;
	if (guest_get(context, a[0], &value, sizeof value))
		return -EFAULT;
	if (value != (uint32_t)a[2])
		return -EAGAIN;
	if (a[3]) {
		int64_t time, now = clock_monotonic(system);
		int result = guest_get_time(context, a[3], wide, &time);

		if (result)
			return result;
		if (absolute)
			time -= clock_read(context, clock);
		context->wait.deadline = now + time;
		if (time <= 0)
			return -ETIMEDOUT;
	}
	context->wait.futex = a[0];
	context->wait.futex_memory = context->process->memory;
	context->wait.futex_bits = bits;
	context->wait.futex_order = ++system->futex_serial;
	return wait_for(context, WAIT_FUTEX, "a futex (lock, condition or "
					     "join)");
}

static int64_t futex_requeue(struct context *context, const uint64_t *a,
			     int wake, int limit, bool compare)
{
	struct linux_system *system = context->process->system;
	struct guest_memory *memory = context->process->memory;
	struct futex_key key = key_of(memory, a[0]);
	int64_t moved = 0, woken;
	uint32_t value;

	if (wake < 0 || limit < 0)
		return -EINVAL;
	if (compare) {
		if (guest_get(context, a[0], &value, sizeof value))
			return -EFAULT;
		if (value != (uint32_t)a[5])
			return -EAGAIN;
	}
	woken = futex_wake(system, memory, a[0], wake, UINT32_MAX);
	while (moved < limit) {
		struct context *waiter =
			first_waiter(system, &key, UINT32_MAX);

		if (!waiter)
			break;
		waiter->wait.futex = a[4];
		waiter->wait.futex_memory = memory;
		waiter->wait.futex_order = ++system->futex_serial;
		moved++;
	}
	return woken + moved;
}

static int64_t futex_wake_op(struct context *context, const uint64_t *a)
{
	struct linux_system *system = context->process->system;
	uint32_t code = (uint32_t)a[5], old, new;
	int operation = code >> 28 & 7, compare = code >> 24 & 15;
	int32_t argument = (int32_t)(code << 8) >> 20;
	int32_t against = (int32_t)(code << 20) >> 20;
	bool holds;
	int64_t woken;

	if (code >> 31)
		argument = 1 << (argument & 31);
	if (guest_get(context, a[4], &old, sizeof old))
		return -EFAULT;
	switch (operation) {
	case FUTEX_OP_SET:
		new = (uint32_t)argument;
		break;
	case FUTEX_OP_ADD:
		new = old + (uint32_t)argument;
		break;
	case FUTEX_OP_OR:
		new = old | (uint32_t)argument;
		break;
	case FUTEX_OP_ANDN:
		new = old & ~(uint32_t)argument;
		break;
	case FUTEX_OP_XOR:
		new = old ^ (uint32_t)argument;
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

static int64_t futex_call(struct context *context, const uint64_t *a,
			  bool wide)
{
	int operation = (int)a[1] & FUTEX_CMD_MASK;
	int clock = a[1] & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME
						: CLOCK_MONOTONIC;

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
	default:
		/* Priority inheritance is not offered. */
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

/* ---- Robust mutexes: what a dead thread held is marked and handed on ---- */

static void owner_died(struct context *context, uint64_t address)
{
	uint32_t value;

	/* The offset that led here may be negative. */
	if (context->abi32)
		address = (uint32_t)address;
	if (guest_get(context, address, &value, sizeof value) ||
	    (value & FUTEX_TID_MASK) != (uint32_t)context->tid)
		return;
	bool waiters = value & FUTEX_WAITERS;

	value = (value & FUTEX_WAITERS) | FUTEX_OWNER_DIED;
	guest_put(context, address, &value, sizeof value);
	if (waiters)
		futex_wake(context->process->system, context->process->memory,
			   address, 1, UINT32_MAX);
}

void robust_list_exit(struct context *context)
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
	for (int limit = 0; entry != head && limit < 2048; limit++) {
		uint64_t next;

		if (guest_get_word(context, entry & ~UINT64_C(1), &next))
			return;
		if (entry != pending)
			owner_died(context, (entry & ~UINT64_C(1)) + offset);
		entry = next;
	}
	if (pending)
		owner_died(context, (pending & ~UINT64_C(1)) + offset);
}

int64_t call_set_robust_list(struct context *context, const uint64_t *a)
{
	if (a[1] != (context->abi32 ? 12 : 24))
		return -EINVAL;
	context->robust_list = a[0];
	return 0;
}

int64_t call_get_robust_list(struct context *context, const uint64_t *a)
{
	struct context *target =
		(int)a[0] ? context_find(context->process->system, (int)a[0])
			  : context;

	if (!target)
		return -ESRCH;
	if (guest_put_word(context, a[1], target->robust_list) ||
	    guest_put_word(context, a[2], context->abi32 ? 12 : 24))
		return -EFAULT;
	return 0;
}

int64_t call_set_tid_address(struct context *context, const uint64_t *a)
{
	context->clear_tid = a[0];
	return context->tid;
}

/* ---- Thread-local storage ---- */

int64_t call_arch_prctl(struct context *context, const uint64_t *a)
{
	struct x86_cpu *cpu = context->cpu;

	switch (a[0]) {
	case ARCH_SET_FS:
	case ARCH_SET_GS:
		if (context->abi32)
			return -EINVAL;
		if (a[1] >> 47)
			return -EPERM;
		cpu->segment[a[0] == ARCH_SET_FS ? X86_FS : X86_GS].base =
			a[1];
		return 0;
	case ARCH_GET_FS:
		return guest_put_word(context, a[1],
				      cpu->segment[X86_FS].base);
	case ARCH_GET_GS:
		return guest_put_word(context, a[1],
				      cpu->segment[X86_GS].base);
	default:
		return -EINVAL;
	}
}

/* struct user_desc: entry number, base, limit, flags. */
int64_t call_set_thread_area(struct context *context, const uint64_t *a)
{
	struct x86_cpu *cpu = context->cpu;
	uint32_t words[4];
	int index;

	if (cpu->mode != X86_MODE_32)
		return -ENOSYS;
	if (guest_get(context, a[0], words, sizeof words))
		return -EFAULT;
	index = (int)words[0] - X86_TLS_ENTRY_FIRST;
	if ((int32_t)words[0] == -1) {
		for (index = 0; index < X86_TLS_ENTRIES; index++)
			if (!cpu->tls[index].present)
				break;
		if (index == X86_TLS_ENTRIES)
			return -ESRCH;
		words[0] = (uint32_t)(index + X86_TLS_ENTRY_FIRST);
		if (guest_put(context, a[0], words, 4))
			return -EFAULT;
	}
	if (index < 0 || index >= X86_TLS_ENTRIES)
		return -EINVAL;
	cpu->tls[index] = (struct x86_tls_entry){
		.base = words[1], .limit = words[2], .flags = words[3],
		/* read_exec_only and seg_not_present alone mean "empty" */
		.present = !(words[1] == 0 && words[2] == 0 &&
			     (words[3] & 0x28) == 0x28),
	};
	/* Registers that already name the entry see the new base. */
	for (int i = X86_FS; i <= X86_GS; i++)
		if (cpu->segment[i].selector >> 3 ==
		    index + X86_TLS_ENTRY_FIRST)
			cpu->segment[i].base = words[1];
	return 0;
}

int64_t call_get_thread_area(struct context *context, const uint64_t *a)
{
	struct x86_cpu *cpu = context->cpu;
	uint32_t words[4];
	int index;

	if (cpu->mode != X86_MODE_32)
		return -ENOSYS;
	if (guest_get(context, a[0], words, sizeof words))
		return -EFAULT;
	index = (int)words[0] - X86_TLS_ENTRY_FIRST;
	if (index < 0 || index >= X86_TLS_ENTRIES)
		return -EINVAL;
	words[1] = cpu->tls[index].base;
	words[2] = cpu->tls[index].limit;
	words[3] = cpu->tls[index].present ? cpu->tls[index].flags : 0x28;
	return guest_put(context, a[0], words, sizeof words);
}

/* ---- Scheduling: one processor, ordinary policy ---- */

static bool exists(struct context *context, uint64_t tid)
{
	/* 1 is the parent of the first processes. */
	return !(int)tid || (int)tid == 1 ||
	       context_find(context->process->system, (int)tid);
}

int64_t call_sched_yield(struct context *context, const uint64_t *a)
{
	(void)a;
	context->yield = true;
	return 0;
}

int64_t call_sched_getaffinity(struct context *context, const uint64_t *a)
{
	unsigned word = context->abi32 ? 4 : 8;

	if (a[1] < word || a[1] % word)
		return -EINVAL;
	if (!exists(context, a[0]))
		return -ESRCH;
	return guest_put_word(context, a[2], 1) ? -EFAULT : (int64_t)word;
}

int64_t call_sched_setaffinity(struct context *context, const uint64_t *a)
{
	uint8_t first = 0;

	if (!exists(context, a[0]))
		return -ESRCH;
	if (a[1] && guest_get(context, a[2], &first, 1))
		return -EFAULT;
	return first & 1 ? 0 : -EINVAL;
}

int64_t call_sched_getparam(struct context *context, const uint64_t *a)
{
	const int32_t priority = 0;

	return exists(context, a[0])
		       ? guest_put(context, a[1], &priority, sizeof priority)
		       : -ESRCH;
}

int64_t call_sched_setparam(struct context *context, const uint64_t *a)
{
	int32_t priority;

	if (!exists(context, a[0]))
		return -ESRCH;
	if (guest_get(context, a[1], &priority, sizeof priority))
		return -EFAULT;
	return priority ? -EINVAL : 0;
}

int64_t call_sched_getscheduler(struct context *context, const uint64_t *a)
{
	return exists(context, a[0]) ? SCHED_OTHER : -ESRCH;
}

int64_t call_sched_setscheduler(struct context *context, const uint64_t *a)
{
	if (!exists(context, a[0]))
		return -ESRCH;
	switch ((int)a[1] & ~SCHED_RESET_ON_FORK) {
	case SCHED_OTHER:
	case SCHED_BATCH:
	case SCHED_IDLE:
		return 0;
	case SCHED_FIFO:
	case SCHED_RR:
		return -EPERM;
	default:
		return -EINVAL;
	}
}

static int64_t priority_limit(uint64_t policy, int realtime)
{
	switch ((int)policy) {
	case SCHED_FIFO:
	case SCHED_RR:
		return realtime;
	case SCHED_OTHER:
	case SCHED_BATCH:
	case SCHED_IDLE:
		return 0;
	default:
		return -EINVAL;
	}
}

int64_t call_sched_get_priority_max(struct context *context, const uint64_t *a)
{
	(void)context;
	return priority_limit(a[0], 99);
}

int64_t call_sched_get_priority_min(struct context *context, const uint64_t *a)
{
	(void)context;
	return priority_limit(a[0], 1);
}

int64_t call_sched_rr_get_interval(struct context *context, const uint64_t *a)
{
	return guest_put_time(context, a[1], false, 4000000);
}

int64_t call_sched_rr_get_interval_time64(struct context *context,
					  const uint64_t *a)
{
	return guest_put_time(context, a[1], true, 4000000);
}

/* Nice values are kept and shown; turns do not depend on them. */
static struct process *nice_process(struct context *context, const uint64_t *a)
{
	if ((int)a[0] != PRIO_PROCESS || !(int)a[1])
		return context->process;
	return process_find(context->process->system, (int)a[1]);
}

int64_t call_getpriority(struct context *context, const uint64_t *a)
{
	struct process *process = nice_process(context, a);

	if ((int)a[0] < PRIO_PROCESS || (int)a[0] > PRIO_USER)
		return -EINVAL;
	return process ? 20 - process->nice : -ESRCH;
}

int64_t call_setpriority(struct context *context, const uint64_t *a)
{
	struct process *process = nice_process(context, a);
	int nice = (int)a[2];

	if ((int)a[0] < PRIO_PROCESS || (int)a[0] > PRIO_USER)
		return -EINVAL;
	if (!process)
		return -ESRCH;
	nice = nice < -20 ? -20 : nice > 19 ? 19 : nice;
	if (nice < process->nice && geteuid() != 0)
		return -EACCES;
	process->nice = nice;
	return 0;
}

int64_t call_nice(struct context *context, const uint64_t *a)
{
	int64_t result = call_setpriority(
		context, (uint64_t[]){ PRIO_PROCESS, 0,
				       (uint64_t)(context->process->nice +
						  (int)a[0]) });

	return result == -EACCES ? -EPERM : result;
}

int64_t call_ioprio_get(struct context *context, const uint64_t *a)
{
	(void)context;
	(void)a;
	return 0;
}

int64_t call_getcpu(struct context *context, const uint64_t *a)
{
	const uint32_t zero = 0;

	if ((a[0] && guest_put(context, a[0], &zero, sizeof zero)) ||
	    (a[1] && guest_put(context, a[1], &zero, sizeof zero)))
		return -EFAULT;
	return 0;
}

int64_t call_prctl(struct context *context, const uint64_t *a)
{
	struct process *process = context->process;
	char name[16] = { 0 };
	int length;

	switch ((int)a[0]) {
	case PR_SET_NAME:
		length = guest_get_string(context, a[1], name, sizeof name);
		if (length < 0 && length != -ENAMETOOLONG)
			return length;
		name[sizeof name - 1] = 0;
		memcpy(context->name, name, sizeof name);
		if (context->tid == process->pid)
			memcpy(process->name, name, sizeof name);
		return 0;
	case PR_GET_NAME:
		return guest_put(context, a[1], context->name, sizeof name);
	case PR_SET_PDEATHSIG:
		if (a[1] > SIGNALS)
			return -EINVAL;
		process->death_signal = (int)a[1];
		return 0;
	case PR_GET_PDEATHSIG:
		return guest_put(context, a[1], &process->death_signal, 4);
	case PR_SET_DUMPABLE:
		process->dumpable = a[1];
		return 0;
	case PR_GET_DUMPABLE:
		return process->dumpable;
	case PR_SET_CHILD_SUBREAPER:
		process->subreaper = a[1];
		return 0;
	case PR_GET_CHILD_SUBREAPER:
		return guest_put(context, a[1],
				 &(int){ process->subreaper }, 4);
	case PR_SET_NO_NEW_PRIVS:
	case PR_SET_TIMERSLACK:
	case PR_SET_KEEPCAPS:
		return 0;
	case PR_GET_NO_NEW_PRIVS:
	case PR_GET_KEEPCAPS:
	case PR_GET_SECCOMP:
		return 0;
	case PR_GET_TIMERSLACK:
		return 50000;
	case PR_CAPBSET_READ:
		return 0;
	default:
		return -EINVAL;
	}
}
