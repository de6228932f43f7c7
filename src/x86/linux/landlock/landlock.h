/* Landlock, by which threads give up rights, as other folders see it. */
#ifndef M2S_X86_LINUX_LANDLOCK_LANDLOCK_H
#define M2S_X86_LINUX_LANDLOCK_LANDLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct context;
struct file;
struct host_path;
struct linux_system;
struct process;
struct sockaddr_storage;
struct stat;

void landlock_clone(struct context *child, const struct context *parent);
void landlock_leave(struct context *context);
void landlock_socket_made(const struct context *context, struct file *file);
void landlock_file_forget(struct file *file);
/* Whether some thread has layers, or some process a ruleset. */
bool landlock_in_use(const struct linux_system *system);
/* Checks for threads that have context->landlock: 0, or the result that the
 * call returns. */
int landlock_open(struct context *context, const struct host_path *path,
		  const struct stat *status, uint64_t flags);
int landlock_open_new(struct context *context, const struct host_path *path,
		      uint64_t flags);
/* To be called when a file has been opened: notes what may be done with it
 * later. */
void landlock_opened(struct context *context, const struct host_path *path,
		     struct file *file);
int landlock_execute(struct context *context, const struct host_path *path);
int landlock_make(struct context *context, const struct host_path *path,
		  unsigned mode);
int landlock_remove(struct context *context, const struct host_path *path,
		    bool folder);
int landlock_truncate(struct context *context, const struct host_path *path);
int landlock_move(struct context *context, const struct host_path *from,
		  const struct host_path *to, bool link, bool exchange);
/* Checks an address to bind to (`make`), to connect to or to send to. */
int landlock_address(struct context *context, const struct file *file,
		     const struct sockaddr_storage *address, socklen_t size,
		     bool make);
/* Checks for files that have file->denied. */
int landlock_resize(const struct file *file);
int landlock_ioctl(const struct file *file, uint32_t request);
bool landlock_may_signal(const struct process *from, const struct process *to);
bool landlock_may_trace(const struct process *from, const struct process *to);

#endif
