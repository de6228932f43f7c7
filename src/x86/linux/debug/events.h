/* Events that are reported to a debugger while guests run. Each function does
 * nothing when there is no debugger. */
#ifndef M2S_X86_LINUX_DEBUG_EVENTS_H
#define M2S_X86_LINUX_DEBUG_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "x86/emu/emu.h"

struct context;
struct linux_system;
struct process;
struct signal_information;

void debug_start(struct linux_system *system);
void debug_free(struct linux_system *system);
/* Stops the process if the user wants to; `current` may be NULL. */
void debug_poll(struct linux_system *system, struct context *current);
/* Reports that every thread waits. True when the debugger was told and wants to
 * continue. */
bool debug_deadlock(struct linux_system *system, const char *text);
/* Whether the debugger keeps some thread from running. */
bool debug_holds(const struct linux_system *system);
/* context_run() up to the next stop. debug_after() then reports the stop; it is
 * called when the outcome of the instructions has been handled. */
enum x86_stop debug_run(struct context *context, uint64_t instructions);
void debug_after(struct context *context);
/* Reports a signal that is about to be delivered; the debugger may change it.
 * False: the signal is not to be delivered. */
bool debug_signal(struct context *context,
		  struct signal_information *information);
/* Reports that a handler's frame was pushed: a step ends at the handler's
 * beginning. */
void debug_signal_entered(struct context *context);
void debug_exec(struct context *context);
void debug_ended(struct process *process);

#endif
