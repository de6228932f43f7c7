/* Breakpoints, watchpoints, and resuming the guest: see debug.h. */
#include <signal.h>

#include "x86/linux/debug/debugger.h"
#include "x86/linux/processes/process.h"
#include "x86/linux/signals/signal.h"
#include "x86/linux/state.h"

/* ---- Breakpoints and watchpoints ---- */

int linux_debug_breakpoint(struct linux_system *system, uint64_t address,
			   bool insert)
{
	struct guest_memory *memory = debug_memory(system);
	struct linux_debug *debug = system->debug;
	size_t at = 0;

	if (!memory)
		return -1;
	while (at < debug->breakpoint_count && debug->breakpoint[at] != address)
		at++;
	if (!insert) {
		if (at < debug->breakpoint_count)
			debug->breakpoint[at] =
				debug->breakpoint[--debug->breakpoint_count];
		breakpoint_drop(system, memory, address);
		return 0;
	}
	if (at == BREAKPOINTS)
		return -1;
	if (at == debug->breakpoint_count)
		debug->breakpoint[debug->breakpoint_count++] = address;
	x86_breakpoint_insert(memory->emulator, address);
	return 0;
}

static void watch_range(const struct linux_debug *debug)
{
	watch_apply(debug->process->system, debug->process->memory);
}

int linux_debug_watchpoint(struct linux_system *system, uint64_t address,
			   uint64_t size, enum linux_watch kind, bool insert)
{
	struct linux_debug *debug = system->debug;
	struct watchpoint *watch;
	size_t at = 0;

	if (!debug_memory(system))
		return -1;
	for (; at < debug->watch_count; at++) {
		watch = debug->watch + at;
		if (watch->address == address && watch->size == size &&
		    watch->kind == kind)
			break;
	}
	if (!insert) {
		if (at < debug->watch_count)
			debug->watch[at] = debug->watch[--debug->watch_count];
		watch_range(debug);
		return 0;
	}
	if (at == WATCHES || !size || address + size < address)
		return -1;
	debug->watch[at] = (struct watchpoint){ address, size, kind };
	if (at == debug->watch_count)
		debug->watch_count++;
	watch_range(debug);
	return 0;
}

/* ---- Going on ---- */

int linux_debug_resume(struct linux_system *system, int thread,
		       enum linux_resume how, uint64_t start, uint64_t end)
{
	struct context *context = debug_find_thread(system, thread);

	if (!context)
		return -1;
	context->debug.resume = (uint8_t)how;
	context->debug.stepped = false;
	context->debug.step_start = start;
	context->debug.step_end = end;
	return 0;
}

int linux_debug_signal(struct linux_system *system, int thread, int signal)
{
	struct context *context = debug_find_thread(system, thread);
	struct signal_information *stopped_for;

	if (!context)
		return -1;
	stopped_for = system->debug->signal;
	if (stopped_for && (stopped_for->number == signal || !signal)) {
		stopped_for->number = signal;
		return 0;
	}
	if (stopped_for) {
		*stopped_for = (struct signal_information){
			.number = signal, .pid = context->process->pid,
		};
		return 0;
	}
	if (!signal)
		return 0;
	/* Not stopped for one: it comes as if sent, without another stop. */
	signal_send_context(context, &(struct signal_information){
					     .number = signal,
					     .pid = context->process->pid,
				     });
	context->debug.signal = signal;
	return 0;
}

void linux_debug_stop_for(struct linux_system *system, int signal, bool stop)
{
	uint64_t bit;

	if (!system->debug || signal < 1 || signal > SIGNALS)
		return;
	bit = UINT64_C(1) << (signal - 1);
	if (stop)
		system->debug->ignored &= ~bit;
	else
		system->debug->ignored |= bit;
}

void linux_debug_detach(struct linux_system *system)
{
	struct linux_debug *debug = system->debug;
	struct guest_memory *memory = debug_memory(system);

	if (!memory)
		return;
	while (debug->breakpoint_count)
		breakpoint_drop(system, memory,
				debug->breakpoint[--debug->breakpoint_count]);
	debug->watch_count = 0;
	watch_range(debug);
	for (struct context *context = system->contexts; context;
	     context = context->next)
		if (context->process == debug->process)
			context->debug.resume = LINUX_RESUME_RUN;
	debug->process = NULL;
}

void linux_debug_kill(struct linux_system *system)
{
	if (debug_memory(system))
		process_exit(system->debug->process, 0, SIGKILL);
}
