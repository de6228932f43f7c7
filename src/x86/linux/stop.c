/* Handling the emulator's stops: system calls, faults, markers. */
#include <signal.h>

#include "x86/emu/step.h"
#include "x86/linux/call.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/outcome.h"
#include "x86/linux/signals/signal.h"
#include "x86/linux/state.h"
#include "x86/linux/stop.h"
#include "x86/linux/unwind/symbol.h"
#include "x86/linux/vsyscall.h"

static void processor_fault(struct context *context,
			    struct signal_information *information)
{
	information->fault = true;
	context->signals.trap_vector = information->vector;
	context->signals.trap_error = information->error_code;
	if (information->vector == 14)
		context->signals.trap_address = information->address;
	context->process->system->counts.faults++;
	signal_force(context, information);
}

static void fault(struct context *context)
{
	const struct x86_fault *from = &context->cpu->fault;
	struct signal_information information = {
		.number = from->signal, .code = from->code,
		.address = from->address, .vector = from->vector,
		.error_code = from->error_code,
	};

	if (from->signal == SIGSEGV && from->code == SEGV_MAPERR &&
	    guest_grow(context, from->address, 1))
		return; /* the instruction begins again */
	if (vsyscall_enter(context))
		return;
	processor_fault(context, &information);
}

static void unsupported_instruction(struct context *context)
{
	struct linux_system *system = context->process->system;
	const char *reason = context->cpu->reason;
	char text[200], symbol[200];
	struct signal_information information = {
		.number = SIGILL, .code = ILL_ILLOPN,
		.address = context->cpu->rip, .vector = 6,
	};

	context->cpu->reason = NULL;
	x86_describe_instruction(context->cpu, text, sizeof text);
	symbol_describe(system, context->cpu->space, context->cpu->rip,
			symbol, sizeof symbol);
	log_warning_once(system->log, text,
			 "%s%s: %s%s%s; the program gets SIGILL",
			 reason ? reason : "unsupported instruction",
			 reason ? " is not supported" : "", text,
			 symbol[0] ? " in " : "", symbol);
	processor_fault(context, &information);
}

/* sysenter belongs to the vDSO, and guests have none. */
static void bare_sysenter(struct context *context)
{
	struct signal_information information = {
		.number = SIGILL, .code = ILL_ILLOPN, .vector = 6,
	};

	context->cpu->rip -= 2;
	information.address = context->cpu->rip;
	processor_fault(context, &information);
}

/* The guest says where it is. Codes without a meaning are ignored. */
static void marker(struct context *context)
{
	struct linux_system *system = context->process->system;

	if (context->cpu->marker == LINUX_MARKER_CHECKPOINT &&
	    system->options->pause_at_marker)
		system_fail(system, LINUX_END_PAUSE);
}

void context_handle_stop(struct context *context, enum x86_stop stop)
{
	int number = (int)context->cpu->reg[X86_RAX];

	/* The kernel sees all that the thread has stored. */
	x86_stores_publish(context->cpu, UINT64_MAX);
	switch (stop) {
	case X86_STOP_ASKED: /* no option asks for these */
	case X86_STOP_ALONE:
	case X86_STOP_QUANTUM:
		break;
	case X86_STOP_INT80:
		call_enter(context, number, true);
		break;
	case X86_STOP_SYSCALL:
		call_enter(context, number, false);
		break;
	case X86_STOP_SYSENTER:
		bare_sysenter(context);
		break;
	case X86_STOP_FAULT:
		fault(context);
		break;
	case X86_STOP_UNSUPPORTED:
		unsupported_instruction(context);
		break;
	case X86_STOP_MARKER:
		marker(context);
		break;
	case X86_STOP_BREAKPOINT:
	case X86_STOP_WATCH:
		/* Another process's, in memory that vfork() shares: the next
		 * run begins at it and goes on. */
		break;
	case X86_STOP_LAST:
		system_fail(context->process->system, LINUX_END_LAST);
		break;
	}
}
