/* Guest processes and threads, as every file of this folder sees them: what
 * each does for the others. What they consist of is in state.h. */
#ifndef M2S_X86_LINUX_PROCESS_H
#define M2S_X86_LINUX_PROCESS_H

#include <limits.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "x86/linux/confine/confine.h"
#include "x86/linux/proc/proc.h"
#include "x86/linux/state.h"

/* ---- memory.c ---- */
struct guest_memory *memory_create(struct linux_system *system, bool abi32,
				   struct error *error);
struct guest_memory *memory_fork(struct linux_system *system,
				 const struct guest_memory *from,
				 struct error *error);
void memory_release(struct guest_memory *memory);
/* The file that the process executes; held. */
void memory_set_program(struct guest_memory *memory,
			struct program_file *program);
/* The same by a host descriptor, which is taken over. */
void memory_open_program(struct guest_memory *memory, int host);
/* Remembers the object behind a shared mapping; returns the name by which
 * the mapping must be made (valid with the memory). `file` is duplicated. */
const char *memory_share(struct guest_memory *memory, const char *name,
			 int file);
/* Where a mapping with these flags of mmap() would go (and room is made):
 * the address or a negative errno. */
int64_t memory_place(struct guest_memory *memory, uint64_t hint,
		     uint64_t size, uint64_t flags);

/* Says where the stack and mmap() go, before anything is mapped: below the
 * program's end when that is large. */
void memory_lay_out(struct guest_memory *memory,
		    const struct linux_options *options, uint64_t image_end);

/* Addresses below a region that others shall not take. */
uint64_t memory_guard_below(const struct space_region *region);
/* After an access to what is not mapped: makes the region above that grows
 * down reach it, if it may be `limit` bytes then. */
bool memory_grow_down(struct guest_memory *memory, uint64_t address,
		      uint64_t limit);

/* A size rounded up to whole pages. */
uint64_t page_up(uint64_t size);

/* ---- ldt.c: local descriptor tables ---- */
/* Tells the emulator where the table is. */
void ldt_apply(struct guest_memory *memory);
void ldt_copy(struct guest_memory *to, const struct guest_memory *from);

/* ---- peek.c ---- */
/* Copies from and to memory (NULL: there is none), whatever its protection;
 * shared memory that is read-only stays so. Returns how many bytes from the
 * first on could be. Code may be written. */
size_t memory_peek(struct guest_memory *memory, uint64_t address,
		   void *buffer, size_t size);
size_t memory_poke(struct guest_memory *memory, uint64_t address,
		   const void *buffer, size_t size);

/* ---- mmap.c ---- */
enum { MEMORY_REGIONS_MAX = 65530 }; /* Linux's; it can be set */
/* Whether mseal() has forbidden to change some of a range. */
bool memory_sealed(const struct space *space, uint64_t start, uint64_t size);
/* Starts at a page and lies in what a program may address. */
bool memory_range_valid(const struct context *context, uint64_t address,
			uint64_t size);

/* ---- memory-calls.c ---- */
/* Bytes that are locked; whether so many more may be. */
uint64_t memory_locked(const struct guest_memory *memory);
bool memory_may_lock(const struct context *context, uint64_t size);

/* ---- core/core.c: core dumps ---- */
/* Writes the process's memory and registers to a file, by default "core" in its
 * folder, when a signal is about to end it, its limits allow it and nobody has
 * forbidden it. Whether there is now such a file. */
bool core_dump(struct context *context,
	       const struct signal_information *information);
/* What such files are called: /proc/sys/kernel/core_pattern, as core(5) says;
 * setting it returns the size or a negative errno. */
const char *core_pattern(const struct linux_system *system);
int64_t core_set_pattern(struct context *context, const char *text,
			 size_t size);

/* ---- uts.c: the machine's names ---- */
struct utsname;
/* What uname() of the host tells, with the names that guests have set. */
void uts_names(const struct linux_system *system, struct utsname *names);
/* A line written to /proc/sys/kernel: its size or a negative errno. */
int64_t uts_write(struct context *context, enum uts_which which,
		  const char *text, size_t size);

