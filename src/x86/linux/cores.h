/* Scheduling from above: whoever simulates time decides which thread runs
 * where, and when.
 *
 * linux_run() has one processor and gives turns. Here the caller has cores of
 * its own, and Linux offers threads and takes their stops:
 *
 *	linux_open(system, &error);
 *	while (!linux_is_over(system)) {
 *		for each core without a thread
 *			thread = linux_next(system, NULL or the last one);
 *			linux_start(system, thread);
 *		execute linux_cpu(thread) with x86_observe(), let time pass
 *		linux_stop(system, thread, stop);
 *		when the kernel is through: linux_complete(system, thread);
 *	}
 *	linux_close(system, &result);
 *
 * The clock is options.now (LINUX_CLOCK_MODEL), the time-stamp counter
 * options.time_stamp. All calls are made by one host thread. Between calls of
 * this header nothing of the guests changes but by their own instructions. A
 * call may change other threads than its own: after it linux_wants() says which
 * of the running ones must stop. */
#ifndef M2S_X86_LINUX_CORES_H
#define M2S_X86_LINUX_CORES_H

#include <stdbool.h>
#include <stdint.h>

#include "x86/linux/linux.h"

struct context; /* a guest thread */

/* Begins a run, which linux_close() ends: 0, or -1 and *error when the options
 * ask for what only linux_run() can do (a debugger, another clock). *error must
 * stay until linux_close(). */
int linux_open(struct linux_system *system, struct error *error);
/* Returns what linux_run() does. Threads that still run are left where they
 * are. */
int linux_close(struct linux_system *system, struct linux_result *result);
/* Whether all processes have ended, or a limit or an error has ended the
 * run. */
bool linux_is_over(const struct linux_system *system);

/* The next thread in order of age that can run now and that the caller has not
 * started: the first one, or the next one after another that was offered since.
 * NULL when there is none. Asking for the first one looks at timers and host
 * descriptors, and may end the run. */
struct context *linux_next(struct linux_system *system,
			   struct context *after);
/* The time of options.now at which a timer or a deadline of a thread that waits
 * comes next. INT64_MAX: none. */
int64_t linux_next_time(struct linux_system *system);
/* To be called when no thread runs and linux_next() offers none. Returns the
 * time to which the caller's clock may jump. When only the host can wake a
 * thread, it waits for the host, and returns the time that it is. Ends the run
 * with a report when nothing can. */
int64_t linux_idle(struct linux_system *system);

/* What became of a thread. */
enum linux_fate {
	LINUX_GOES_ON,  /* it has the core, and can execute */
	LINUX_CALLS,    /* it has the core, and is in the kernel */
	LINUX_READY,    /* it has lost the core; linux_next() offers it */
	LINUX_WAITS,    /* likewise, as soon as it can run */
	LINUX_GONE,     /* it has ended: it is not to be used again */
};

/* Gives a thread that was offered a core: finishes the call that it waited in,
 * delivers signals. Not LINUX_CALLS. */
enum linux_fate linux_start(struct linux_system *system,
			    struct context *thread);
/* The processor state of a thread that goes on, until its next stop: execve()
 * replaces it. */
struct x86_cpu *linux_cpu(struct context *thread);
/* How many instructions may be executed before a limit of the options. */
uint64_t linux_instructions_left(struct linux_system *system);
/* Its cpu has stopped, on the right path. Held stores are published. System
 * calls begin and are LINUX_CALLS: they take effect with linux_complete().
 * X86_STOP_QUANTUM and X86_STOP_ASKED take the core away: LINUX_READY.
 * Everything else happens at once. */
enum linux_fate linux_stop(struct linux_system *system,
			   struct context *thread, enum x86_stop stop);
/* The call takes effect now. Not LINUX_CALLS. */
enum linux_fate linux_complete(struct linux_system *system,
			       struct context *thread);
/* Whether a thread that has a core should lose it soon, by linux_stop() with
 * X86_STOP_QUANTUM: it has ended (then its cpu is no more), is stopped, or a
 * signal is to be delivered. */
bool linux_wants(const struct linux_system *system,
		 const struct context *thread);

int linux_process_id(const struct context *thread);
int linux_thread_id(const struct context *thread);

#endif
