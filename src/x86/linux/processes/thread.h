/* Segments of thread-local data. */
#ifndef M2S_X86_LINUX_PROCESSES_THREAD_H
#define M2S_X86_LINUX_PROCESSES_THREAD_H

#include <stdint.h>

struct context;

/* get_thread_area and set_thread_area for an entry of a thread, with the
 * caller's memory. */
int64_t thread_area_get(const struct context *caller,
			const struct context *context, int entry,
			uint64_t address);
int64_t thread_area_set(struct context *caller, struct context *context,
			int entry, uint64_t address);
/* arch_prctl() of a thread, with the caller's memory. */
int64_t thread_base(struct context *caller, struct context *context,
		    uint64_t code, uint64_t address);

#endif
