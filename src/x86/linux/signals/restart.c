/* System calls that a signal interrupts. As in Linux, such a call ends with a
 * code that a program never sees: the delivery of signals turns it into EINTR
 * or makes the call again, and ptrace shows it in between. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "x86/linux/signals/restart.h"
#include "x86/linux/state.h"

enum { RESTART_SYSCALL_64 = 219, RESTART_SYSCALL_32 = 0 };

static int64_t result_of(const struct context *context)
{
	uint64_t rax = context->cpu->reg[X86_RAX];

	return context->process->memory->abi32 ? (int32_t)rax : (int64_t)rax;
}

const char *restart_text(int64_t result)
{
	switch (-result) {
	case CALL_RESTARTS:
		return "ERESTARTSYS (To be restarted if SA_RESTART is set)";
	case CALL_RESTARTS_ALWAYS:
		return "ERESTARTNOINTR (To be restarted)";
	case CALL_RESTARTS_NO_HANDLER:
		return "ERESTARTNOHAND (To be restarted if no handler)";
	case CALL_RESTARTS_BLOCK:
		return "ERESTART_RESTARTBLOCK (Interrupted by signal)";
	default:
		return NULL;
	}
}

bool restart_pending(const struct context *context)
{
	int64_t code = -result_of(context);

	return (int)context->call.original_rax != -1 && code >= CALL_RESTARTS &&
	       (code == CALL_RESTARTS || code == CALL_RESTARTS_ALWAYS ||
		code == CALL_RESTARTS_NO_HANDLER ||
		code == CALL_RESTARTS_BLOCK);
}

void restart_keep(struct context *context)
{
	struct restart *restart = &context->call.restart;

	restart->deadline = context->wait.deadline;
	if (context->call.restarted)
		return; /* of restart_syscall: still the call before */
	restart->set = true;
	restart->number = context->call.number;
	memcpy(restart->argument, context->call.argument,
	       sizeof restart->argument);
}

/* Both int 0x80 and syscall are two bytes long. */
static void again(struct context *context, uint64_t number)
{
	context->cpu->rip -= 2;
	context->cpu->reg[X86_RAX] = number;
}

void restart_before_handler(struct context *context, uint64_t flags)
{
	int64_t code = -result_of(context);

	if (!restart_pending(context))
		return;
	if (code == CALL_RESTARTS_ALWAYS ||
	    (code == CALL_RESTARTS && (flags & SA_RESTART)))
		again(context, (uint64_t)context->call.original_rax);
	else
		context->cpu->reg[X86_RAX] =
			context->process->memory->abi32 ? (uint32_t)-EINTR
							: (uint64_t)-EINTR;
	context->call.original_rax = -1;
}

void restart_without_handler(struct context *context)
{
	int64_t code = -result_of(context);

	if (!restart_pending(context))
		return;
	if (code == CALL_RESTARTS_BLOCK)
		again(context, context->abi32 ? RESTART_SYSCALL_32
					      : RESTART_SYSCALL_64);
	else
		again(context, (uint64_t)context->call.original_rax);
	context->call.original_rax = -1;
}
