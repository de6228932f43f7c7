/* Signals from files to their owners: O_ASYNC, F_NOTIFY, F_SETLEASE. */
#ifndef M2S_X86_LINUX_ASYNC_ASYNC_H
#define M2S_X86_LINUX_ASYNC_ASYNC_H

#include <stdbool.h>
#include <stdint.h>

struct context;
struct file;
struct linux_system;
struct stat;

/* Sets O_ASYNC of a file, which the process knows as `descriptor`. 0 or a
 * negative errno. */
int async_set(struct context *context, struct file *file, int descriptor,
	      bool on);
bool async_is_set(const struct file *file);
/* fcntl(F_NOTIFY), with DN_*. */
int async_notify(struct context *context, struct file *file, int descriptor,
		 uint32_t events);
int lease_set(struct context *context, struct file *file, int descriptor,
	      int type);
int lease_get(struct file *file);
/* To be called before a file is opened with these flags. 0, or the result that
 * open() returns now. */
int64_t lease_break(struct context *context, const struct stat *status,
		    uint64_t flags);
/* Sends the signals for events that have happened. */
void async_poll(struct linux_system *system);
/* A host descriptor that is readable when async_poll() has something to do, or
 * -1. */
int async_descriptor(const struct linux_system *system);
void async_forget(struct file *file);
void async_free(struct linux_system *system);

#endif
