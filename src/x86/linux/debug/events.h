/* What a debugger is told and asked while guests run; each does nothing when
 * there is no debugger. */
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
/* Every thread waits: true when the debugger has been told and goes on. */
bool debug_deadlock(struct linux_system *system, const char *text);
/* Whether the debugger keeps some thread from running. */
bool debug_holds(const struct linux_system *system);
/* context_run() up to the next stop, which debug_after() then reports; it is
 * called when the outcome of the instructions has been dealt with. */
enum x86_stop debug_run(struct context *context, uint64_t instructions);
void debug_after(struct context *context);
/* A signal is about to be delivered, which the debugger may change; false:
 * it is not to be. */
bool debug_signal(struct context *context,
		  struct signal_information *information);
/* A handler's frame is there: a step ends at the handler's beginning. */
void debug_signal_entered(struct context *context);
void debug_exec(struct context *context);
void debug_ended(struct process *process);

#endif
