/* The state of the simulated Linux: the system, processes and their threads.
 * State that one folder manages is in that folder's state.h. */
#ifndef M2S_X86_LINUX_STATE_H
#define M2S_X86_LINUX_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/log.h"
#include "loader/elf.h"
#include "memsys/space/space.h"
#include "x86/emu/emu.h"
#include "x86/linux/debug/debug.h"
#include "x86/linux/debug/state.h"
#include "x86/linux/files/state.h"
#include "x86/linux/identity/state.h"
#include "x86/linux/linux.h"
#include "x86/linux/memory/state.h"
#include "x86/linux/processes/state.h"
#include "x86/linux/progress.h"
#include "x86/linux/ptrace/state.h"
#include "x86/linux/schedule.h"
#include "x86/linux/signals/state.h"
#include "x86/linux/time/state.h"
#include "x86/linux/trace/state.h"
#include "x86/linux/unwind/state.h"
#include "x86/linux/uts.h"
#include "x86/linux/wait.h"

enum { FIRST_CONTEXT = 100 }; /* id of the first context */

struct call_depth;      /* trace/trace.c */
struct confinement;     /* confine/confinement.h */
struct host_pids;       /* processes/host-pid.c */
struct key_service;     /* keys/keyring.h */
struct landlock_domain; /* landlock/ruleset.h */
struct lock_table;      /* files/lock.c */
struct mqueue;          /* mqueue/queue.h */
struct seccomp;         /* seccomp/filter.h */
struct socket_names;    /* sockets/address.c */
struct sysv_ipc;        /* sysv/object.h */
struct thread_keys;     /* keys/keyring.h */
struct tracee;          /* ptrace/tracee.h */

struct process {
	struct linux_system *system;
	struct process *next;       /* all processes, by age */
	struct process *parent;     /* NULL: the simulator */
	int pid, group, session;
	struct guest_memory *memory;
	struct file_table *files;
	struct process_paths paths;
	char name[16];              /* comm */
	struct process_signals signals;
	struct process_timers timers;
	uint64_t limit[16][2];      /* RLIMIT_*: soft, hard */
	struct process_account account;
	int live_contexts;
	bool stopped, stop_reported, continued;
	int stop_signal;
	bool ended, reaped;
	bool loaded;                /* by linux_load(): kept for its status */
	bool made_requests;         /* to options->request */
	int exit_status, exit_signal;
	int parent_signal;          /* sent to the parent at the end */
	struct credentials credentials;
	int death_signal;           /* prctl(PR_SET_PDEATHSIG) */
	bool subreaper;
	bool dumpable;
	bool no_new_privileges;
	int oom_adjust;             /* /proc/self/oom_score_adj */
	unsigned personality;
	struct process_priority priority;
	bool vfork_done;            /* the parent may go on */
	/* The process is ending; its threads stop at their ends for a
	 * tracer. */
	bool ending;
	bool executed;              /* has executed a program since fork() */
	bool barriers;              /* has registered for membarrier() */
	bool core_dumped;           /* at its end */
	struct process_tracing tracing;
	struct namespace *pids;     /* its PID namespace; NULL: the first */
	uint64_t serial;            /* unique, while ids are reused */
};

struct context {
	struct process *process;
	struct context *next;    /* all contexts, by age */
	int tid;
	char name[16];
	struct x86_cpu *cpu;
	bool abi32;              /* of the call being made */
	bool ended;
	uint16_t memory_policy;  /* of set_mempolicy(): see memory/numa.c */
	uint64_t instructions;
	struct scheduling scheduling;
	bool ending;             /* must end with `end_status` */
	bool yield;              /* gives up the rest of its turn */
	int end_status;
	struct call_progress call;
	struct tracee *tracee;   /* NULL: no tracer */
	struct thread_keys *keys; /* its keyrings, or NULL */
	struct seccomp *seccomp; /* restrictions of its calls, or NULL */
	struct landlock_domain *landlock; /* landlock/ruleset.h, or NULL */
	/* The thread's namespaces; NULL: the first of the kind. The user
	 * namespace is in the credentials, and the process's own PID namespace
	 * in struct process. */
	struct namespace *namespaces[NAMESPACE_SLOTS];
	struct wait wait;
	struct call_trace trace;
	struct thread_signals signals;
	uint64_t clear_tid;      /* set_tid_address */
	uint64_t robust_list;
	struct call_depth *calls; /* --x86-debug-call: see trace/trace.c */
	struct thread_debug debug;
	struct core_turn core;
};

/* Statistics of the report "x86". */
struct linux_counts {
#define STATS_MEMBERS
#include "x86/linux/linux.stat.def"
};

struct linux_system {
	const struct linux_options *options; /* own_options */
	struct linux_options own_options;
	/* Ids with which host files are accessed: now, and outside
	 * linux_run(). */
	struct credentials host_identity, own_identity;
	struct log *log;
	struct confinement *confinement; /* confine/confinement.h */
	struct socket_names *socket_names; /* sockets/address.c; may be NULL */
	struct lock_table *locks;          /* files/lock.c; may be NULL */
	struct sysv_ipc *ipc;              /* sysv/object.h; may be NULL */
	struct namespace *namespaces;      /* all but the first ones */
	uint64_t namespace_serial;
	struct mqueue *queues;             /* mqueue/queue.h */
	char core_pattern[128];            /* "": the usual one */
	uint64_t regions_max;              /* vm.max_map_count */
	uint64_t descriptors_max;          /* fs.nr_open */
	struct uts_name uts_name[UTS_NAMES];
	struct key_service *keys;          /* keys/keyring.h; may be NULL */
	struct file_list async_files;      /* files with `async` */
	int async_poll;                    /* host descriptor, 0: none */
	struct process *processes;
	struct context *contexts;
	struct context *current;  /* the context that runs */
	/* Shared by all x86-64 processes, by all i386 processes. */
	struct x86_decoder *decoder[2];
	int next_id;
	bool ids_set;             /* a guest has set next_id */
	int foreground_group;
	struct host_pids *host_pids;    /* processes/host-pid.c; may be NULL */
	/* process_exit() of processes/process.c, which is above whatever else
	 * ends a process: signals, tracers, the host. */
	void (*end_process)(struct process *process, int status, int signal);
	struct schedule schedule;
	struct session *session;  /* schedule.c; NULL: not running */
	bool paused;              /* at options->pause_at */
	bool delivers;            /* linux_guest_deliver() */
	struct loaded_state *loaded; /* of a checkpoint */
	uint64_t random[2];
	uint64_t futex_serial;
	uint64_t shared_serial; /* of anonymous shared memory */
	uint64_t memory_serial; /* of the last struct guest_memory */
	struct image_list images; /* for symbols */
	/* Time. */
	struct file_list timer_files; /* timerfds, for timers_poll() */
	struct file_list pid_files;
	/* Nanoseconds by which sleeping (or, with the host's clock, a
	 * checkpoint) moved the clock. */
	int64_t clock_skipped;
	/* Outcome. */
	struct linux_debug *debug; /* NULL: never debugged */
	bool failed;
	enum linux_end end;
	struct error *error;
	struct linux_counts counts;
};

#endif