/* ---- exec.c ---- */
/* Loads a program into fresh memory and sets up the registers. `file` is
 * taken over. On failure nothing has changed; *code is an errno. */
struct exec_request {
	const char *path;         /* as the program sees it: AT_EXECFN */
	char *const *argv;
	char *const *envp;
};
int process_exec(struct context *context, const struct exec_request *request,
		 int *code, struct error *error);

struct stat;
/* Whether some guest executes this file, which then cannot be written. */
bool program_runs(const struct linux_system *system, const struct stat *file);

/* ---- process.c ---- */
struct process *process_create(struct linux_system *system,
			       struct process *parent);
struct context *context_create(struct process *process);
/* Frees what a context holds and marks it ended; no more. Its tracer is told
 * the status. */
void context_leave(struct context *context, int status);
/* Ends one context (exit) or the whole process (exit_group, signals); traced
 * threads may stop before they end. */
void context_exit(struct context *context, int status);
void process_exit(struct process *process, int status, int signal);
/* Ends one context of several, as by a signal. */
void context_kill(struct context *context, int signal);
/* When a thread goes on that was stopped at its end: ends it. */
bool context_goes_on_ending(struct context *context);
/* How a process that has ended did so, as wait4() tells it. */
int process_status(const struct process *process);
void process_free(struct process *process);
/* The program that made requests to the simulator is gone. */
void release_requests(struct process *process);
struct process *process_find(struct linux_system *system, int pid);
struct context *context_find(struct linux_system *system, int tid);
/* The tracer of a process that has ended, if it is not the parent, has been
 * told: now the parent is. */
void process_end_told(struct process *process);
/* Frees contexts that have ended and processes that were waited for. */
void system_sweep(struct linux_system *system);

/* ---- files.c ---- */
struct file_table *files_create(void);
struct file_table *files_fork(const struct file_table *from);
void files_release(struct linux_system *system, struct file_table *table);
/* Gives the process a table of its own. */
void files_unshare(struct process *process);
void files_close_on_exec(struct linux_system *system,
			 struct file_table *table);
struct file *file_create(int host, enum file_kind kind);
struct file *file_hold(struct file *file);
void file_release(struct file *file);
/* The open file of a guest descriptor, or NULL. */
struct file *file_get(const struct process *process, int descriptor);
/* RLIMIT_NOFILE: descriptors are below it. */
int descriptor_limit(const struct process *process);
/* Lowest free descriptor at or above `from`: takes over the reference.
 * Returns it or -EMFILE (and releases the file). */
int64_t file_install(struct process *process, struct file *file, int from,
		     bool close_on_exec);
/* A host descriptor (or -1 with errno) as a new guest descriptor. */
int64_t file_install_host(struct process *process, int host,
			  bool close_on_exec, bool nonblock);

/* Whether a host descriptor has one of the poll events now. */
bool file_ready(const struct file *file, short events);
/* SIGPIPE for a write to a pipe or socket without reader. */
void send_pipe_signal(struct context *context);

/* ---- io.c ---- */
/* 0 when a file may be read (or written) without stopping the host, else what
 * the call returns now. */
int64_t file_blocks(struct context *context, const struct file *file,
		    short events);
/* A host call on a descriptor that never blocks said EAGAIN. */
int64_t file_again(struct context *context, const struct file *file,
		   short events);
bool file_writable(const struct file *file);
/* readv() and writev() with the guest's arguments; offset -1: at the current
 * position. */
int64_t transfer_vectors(struct context *context, const uint64_t *a,
			 bool write, int64_t offset, int flags);
/* A file would grow beyond RLIMIT_FSIZE: SIGXFSZ and what the call returns. */
int64_t size_exceeded(struct context *context);
/* The same when the host said so: its limit for the simulator holds for all
 * guests. Other results are passed on. */
