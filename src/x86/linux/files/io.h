/* Reading and writing: when a call has to wait, and how much it may write. */
#ifndef M2S_X86_LINUX_FILES_IO_H
#define M2S_X86_LINUX_FILES_IO_H

#include <stdbool.h>
#include <stdint.h>

struct context;
struct file;

/* 0 when a file may be read (or written) without stopping the host, else what
 * the call returns now. */
int64_t file_blocks(struct context *context, const struct file *file,
		    short events);
/* A host call on a descriptor that never blocks said EAGAIN. */
int64_t file_again(struct context *context, const struct file *file,
		   short events);
bool file_writable(const struct file *file);
/* readv() and writev() with the guest's arguments; offset -1: at the current
 * position. */
int64_t transfer_vectors(struct context *context, const uint64_t *a,
			 bool write, int64_t offset, int flags);
/* A file would grow beyond RLIMIT_FSIZE: SIGXFSZ and what the call returns. */
int64_t size_exceeded(struct context *context);
/* The same when the host said so: its limit for the simulator holds for all
 * guests. Other results are passed on. */
int64_t size_result(struct context *context, int64_t result);
/* How many bytes RLIMIT_FSIZE lets be written at an offset (-1: the current
 * position); with 0, what the call returns. */
int64_t size_room(struct context *context, const struct file *file,
		  int64_t offset, uint64_t *room);

#endif
