/* Filters of system calls, as other folders see them. */
#ifndef M2S_X86_LINUX_SECCOMP_SECCOMP_H
#define M2S_X86_LINUX_SECCOMP_SECCOMP_H

#include <stdint.h>

struct context;

enum seccomp_way {
	SECCOMP_GOES_ON, /* the call is made */
	/* The call is not made; context->call.result is its result. */
	SECCOMP_ENDS,
	/* The call ends without a result; then seccomp_trap() is called. */
	SECCOMP_TRAPS,
	SECCOMP_GONE,    /* the thread has ended, or stops for its tracer */
};
/* Runs the thread's filters on the call in progress. */
enum seccomp_way seccomp_decide(struct context *context);
void seccomp_trap(struct context *context);
void seccomp_clone(struct context *child, const struct context *parent);
/* The thread has no filters any more. */
void seccomp_leave(struct context *context);
/* SECCOMP_MODE_* and the number of filters of a thread; none for NULL. */
void seccomp_count(const struct context *context, int *mode, int *filters);
int64_t seccomp_prctl(struct context *context, uint64_t mode,
		      uint64_t address);

#endif
