/* Reading and writing: waiting calls, and limits of sizes. */
#ifndef M2S_X86_LINUX_FILES_IO_H
#define M2S_X86_LINUX_FILES_IO_H

#include <stdbool.h>
#include <stdint.h>

struct context;
struct file;

/* 0 when a file can be read or written without blocking the host. Otherwise the
 * result that the call returns now. */
int64_t file_blocks(struct context *context, const struct file *file,
		    short events);
/* The result of a call whose host call on a non-blocking descriptor returned
 * EAGAIN. */
int64_t file_again(struct context *context, const struct file *file,
		   short events);
bool file_writable(const struct file *file);
/* readv() and writev() with the guest's arguments. Offset -1 means the current
 * position. */
int64_t transfer_vectors(struct context *context, const uint64_t *a,
			 bool write, int64_t offset, int flags);
/* To be called when a file would grow beyond RLIMIT_FSIZE. Sends SIGXFSZ and
 * returns the call's result. */
int64_t size_exceeded(struct context *context);
/* Returns size_exceeded() if a host call's result says that the file would
 * exceed the simulator's own limit, which holds for all guests. Other results
 * are returned unchanged. */
int64_t size_result(struct context *context, int64_t result);
/* Sets *room to the number of bytes that RLIMIT_FSIZE allows to write at an
 * offset (-1: the current position). If the room is 0, returns the call's
 * result; else 0. */
int64_t size_room(struct context *context, const struct file *file,
		  int64_t offset, uint64_t *room);

#endif
