/* seccomp(2): which system calls a thread may make. The filters are the guest's
 * programs for the classic BPF machine. They run in the simulator, never on the
 * host. seccomp.h has the interface for other folders.
 *
 *	program.c    BPF programs: checking and running them
 *	filter.c     the filters of a thread
 *	decide.c     what becomes of a call
 *	call.c       prctl() and seccomp()
 *	checkpoint.c */
#ifndef M2S_X86_LINUX_SECCOMP_FILTER_H
#define M2S_X86_LINUX_SECCOMP_FILTER_H

#include <linux/filter.h>
#include <linux/seccomp.h>

#include "x86/linux/state.h"

/* A filter, and behind it the earlier filters. Threads share them. */
struct seccomp_filter {
	unsigned references;           /* threads and later filters */
	struct seccomp_filter *before; /* or NULL */
	bool logs;                     /* SECCOMP_FILTER_FLAG_LOG */
	size_t count;
	struct sock_filter *code;
};

/* The restrictions of a thread. */
struct seccomp {
	bool strict;
	struct seccomp_filter *filter; /* the last one; NULL when strict */
};

/* Values of call.filter: which filters a context's call has still to pass. */
enum { FILTER_NONE, FILTER_DUE, FILTER_TRACED };

/* ---- program.c ---- */
/* Whether a program may be a filter. */
bool seccomp_program_valid(const struct sock_filter *code, size_t count);
uint32_t seccomp_program_run(const struct sock_filter *code,
			     const struct seccomp_data *data);

/* ---- filter.c ---- */
struct seccomp_filter *seccomp_hold(struct seccomp_filter *filter);
void seccomp_drop(struct seccomp_filter *filter);

#endif
