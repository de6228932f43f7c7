/* Sending signals and delivering them. */
#ifndef M2S_X86_LINUX_SIGNALS_SIGNAL_H
#define M2S_X86_LINUX_SIGNALS_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

struct context;
struct process;
struct signal_information;

/* Send a signal to a process or to one thread. The default action may happen at
 * once. */
void signal_send_process(struct process *process,
			 const struct signal_information *information);
void signal_send_context(struct context *context,
			 const struct signal_information *information);
/* Stops a process by its default action. */
void signal_stop_process(struct process *process, int number);
/* Whether RLIMIT_SIGPENDING is used up for this signal, which the sender must
 * be told. */
bool signal_queue_full(const struct process *process,
		       const struct signal_information *information);
/* Delivers a fault of the running instruction, which can be neither blocked nor
 * ignored. */
void signal_force(struct context *context,
		  const struct signal_information *information);
/* Whether a signal can be delivered now. */
bool signal_deliverable(const struct context *context);
/* Runs the handler or the default action of a signal, without telling a
 * tracer. */
void signal_act(struct context *context,
		struct signal_information *information);
/* Send SIGCHLD to a tracer: because a thread has stopped, or because the thread
 * `thread` of a process has ended with a status as wait4() reports it. */
void signal_tell_stop(struct process *tracer, const struct context *context,
		      int code, int status);
void signal_tell_end(struct process *tracer, int thread,
		     const struct process *process, int status);
/* Delivers pending signals: pushes handler frames, takes default actions. */
void signal_deliver(struct context *context);
/* Whether a signal would have no effect. */
bool signal_ignored(const struct process *process, int number);

#endif
