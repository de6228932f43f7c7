/* What a call waits for. */
#ifndef M2S_X86_LINUX_WAIT_H
#define M2S_X86_LINUX_WAIT_H

#include <stdint.h>

#include "x86/linux/state.h"

/* Waits (adds to what the call waits for). */
int64_t wait_file(struct context *context, const struct file *file,
		  short events);
void wait_add_host(struct context *context, int host, short events);
int64_t wait_for(struct context *context, enum wait_kind kind,
		 const char *what);
void wait_clear(struct context *context);

#endif
