/* Record locks. */
#ifndef M2S_X86_LINUX_FILES_LOCK_H
#define M2S_X86_LINUX_FILES_LOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct context;
struct file;
struct linux_system;

/* fcntl(F_GETLK ... F_OFD_SETLKW); `wide`: struct flock64 on i386. */
int64_t lock_call(struct context *context, struct file *file, int command,
		  uint64_t address, bool wide);
/* To be called when a descriptor table, which owns record locks, closes a
 * descriptor. */
void lock_descriptor_closed(struct linux_system *system, const void *owner,
			    const struct file *file);
void lock_file_closed(struct linux_system *system, const struct file *file);
size_t lock_count(const struct linux_system *system);
void lock_free(struct linux_system *system);

#endif
