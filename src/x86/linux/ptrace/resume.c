/* Resuming stopped threads. */
#include <errno.h>
#include <linux/ptrace.h>
#include <signal.h>

#include "x86/linux/ptrace/tracee.h"
#include "x86/linux/signals/signal.h"
#include "x86/linux/state.h"

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

void tracee_resumes(struct context *context, int signal)
{
	enum tracee_stop stop = tracee_ends_stop(context);

	if (stop == TRACEE_AT_SIGNAL)
		signal_from_tracer(context, signal);
	else if ((stop == TRACEE_AT_CALL || stop == TRACEE_AFTER_CALL) &&
		 signal)
		signal_send_context(context, &(struct signal_information){
						     .number = signal,
						     .code = SI_KERNEL,
					     });
	tracee_takes_up(context, stop);
}

static int64_t resume(struct context *context, enum tracee_resume how,
		      uint64_t signal)
{
	if (signal > SIGNALS)
		return -EIO;
	context->tracee->resume = how;
	tracee_resumes(context, (int)signal);
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
	context->process->system->end_process(context->process, 0, SIGKILL);
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
		tracee_goes_on(context);
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
		tracee_goes_on(context);
	return 0;
}
