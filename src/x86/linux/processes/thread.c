/* Threads: thread-local storage, prctl. */
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
#include "x86/linux/calls.h"
#include "x86/linux/identity/capability.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/processes/thread.h"
#include "x86/linux/seccomp/seccomp.h"
#include "x86/linux/state.h"

/* ---- Robust mutexes ---- */

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

int64_t thread_base(struct context *caller, struct context *context,
		    uint64_t code, uint64_t address)
{
	struct x86_cpu *cpu = context->cpu;

	switch (code) {
	case ARCH_SET_FS:
	case ARCH_SET_GS:
		if (address >> 47)
			return -EPERM;
		cpu->segment[code == ARCH_SET_FS ? X86_FS : X86_GS].base =
			address;
		return 0;
	case ARCH_GET_FS:
		return guest_put_word(caller, address,
				      cpu->segment[X86_FS].base);
	case ARCH_GET_GS:
		return guest_put_word(caller, address,
				      cpu->segment[X86_GS].base);
	case 0x1011: /* ARCH_GET_CPUID: CPUID does not fault ... */
		return 1;
	case 0x1012: /* ARCH_SET_CPUID: ... and cannot */
		return -ENODEV;
	default:
		return -EINVAL;
	}
}

int64_t call_arch_prctl(struct context *context, const uint64_t *a)
{
	if (context->abi32 && (a[0] == ARCH_SET_FS || a[0] == ARCH_SET_GS))
		return -EINVAL;
	return thread_base(context, context, a[0], a[1]);
}

/* struct user_desc: entry number, base, limit, flags. */
enum { USER_DESC_WORDS = 4 };

static void set_thread_area(struct x86_cpu *cpu, int entry,
			    const uint32_t *words)
{
	cpu->tls[entry - X86_TLS_ENTRY_FIRST] = (struct x86_tls_entry){
		.base = words[1], .limit = words[2], .flags = words[3],
		/* read_exec_only and seg_not_present alone mean "empty" */
		.present = !(words[1] == 0 && words[2] == 0 &&
			     (words[3] & 0x28) == 0x28),
	};
	x86_segments_refresh(cpu);
}

static bool is_entry(int entry)
{
	return entry >= X86_TLS_ENTRY_FIRST &&
	       entry < X86_TLS_ENTRY_FIRST + X86_TLS_ENTRIES;
}

int64_t thread_area_set(struct context *caller, struct context *context,
			int entry, uint64_t address)
{
	uint32_t words[USER_DESC_WORDS];

	if (guest_get(caller, address, words, sizeof words))
		return -EFAULT;
	if (!is_entry(entry))
		return -EINVAL;
	set_thread_area(context->cpu, entry, words);
	return 0;
}

int64_t thread_area_get(const struct context *caller,
			const struct context *context, int entry,
			uint64_t address)
{
	const struct x86_tls_entry *from;

	if (!is_entry(entry))
		return -EINVAL;
	from = context->cpu->tls + (entry - X86_TLS_ENTRY_FIRST);
	return guest_put(caller, address,
			 (uint32_t[]){ (uint32_t)entry, from->base,
				       from->limit,
				       from->present ? from->flags : 0x28 },
			 USER_DESC_WORDS * 4);
}

int64_t call_set_thread_area(struct context *context, const uint64_t *a)
{
	const struct x86_tls_entry *tls = context->cpu->tls;
	int32_t entry;

	if (context->cpu->mode != X86_MODE_32)
		return -ENOSYS;
	if (guest_get(context, a[0], &entry, sizeof entry))
		return -EFAULT;
	if (entry == -1) {
		for (entry = 0; entry < X86_TLS_ENTRIES; entry++)
			if (!tls[entry].present)
				break;
		if (entry == X86_TLS_ENTRIES)
			return -ESRCH;
		entry += X86_TLS_ENTRY_FIRST;
		if (guest_put(context, a[0], &entry, sizeof entry))
			return -EFAULT;
	}
	return thread_area_set(context, context, entry, a[0]);
}

int64_t call_get_thread_area(struct context *context, const uint64_t *a)
{
	int32_t entry;

	if (context->cpu->mode != X86_MODE_32)
		return -ENOSYS;
	if (guest_get(context, a[0], &entry, sizeof entry))
		return -EFAULT;
	return thread_area_get(context, context, entry, a[0]);
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
	int length, mode, filters;

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
		if (a[1] > 1)
			return -EINVAL;
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
		if (a[1] != 1 || a[2] || a[3] || a[4])
			return -EINVAL;
		process->no_new_privileges = true;
		return 0;
	case PR_GET_NO_NEW_PRIVS:
		return a[1] || a[2] || a[3] || a[4]
			       ? -EINVAL
			       : process->no_new_privileges;
	case PR_SET_TIMERSLACK:
		process->timers.slack = (int64_t)a[1] > 0
						? a[1]
						: process->timers.slack_default;
		return 0;
	case PR_GET_TIMERSLACK:
		return (int64_t)process->timers.slack;
	case PR_GET_SECUREBITS:
	case PR_SET_SECUREBITS:
	case PR_GET_KEEPCAPS:
	case PR_SET_KEEPCAPS:
	case PR_CAPBSET_READ:
	case PR_CAPBSET_DROP:
	case PR_CAP_AMBIENT:
		return capability_prctl(context, a);
	case PR_GET_TSC:
		return guest_put(context, a[1],
				 &(int){ context->cpu->time_hidden
						 ? PR_TSC_SIGSEGV
						 : PR_TSC_ENABLE }, 4);
	case PR_SET_TSC:
		if (a[1] != PR_TSC_ENABLE && a[1] != PR_TSC_SIGSEGV)
			return -EINVAL;
		context->cpu->time_hidden = a[1] == PR_TSC_SIGSEGV;
		return 0;
	case PR_GET_SECCOMP:
		seccomp_count(context, &mode, &filters);
		return mode;
	case PR_SET_SECCOMP:
		return seccomp_prctl(context, a[1], a[2]);
	case PR_GET_TIMING:
		return 0;
	case PR_SET_TIMING:
		return a[1] == PR_TIMING_STATISTICAL ? 0 : -EINVAL;
	case PR_SET_THP_DISABLE:
		if (a[2] || a[3] || a[4])
			return -EINVAL;
		return 0;
	case PR_GET_THP_DISABLE:
		return a[1] || a[2] || a[3] || a[4] ? -EINVAL : 0;
	case PR_GET_SPECULATION_CTRL: /* this processor does nothing of it */
		if (a[2] || a[3] || a[4])
			return -EINVAL;
		return a[1] > PR_SPEC_L1D_FLUSH ? -ENODEV
						: PR_SPEC_NOT_AFFECTED;
	case PR_SET_SPECULATION_CTRL:
		if (a[3] || a[4])
			return -EINVAL;
		return a[1] > PR_SPEC_L1D_FLUSH ? -ENODEV : -ENXIO;
	case PR_GET_TID_ADDRESS:
		return guest_put_word(context, a[1], context->clear_tid);
	default:
		return -EINVAL;
	}
}
