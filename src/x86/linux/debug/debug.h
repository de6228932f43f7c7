/* Control of a guest process by a debugger.
 *
 * The program loaded first is debugged, from its first instruction to its end,
 * through execve(). Its children run undebugged. When an event happens in one
 * of its threads, the whole system stops: linux_run() calls `stopped`, which
 * inspects and changes the guest with the functions below and says how to
 * continue. Turns and their lengths are those of a run without a debugger,
 * except for threads that the debugger holds.
 *
 * Breakpoints do not change memory. Watchpoints make the guest slower, and do
 * not notice writes of system calls. */
#ifndef M2S_X86_LINUX_DEBUG_DEBUG_H
#define M2S_X86_LINUX_DEBUG_DEBUG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "x86/emu/cpu.h"

struct linux_system;

enum linux_stop_kind {
	LINUX_STOP_START,       /* before the first instruction */
	LINUX_STOP_STEP,        /* a step (or range of steps) is done */
	LINUX_STOP_BREAKPOINT,  /* rip is at the breakpoint */
	LINUX_STOP_WATCH,       /* after the access; address, watch */
	LINUX_STOP_SIGNAL,      /* before the signal is delivered; signal */
	LINUX_STOP_EXEC,        /* execve(); path */
	LINUX_STOP_INTERRUPT,   /* interrupted() said so */
	LINUX_STOP_DEADLOCK,    /* every thread waits; text says for what */
	LINUX_STOP_EXITED,      /* status; the process is gone */
	LINUX_STOP_KILLED,      /* by a signal; the process is gone */
};

enum linux_watch { LINUX_WATCH_WRITE, LINUX_WATCH_READ, LINUX_WATCH_ACCESS };

struct linux_stop {
	enum linux_stop_kind kind;
	int process, thread;    /* ids; thread 0: all are gone */
	int signal;             /* the guest's (Linux') number */
	int status;
	uint64_t address;
	enum linux_watch watch;
	const char *path;
	const char *text;
};

struct linux_debugger {
	void *owner;
	void (*stopped)(void *owner, struct linux_system *system,
			const struct linux_stop *stop);
	/* Called often while the guest runs; true stops the guest. */
	bool (*interrupted)(void *owner);
};

/* The functions below are for use inside `stopped`, except where a comment says
 * otherwise. Functions that name a thread return -1 or NULL when the debugged
 * process has no such thread. */

/* Threads of the process in order of age: the first id above `after`, or 0.
 * Threads keep their ids; execve() gives the caller the process's id. */
int linux_debug_next_thread(struct linux_system *system, int after);
const char *linux_debug_thread_name(struct linux_system *system, int thread);
/* "runs", or what the thread waits for. */
const char *linux_debug_thread_state(struct linux_system *system, int thread);
uint64_t linux_debug_instructions(struct linux_system *system, int thread);
/* The registers of a thread, to read and change. For a thread inside a system
 * call, those before the call; changing rip then aborts the call. Only
 * linux_debug_set_rip() sets a changed rip. */
struct x86_cpu *linux_debug_cpu(struct linux_system *system, int thread);
uint64_t linux_debug_rip(struct linux_system *system, int thread);
int linux_debug_set_rip(struct linux_system *system, int thread,
			uint64_t rip);
/* The number of the system call that a thread is in, or -1. */
int64_t linux_debug_call(struct linux_system *system, int thread);
/* The siginfo of the signal of LINUX_STOP_SIGNAL: 128 bytes in the layout of
 * the process's ABI. -1 when there is none. */
int linux_debug_siginfo(struct linux_system *system, uint8_t *bytes);

/* The address of a thread's copy of a thread-local variable. `module` is the
 * guest address of its library's struct link_map (0: a static program),
 * `offset` the variable's offset. Reads the C library's own description of its
 * data (the _thread_db_ symbols of glibc). -1: unknown, or not yet
 * allocated. */
int linux_debug_thread_local(struct linux_system *system, int thread,
			     uint64_t module, uint64_t offset,
			     uint64_t *address);
/* "name+0x12 in library" of an address, or "". */
void linux_debug_symbol(struct linux_system *system, uint64_t address,
			char *text, size_t size);
bool linux_debug_is_32(struct linux_system *system);
/* Whether the processor model of the process has AVX. */
bool linux_debug_has_avx(struct linux_system *system);
const char *linux_debug_executable(struct linux_system *system);
const uint8_t *linux_debug_auxiliary(struct linux_system *system,
				     size_t *size);

/* Opens a file for reading as the process itself would: with its confinement,
 * its own /proc/self, and m2s's OpenCL library. Returns a host descriptor,
 * which the caller closes, or a negative errno. */
int linux_debug_open(struct linux_system *system, const char *path);

/* Copy from and to memory, whatever its protection. Return how many bytes, from
 * the first on, could be copied. Code may be written. */
size_t linux_debug_read(struct linux_system *system, uint64_t address,
			void *buffer, size_t size);
size_t linux_debug_write(struct linux_system *system, uint64_t address,
			 const void *buffer, size_t size);

/* Insert or remove a breakpoint or watchpoint. 0, or -1 when there are too
 * many. Inserting twice has the effect of inserting once. */
int linux_debug_breakpoint(struct linux_system *system, uint64_t address,
			   bool insert);
int linux_debug_watchpoint(struct linux_system *system, uint64_t address,
			   uint64_t size, enum linux_watch watch,
			   bool insert);

enum linux_resume {
	LINUX_RESUME_RUN,
	LINUX_RESUME_STEP, /* until rip is outside of [start, end) */
	LINUX_RESUME_HOLD,
};
/* Sets what a thread does when `stopped` returns. All other threads run, and so
 * do threads created later. */
int linux_debug_resume(struct linux_system *system, int thread,
		       enum linux_resume how, uint64_t start, uint64_t end);
/* Sets the signal that a thread gets instead of the one for which it stopped;
 * 0: none. Without this call the original signal is delivered. */
int linux_debug_signal(struct linux_system *system, int thread, int signal);
/* Sets whether a signal stops the guest (the default) or is only delivered. */
void linux_debug_stop_for(struct linux_system *system, int signal, bool stop);

/* Ends debugging: the guest continues without stops. */
void linux_debug_detach(struct linux_system *system);
/* Ends the process as SIGKILL does; no stop is reported for it. */
void linux_debug_kill(struct linux_system *system);

#endif
