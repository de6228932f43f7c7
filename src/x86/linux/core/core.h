/* Core dumps: the file that a process leaves which certain signals end
 * (core(5)), as debuggers read it. */
#ifndef M2S_X86_LINUX_CORE_CORE_H
#define M2S_X86_LINUX_CORE_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct context;
struct linux_system;
struct signal_information;

/* Writes the process's memory and registers to a file, by default "core" in its
 * folder, when a signal is about to end it, its limits allow it and nobody has
 * forbidden it. Whether there is now such a file. */
bool core_dump(struct context *context,
	       const struct signal_information *information);
/* What such files are called: /proc/sys/kernel/core_pattern, as core(5) says;
 * setting it returns the size or a negative errno. */
const char *core_pattern(const struct linux_system *system);
int64_t core_set_pattern(struct context *context, const char *text,
			 size_t size);

#endif
