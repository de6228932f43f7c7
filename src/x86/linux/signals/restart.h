/* Calls that a signal interrupts. */
#ifndef M2S_X86_LINUX_SIGNALS_RESTART_H
#define M2S_X86_LINUX_SIGNALS_RESTART_H

#include <stdbool.h>
#include <stdint.h>

struct context;

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

#endif
