/* Breakpoints and watchpoints of a memory: those of a debugger outside
 * (debug.c) and those that guests set by ptrace. */
#ifndef M2S_X86_LINUX_PTRACE_WATCH_H
#define M2S_X86_LINUX_PTRACE_WATCH_H

#include "x86/linux/debug/debug.h"
#include "x86/linux/state.h"

struct watchpoint {
	uint64_t address, size;
	enum linux_watch kind;
};

/* Tells the emulator the range that covers all watchpoints of a memory. */
void watch_apply(struct linux_system *system, struct guest_memory *memory);
/* Removes a breakpoint unless another owner still needs it. */
void breakpoint_drop(struct linux_system *system, struct guest_memory *memory,
		     uint64_t address);

/* ---- debug/points.c ---- */
/* Whether the instruction at rip is about to make an access that the watchpoint
 * watches. */
bool watch_hits(const struct watchpoint *watch, const struct x86_cpu *cpu);
/* The watchpoints of a debugger outside. 0 if the memory is not that of the
 * debugged process. */
size_t debug_watchpoints(const struct linux_system *system,
			 const struct guest_memory *memory,
			 const struct watchpoint **list);
bool debug_has_breakpoint(const struct linux_system *system,
			  const struct guest_memory *memory, uint64_t address);

/* ---- ptrace/breakpoint.c ---- */
enum { PTRACE_WATCHPOINTS = 4 };
/* The watchpoints of a traced thread. */
size_t ptrace_watchpoints(const struct context *context,
			  struct watchpoint list[PTRACE_WATCHPOINTS]);
bool ptrace_has_breakpoint(const struct context *context, uint64_t address);

#endif
