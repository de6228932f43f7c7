/* Open files, and the tables of descriptors. */
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
/* The limit of descriptors: the lesser of RLIMIT_NOFILE and fs.nr_open. The
 * enum has the least value and the default of fs.nr_open. */
enum { NR_OPEN_LEAST = 64, NR_OPEN_USUAL = 1 << 20 }; /* of fs.nr_open */
int descriptor_limit(const struct process *process);
/* Whether the table can be copied: -EMFILE if it has more than fs.nr_open
 * entries, else 0. */
int files_may_fork(const struct process *process);
/* Puts a file at the lowest free descriptor from `from` on, and takes over the
 * reference. Returns the descriptor. Otherwise releases the file and returns
 * -EMFILE. */
int64_t file_install(struct process *process, struct file *file, int from,
		     bool close_on_exec);
/* Makes a guest descriptor for a host descriptor. A host descriptor of -1
 * stands for the error in errno. Returns the guest descriptor or a negative
 * errno. */
int64_t file_install_host(struct process *process, int host,
			  bool close_on_exec, bool nonblock);

/* Whether a host descriptor has one of the poll events now. */
bool file_ready(const struct file *file, short events);
/* Sends SIGPIPE for a write to a pipe or socket without a reader. */
void send_pipe_signal(struct context *context);

#endif
