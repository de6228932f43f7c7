/* Resuming stopped threads. */
#include <errno.h>
#include <linux/ptrace.h>
#include <signal.h>

#include "x86/linux/call.h"
#include "x86/linux/calls.h"
#include "x86/linux/processes/process.h"
#include "x86/linux/ptrace/tracee.h"
#include "x86/linux/signals/signal.h"
#include "x86/linux/state.h"
#include "x86/linux/trace/log.h"

/* The tracer may have changed number and arguments, which are in the
 * registers; a call with number -1 is not made. */
static void begin_call(struct context *context, bool skip)
{
	if (skip)
		context->call.original_rax = -1;
	call_arguments(context, (int)context->call.original_rax);
	if ((int)context->call.original_rax != -1)
		return;
	context->call.result = CALL_NO_RESULT;
	context->call.put_off = true;
}

static void signal_from_tracer(struct context *context, int number)
{
	struct tracee *tracee = context->tracee;
	const struct process *tracer = tracee->tracer;

	tracee->deliver = number != 0;
	if (number && number != tracee->signal.number)
		tracee->signal = (struct signal_information){
			.number = number, .pid = tracer->pid,
			.uid = (int)tracer->credentials.user[0],
		};
}

void tracee_goes_on(struct context *context, int signal)
{
	struct tracee *tracee = context->tracee;
	enum tracee_stop stop = tracee->stop;

	tracee->stop = TRACEE_RUNS;
	tracee->listening = false;
	if (stop == TRACEE_AT_SIGNAL)
		signal_from_tracer(context, signal);
	else if ((stop == TRACEE_AT_CALL || stop == TRACEE_AFTER_CALL) &&
		 signal)
		signal_send_context(context, &(struct signal_information){
						     .number = signal,
						     .code = SI_KERNEL,
					     });
	if (stop == TRACEE_AT_FILTER)
		begin_call(context, false);
	if (stop == TRACEE_AT_CALL)
		begin_call(context, tracee->resume >= TRACEE_SKIPS_CALLS);
	/* The call is resumed (vfork() when its child allows). */
	if (context->call.active)
		context->wait.woken = true;
	context_log(context, "goes on for its tracer");
}

static int64_t resume(struct context *context, enum tracee_resume how,
		      uint64_t signal)
{
	if (signal > SIGNALS)
		return -EIO;
	context->tracee->resume = how;
	tracee_goes_on(context, (int)signal);
	return 0;
}

int64_t ptrace_continue(struct context *tracer, struct context *context,
			uint64_t address, uint64_t data)
{
	(void)tracer;
	(void)address;
	return resume(context, TRACEE_CONTINUES, data);
}

int64_t ptrace_to_call(struct context *tracer, struct context *context,
		       uint64_t address, uint64_t data)
{
	(void)tracer;
	(void)address;
	return resume(context, TRACEE_TO_CALL, data);
}

int64_t ptrace_single_step(struct context *tracer, struct context *context,
			   uint64_t address, uint64_t data)
{
	(void)tracer;
	(void)address;
	return resume(context, TRACEE_STEPS, data);
}

int64_t ptrace_emulate_calls(struct context *tracer, struct context *context,
			     uint64_t address, uint64_t data)
{
	(void)tracer;
	(void)address;
	return resume(context, TRACEE_SKIPS_CALLS, data);
}

int64_t ptrace_emulate_calls_step(struct context *tracer,
				  struct context *context, uint64_t address,
				  uint64_t data)
{
	(void)tracer;
	(void)address;
	return resume(context, TRACEE_STEPS_SKIPPING, data);
}

int64_t ptrace_kill(struct context *tracer, struct context *context,
		    uint64_t address, uint64_t data)
{
	(void)tracer;
	(void)address;
	(void)data;
	process_exit(context->process, 0, SIGKILL);
	return 0;
}

int64_t ptrace_interrupt(struct context *tracer, struct context *context,
			 uint64_t address, uint64_t data)
{
	struct tracee *tracee = context->tracee;

	(void)tracer;
	(void)address;
	(void)data;
	if (!tracee->seized)
		return -EIO;
	tracee->trap = true;
	if (tracee->listening)
		tracee_goes_on(context, 0);
	return 0;
}

int64_t ptrace_listen(struct context *tracer, struct context *context,
		      uint64_t address, uint64_t data)
{
	struct tracee *tracee = context->tracee;

	(void)tracer;
	(void)address;
	(void)data;
	if (!tracee->seized || tracee->signal.code >> 8 != PTRACE_EVENT_STOP)
		return -EIO;
	tracee->listening = true;
	/* SIGCONT has come meanwhile. */
	if (tracee->trap)
		tracee_goes_on(context, 0);
	return 0;
}
