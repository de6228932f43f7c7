/* What the simulated Linux consists of: memory, files and signals of guest
 * processes, processes and their threads, the system. */
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
#include "x86/linux/linux.h"

enum {
	FIRST_CONTEXT = 100, /* id of the first context */
	SIGNALS = 64,        /* numbered from 1 */
	PROC_PATH = 256,     /* bytes of a path in /proc */
	CALL_ARGUMENTS = 6,
};

/* ---- What processes may share ---- */

/* A file or memory object behind shared mappings, kept open so that fork()
 * can map it again. */
struct shared_object {
	char *name; /* what the region is called */
	dev_t device;
	ino_t inode;
	int file;
};

/* The file of the program that processes execute, held open. */
struct program_file {
	unsigned references;
	int host;
};

struct aio_context;
struct landlock_domain;
struct ruleset;

/* An address space and the decoded code of it. */
struct guest_memory {
	unsigned references;
	struct space *space;
	struct x86_emulator *emulator;
	bool abi32;
	uint64_t break_start, break_end; /* brk(): [start, end) */
	uint64_t map_top;                /* mmap() goes downwards from here */
	uint64_t stack_low, stack_high;
	uint64_t sigreturn;              /* page with the return sequences */
	uint64_t serial;                 /* no other memory has the same */
	uint8_t lock_future;             /* of mlockall(): flags of regions */
	char *executable;                /* absolute path, as it was */
	struct program_file *program;    /* of it, or NULL */
	char *command_line;              /* as /proc/self/cmdline */
	size_t command_line_size;
	char *environment;
	size_t environment_size;
	uint8_t *auxiliary;              /* as /proc/self/auxv */
	size_t auxiliary_size;
	uint8_t *ldt;                    /* descriptors: see memory/ldt.c */
	size_t ldt_size;
	struct shared_object *shared;
	size_t shared_count, shared_capacity;
	struct aio_context *aio;         /* aio/context.h */
};

enum file_kind {
	FILE_HOST,     /* everything is the host's */
	FILE_TIMER,    /* timerfd: an eventfd that our timers write */
	FILE_SIGNAL,   /* signalfd: an eventfd kept in step with `mask` */
	FILE_RANDOM,   /* /dev/random and /dev/urandom: our generator */
	FILE_LIST,     /* a folder of /proc whose entries we make up */
	FILE_MADE,     /* a file of /proc of ours, opened for writing */
	FILE_PROCESS,  /* pidfd: an eventfd, readable when `pid` has ended */
	FILE_MEMORY,   /* /proc/PID/mem */
	FILE_PAGEMAP,  /* /proc/PID/pagemap */
	FILE_QUEUE,    /* a POSIX message queue: an eventfd, see mqueue/ */
	FILE_RULESET,  /* of Landlock: see landlock/ */
};

/* An open file description: what dup() and fork() share. */
struct file {
	struct linux_system *system; /* of FILE_TIMER, _SIGNAL, _PROCESS */
	unsigned references;
	enum file_kind kind;
	int host;           /* host descriptor */
	bool borrowed;      /* not to be closed (standard streams) */
	uint8_t stream;     /* which standard stream a borrowed one is */
	bool semaphore;     /* an eventfd of that kind */
	bool nonblock;      /* the guest's O_NONBLOCK */
	bool host_nonblock; /* the host descriptor never blocks */
	bool may_block;     /* pipe, socket, terminal: poll before use */
	bool is_pipe;       /* the end for writing of a pipe made by a guest */
	uint16_t pipe_end;  /* where the bytes of its last page end */
	bool is_socket;
	bool is_event;      /* an eventfd of the guest's */
	/* Local sockets: process ids of the other end, of who listens, and of
	 * who connected and was not accepted yet; 0: none or not known. */
	int peer, listener, connecting;
	int64_t timeout[2]; /* SO_RCVTIMEO, SO_SNDTIMEO in ns; 0: none */
	int owner, owner_signal; /* F_SETOWN, F_SETSIG */
	struct file_async *async; /* async/file.h, or NULL */
	uint64_t mask;      /* FILE_SIGNAL */
	int clock;          /* FILE_TIMER */
	int pid;            /* FILE_PROCESS */
	uint64_t memory;    /* FILE_MEMORY, FILE_PAGEMAP: the serial of `pid`'s */
	struct mqueue *queue; /* FILE_QUEUE */
	struct ruleset *ruleset; /* FILE_RULESET */
	struct landlock_domain *domain; /* a socket: of who made it */
	uint32_t denied;    /* by Landlock, when it was opened */
	int access;         /* FILE_QUEUE: O_RDONLY, O_WRONLY, O_RDWR */
	int cookie_end;     /* where mq_notify() writes to, or 0 */
	int64_t expires, interval; /* ns of the clock; expires 0: disarmed */
	bool armed_signal;  /* FILE_SIGNAL: the eventfd is readable */
	bool owner_thread;  /* F_OWNER_TID */
	char *entries;      /* FILE_LIST: "3\0self\0..." */
	char made[PROC_PATH]; /* the name of /proc that it is, or "" */
	size_t entries_size, entries_at;
	/* Folder read by an i386 guest: host positions, which need 64 bits;
	 * the guest knows position i as i + 1. */
	int64_t *positions;
	size_t position_count, position_capacity;
};