int64_t size_result(struct context *context, int64_t result);
/* How many bytes RLIMIT_FSIZE lets be written at an offset (-1: the current
 * position); with 0, what the call returns. */
int64_t size_room(struct context *context, const struct file *file,
		  int64_t offset, uint64_t *room);

/* ---- pidfd.c ---- */
/* A new descriptor of a process: its number or a negative errno. */
int64_t pidfd_make(struct process *process, struct process *of, bool nonblock);
void pidfd_forget(struct file *file);
void pidfd_ended(const struct process *process);
/* The process of a descriptor: 0 or a negative errno. `nonblock` may be NULL. */
int64_t pidfd_process(struct context *context, uint64_t descriptor,
		      struct process **process, bool *nonblock);

/* ---- lock.c: record locks ---- */
/* fcntl(F_GETLK ... F_OFD_SETLKW); `wide`: struct flock64 on i386. */
int64_t lock_call(struct context *context, struct file *file, int command,
		  uint64_t address, bool wide);
/* A descriptor table (the owner of its locks) closes a descriptor. */
void lock_descriptor_closed(struct linux_system *system, const void *owner,
			    const struct file *file);
void lock_file_closed(struct linux_system *system, const struct file *file);
size_t lock_count(const struct linux_system *system);
void lock_free(struct linux_system *system);

/* ---- sysv/object.c: System V IPC, more of it in sysv.h ---- */
/* How many objects there are; limits that were changed count as one. */
size_t sysv_count(const struct linux_system *system);
/* /proc/sysvipc/NAME: false when there is no such file. */
bool sysv_print(struct linux_system *system, const char *name, FILE *out);
/* /proc/sys/kernel/NAME, as far as it is about System V IPC: false, or -ENOENT,
 * when there is no such file. */
bool sysv_print_setting(struct linux_system *system, const char *name,
			FILE *out);
int64_t sysv_write_setting(struct context *context, const char *name,
			   const char *text);
/* A process is about to lose its memory for good. */
void sysv_process_ended(struct process *process);
/* Is about to execute another program in other memory. */
void sysv_process_executes(struct process *process);
void sysv_free(struct linux_system *system);

/* ---- async/: what files tell their owners ---- */
struct stat;
/* O_ASYNC of a file, known to the process by `descriptor`: 0 or a negative
 * errno. */
int async_set(struct context *context, struct file *file, int descriptor,
	      bool on);
bool async_is_set(const struct file *file);
/* fcntl(F_NOTIFY), with DN_*. */
int async_notify(struct context *context, struct file *file, int descriptor,
		 uint32_t events);
int lease_set(struct context *context, struct file *file, int descriptor,
	      int type);
int lease_get(struct file *file);
/* Before a file is opened with these flags: 0, or what open() returns now. */
int64_t lease_break(struct context *context, const struct stat *status,
		    uint64_t flags);
/* Sends the signals for what has happened. */
void async_poll(struct linux_system *system);
/* Readable when async_poll() has something to do, or -1. */
int async_descriptor(const struct linux_system *system);
void async_forget(struct file *file);
void async_free(struct linux_system *system);

/* ---- aio/: io_submit() and its kind ---- */
void aio_free(struct guest_memory *memory);

/* ---- mqueue/: POSIX message queues ---- */
/* read() of a queue's descriptor: what its file says. */
int64_t mqueue_read(struct context *context, const struct file *file,
		    uint64_t address, uint64_t size);
/* A descriptor table closes a descriptor; and the last one is closed. */
void mqueue_descriptor_closed(const void *table, const struct file *file);
void mqueue_file_forget(struct file *file);
void mqueue_free(struct linux_system *system);

/* ---- keys/: the key retention service ---- */
/* What a new thread or process gets of its maker's keyrings. */
void keys_clone(struct context *child, const struct context *parent,
		uint64_t flags);
/* It executes another program; it ends. */
void keys_executes(struct context *context);
void keys_leave(struct context *context);
void keys_free(struct linux_system *system);
/* "keys" and "key-users" of /proc and what is in /proc/sys/kernel/keys: false
 * when there is no such file. */
