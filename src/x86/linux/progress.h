/* A system call in progress. */
#ifndef M2S_X86_LINUX_PROGRESS_H
#define M2S_X86_LINUX_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct file;

enum { CALL_ARGUMENTS = 6 };

/* The call that restart_syscall makes again: a call with a time-out that a
 * signal without a handler interrupted. */
struct restart {
	bool set;
	int number;
	uint64_t argument[CALL_ARGUMENTS];
	int64_t deadline;        /* deadline of the first attempt */
};

struct call_progress {
	bool active;
	bool resumed;            /* not the first attempt */
	bool interrupted;        /* a signal came: this is the last attempt */
	bool restarted;          /* restart_syscall makes `restart` again */
	int number;
	/* rax before the call by which the kernel was entered, as ptrace shows
	 * it; -1: not by a call. */
	int64_t original_rax;
	struct restart restart;
	/* After a stop of ptrace `result` is to be set. */
	bool put_off;
	/* Which filters it still has to pass: seccomp/filter.h. */
	uint8_t filter;
	int64_t result;          /* result of the call */
	uint64_t argument[CALL_ARGUMENTS];
	uint64_t progress;       /* bytes done by earlier attempts */
	/* A FIFO that an earlier attempt opened, and that waits for a writer,
	 * or NULL. */
	struct file *fifo;
};

#endif
