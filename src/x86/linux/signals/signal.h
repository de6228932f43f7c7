/* Sending signals and delivering them. */
#ifndef M2S_X86_LINUX_SIGNALS_SIGNAL_H
#define M2S_X86_LINUX_SIGNALS_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

struct context;
struct process;
struct signal_information;

/* Sends to a process, or to one thread; the default action may follow at
 * once. */
void signal_send_process(struct process *process,
			 const struct signal_information *information);
void signal_send_context(struct context *context,
			 const struct signal_information *information);
/* Stops a process by its default action. */
void signal_stop_process(struct process *process, int number);
/* RLIMIT_SIGPENDING is used up: the sender learns of it. */
bool signal_queue_full(const struct process *process,
		       const struct signal_information *information);
/* A fault of the running instruction: cannot be blocked or ignored. */
void signal_force(struct context *context,
		  const struct signal_information *information);
/* Signals that can be delivered now. */
bool signal_deliverable(const struct context *context);
/* Handler or default action of a signal, whoever traces the thread. */
void signal_act(struct context *context,
		struct signal_information *information);
/* SIGCHLD to who traces a thread that has stopped, or whose thread `thread` of
 * a process has ended with a status as wait4() tells it. */
void signal_tell_stop(struct process *tracer, const struct context *context,
		      int code, int status);
void signal_tell_end(struct process *tracer, int thread,
		     const struct process *process, int status);
/* Delivers what is pending: handler frames, default actions. */
void signal_deliver(struct context *context);
/* Takes a pending one of a set: false when there is none. */
bool signal_take(struct context *context, uint64_t set,
		 struct signal_information *information);
/* It would have no effect. */
bool signal_ignored(const struct process *process, int number);

#endif
