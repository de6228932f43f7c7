/* ptrace: guest processes that control others, as gdb and strace do.
 *
 * A traced thread has a struct tracee. Events in the thread make it stop. A
 * stopped thread gets no turns until its tracer, which wait4() has told, lets
 * it continue. The scheduler and the deadlock report know these stops, so a run
 * with them repeats exactly.
 *
 * In contrast to Linux, the tracer is a process: each of its threads may make
 * requests and wait. */
#ifndef M2S_X86_LINUX_PTRACE_PTRACE_H
#define M2S_X86_LINUX_PTRACE_PTRACE_H

#include "x86/emu/vector/xsave.h"
#include "x86/linux/state.h"

/* ---- Stops ---- */
bool ptrace_stopped(const struct context *context);
/* Whether a thread gets no turns: it is in a stop of ptrace or, if it is not
 * traced, its process is stopped. */
static inline bool context_stopped(const struct context *context)
{
	return context->tracee ? ptrace_stopped(context)
			       : context->process->stopped;
}

/* Whether a traced thread must stop as soon as it can, or has to take a signal
 * from its tracer. */
bool ptrace_pending(const struct context *context);
/* Stops the thread, or delivers the signal, for which ptrace_pending() returned
 * true. */
/* True: the thread now takes the signal `deliver` from its tracer. */
bool ptrace_attend(struct context *context,
		   struct signal_information *deliver);
/* To be called when a signal is about to be delivered to a traced thread: stops
 * the thread. */
void ptrace_signal(struct context *context,
		   const struct signal_information *information);
/* To be called when a handler's frame has been pushed: a step ends there. */
void ptrace_signal_entered(struct context *context);
/* To be called when the process stops, or is sent SIGCONT. */
void ptrace_group_stops(struct process *process);
void ptrace_group_continues(struct process *process);
/* Whether a process (NULL: any) traces a thread of another one. */
bool ptrace_traces(const struct process *tracer, const struct process *process);

/* ---- System calls of a traced thread ---- */
/* To be called when a call begins. True when the thread stops first. */
bool ptrace_call_begins(struct context *context);
/* To be called when a seccomp filter leaves a call to the tracer. True when the
 * tracer wants to decide; the thread has then stopped. */
bool ptrace_call_filtered(struct context *context, uint32_t data);
/* To be called when a call has reached its result, or waits (CALL_BLOCKS). True
 * when the thread stops before the result is set; context->call.put_off then
 * says that the result is kept. */
bool ptrace_call_event(struct context *context, int64_t result);
/* To be called when the result of a call has been set. */
void ptrace_call_ends(struct context *context);

/* ---- Lives ---- */
/* To be called when clone() with these flags has made a thread or process. */
void ptrace_cloned(struct context *context, struct context *child,
		   uint64_t flags, int exit_signal);
/* To be called when execve() has succeeded. `former` is the thread's id
 * before. */
void ptrace_executed(struct context *context, int former);
/* To be called when a thread is about to end, with a status as wait4() reports
 * it. True when the thread stops first; context->ending is then set. */
bool ptrace_exits(struct context *context, int status);
/* To be called when a thread has ended. */
void ptrace_left(struct context *context, int status);
/* To be called when a process has ended. The threads that it traced continue
 * untraced. */
void ptrace_tracer_ended(struct process *process);
/* The process id of a thread's tracer, or 0. */
int ptrace_tracer(const struct context *context);
/* Whether `from` may look into `to` (process_vm_readv and others). */
bool ptrace_may_access(const struct process *from, const struct process *to);
/* Whether a process gains no rights by execve(), because an unprivileged
 * process traces it. */
bool ptrace_restrains(const struct process *process);
/* A process that traces another, which prevents a checkpoint, or NULL. */
const struct process *ptrace_user(const struct linux_system *system);

/* ---- Registers ---- */
enum { USER_REGISTERS_64 = 27, USER_REGISTERS_32 = 17 };
static inline uint64_t registers_size(bool abi32)
{
	return abi32 ? USER_REGISTERS_32 * 4 : USER_REGISTERS_64 * 8;
}

/* A register by its index in struct user_regs_struct of either ABI. */
uint64_t user_register(const struct context *context, unsigned index,
		       bool abi32);
/* The image of another register set, named by its note type in core files. Its
 * size, at most REGISTER_SET_MAX, or 0 when the thread's ABI has no such
 * set. */
enum { REGISTER_SET_MAX = X86_XSAVE_SIZE };
size_t register_set_image(const struct context *context, uint64_t note,
			  uint8_t *image);

/* ---- Running ---- */
/* context_run() or debug_run() of a traced thread: single steps and debug
 * registers. */
enum x86_stop ptrace_run(struct context *context, uint64_t instructions);

/* ---- Waiting for tracees ---- */
/* Whether there is a stop that the tracer has not been told yet. *status
 * becomes the status of wait4() without the lowest byte. */
bool ptrace_stop_told(const struct context *context,
		      const struct process *tracer, int *status);
void ptrace_stop_reported(struct context *context);
bool ptrace_is_tracee(const struct context *context,
		      const struct process *tracer);

#endif
