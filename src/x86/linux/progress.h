/* A system call in progress. */
#ifndef M2S_X86_LINUX_PROGRESS_H
#define M2S_X86_LINUX_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct file;

enum { CALL_ARGUMENTS = 6 };

/* What restart_syscall makes again: a call with a timeout that a signal
 * without a handler interrupted. */
struct restart {
	bool set;
	int number;
	uint64_t argument[CALL_ARGUMENTS];
	int64_t deadline;        /* the first attempt's */
};

struct call_progress {
	bool active;
	bool resumed;            /* this is not the first attempt */
	bool interrupted;        /* a signal came: last attempt */
	bool restarted;          /* restart_syscall makes `restart` again */
	int number;
	/* rax before the call by which the kernel was entered, as ptrace shows
	 * it; -1: not by a call. */
	int64_t original_rax;
	struct restart restart;
	bool put_off;            /* after a stop of ptrace `result` is to be */
	uint8_t filter;          /* that it has to pass: seccomp/filter.h */
	int64_t result;          /* the call's */
	uint64_t argument[CALL_ARGUMENTS];
	uint64_t progress;       /* bytes done by earlier attempts */
	struct file *fifo;       /* opened by an earlier attempt, which waits
	                          * for a writer, or NULL */
};

#endif
