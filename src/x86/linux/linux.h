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
 * What the guest is confined to: it has its own memory, descriptor numbers,
 * process ids, signals and current folder; files, sockets and terminals are
 * the host's, with the rights of the user who runs the simulator, unless
 * options->root, read_only and no_network say less. */
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
struct stats;

/* A system call number that Linux will not use; its first argument is the
 * guest address of a request to the simulator. */
enum { LINUX_CALL_SIMULATOR = 0x0d325343 };

/* What the codes of m2s.h mean (the marker's last byte). */
enum { LINUX_MARKER_CHECKPOINT = 1 };

enum linux_clock {
	LINUX_CLOCK_HOST,      /* guests see the host's time */
	/* Guests see time that passes by one nanosecond per instruction (of
	 * all threads together), and jumps when all threads sleep: runs
	 * repeat exactly. */
	LINUX_CLOCK_SIMULATED,
};

struct linux_options {
	struct log *log;               /* may be NULL */
	uint64_t max_instructions;     /* 0: no limit */
	/* Ends linux_run() with LINUX_END_PAUSE when so many instructions have
	 * been executed (0: never), and at each LINUX_MARKER_CHECKPOINT. */
	uint64_t pause_at;
	bool pause_at_marker;
	uint64_t quantum;              /* instructions a turn; 0: 100000 */
	uint64_t stack_size;           /* bytes; 0: 8 MiB */
	enum linux_clock clock;
	uint64_t seed;                 /* getrandom(), AT_RANDOM, /dev/random */
	/* Guests see this folder as "/" and nothing outside it; NULL: the
	 * host's files. Paths of struct linux_program are then the guest's. */
	const char *root;
	bool read_only;                /* no file or folder can be changed, */
	const char *writable;          /* but those below (a,b,...; NULL) */
	bool no_network;               /* only local sockets */
	/* Process ids are the host's: who is sent a signal there gets it, and
	 * guests can send them to other processes of the host. */
	bool host_pids;
	/* What the simulator, as the superuser, tells its guests that they may
	 * do: capabilities, a bit each. 0: what it may do itself. */
	uint64_t capabilities;
	/* Processor models; NULL: the emulator's default for the mode. */
	const struct x86_model *model_i386, *model_x86_64;
	/* Our OpenCL library for each ABI, or NULL: opened when the guest
	 * asks for libOpenCL.so or libOpenCL.so.1 and there is none. */
	const char *opencl_i386, *opencl_x86_64;
	/* Another path to open instead of `path` (to be freed with free()), or
	 * NULL. Called for every file that a guest opens. */
	char *(*redirect)(void *owner, const char *path, bool abi32);
	void *redirect_owner;
	/* Serves a request of LINUX_CALL_SIMULATOR that `process` makes: 0; 1
	 * when it lacks memory there: EFAULT; or -1 and *error, which ends the
	 * simulation. linux_guest_read() and
	 * _write() see the memory of the caller meanwhile. NULL: the call
	 * does not exist. */
	int (*request)(void *owner, int process, uint64_t address,
		       struct error *error);
	/* A process that has made requests is gone, by its end or because it
	 * has executed another program. May be NULL. */
	void (*released)(void *owner, int process);
	void *request_owner;
	/* Asked once a turn; true ends the run with LINUX_END_STOPPED. */
	bool (*stop)(void *owner);
	void *stop_owner;
	/* linux_send_signal() may be called from stop(): threads that wait
	 * until somebody outside sends what they handle are no deadlock. */
	bool outside_signals;
	/* Controls the program from its first instruction; NULL: nobody. See
	 * debug.h. */
	const struct linux_debugger *debugger;
	/* LINUX_END_LAST when this instruction (1 to 15 bytes) is about to be
	 * executed; size 0: never. */
	uint8_t last_instruction[15];
	size_t last_instruction_size;
};

/* NULL and *error on failure. *options is copied; what it points to must
 * outlive the system. */
struct linux_system *linux_create(const struct linux_options *options,
				  struct error *error);
void linux_free(struct linux_system *system);

/* The host's folders that guests may reach, for whoever wants to keep the whole
 * simulator to them: the root, a private /dev/shm, and where a read-only system
 * can be written. Stores up to `size` of them and returns how many there are;
 * paths and descriptors are the system's. */
struct linux_place {
	const char *path;         /* absolute */
	int folder;               /* a descriptor of it, O_PATH */
	bool writable;
};
size_t linux_places(const struct linux_system *system,
		    struct linux_place *list, size_t size);

struct linux_program {
	const char *path;         /* searched in PATH of envp when it has no / */
	const char *const *argv;  /* argv[0] included, NULL at the end */
	const char *const *envp;  /* whole environment, NULL at the end */
	const char *cwd;          /* NULL: the simulator's, or "/" when that is
				   * outside options->root */
	int standard[3];          /* host descriptors; stay the caller's */
	/* Unless NULL: set to a host descriptor of the file that `path` names,
	 * for reading, which is the caller's; not set when it cannot be
	 * opened. */
	int *opened;
};

