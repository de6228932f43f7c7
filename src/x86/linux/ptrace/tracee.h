/* What the parts of ptrace share. Internal to this folder. */
#ifndef M2S_X86_LINUX_PTRACE_TRACEE_H
#define M2S_X86_LINUX_PTRACE_TRACEE_H

#include "x86/linux/ptrace/ptrace.h"

enum tracee_stop {
	TRACEE_RUNS,
	TRACEE_AT_SIGNAL,     /* before its delivery */
	TRACEE_AT_CALL,       /* before a system call */
	TRACEE_AT_FILTER,     /* its seccomp filter asks the tracer */
	TRACEE_AFTER_CALL,
	TRACEE_AT_EVENT,      /* fork, exec, ... */
	TRACEE_AT_END,        /* of the thread (PTRACE_EVENT_EXIT) */
	TRACEE_IN_GROUP_STOP, /* as SIGSTOP and others make it */
	TRACEE_TRAPPED,       /* PTRACE_INTERRUPT, a new thread, SIGCONT */
};

enum tracee_resume {
	TRACEE_CONTINUES,
	TRACEE_TO_CALL,       /* to the next entry to, or end of, a call */
	TRACEE_STEPS,
	TRACEE_SKIPS_CALLS,   /* PTRACE_SYSEMU */
	TRACEE_STEPS_SKIPPING,
};

enum { DEBUG_REGISTERS = 8, BREAKPOINT_REGISTERS = 4 };

struct tracee {
	struct process *tracer;
	bool seized;             /* by PTRACE_SEIZE */
	uint32_t options;        /* PTRACE_O_* */
	enum tracee_stop stop;
	int status;              /* of the stop: signal | event << 8 */
	bool reported;           /* wait4() has told it */
	bool listening;          /* PTRACE_LISTEN */
	uint64_t message;        /* PTRACE_GETEVENTMSG */
	struct signal_information signal; /* number 0: none to be shown */
	enum tracee_resume resume;
	bool deliver;            /* `signal`, without another stop */
	bool trap;               /* is to stop as TRACEE_TRAPPED */
	int group_stop;          /* signal of a group stop to take part in */
	int event;               /* PTRACE_EVENT_* that the call has caused */
	uint64_t event_message;
	uint64_t debug[DEBUG_REGISTERS];
};

/* ---- stop.c ---- */
/* PTRACE_O_TRACE... of an event is set. */
bool tracee_wants(const struct tracee *tracee, int event);
void tracee_stops(struct context *context, enum tracee_stop stop, int status,
		  const struct signal_information *information);
/* The same with a SIGTRAP that no signal is behind. */
void tracee_traps(struct context *context, enum tracee_stop stop, int code);

/* ---- attach.c ---- */
struct tracee *tracee_create(struct context *context, struct process *tracer);
/* Nobody traces the thread any more, which goes on. */
void tracee_release(struct context *context);

/* ---- resume.c ---- */
/* Ends a stop; `signal` is delivered if the stop is that of a signal. */
void tracee_goes_on(struct context *context, int signal);

/* ---- breakpoint.c ---- */
/* The debug registers go out of use. */
void debug_registers_drop(struct context *context);
/* Registers 0 to 3, a bit each, that hold a breakpoint at an address, or
 * watch what the instruction at rip is about to do. */
uint64_t debug_registers_break(const struct context *context,
			       uint64_t address);
uint64_t debug_registers_watch(const struct context *context);
uint64_t debug_register_get(const struct context *context, unsigned number);
/* 0, -EIO or -EINVAL. */
int64_t debug_register_set(struct context *context, unsigned number,
			   uint64_t value);

/* ---- register.c ---- */
/* Sets what user_register() gets: 0 or -EIO. */
int64_t user_register_set(struct context *context, unsigned index, bool abi32,
			  uint64_t value);
/* The first `size` bytes of that structure to or from the tracer's memory: 0
 * or a negative errno. */
int64_t registers_get(struct context *tracer, const struct context *context,
		      bool abi32, uint64_t address, uint64_t size);
int64_t registers_set(struct context *tracer, struct context *context,
		      bool abi32, uint64_t address, uint64_t size);

/* ---- request.c ---- */
typedef int64_t ptrace_request(struct context *tracer, struct context *context,
			       uint64_t address, uint64_t data);
/* A request other than those that make somebody a tracee. */
int64_t ptrace_dispatch(struct context *tracer, struct context *context,
			const uint64_t *a);
#define REQUEST(number, stopped, handler) ptrace_request ptrace_##handler;
#include "x86/linux/ptrace/requests.def"

#endif
