/* Linux for guest programs: processes, threads, system calls, signals.
 *
 * A system runs any number of guest processes on one host thread, in turns
 * of a fixed number of instructions, so that the same input gives the same
 * interleaving. Typical use:
 *
 *	system = linux_create(&options, &error);
 *	linux_load(system, &program, &error);
 *	linux_run(system, &result, &error);
 *	linux_free(system);
 *
 * A guest has its own memory, descriptor numbers, process ids, signals and
 * current folder. Files, sockets and terminals are the host's. The guest uses
 * them with the rights of the user who runs the simulator, unless
 * options->root, read_only and no_network restrict them. */
#ifndef M2S_X86_LINUX_LINUX_H
#define M2S_X86_LINUX_LINUX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "x86/emu/emu.h"

struct linux_debugger;
struct linux_system;
struct log;
struct space;
struct stats;

/* A system call number that Linux will not use; its first argument is the
 * guest address of a request to the simulator. */
enum { LINUX_CALL_SIMULATOR = 0x0d325343 };

/* See linux_options.request. */
enum { LINUX_REQUEST_WAITS = 2 };

/* Codes of markers (m2s.h): the marker's last byte. */
enum { LINUX_MARKER_CHECKPOINT = 1 };

enum linux_clock {
	LINUX_CLOCK_HOST,      /* guests see the host's time */
	/* Guests see time that advances by one nanosecond per instruction (of
	 * all threads together) and jumps when all threads sleep: runs repeat
	 * exactly. */
	LINUX_CLOCK_SIMULATED,
	/* Guests see the time of linux_options.now: see cores.h. */
	LINUX_CLOCK_MODEL,
};

struct linux_options {
	struct log *log;               /* may be NULL */
	uint64_t max_instructions;     /* 0: no limit */
	/* linux_run() ends with LINUX_END_PAUSE after this number of
	 * instructions (0: never), and at each LINUX_MARKER_CHECKPOINT. */
	uint64_t pause_at;
	bool pause_at_marker;
	uint64_t quantum;              /* instructions a turn; 0: 100000 */
	uint64_t stack_size;           /* bytes; 0: 8 MiB */
	enum linux_clock clock;
	/* Nanoseconds since the start, for LINUX_CLOCK_MODEL. They never
	 * decrease. */
	int64_t (*now)(void *owner);
	/* The time-stamp counter. NULL: nanoseconds of the monotonic clock. */
	uint64_t (*time_stamp)(void *owner, const struct x86_cpu *cpu);
	void *now_owner;
	uint64_t seed;                 /* getrandom(), AT_RANDOM, /dev/random */
	/* Guests see this folder as "/" and nothing outside it; NULL: the
	 * host's files. Paths of struct linux_program are then the guest's. */
	const char *root;
	bool read_only;                /* no file or folder can be changed, */
	/* Except below these: "a,b,..."; or NULL. */
	const char *writable;
	bool no_network;               /* only local sockets */
	/* Process ids are the host's. A guest gets signals that are sent to its
	 * id on the host, and can send signals to other processes of the
	 * host. */
	bool host_pids;
	/* The capabilities that the simulator, run as the superuser, gives its
	 * guests, one bit each. 0: those of the simulator. */
	uint64_t capabilities;
	/* Processor models; NULL: the emulator's default for the mode. */
	const struct x86_model *model_i386, *model_x86_64;
	/* m2s's OpenCL library for each ABI, or NULL. It is opened when the
	 * guest opens libOpenCL.so or libOpenCL.so.1 and there is none. */
	const char *opencl_i386, *opencl_x86_64;
	/* Returns the path to open instead of `path` (the caller frees it with
	 * free()), or NULL. Called for every file that a guest opens. */
	char *(*redirect)(void *owner, const char *path, bool abi32);
	void *redirect_owner;
	/* Serves a request of LINUX_CALL_SIMULATOR that `process` makes.
	 * Returns 0; or 1 when the process lacks memory there (the guest gets
	 * EFAULT); or LINUX_REQUEST_WAITS: the thread waits until
	 * linux_wake_requests(), and the same request is made again; or -1 and
	 * *error, which ends the simulation. During the call
	 * linux_guest_read() and linux_guest_write() access the caller's
	 * memory. NULL: the call does not exist. */
	int (*request)(void *owner, int process, uint64_t address,
		       struct error *error);
	/* Called when a process that has made requests has ended or executed
	 * another program. May be NULL. */
	void (*released)(void *owner, int process);
	void *request_owner;
	/* Runs a thread of a process in place of x86_run(), for an observer.
	 * NULL: x86_run(). Not called while debug channels trace instructions
	 * or calls. */
	enum x86_stop (*run)(void *owner, int process, int thread,
			     struct x86_cpu *cpu, uint64_t instructions);
	void *run_owner;
	/* Called once a turn; true ends the run with LINUX_END_STOPPED. */
	bool (*stop)(void *owner);
	void *stop_owner;
	/* stop() may call linux_send_signal(). Threads that wait for a signal
	 * from outside that they handle are then no deadlock. */
	bool outside_signals;
	/* The debugger that controls the program from its first instruction, or
	 * NULL. See debug.h. */
	const struct linux_debugger *debugger;
	/* The run ends with LINUX_END_LAST when this instruction (1 to 15
	 * bytes) is about to be executed. Size 0: never. */
	uint8_t last_instruction[15];
	size_t last_instruction_size;
	/* Markers of gem5, Sniper and ZSim are markers, too. */
	bool foreign_markers;
};