bool keys_print(struct context *context, const char *name, FILE *out);
/* A write to /proc/sys/kernel/keys/NAME: the bytes taken or a negative
 * errno. */
int64_t keys_write_setting(struct context *context, const char *name,
			   const char *text, size_t size);

/* ---- seccomp/ ---- */
enum seccomp_way {
	SECCOMP_GOES_ON, /* the call is made */
	SECCOMP_ENDS,    /* it is not; context->result is its result */
	SECCOMP_TRAPS,   /* it ends without one, then seccomp_trap() */
	SECCOMP_GONE,    /* the thread has ended, or stops for its tracer */
};
/* What the thread's filters make of the call in progress. */
enum seccomp_way seccomp_decide(struct context *context);
void seccomp_trap(struct context *context);
void seccomp_clone(struct context *child, const struct context *parent);
/* The thread has no filters any more. */
void seccomp_leave(struct context *context);
/* SECCOMP_MODE_* and the number of filters; of nobody (NULL): none. */
void seccomp_count(const struct context *context, int *mode, int *filters);
int64_t seccomp_prctl(struct context *context, uint64_t mode,
		      uint64_t address);

/* ---- landlock/: rights that threads have given up ---- */
void landlock_clone(struct context *child, const struct context *parent);
void landlock_leave(struct context *context);
void landlock_socket_made(const struct context *context, struct file *file);
void landlock_file_forget(struct file *file);
/* Whether some thread has layers, or some process a ruleset. */
bool landlock_in_use(const struct linux_system *system);
/* For threads that have context->landlock: 0, or what the call answers. */
int landlock_open(struct context *context, const struct host_path *path,
		  const struct stat *status, uint64_t flags);
int landlock_open_new(struct context *context, const struct host_path *path,
		      uint64_t flags);
/* The file has been opened: what may be done with it later. */
void landlock_opened(struct context *context, const struct host_path *path,
		     struct file *file);
int landlock_execute(struct context *context, const struct host_path *path);
int landlock_make(struct context *context, const struct host_path *path,
		  unsigned mode);
int landlock_remove(struct context *context, const struct host_path *path,
		    bool folder);
int landlock_truncate(struct context *context, const struct host_path *path);
int landlock_move(struct context *context, const struct host_path *from,
		  const struct host_path *to, bool link, bool exchange);
/* An address to bind to (`make`), to connect with or to send to. */
int landlock_address(struct context *context, const struct file *file,
		     const struct sockaddr_storage *address, socklen_t size,
		     bool make);
/* For files with file->denied. */
int landlock_resize(const struct file *file);
int landlock_ioctl(const struct file *file, uint32_t request);
bool landlock_may_signal(const struct process *from, const struct process *to);
bool landlock_may_trace(const struct process *from, const struct process *to);

/* ---- poll.c ---- */
/* Masks signals for the duration of a call (ppoll, pselect, epoll_pwait). */
int64_t mask_enter(struct context *context, uint64_t address, uint64_t size);
int64_t mask_leave(struct context *context, int64_t result);
void timer_file_forget(struct file *file);

/* ---- path.c ---- */
/* A path as the host shall see it. */
struct host_path {
	int folder;             /* host descriptor for the *at calls */
	char text[PATH_MAX];
	int host;               /* what it leads to, open with O_PATH, or -1 */
	bool missing;           /* nothing has this name (yet) */
	bool generated;         /* `text` is a link of ours: to be followed */
	bool given;             /* a device that every guest may open, or what
				 * a descriptor of the guest is open on */
	bool ours;              /* a name of our tables: it stays */
	bool fixed;             /* can be read, not changed */
	bool program;           /* /proc/PID/exe */
	char made[PROC_PATH];   /* the name of /proc that it is, or "" */
	int close;              /* descriptor to close, or -1 */
};
/* Reads a path argument. 0 or a negative errno. `follow`: a link at the end
 * will be followed, and something must be there; else the use of the result
 * must not follow one. */
