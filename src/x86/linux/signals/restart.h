/* Calls that a signal interrupts. */
#ifndef M2S_X86_LINUX_SIGNALS_RESTART_H
#define M2S_X86_LINUX_SIGNALS_RESTART_H

#include <stdbool.h>
#include <stdint.h>

struct context;

/* Results (negated) of an interrupted call until signals are delivered. The
 * numbers are Linux's (include/linux/errno.h), because a tracer sees them. */
enum {
	CALL_RESTARTS = 512,         /* EINTR for handlers without SA_RESTART */
	CALL_RESTARTS_ALWAYS = 513,
	CALL_RESTARTS_NO_HANDLER = 514, /* EINTR for any handler */
	/* The same, restarted by restart_syscall. */
	CALL_RESTARTS_BLOCK = 516,
};
/* The text of such a result for a trace; NULL for any other result. */
const char *restart_text(int64_t result);
bool restart_pending(const struct context *context);
/* Notes the call in progress for restart_syscall. */
void restart_keep(struct context *context);
/* Set the registers of an interrupted call, if there is one, before a handler
 * with these SA_ flags runs, or when no handler is to run. */
void restart_before_handler(struct context *context, uint64_t flags);
void restart_without_handler(struct context *context);

#endif
