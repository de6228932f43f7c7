/* Core dumps (core(5)): the file that a process leaves for debuggers when
 * certain signals end it. */
#ifndef M2S_X86_LINUX_CORE_CORE_H
#define M2S_X86_LINUX_CORE_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct context;
struct linux_system;
struct signal_information;

/* Writes the process's memory and registers to a file, by default "core" in its
 * current folder, when a signal is about to end it. Does nothing if the
 * process's limits or the system forbid it. Returns whether the file was
 * written. */
bool core_dump(struct context *context,
	       const struct signal_information *information);
/* The names of core files: /proc/sys/kernel/core_pattern, as core(5) describes.
 * Setting the pattern returns the size or a negative errno. */
const char *core_pattern(const struct linux_system *system);
int64_t core_set_pattern(struct context *context, const char *text,
			 size_t size);

#endif