int path_resolve(struct context *context, int folder, uint64_t address,
		 bool follow, struct host_path *path);
int path_resolve_text(struct context *context, int folder, const char *text,
		      bool follow, struct host_path *path);
/* The same, but with `follow`, too, the name may be missing: path->missing. It
 * must then be made without following a link. */
int path_find(struct context *context, int folder, const char *text,
	      bool follow, struct host_path *path);
/* The same for a call that changes what is there (or its entry in the
 * folder); -EROFS or -EPERM when it is confined to reading. */
int path_resolve_change(struct context *context, int folder, uint64_t address,
			bool follow, struct host_path *path);
/* For a call that makes a new entry: what is there already stays, so the host
 * may be asked and says EEXIST. */
int path_resolve_new(struct context *context, int folder, uint64_t address,
		     struct host_path *path);
/* -EROFS or -EPERM when a descriptor's file may not be changed, else 0. */
int file_may_change(const struct context *context, const struct file *file);
/* The status of what a path leads to: 0 or a negative errno. `flags` as for
 * fstatat(). */
int path_status(const struct host_path *path, int flags, struct stat *status);
/* Makes a path of a host descriptor, which is taken over. */
void path_set_host(struct host_path *path, int host);
void path_release(struct host_path *path);
/* The path argument is "", as calls with AT_EMPTY_PATH look for. */
bool path_is_empty(struct context *context, uint64_t address);

/* ---- open.c ---- */
/* Flags have the same numbers in both ABIs and on the host, but for i386's
 * O_LARGEFILE, which means nothing to a 64-bit host. */
enum { GUEST_LARGEFILE = 0100000 };
/* A guest descriptor for a host descriptor that a path was opened as, with
 * the guest's flags. */
int64_t path_install(struct process *process, int host, uint64_t flags);
int64_t path_open(struct context *context, int folder, const char *text,
		  uint64_t flags, unsigned mode);
/* Makes a regular file of this name in place of what has it: a host descriptor
 * open for writing, or a negative errno. */
int path_make_anew(struct context *context, const char *text, unsigned mode);
/* Opens what path_find() found: a guest descriptor, a negative errno, or
 * PATH_CHANGED when something has taken a missing name since. */
#define PATH_CHANGED (INT64_MIN + 2)
int64_t path_open_found(struct context *context, struct host_path *path,
			uint64_t flags, unsigned mode);

/* ---- address.c: socket addresses ---- */
/* Reads an address; `make`: to be bound. *path must be released after the
 * host call. 0 or a negative errno. */
int address_get(struct context *context, uint64_t address, uint64_t size,
		bool make, struct sockaddr_storage *to, socklen_t *length,
		struct host_path *path);
/* Binds a local socket to an abstract name that is free: 0 or a negative
 * errno. */
int64_t address_bind_any(struct context *context, int host);
/* Hands out an address that the host gave, as accept() does. */
int address_put(struct context *context, struct sockaddr_storage *from,
		socklen_t length, uint64_t address, uint64_t size_address);
void address_translate(struct context *context, struct msghdr *header);
void address_free(struct linux_system *system);

/* ---- socket.c ---- */
/* NULL when it is none: socket_error() says what is wrong. */
struct file *get_socket(struct context *context, uint64_t descriptor);
int64_t socket_error(struct context *context, uint64_t descriptor);

/* ---- signal.c ---- */
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

/* ---- frame.c ---- */
/* Pushes the frame of a handler: 0, or -1 when the stack is not writable. */
int frame_push(struct context *context,
	       const struct signal_information *information,
	       const struct signal_action *action, uint64_t mask,
	       uint64_t stack_top);
/* rt_sigreturn and sigreturn: restores the registers; -1: bad frame. */
int frame_pop(struct context *context, bool rt);

/* ---- fp-state.c ---- */
/* The floating-point part of a signal frame: an FXSAVE image, and with XSAVE
 * the rest of its area and a magic word. */
