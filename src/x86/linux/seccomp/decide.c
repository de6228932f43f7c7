/* Decides about a call of a thread with filters. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/ptrace.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>

#include "x86/linux/processes/process.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/seccomp/filter.h"
#include "x86/linux/seccomp/seccomp.h"
#include "x86/linux/signals/kind.h"
#include "x86/linux/signals/signal.h"
#include "x86/linux/state.h"
#include "x86/linux/trace/log.h"

enum { ERRNO_MAX = 4095 };

static bool strict_allows(const struct context *context)
{
	static const int allowed[2][4] = {
		{ SYS_read, SYS_write, SYS_exit, SYS_rt_sigreturn },
		{ 3, 4, 1, 119 }, /* i386's, with sigreturn */
	};

	for (int i = 0; i < 4; i++)
		if (context->call.number == allowed[context->abi32][i])
			return true;
	return false;
}

/* The smaller, the more it forbids. */
static int32_t strictness(uint32_t verdict)
{
	return (int32_t)(verdict & SECCOMP_RET_ACTION_FULL);
}

/* Runs all filters, the last one first: the strictest verdict, and in *by
 * whose it is. */
static uint32_t run_filters(const struct context *context,
			    const struct seccomp_filter **by)
{
	struct seccomp_data data = {
		.nr = context->call.number,
		.arch = context->abi32 ? AUDIT_ARCH_I386 : AUDIT_ARCH_X86_64,
		.instruction_pointer = context->cpu->rip,
	};
	const struct seccomp_filter *filter = context->seccomp->filter;
	uint32_t verdict = SECCOMP_RET_ALLOW;

	memcpy(data.args, context->call.argument, sizeof data.args);
	*by = filter;
	for (; filter; filter = filter->before) {
		uint32_t own = seccomp_program_run(filter->code, &data);

		if (strictness(own) >= strictness(verdict))
			continue;
		verdict = own;
		*by = filter;
	}
	return verdict;
}

static enum seccomp_way fails(struct context *context, int code)
{
	context->call.result = -code;
	return SECCOMP_ENDS;
}

/* The program gets its registers as before the call, then SIGSYS. */
static enum seccomp_way trap(struct context *context, uint32_t data)
{
	context->cpu->reg[X86_RAX] = (uint64_t)context->call.original_rax;
	context->call.original_rax = -1;
	context->call.result = data;
	return SECCOMP_TRAPS;
}

void seccomp_trap(struct context *context)
{
	struct signal_information information = {
		.number = SIGSYS,
		.code = 1, /* SYS_SECCOMP */
		.error = (int)context->call.result,
		.address = context->cpu->rip,
		.status = context->call.number,
		.value = context->abi32 ? AUDIT_ARCH_I386 : AUDIT_ARCH_X86_64,
	};

	/* After its tracer lets it continue. */
	if (context->tracee && context_stopped(context))
		signal_send_context(context, &information);
	else
		signal_force(context, &information);
}

static enum seccomp_way kill_process(struct context *context, int number)
{
	process_log(context->process, "is ended by %s for call %d",
		    signal_name(number), context->call.number);
	process_exit(context->process, 0, number);
	return SECCOMP_GONE;
}

static enum seccomp_way kill_thread(struct context *context, int number)
{
	if (context->process->live_contexts == 1)
		return kill_process(context, number);
	context_log(context, "is ended by %s for call %d", signal_name(number),
		    context->call.number);
	context_kill(context, number);
	return SECCOMP_GONE;
}

static enum seccomp_way trace(struct context *context, uint32_t data,
			      bool again)
{
	if (again)
		return SECCOMP_GOES_ON;
	if (!context->tracee || !ptrace_call_filtered(context, data))
		return fails(context, ENOSYS);
	context->call.filter = FILTER_TRACED;
	return SECCOMP_GONE;
}

enum seccomp_way seccomp_decide(struct context *context)
{
	bool again = context->call.filter == FILTER_TRACED;
	const struct seccomp_filter *by;
	uint32_t verdict, data;

	context->call.filter = FILTER_NONE;
	if (context->seccomp->strict)
		return strict_allows(context) ? SECCOMP_GOES_ON
					      : kill_thread(context, SIGKILL);
	verdict = run_filters(context, &by);
	data = verdict & SECCOMP_RET_DATA;
	if (strictness(verdict) != strictness(SECCOMP_RET_ALLOW))
		context_log(context, "its filter says 0x%08x of call %d",
			    verdict, context->call.number);
	switch (verdict & SECCOMP_RET_ACTION_FULL) {
	case SECCOMP_RET_ALLOW:
	case SECCOMP_RET_LOG:
		return SECCOMP_GOES_ON;
	case SECCOMP_RET_TRACE:
		return trace(context, data, again);
	case SECCOMP_RET_USER_NOTIF: /* no tracer listens */
		return fails(context, ENOSYS);
	case SECCOMP_RET_ERRNO:
		return fails(context, data < ERRNO_MAX ? (int)data
						       : ERRNO_MAX);
	case SECCOMP_RET_TRAP:
		return trap(context, data);
	case SECCOMP_RET_KILL_THREAD:
		return kill_thread(context, SIGSYS);
	default: /* what Linux does not know, too */
		return kill_process(context, SIGSYS);
	}
}
