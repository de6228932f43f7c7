/* Scheduling from above: a timing model decides which thread runs where, and
 * when.
 *
 * linux_run() has one processor and gives turns. With this header the caller
 * has cores of its own; Linux offers threads and handles their stops:
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
 * options.time_stamp. One host thread makes all calls. Between calls of this
 * header only the guests' own instructions change the guests. A call may change
 * other threads than its own: afterwards linux_wants() says which of the
 * running threads must stop. */
#ifndef M2S_X86_LINUX_CORES_H
#define M2S_X86_LINUX_CORES_H

#include <stdbool.h>
#include <stdint.h>

#include "x86/linux/linux.h"

struct context; /* a guest thread */

/* Begins a run, which linux_close() ends. 0, or -1 and *error when the options
 * ask for something that only linux_run() can do (a debugger, another clock).
 * *error must stay until linux_close(). */
int linux_open(struct linux_system *system, struct error *error);
/* The monotonic time, in nanoseconds, at which the checkpoint that was loaded had
 * been saved; 0: none was loaded. */
int64_t linux_loaded_time(const struct linux_system *system);
/* Instructions before the checkpoint, and stops between them: system calls and
 * faults. */
uint64_t linux_loaded_steps(const struct linux_system *system);
/* Ends a run and returns what linux_run() returns. Threads that still run are
 * left where they are. */
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
/* The time of options.now at which the next timer expires or the deadline of a
 * waiting thread comes. INT64_MAX: none. */
int64_t linux_next_time(struct linux_system *system);
/* To be called when no thread runs and linux_next() offers none. Returns the
 * time to which the caller's clock may jump. When only the host can wake a
 * thread, waits for the host and returns the present time. When nothing can
 * wake a thread, ends the run with a report. */
int64_t linux_idle(struct linux_system *system);

/* The state of a thread after a call. */
enum linux_fate {
	LINUX_GOES_ON,  /* has the core, and can execute */
	LINUX_CALLS,    /* has the core, and is in the kernel */
	LINUX_READY,    /* has lost the core; linux_next() offers the thread */
	LINUX_WAITS,    /* likewise, when it can run again */
	LINUX_GONE,     /* has ended, and must not be used again */
};

/* Gives a core to a thread that was offered: finishes the call in which it
 * waited, and delivers signals. Does not return LINUX_CALLS. */
enum linux_fate linux_start(struct linux_system *system,
			    struct context *thread);
/* The processor state of a thread that has a core, valid until its next stop:
 * execve() replaces it. */
struct x86_cpu *linux_cpu(struct context *thread);
/* The number of instructions that may be executed before a limit of the
 * options. */
uint64_t linux_instructions_left(struct linux_system *system);
/* To be called when the thread's cpu has stopped, on the right path. Publishes
 * held stores. A system call begins and returns LINUX_CALLS: it takes effect
 * with linux_complete(). X86_STOP_QUANTUM and X86_STOP_ASKED take the core away
 * and return LINUX_READY. Every other stop takes effect at once. */
enum linux_fate linux_stop(struct linux_system *system,
			   struct context *thread, enum x86_stop stop);
/* Lets the thread's call take effect now. Does not return LINUX_CALLS. */
enum linux_fate linux_complete(struct linux_system *system,
			       struct context *thread);
/* Takes the core from a thread that another one has ended, which has executed this
 * number of instructions since it was started or stopped last: they count. */
void linux_lose(struct linux_system *system, struct context *thread,
		uint64_t executed);
/* Whether a thread that has a core should lose it soon, by linux_stop() with
 * X86_STOP_QUANTUM: it is stopped, or a signal is to be delivered; or by
 * linux_lose(): it has ended, and its cpu is no more. */
bool linux_wants(const struct linux_system *system,
		 const struct context *thread);

/* Whether a thread that has a core has ended: its cpu is no more. */
bool linux_has_ended(const struct context *thread);

int linux_process_id(const struct context *thread);
int linux_thread_id(const struct context *thread);
/* The serial number of the memory of a thread, unique in the run: execve() gives
 * a new one. */
uint64_t linux_memory_serial(const struct context *thread);
/* The path of the program that a thread executes, valid until execve(). */
const char *linux_program(const struct context *thread);

#endif