enum { FP_STATE_MAX = 512 + 64 + 256 + 4 };
uint32_t fp_state_size(const struct x86_model *model);
/* `before`: bytes of the frame's floating-point part in front of the image. */
void fp_state_save(const struct x86_cpu *cpu, uint32_t before,
		   uint8_t image[FP_STATE_MAX]);
/* As a program and a signal handler start. */
void fp_state_reset(struct x86_cpu *cpu);
/* -1 when it cannot be read or the processor would not load it. */
int fp_state_load(struct x86_cpu *cpu, uint64_t address);
/* AT_MINSIGSTKSZ: a frame of the larger ABI. */
uint64_t frame_size_max(const struct x86_model *model);

/* ---- time.c ---- */
/* CLOCK_TAI is ahead of CLOCK_REALTIME since 2017. */
#define TAI_OFFSET (INT64_C(37) * 1000000000)
/* Times and durations that guests give, in ns, end here (after 73 years), so
 * that sums of a few do not overflow. No simulated clock gets further. */
#define TIME_END (INT64_C(1) << 61)
int64_t clock_monotonic(struct linux_system *system);
int64_t clock_realtime(struct linux_system *system);
/* Instructions of a process, counted as ns of processor time. */
int64_t clock_process(const struct process *process);
/* ns of a guest clock id, or -1. */
int64_t clock_read(struct context *context, int clock);
/* A clock that wakes the machine, which the host cannot: it has no device for
 * that. */
bool clock_missing(const struct linux_system *system, int clock);

/* ---- outside.c ---- */
/* Whether a signal from outside, one that people and scripts send, would be
 * handled or is waited for. */
bool outside_can_wake(const struct linux_system *system);

/* ---- host-pid.c ---- */
/* Before there is a process. 0, or -1 and *error. */
int host_pids_create(struct linux_system *system, struct error *error);
void host_pids_free(struct linux_system *system);
/* An id for a process that is being made, and its end. */
int host_pid_take(struct linux_system *system);
void host_pid_release(struct linux_system *system, int pid);
/* Delivers what has come; readable when something has. */
void host_pids_poll(struct linux_system *system);
int host_pids_descriptor(const struct linux_system *system);
/* kill() of a process that is none of the guests': -ESRCH without host ids. */
int64_t host_pid_kill(const struct linux_system *system, int pid, int number);

/* ---- futex.c ---- */
int futex_wake(struct linux_system *system, struct guest_memory *memory,
	       uint64_t address, int count, uint32_t bits);
/* A thread ends: what it held is marked, and handed to those who wait. */
void futex_exit(struct context *context);

/* ---- identity/identity.c ---- */
/* Those of the simulator; `capabilities`: as struct linux_options. */
void identity_start(struct credentials *credentials, uint64_t capabilities);
/* Host files are accessed with these ids from now on, where we may. */
void identity_enter(struct linux_system *system,
		    const struct credentials *credentials);
/* A group is the one for files or among the others. */
bool in_group(const struct credentials *own, unsigned group);
bool may_signal(const struct process *from, const struct process *to);
/* Ids for access rights have changed: what Linux takes from the process. */
void identity_changed(struct process *process);

/* ---- identity/capability.c ---- */
/* CAP_* in force. */
bool has_capability(const struct process *process, int capability);
/* The commands of prctl() about capabilities. */
int64_t capability_prctl(struct context *context, const uint64_t *a);

/* ---- identity/program.c ---- */
struct program_identity {
	struct credentials credentials;
	bool secure; /* AT_SECURE: the program has more rights than its user */
};
/* Who a process will be that executes an open file: 0 or a negative errno. */
int identity_of_program(const struct process *process, int program,
			struct program_identity *identity);

/* ---- policy.c ---- */
/* What a new thread takes over from the one that makes it. */
void scheduling_fork(struct context *child, const struct context *parent);

