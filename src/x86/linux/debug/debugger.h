/* What the files of the debugger's interface share. Internal to this folder. */
#ifndef M2S_X86_LINUX_DEBUG_DEBUGGER_H
#define M2S_X86_LINUX_DEBUG_DEBUGGER_H

#include "x86/linux/debug/debug.h"
#include "x86/linux/ptrace/watch.h"

enum { WATCHES = 64, BREAKPOINTS = 10000 };

struct linux_debug {
	const struct linux_debugger *debugger;
	struct process *process;
	bool inside;             /* stopped() is being called */
	uint64_t ignored;        /* signals that do not stop: bit number - 1 */
	struct watchpoint watch[WATCHES];
	size_t watch_count;
	uint64_t breakpoint[BREAKPOINTS]; /* in no order */
	size_t breakpoint_count;
	bool exec;               /* execve() succeeded and is to be reported */
	struct signal_information *signal; /* of the stop; may be changed */
	/* Instructions until the next look for an interruption. */
	unsigned until_poll;
};

bool debug_is_debugged(const struct context *context);
/* A thread of the debugged process that has not ended, or NULL. */
struct context *debug_first_thread(const struct linux_debug *debug);
/* The thread of the debugged process with this id, or NULL. */
struct context *debug_find_thread(struct linux_system *system, int thread);
/* The memory of the debugged process; NULL when it has ended. */
struct guest_memory *debug_memory(const struct linux_system *system);

#endif
