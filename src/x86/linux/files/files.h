/* Open files, and the tables of descriptors that lead to them. */
#ifndef M2S_X86_LINUX_FILES_FILES_H
#define M2S_X86_LINUX_FILES_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "x86/linux/state.h"

struct file_table *files_create(void);
struct file_table *files_fork(const struct file_table *from);
void files_release(struct linux_system *system, struct file_table *table);
/* Gives the process a table of its own. */
void files_unshare(struct process *process);
void files_close_on_exec(struct linux_system *system,
			 struct file_table *table);
struct file *file_create(int host, enum file_kind kind);
struct file *file_hold(struct file *file);
void file_release(struct file *file);
/* The open file of a guest descriptor, or NULL. */
struct file *file_get(const struct process *process, int descriptor);
/* RLIMIT_NOFILE and fs.nr_open: descriptors are below both. */
enum { NR_OPEN_LEAST = 64, NR_OPEN_USUAL = 1 << 20 }; /* of the latter */
int descriptor_limit(const struct process *process);
/* A table that has more than fs.nr_open cannot be copied: 0 or -EMFILE. */
int files_may_fork(const struct process *process);
/* Lowest free descriptor at or above `from`: takes over the reference.
 * Returns it or -EMFILE (and releases the file). */
int64_t file_install(struct process *process, struct file *file, int from,
		     bool close_on_exec);
/* A host descriptor (or -1 with errno) as a new guest descriptor. */
int64_t file_install_host(struct process *process, int host,
			  bool close_on_exec, bool nonblock);

/* Whether a host descriptor has one of the poll events now. */
bool file_ready(const struct file *file, short events);
/* SIGPIPE for a write to a pipe or socket without reader. */
void send_pipe_signal(struct context *context);

#endif