/* Creates a system. NULL and *error on failure. *options is copied; the objects
 * that it points to must outlive the system. */
struct linux_system *linux_create(const struct linux_options *options,
				  struct error *error);
void linux_free(struct linux_system *system);

/* The host's folders that guests may reach, for confining the whole simulator
 * to them: the root, a private /dev/shm, and the writable folders of a
 * read-only system. Stores up to `size` of them and returns their number. Paths
 * and descriptors stay the system's. */
struct linux_place {
	const char *path;         /* absolute */
	int folder;               /* a descriptor of the folder, O_PATH */
	bool writable;
};
size_t linux_places(const struct linux_system *system,
		    struct linux_place *list, size_t size);

struct linux_program {
	const char *path;         /* searched in PATH of envp if it has no / */
	const char *const *argv;  /* argv[0] included, NULL at the end */
	const char *const *envp;  /* whole environment, NULL at the end */
	const char *cwd;          /* NULL: the simulator's, or "/" when that is
				   * outside options->root */
	int standard[3];          /* host descriptors; stay the caller's */
	/* If not NULL, receives a host descriptor, for reading, of the file
	 * that `path` names; the caller closes it. Not set when the file cannot
	 * be opened. */
	int *opened;
};

/* Makes a process ready to run. Several programs may be loaded, each into its
 * own memory. Returns the process id, or -1 and *error. */
int linux_load(struct linux_system *system,
	       const struct linux_program *program, struct error *error);

/* Pauses once more, when so many instructions have been executed; 0: not. */
void linux_pause_at(struct linux_system *system, uint64_t instructions);

enum linux_end {
	LINUX_END_FINISHED,     /* all processes ended */
	LINUX_END_INSTRUCTIONS, /* max_instructions */
	LINUX_END_STOPPED,      /* stop() returned true */
	LINUX_END_PAUSE,        /* pause_at or pause_at_marker */
	LINUX_END_LAST,         /* last_instruction was reached */
	LINUX_END_REQUEST,      /* a request failed: see *error */
	LINUX_END_DEADLOCK,     /* every thread waits for another: *error */
};
/* "ContextsFinished", "x86MaxInst", ... for SimEnd. */
const char *linux_end_name(enum linux_end end);

struct linux_result {
	enum linux_end end;
	/* All loaded programs have ended by themselves. The members below are
	 * about the first one (in order of loading) that failed, or else the
	 * first one. */
	bool ended;
	int exit_status;  /* 0 to 255, if no signal ended it */
	int signal;       /* the signal that ended it, or 0 */
	uint64_t instructions;
};

