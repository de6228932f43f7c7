/* What the files of ptrace share. Internal to this folder. */
#ifndef M2S_X86_LINUX_PTRACE_TRACEE_H
#define M2S_X86_LINUX_PTRACE_TRACEE_H

#include <linux/ptrace.h>

#include "x86/linux/ptrace/ptrace.h"

enum tracee_stop {
	TRACEE_RUNS,
	TRACEE_AT_SIGNAL,     /* before its delivery */
	TRACEE_AT_CALL,       /* before a system call */
	TRACEE_AT_FILTER,     /* its seccomp filter asks the tracer */
	TRACEE_AFTER_CALL,
	TRACEE_AT_EVENT,      /* fork, exec, ... */
	TRACEE_AT_END,        /* of the thread (PTRACE_EVENT_EXIT) */
	TRACEE_IN_GROUP_STOP, /* after SIGSTOP and other stopping signals */
	TRACEE_TRAPPED,       /* PTRACE_INTERRUPT, a new thread, SIGCONT */
};

enum tracee_resume {
	TRACEE_CONTINUES,
	TRACEE_TO_CALL,       /* to the next entry to a call or its end */
	TRACEE_STEPS,
	TRACEE_SKIPS_CALLS,   /* PTRACE_SYSEMU */
	TRACEE_STEPS_SKIPPING,
};

enum { DEBUG_REGISTERS = 8, BREAKPOINT_REGISTERS = 4, DR6 = 6, DR7 = 7 };

struct tracee {
	struct process *tracer;
	bool seized;             /* by PTRACE_SEIZE */
	uint32_t options;        /* PTRACE_O_* */
	enum tracee_stop stop;
	int status;              /* of the stop: signal | event << 8 */
	bool reported;           /* wait4() has reported it */
	bool listening;          /* PTRACE_LISTEN */
	uint64_t message;        /* PTRACE_GETEVENTMSG */
	struct signal_information signal; /* number 0: none */
	enum tracee_resume resume;
	bool deliver;            /* deliver `signal` without another stop */
	bool trap;               /* must stop as TRACEE_TRAPPED */
	/* Signal of a group stop in which the thread must take part. */
	int group_stop;
	int event;               /* PTRACE_EVENT_* that the call has caused */
	uint64_t event_message;
	uint64_t debug[DEBUG_REGISTERS];
};

/* ---- tracing.c ---- */
/* Whether the option PTRACE_O_TRACE... of an event is set. */
bool tracee_wants(const struct tracee *tracee, int event);
/* Ends a stop without a signal from the tracer. */
void tracee_goes_on(struct context *context);
/* The two halves of tracee_goes_on(). The first returns the stop; the second
 * lets the thread take up what the stop held back. */
enum tracee_stop tracee_ends_stop(struct context *context);
void tracee_takes_up(struct context *context, enum tracee_stop stop);

/* ---- stop.c ---- */
void tracee_stops(struct context *context, enum tracee_stop stop, int status,
		  const struct signal_information *information);
/* Stops the thread with a SIGTRAP that was not sent as a signal. */
void tracee_traps(struct context *context, enum tracee_stop stop, int code);
/* The same for PTRACE_EVENT_*, with a message for PTRACE_GETEVENTMSG. */
void tracee_event(struct context *context, enum tracee_stop stop, int event,
		  uint64_t message);

enum { KNOWN_OPTIONS = 0xff | PTRACE_O_EXITKILL };

/* ---- attach.c ---- */
struct tracee *tracee_create(struct context *context, struct process *tracer);
/* Ends the tracing of a thread, which continues. */
void tracee_release(struct context *context);

/* ---- resume.c ---- */
/* Ends a stop at the tracer's request. A stop at a signal ends with the
 * delivery of `signal`; at a system call, `signal` is sent. 0: no signal. */
void tracee_resumes(struct context *context, int signal);

/* ---- breakpoint.c ---- */
/* What the control word says that a register is for. */
enum debug_register_kind { EXECUTE, WRITE, INPUT_OUTPUT, READ_OR_WRITE };
unsigned debug_register_kind(uint64_t control, unsigned number);
/* The bytes that it watches. */
unsigned debug_register_length(uint64_t control, unsigned number);
/* Whether a register holds a breakpoint at an address. */
bool debug_register_breaks(const struct tracee *tracee, unsigned number,
			   uint64_t address);
/* The set of debug registers 0 to 3, a bit each, that hold a breakpoint at an
 * address, or that watch an access of the instruction at rip. */
uint64_t debug_registers_break(const struct context *context,
			       uint64_t address);
uint64_t debug_registers_watch(const struct context *context);

/* ---- debug-register.c ---- */
/* Removes the debug registers' breakpoints and watchpoints. */
void debug_registers_drop(struct context *context);
uint64_t debug_register_get(const struct context *context, unsigned number);
/* 0, -EIO or -EINVAL. */
int64_t debug_register_set(struct context *context, unsigned number,
			   uint64_t value);

/* ---- register.c ---- */
/* Sets a register of user_register(). 0 or -EIO. */
int64_t user_register_set(struct context *context, unsigned index, bool abi32,
			  uint64_t value);
/* Copy the first `size` bytes of struct user_regs_struct to or from the
 * tracer's memory. 0 or a negative errno. */
int64_t registers_get(struct context *tracer, const struct context *context,
		      bool abi32, uint64_t address, uint64_t size);
int64_t registers_set(struct context *tracer, struct context *context,
		      bool abi32, uint64_t address, uint64_t size);

/* ---- request.c ---- */
typedef int64_t ptrace_request(struct context *tracer, struct context *context,
			       uint64_t address, uint64_t data);
/* Serves a request, except those that begin tracing. */
int64_t ptrace_dispatch(struct context *tracer, struct context *context,
			const uint64_t *a);
#define REQUEST(number, stopped, handler) ptrace_request ptrace_##handler;
#include "x86/linux/ptrace/requests.def"

#endif