struct descriptor {
	struct file *file; /* NULL: free */
	bool close_on_exec;
};

struct file_table {
	unsigned references;
	struct descriptor *list;
	int count;
};

/* ---- Signals ---- */

/* SS_AUTODISARM: a handler's own stack is given up while it runs. */
#define STACK_AUTODISARM UINT32_C(0x80000000)

struct signal_information {
	int number, error, code;
	int pid, uid;      /* kill, SIGCHLD */
	int status;        /* SIGCHLD */
	uint64_t address;  /* faults */
	uint64_t value;    /* sigqueue, timers; SIGIO: si_band */
	int timer, overrun;
	/* For the frame of a fault. */
	bool fault; /* of the processor: these are about it */
	bool poll;  /* about a descriptor, which is `status` */
	uint8_t vector;
	uint16_t error_code;
};

struct signal_action {
	uint64_t handler; /* 0 SIG_DFL, 1 SIG_IGN */
	uint64_t flags;
	uint64_t restorer;
	uint64_t mask;
};

struct signal_queue {
	struct signal_information *list; /* oldest first */
	size_t count, capacity;
};

struct interval_timer {
	bool used;
	int id;
	int clock;
	int signal;             /* 0: none */
	int notify;             /* SIGEV_* */
	int thread;             /* SIGEV_THREAD_ID */
	uint64_t value;
	int64_t expires, interval; /* ns of the clock; expires 0: disarmed */
	int overrun;
};

/* ---- Processes and contexts ---- */

/* Who a process is to others. Files are accessed with these ids and
 * capabilities when the simulator runs as the superuser, else as the user who
 * runs it. */
enum { GROUPS_MAX = 64 };
struct credentials {
	/* Sets of capabilities: bit CAP_* of each. */
	uint64_t permitted, effective, inheritable, bounding, ambient;
	unsigned user[4], group[4]; /* real, effective, saved, file system */
	unsigned groups[GROUPS_MAX];
	int group_count;
	unsigned securebits; /* SECBIT_* */
};

/* The end of a thread, for its tracer's wait4(). */
struct thread_end {
	int thread, status;
	unsigned user;
};

struct process {
	struct linux_system *system;
	struct process *next;       /* all processes, by age */
	struct process *parent;     /* NULL: the simulator */
	int pid, group, session;
	struct guest_memory *memory;
	struct file_table *files;
	int cwd;                    /* host descriptor of the current folder */
	char made_cwd[PROC_PATH];   /* when that is a folder of /proc */
	int root;                   /* chroot(): host descriptor, or -1 */
	unsigned umask;
	char name[16];              /* comm */
	struct signal_action action[SIGNALS + 1];
	struct signal_queue pending;
	struct interval_timer real_timer;    /* setitimer, alarm */
	struct interval_timer virtual_timer; /* by instructions */
	struct interval_timer *timers;       /* timer_create */
	size_t timer_count;
	uint64_t limit[16][2];      /* RLIMIT_*: soft, hard */
	uint64_t instructions;      /* of contexts that have ended too */
	uint64_t children_instructions;
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
	uint64_t timer_slack, timer_slack_default; /* ns */
	int64_t start_time;         /* ns on the monotonic clock */
	uint64_t transfers[2], bytes[2]; /* read, written */
	int oom_adjust;             /* /proc/self/oom_score_adj */
	unsigned personality;
	int nice;
	uint16_t io_priority;       /* of ioprio_set() */
	bool vfork_done;            /* the parent may go on */
	/* It ends: its threads stop at their ends for a tracer. */
	bool ending;
	bool executed;              /* a program since fork() */
	bool barriers;              /* has registered for membarrier() */
	bool core_dumped;           /* at its end */
	/* ptrace: who traced its first thread when that ended, and ends of
	 * threads that this process traced. */
	struct process *end_tracer;
	struct thread_end *thread_ends;
	size_t thread_end_count, thread_end_capacity;
};