/* Makes a process ready to run. Several may be loaded, each into memory of
 * its own. Returns its process id, or -1 and *error. */
int linux_load(struct linux_system *system,
	       const struct linux_program *program, struct error *error);

enum linux_end {
	LINUX_END_FINISHED,     /* all processes ended */
	LINUX_END_INSTRUCTIONS, /* max_instructions */
	LINUX_END_STOPPED,      /* stop() said so */
	LINUX_END_PAUSE,        /* pause_at or pause_at_marker */
	LINUX_END_LAST,         /* last_instruction was met */
	LINUX_END_REQUEST,      /* a request failed: see *error */
	LINUX_END_DEADLOCK,     /* every thread waits for another: *error */
};
/* "ContextsFinished", "x86MaxInst", ... for SimEnd. */
const char *linux_end_name(enum linux_end end);

struct linux_result {
	enum linux_end end;
	bool ended;       /* all loaded programs have ended by themselves. Of
	                   * the first in order of loading that failed, or of
	                   * the first: */
	int exit_status;  /* 0 to 255, when it was not ended by a signal */
	int signal;       /* the signal that ended it, or 0 */
	uint64_t instructions;
};

/* Runs until all processes have ended or something stops it. 0, or -1 and
 * *error when the simulation could not go on (result->end says why). After
 * LINUX_END_INSTRUCTIONS, _STOPPED and _PAUSE another call goes on exactly
 * where this one stopped. */
int linux_run(struct linux_system *system, struct linux_result *result,
	      struct error *error);

/* Writes everything that the run depends on into a file: processes, threads,
 * memory, registers, descriptors of regular files and pipes, signals, timers.
 * Not while linux_run() is inside. 0; or -1 and *error when some part cannot
 * be saved (an open socket, ...) or the file cannot be written: then no file
 * has come to be, and the system is as it was. */
int linux_save_checkpoint(struct linux_system *system, const char *path,
			  struct error *error);

/* What a checkpoint is read from, and into what. */
struct linux_checkpoint {
	const uint8_t *bytes;
	size_t size;
	int standard[3];   /* host descriptors for the programs' standard
	                    * streams; stay the caller's */
	/* For tests of the reader: damaged checksums do not matter, and no
	 * file of the host is looked at or opened. */
	bool unchecked, detached;
};

/* Restores a system into one that linux_create() has just made. Clock,
 * quantum and processor models are then those of the checkpoint, whatever the
 * options said. 0, or -1 and *error for a checkpoint that is damaged or does
 * not fit: the system is then only good for linux_free(). */
int linux_read_checkpoint(struct linux_system *system,
			  const struct linux_checkpoint *source,
			  struct error *error);
/* The same from a file, which *error names. */
int linux_load_checkpoint(struct linux_system *system, const char *path,
			  const int standard[3], struct error *error);

/* Memory of the process that runs now: 0 or -1. */
int linux_guest_read(struct linux_system *system, uint64_t address,
		     void *buffer, uint64_t size);
int linux_guest_write(struct linux_system *system, uint64_t address,
		      const void *buffer, uint64_t size);

/* Lets time pass on a simulated clock: what a guest waited for took so long.
 * No effect on the host's clock. */
void linux_clock_advance(struct linux_system *system, uint64_t nanoseconds);

/* A signal that somebody outside sent to the simulator. */
struct linux_outside_signal {
	int number;
	/* A key: for the foreground group. Else it is for the programs that
	 * were loaded. */
	bool from_terminal;
	int code;       /* si_code */
	int pid, uid;   /* the sender's, on the host */
	uint64_t value; /* with sigqueue() */
};
/* Whether a loaded program that it is for has nothing but the default action
 * for it, which ends or stops it. */
bool linux_signal_ends_program(const struct linux_system *system,
			       const struct linux_outside_signal *signal);
/* Sends it. Between turns, as from linux_options.stop. */
void linux_send_signal(struct linux_system *system,
		       const struct linux_outside_signal *signal);

/* Where each thread is and what it waits for, for people. */
void linux_print_state(struct linux_system *system, FILE *stream);

uint64_t linux_instructions(const struct linux_system *system);
/* Contexts (threads) created so far. */
uint64_t linux_contexts(const struct linux_system *system);

/* Registers report "x86", section "Global". */
void linux_register_stats(struct linux_system *system, struct stats *stats);

/* For the generated list of system calls: "name i386-number x86-64-number"
 * of each row, -1 where an ABI lacks it. */
struct linux_call_info {
	const char *name;
	int number_i386, number_x86_64;
	bool supported;
	const char *state; /* for readers: "supported", "EPERM", ... */
};
size_t linux_call_list(const struct linux_call_info **list);

#endif
