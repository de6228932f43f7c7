/* Core dumps: the file that a process leaves which certain signals end
 * (core(5)), as debuggers read it. */
#ifndef M2S_X86_LINUX_CORE_NOTES_H
#define M2S_X86_LINUX_CORE_NOTES_H

#include "x86/linux/state.h"

/* Bytes that grow. */
struct core_bytes {
	uint8_t *list; /* to be freed */
	size_t size, capacity;
};
void core_put(struct core_bytes *bytes, const void *from, size_t size);

/* The notes of the process that `context` is a thread of, which the signal is
 * about to end: registers of all threads, this one first, and what a debugger
 * has to know of the process. */
void core_put_notes(struct core_bytes *bytes, const struct context *context,
		    const struct signal_information *information);

/* The name of its core file: false when that is too long. */
bool core_name(const struct context *context, int signal, char *name,
	       size_t size);

#endif