enum wait_kind {
	WAIT_NONE,
	WAIT_FILES,   /* descriptors in wait.files */
	WAIT_FUTEX,
	WAIT_CHILD,
	WAIT_VFORK,
	WAIT_SIGNAL,
	WAIT_TIME,
	WAIT_STOPPED,
	WAIT_LOCK,    /* a record lock */
	WAIT_IPC,     /* System V IPC: see sysv/wait.c */
	WAIT_QUEUE,   /* a POSIX message queue */
	WAIT_EVENTS,  /* io_getevents() */
};

struct wait_file {
	int host;     /* host descriptor */
	short events; /* POLLIN, ... */
};

/* Why a context does not run. A system call that would block fills this in
 * and returns CALL_BLOCKS; when the wait is over the same call is made again
 * with `resumed` set. */
struct wait {
	enum wait_kind kind;
	const char *what;    /* for the deadlock report */
	struct wait_file *files;
	size_t file_count, file_capacity;
	int64_t deadline;    /* ns on the monotonic clock, INT64_MAX: none */
	int64_t limit;       /* likewise, of recvmmsg() as a whole */
	bool woken;          /* by another context */
	uint64_t futex;      /* key */
	struct guest_memory *futex_memory;
	uint32_t futex_bits;
	uint64_t futex_order;
	bool futex_pi;       /* a lock that is handed over */
	int futex_owner;     /* by whom: a thread's id */
	uint64_t *futexes;   /* when there are several; futex_count of them */
	int futex_count;
	int futex_index;     /* which one woke the context */
	int vfork_child;     /* process id */
	const void *lock_owner; /* who holds what a WAIT_LOCK waits for */
	const struct mqueue *queue; /* WAIT_QUEUE: for a message or room */
	bool queue_sends;
};

/* A line of --x86-debug-syscall in the making. */
struct call_trace {
	const char *name, *arguments; /* of calls.def; NULL: unknown call */
	char *text;                   /* printed so far, to be freed */
	size_t next;                  /* the argument that comes next */
};

/* What restart_syscall makes again: a call with a timeout that a signal
 * without a handler interrupted. */
struct restart {
	bool set;
	int number;
	uint64_t argument[CALL_ARGUMENTS];
	int64_t deadline;        /* the first attempt's */
};

struct tracee; /* ptrace/tracee.h */

/* sched(7); nice values are the process's. */
struct scheduling {
	uint32_t policy, priority;          /* SCHED_*; 1 to 99 in real time */
	uint64_t runtime, deadline, period; /* ns, of SCHED_DEADLINE */
	bool reset_on_fork;
};

