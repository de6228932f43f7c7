/* The notes of core dumps (core(5)), as debuggers read them. */
#ifndef M2S_X86_LINUX_CORE_NOTES_H
#define M2S_X86_LINUX_CORE_NOTES_H

#include "x86/linux/state.h"

/* A growing array of bytes. */
struct core_bytes {
	uint8_t *list; /* to be freed */
	size_t size, capacity;
};
void core_put(struct core_bytes *bytes, const void *from, size_t size);

/* Adds the notes of a process that the signal is about to end: the registers of
 * all threads, those of `context` first, and what a debugger needs to know of
 * the process. */
void core_put_notes(struct core_bytes *bytes, const struct context *context,
		    const struct signal_information *information);

/* The name of the process's core file. False when the name is too long. */
bool core_name(const struct context *context, int signal, char *name,
	       size_t size);

#endif