/* Runs until all processes have ended or something stops the run. 0, or -1 and
 * *error when the simulation could not continue (result->end says why). After
 * LINUX_END_INSTRUCTIONS, _STOPPED and _PAUSE another call continues exactly
 * where this one stopped. */
int linux_run(struct linux_system *system, struct linux_result *result,
	      struct error *error);

/* Writes the whole state of the run into a file: processes, threads, memory,
 * registers, descriptors of regular files and pipes, signals, timers. Not to be
 * called during linux_run(). 0, or -1 and *error when some part cannot be saved
 * (an open socket, ...) or the file cannot be written. On failure no file is
 * made and the system is unchanged. */
int linux_save_checkpoint(struct linux_system *system, const char *path,
			  struct error *error);

/* The bytes of a checkpoint, and the streams of the system that is restored
 * from it. */
struct linux_checkpoint {
	const uint8_t *bytes;
	size_t size;
	int standard[3];   /* host descriptors for the programs' standard
	                    * streams; stay the caller's */
	/* For tests of the reader. `unchecked`: damaged checksums are ignored.
	 * `detached`: no file of the host is looked at or opened. */
	bool unchecked, detached;
};

/* Restores a checkpoint into a system that linux_create() has just made. Clock,
 * quantum and processor models become those of the checkpoint, whatever the
 * options said. 0, or -1 and *error for a checkpoint that is damaged or does
 * not fit: the system can then only be freed. */
int linux_read_checkpoint(struct linux_system *system,
			  const struct linux_checkpoint *source,
			  struct error *error);
/* linux_read_checkpoint() from a file, which *error names. */
int linux_load_checkpoint(struct linux_system *system, const char *path,
			  const int standard[3], struct error *error);

/* Copy from and to the memory of the process that runs now. 0 or -1. */
int linux_guest_read(struct linux_system *system, uint64_t address,
		     void *buffer, uint64_t size);
int linux_guest_write(struct linux_system *system, uint64_t address,
		      const void *buffer, uint64_t size);

/* linux_guest_write() of what a device brings. During the call
 * linux_guest_delivers(). */
int linux_guest_deliver(struct linux_system *system, uint64_t address,
			const void *buffer, uint64_t size);
bool linux_guest_delivers(const struct linux_system *system);
/* The memory of the process that runs now, or NULL. */
struct space *linux_guest_space(const struct linux_system *system);

/* Requests that wait (LINUX_REQUEST_WAITS) are made again. */
void linux_wake_requests(struct linux_system *system);

/* Advances a simulated clock by the time that a guest waited for the simulator.
 * No effect on the host's clock. */
void linux_clock_advance(struct linux_system *system, uint64_t nanoseconds);

/* A signal that was sent to the simulator from outside. */
struct linux_outside_signal {
	int number;
	/* Sent by a key, to the foreground group. Otherwise the signal is for
	 * the programs that were loaded. */
	bool from_terminal;
	int code;       /* si_code */
	int pid, uid;   /* the sender's, on the host */
	uint64_t value; /* with sigqueue() */
};
/* Whether a loaded program that the signal is for has only the default action
 * for it, and this action ends or stops the program. */
bool linux_signal_ends_program(const struct linux_system *system,
			       const struct linux_outside_signal *signal);
/* Sends the signal. To be called between turns, as linux_options.stop is. */
void linux_send_signal(struct linux_system *system,
		       const struct linux_outside_signal *signal);

/* Writes where each thread is and what it waits for, for people to read. */
void linux_print_state(struct linux_system *system, FILE *stream);

uint64_t linux_instructions(const struct linux_system *system);
/* Contexts (threads) created so far. */
uint64_t linux_contexts(const struct linux_system *system);

/* Registers the section "Global" of the report "x86". */
void linux_register_stats(struct linux_system *system, struct stats *stats);

/* A row of the generated list of system calls. A number is -1 where an ABI
 * lacks the call. */
struct linux_call_info {
	const char *name;
	int number_i386, number_x86_64;
	bool supported;
	const char *state; /* for readers: "supported", "EPERM", ... */
};
size_t linux_call_list(const struct linux_call_info **list);

#endif