struct thread_keys; /* keys/keyring.h */
struct key_service;
struct seccomp; /* seccomp/filter.h */

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
	/* System call in progress. */
	bool in_call;
	bool resumed;            /* this is not the first attempt */
	bool interrupted;        /* a signal came: last attempt */
	bool restarted;          /* restart_syscall makes `restart` again */
	int call_number;
	/* rax before the call by which the kernel was entered, as ptrace shows
	 * it; -1: not by a call. */
	int64_t original_rax;
	struct restart restart;
	bool put_off;            /* `result` is to be the call's, */
	bool ending;             /* it is to end with `end_status`, */
	int end_status;
	int64_t result;          /* after a stop of ptrace */
	struct tracee *tracee;   /* NULL: nobody traces it */
	struct thread_keys *keys; /* its keyrings, or NULL */
	struct seccomp *seccomp; /* what restricts its calls, or NULL */
	struct landlock_domain *landlock; /* landlock/ruleset.h, or NULL */
	uint8_t filter;          /* that the call has to pass: seccomp/filter.h */
	uint64_t argument[CALL_ARGUMENTS];
	uint64_t progress;       /* bytes done by earlier attempts */
	struct file *fifo;       /* opened by an earlier attempt, which waits
	                          * for a writer, or NULL */
	struct wait wait;
	struct call_trace trace;
	/* Signals. */
	uint64_t mask, saved_mask;
	/* Of the last fault; every later frame shows them, as in Linux. */
	uint8_t trap_vector;
	uint16_t trap_error;
	uint64_t trap_address;   /* CR2 */
	bool yield;              /* gives up the rest of its turn */
	bool restore_mask;       /* saved_mask returns after the handler */
	struct signal_queue pending;
	uint64_t stack_base, stack_size; /* sigaltstack */
	uint32_t stack_flags;
	uint64_t clear_tid;      /* set_tid_address */
	uint64_t robust_list;
	struct call_depth *calls; /* --x86-debug-call: see trace/trace.c */
	/* For a debugger: see debug/debug.c. */
	uint8_t resume;          /* enum linux_resume */
	uint64_t step_start, step_end;
	bool stepped;            /* something has been executed */
	bool stopped_at_breakpoint, watch_hit;
	uint8_t watch_kind;
	uint64_t watch_address;
	int debug_signal;        /* comes from the debugger: no stop */
};

struct confinement;
struct socket_names;
struct lock_table;
struct mqueue;
struct host_pids;

/* A name of the machine that a guest has set: see uts.c. */
enum uts_which { UTS_HOST, UTS_DOMAIN, UTS_NAMES };
struct uts_name {
	char text[65];
	uint8_t set;
};

struct image_cache {
	char *path;
	struct elf_image *image;
};

struct linux_system {
	const struct linux_options *options; /* own_options */
	struct linux_options own_options;
	/* Ids that files are accessed with: now, and outside linux_run(). */
	struct credentials host_identity, own_identity;
	struct log *log;
	struct confinement *confinement; /* confine/confinement.h */
	struct socket_names *socket_names; /* sockets/address.c; may be NULL */
	struct lock_table *locks;          /* files/lock.c; may be NULL */
	struct sysv_ipc *ipc;              /* sysv/object.h; may be NULL */
	struct mqueue *queues;             /* mqueue/queue.h */
	char core_pattern[128];            /* "": the usual one */
	uint64_t regions_max;              /* vm.max_map_count */
	struct uts_name uts_name[UTS_NAMES];
	struct key_service *keys;          /* keys/keyring.h; may be NULL */
	struct file **async_files;         /* those with `async` */
	size_t async_count, async_capacity;
	int async_poll;                    /* host descriptor, 0: none */
	struct process *processes;
	struct context *contexts;
	struct context *current;  /* the one that runs */
	struct x86_decoder *decoder[2]; /* of all x86-64, i386 processes */
	int next_id;
	int foreground_group;
	struct host_pids *host_pids;    /* processes/host-pid.c; may be NULL */
	uint64_t quantum;
	/* Where a round of turns stands, so that a run can stop inside it and
	 * go on: whose turn it is (NULL: a round is to begin), whether it has
	 * begun and how many instructions are left of it; whether anybody had
	 * a turn in this round, and when it began. */
	struct context *turn;
	bool turn_begun, round_ran;
	uint64_t turn_left;
	int64_t round_time;
	bool paused;              /* at options->pause_at */
	struct loaded_state *loaded; /* of a checkpoint */
	uint64_t random[2];
	uint64_t futex_serial;
	uint64_t shared_serial; /* of anonymous shared memory */
	uint64_t memory_serial; /* of the last struct guest_memory */
	struct image_cache *images; /* for symbols */
	size_t image_count, image_capacity;
	/* Time. */
	struct file **timer_files; /* timerfds, for signal_poll_timers() */
	size_t timer_file_count, timer_file_capacity;
	struct file **pid_files;
	size_t pid_file_count, pid_file_capacity;
	/* ns by which sleeping (or, with the host's clock, a checkpoint) moved
	 * the clock */
	int64_t clock_skipped;
	/* Outcome. */
	struct linux_debug *debug; /* NULL: never debugged */
	bool failed;
	enum linux_end end;
	struct error *error;
	/* Counted for the report. */
	uint64_t instructions;
	uint64_t calls, signals, faults, context_count, process_count;
	uint64_t turns, unknown_calls;
};

#endif