/* ---- symbol.c ---- */
/* "name+0x12 in library" of a guest address, or "". */
void symbol_describe(struct linux_system *system, struct space *space,
		     uint64_t address, char *text, size_t size);
/* The same of a return address, which may be behind its function's end. */
void symbol_describe_return(struct linux_system *system, struct space *space,
			    uint64_t address, char *text, size_t size);
/* Address of a symbol that some mapped ELF file defines: false if none. */
bool symbol_find(struct linux_system *system, const struct space *space,
		 const char *name, uint64_t *address);
/* Where the function (or whatever has a name) at an address begins, or 0. */
uint64_t symbol_start(struct linux_system *system, const struct space *space,
		      uint64_t address);
/* Guest address of the .eh_frame_hdr that covers an address, or 0. */
uint64_t symbol_unwind_table(struct linux_system *system,
			     const struct space *space, uint64_t address);

/* ---- fault-report.c ---- */
/* What a user needs to know about an uncaught fault. */
void fault_report(struct context *context,
		  const struct signal_information *information);
/* Where a thread is: the instruction and, when that is in a library, who in
 * the program called it. */
void thread_place(const struct context *context, char *text, size_t size);

/* ---- trace.c ---- */
/* Whether some debug channel asks for instructions or calls. */
bool trace_is_on(const struct linux_system *system);
/* x86_run(), one instruction at a time, writing to these channels. */
enum x86_stop trace_run(struct context *context, uint64_t instructions);
void trace_free(struct context *context);
/* A line of --x86-debug-ctx about a context, or a process. */
void context_log(const struct context *context, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void process_log(const struct process *process, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- debug.c; each does nothing when there is no debugger ---- */
void debug_start(struct linux_system *system);
void debug_free(struct linux_system *system);
/* Stops the process if the user wants to; `current` may be NULL. */
void debug_poll(struct linux_system *system, struct context *current);
/* Every thread waits: true when the debugger has been told and goes on. */
bool debug_deadlock(struct linux_system *system, const char *text);
/* Whether the debugger keeps some thread from running. */
bool debug_holds(const struct linux_system *system);
/* context_run() up to the next stop, which debug_after() then reports; it is
 * called when the outcome of the instructions has been dealt with. */
enum x86_stop debug_run(struct context *context, uint64_t instructions);
void debug_after(struct context *context);
/* A signal is about to be delivered, which the debugger may change; false:
 * it is not to be. */
bool debug_signal(struct context *context,
		  struct signal_information *information);
/* A handler's frame is there: a step ends at the handler's beginning. */
void debug_signal_entered(struct context *context);
void debug_exec(struct context *context);
void debug_ended(struct process *process);

/* ---- trace/call.c: --x86-debug-syscall ---- */
void call_trace_enter(struct context *context, const char *name,
		      const char *arguments);
void call_trace_blocks(struct context *context, FILE *log);
void call_trace_leave(struct context *context, FILE *log, int64_t result);
void call_trace_signal(const struct context *context,
		       const struct signal_information *information);
void call_trace_end(const struct process *process);

/* ---- run.c ---- */
/* Executes up to so many instructions of a thread, at full speed unless they
 * are to be traced. */
enum x86_stop context_run(struct context *context, uint64_t instructions);

/* ---- schedule.c ---- */
/* Ends the simulation with the message in *system->error. */
void system_fail(struct linux_system *system, enum linux_end end);
uint64_t random_next(struct linux_system *system);

/* ---- call.c ---- */
/* A call returns a result, a negative errno, or one of these. */
#define CALL_BLOCKS INT64_MIN        /* context->wait says for what */
#define CALL_NO_RESULT (INT64_MIN + 1) /* registers are already right */

/* What a host call that returned `result` means for the guest's. */
int64_t host_result(int64_t result);
/* A 64-bit argument, which i386 passes in two words. */
int64_t wide_argument(const struct context *context, const uint64_t *a);

void call_enter(struct context *context, int number, bool abi32);
void call_attempt(struct context *context);
/* Takes number and arguments of the call in progress from the registers. */
void call_arguments(struct context *context, int number);
/* Another call than the one in progress, in its place. */
int64_t call_handle(struct context *context, int number, const uint64_t *a);
/* Waits (adds to what the call waits for). */
int64_t wait_file(struct context *context, const struct file *file,
		  short events);
void wait_add_host(struct context *context, int host, short events);
int64_t wait_for(struct context *context, enum wait_kind kind,
		 const char *what);
void wait_clear(struct context *context);

/* ---- thread.c ---- */
/* get_thread_area and set_thread_area for a thread, of an entry, with the
 * caller's memory. */
int64_t thread_area_get(const struct context *caller,
			const struct context *context, int entry,
			uint64_t address);
int64_t thread_area_set(struct context *caller, struct context *context,
			int entry, uint64_t address);
/* arch_prctl() likewise. */
int64_t thread_base(struct context *caller, struct context *context,
		    uint64_t code, uint64_t address);

/* ---- restart.c: calls that a signal interrupts ---- */
/* How such a call ends, negated, until signals are delivered; Linux's numbers
 * (include/linux/errno.h), which a tracer sees. */
enum {
	CALL_RESTARTS = 512,         /* EINTR for handlers without SA_RESTART */
	CALL_RESTARTS_ALWAYS = 513,
	CALL_RESTARTS_NO_HANDLER = 514, /* EINTR for any handler */
	CALL_RESTARTS_BLOCK = 516,   /* the same, by restart_syscall */
};
/* What a trace says about such a result; NULL for any other. */
const char *restart_text(int64_t result);
bool restart_pending(const struct context *context);
/* Notes the call in progress for restart_syscall. */
void restart_keep(struct context *context);
/* Sets the registers of an interrupted call (if there is one) right, before a
 * handler with these SA_ flags, or when no handler is to run. */
void restart_before_handler(struct context *context, uint64_t flags);
void restart_without_handler(struct context *context);

/* ---- call.c, again ---- */
/* Guest memory: 0 or -EFAULT. */
/* Makes a stack that grows down (MAP_GROWSDOWN) reach what a range lacks; false
 * when there is none, or it may not. */
bool guest_grow(const struct context *context, uint64_t address, uint64_t size);
int guest_get(const struct context *context, uint64_t address, void *buffer,
	      size_t size);
int guest_put(const struct context *context, uint64_t address,
	      const void *buffer, size_t size);
/* A word of the ABI's pointer size. */
int guest_get_word(const struct context *context, uint64_t address,
		   uint64_t *value);
int guest_put_word(const struct context *context, uint64_t address,
		   uint64_t value);
/* A fresh copy of a string: its length or -EFAULT, -ENAMETOOLONG. */
int guest_get_string(const struct context *context, uint64_t address,
		     char *buffer, size_t size);
/* Host address of guest bytes for a host system call to read or fill, and in
 * *size how many of them are accessible; NULL when the first is not. */
void *guest_bytes(const struct context *context, uint64_t address,
		  uint64_t *size, bool write);
/* What one call moves at most, as in Linux (MAX_RW_COUNT). */
enum { TRANSFER_MAX = 0x7ffff000 };
/* iovec array: number of entries in `list` (at most IOV_MAX) or an errno. */
int guest_vectors(const struct context *context, uint64_t address,
		  uint64_t count, bool write, struct iovec *list);

/* timespec in the layout of the ABI, or with 64-bit fields (`wide`). */
int guest_get_time(const struct context *context, uint64_t address, bool wide,
		   int64_t *nanoseconds);
int guest_put_time(const struct context *context, uint64_t address, bool wide,
		   int64_t nanoseconds);

/* Handlers, one per row of calls.def. */
typedef int64_t call_handler(struct context *context, const uint64_t *a);
#define CALL(name, i386, x86_64, restart, arguments, handler)                  \
	call_handler call_##handler;
#define ABSENT(name, i386, x86_64)
#include "x86/linux/calls.def"

#endif
