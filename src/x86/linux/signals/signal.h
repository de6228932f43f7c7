/* Sending signals and delivering them. */
#ifndef M2S_X86_LINUX_SIGNALS_SIGNAL_H
#define M2S_X86_LINUX_SIGNALS_SIGNAL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct context;
struct linux_system;
struct process;
struct signal_information;
struct signal_queue;

/* What no mask of signals holds. */
#define NEVER_BLOCKED ((UINT64_C(1) << (SIGKILL - 1)) |                        \
		       (UINT64_C(1) << (SIGSTOP - 1)))
void signal_send_process(struct process *process,
			 const struct signal_information *information);
void signal_send_context(struct context *context,
			 const struct signal_information *information);
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
void signal_queue_free(struct signal_queue *queue);
bool signal_take(struct context *context, uint64_t set,
		 struct signal_information *information);
uint64_t signal_pending_set(const struct context *context);
void signal_poll_timers(struct linux_system *system);
/* Earliest time at which a timer needs attention, INT64_MAX: none. */
int64_t signal_next_timer(struct linux_system *system);
/* Keeps signalfds readable as long as a signal is pending for them. */
void signal_update_descriptors(struct process *process);
bool signal_ignored(const struct process *process, int number);
bool signal_on_stack(const struct context *context, uint64_t sp);
const char *signal_name(int number);
/* struct siginfo for guests of either ABI: 128 bytes. */
/* CLD_EXITED and so on, of a status as wait4() tells it. */
int signal_end_code(int status);
void signal_pack(const struct signal_information *information, bool abi32,
		 uint8_t *bytes);
void signal_unpack(struct signal_information *information, bool abi32,
		   const uint8_t *bytes);

#endif
