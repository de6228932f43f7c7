/* ptrace: guest processes that control others, as gdb and strace do.
 *
 * A traced thread has a struct tracee. What happens in it makes it stop: that
 * is a state in which it gets no turns until its tracer, which wait4() has
 * told, lets it go on. So the scheduler and the deadlock report know stops,
 * and a run with them repeats as any other.
 *
 * Unlike in Linux the tracer is a process: each of its threads may make
 * requests and wait. */
#ifndef M2S_X86_LINUX_PTRACE_PTRACE_H
#define M2S_X86_LINUX_PTRACE_PTRACE_H

#include "x86/emu/vector/xsave.h"
#include "x86/linux/state.h"

/* ---- Stops ---- */
bool ptrace_stopped(const struct context *context);
/* Whether a thread gets no turns: it is in a stop of ptrace or, if nobody
 * traces it, its process is stopped. */
static inline bool context_stopped(const struct context *context)
{
	return context->tracee ? ptrace_stopped(context)
			       : context->process->stopped;
}

/* Whether a traced thread has to stop as soon as it can, or has a signal from
 * its tracer to take. */
bool ptrace_pending(const struct context *context);
/* Does what ptrace_pending() is about. */
void ptrace_attend(struct context *context);
/* A signal is about to be delivered to a traced thread, which stops. */
void ptrace_signal(struct context *context,
		   const struct signal_information *information);
/* A handler's frame has been pushed: a step ends there. */
void ptrace_signal_entered(struct context *context);
/* The process stops, or is sent SIGCONT. */
void ptrace_group_stops(struct process *process);
void ptrace_group_continues(struct process *process);
/* A process (NULL: any) traces a thread of the other one. */
bool ptrace_traces(const struct process *tracer, const struct process *process);

/* ---- System calls of a traced thread ---- */
/* One begins: true when it stops first. */
bool ptrace_call_begins(struct context *context);
/* A filter says that the tracer decides about one: whether the tracer wants to
 * be asked; the thread has then stopped. */
bool ptrace_call_filtered(struct context *context, uint32_t data);
/* One has come to `result`, or waits (CALL_BLOCKS): true when the thread stops
 * before the result is set: context->call.put_off says that it is kept. */
bool ptrace_call_event(struct context *context, int64_t result);
/* The result is set. */
void ptrace_call_ends(struct context *context);

/* ---- Lives ---- */
/* A thread or process has been born by clone() with these flags. */
void ptrace_cloned(struct context *context, struct context *child,
		   uint64_t flags, int exit_signal);
/* execve() has succeeded; `former` is the thread's id before. */
void ptrace_executed(struct context *context, int former);
/* A thread is about to end, with a status as wait4() tells it: true when it
 * stops first; context->ending is then set. */
bool ptrace_exits(struct context *context, int status);
/* A thread has ended. */
void ptrace_left(struct context *context, int status);
/* A process has ended; those that it traces go on by themselves. */
void ptrace_tracer_ended(struct process *process);
/* The process id of who traces a thread, or 0. */
int ptrace_tracer(const struct context *context);
/* Whether `from` may look into `to` (process_vm_readv and others). */
bool ptrace_may_access(const struct process *from, const struct process *to);
/* Whether a process gains no rights by execve(), since one without rights
 * traces it. */
bool ptrace_restrains(const struct process *process);
/* Why the system cannot be saved, or NULL: who traces whom. */
const struct process *ptrace_user(const struct linux_system *system);

/* ---- Registers ---- */
enum { USER_REGISTERS_64 = 27, USER_REGISTERS_32 = 17 };
static inline uint64_t registers_size(bool abi32)
{
	return abi32 ? USER_REGISTERS_32 * 4 : USER_REGISTERS_64 * 8;
}

/* Registers by their place in struct user_regs_struct of either ABI. */
uint64_t user_register(const struct context *context, unsigned index,
		       bool abi32);
/* The image of a set of other registers, which a note of core files names: its
 * size, at most REGISTER_SET_MAX, or 0 when the thread's ABI has no such set. */
enum { REGISTER_SET_MAX = X86_XSAVE_SIZE };
size_t register_set_image(const struct context *context, uint64_t note,
			  uint8_t *image);

/* ---- Running ---- */
/* context_run() or debug_run() of a traced thread: single steps and debug
 * registers. */
enum x86_stop ptrace_run(struct context *context, uint64_t instructions);

/* ---- Waiting for tracees ---- */
/* A stop that the tracer has not been told yet: what wait4() tells, without
 * the lowest byte. */
bool ptrace_stop_told(const struct context *context,
		      const struct process *tracer, int *status);
void ptrace_stop_reported(struct context *context);
bool ptrace_is_tracee(const struct context *context,
		      const struct process *tracer);

#endif
