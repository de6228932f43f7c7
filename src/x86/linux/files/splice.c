/* Copies from descriptor to descriptor: sendfile, splice, copy_file_range. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "x86/linux/calls.h"
#include "x86/linux/files/files.h"
#include "x86/linux/files/io.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/proc/proc.h"
#include "x86/linux/state.h"
#include "x86/linux/wait.h"

/* Notes that later writes must not add to the pages that a pipe got in this
 * way. */
static int64_t moved(struct file *to, int64_t result)
{
	if (result > 0)
		to->pipe.end = SPACE_PAGE;
	return result;
}

/* Reads an optional offset argument. */
static int get_offset(struct context *context, uint64_t address, unsigned size,
		      int64_t *offset, int64_t **pointer)
{
	*offset = 0;
	*pointer = NULL;
	if (!address)
		return 0;
	if (guest_get(context, address, offset, size))
		return -EFAULT;
	*pointer = offset;
	return 0;
}

static int64_t send_file(struct context *context, const uint64_t *a,
			 unsigned offset_size)
{
	struct file *to = file_get(context->process, (int)a[0]);
	struct file *from = file_get(context->process, (int)a[1]);
	int64_t offset, *pointer, result;
	uint64_t room;

	if (!to || !from)
		return -EBADF;
	if (get_offset(context, a[2], offset_size, &offset, &pointer))
		return -EFAULT;
	result = file_blocks(context, to, POLLOUT);
	if (!result)
		result = file_blocks(context, from, POLLIN);
	if (!result)
		result = size_room(context, to, -1, &room);
	if (result)
		return result;
	result = size_result(context,
			     host_result(sendfile(to->host, from->host, pointer,
						  a[3] < room ? a[3] : room)));
	moved(to, result);
	if (result == -EAGAIN && to->host_nonblock)
		return file_again(context, to, POLLOUT);
	if (result == -EPIPE)
		send_pipe_signal(context);
	if (result >= 0 && pointer &&
	    guest_put(context, a[2], &offset, offset_size))
		return -EFAULT;
	return result;
}

int64_t call_sendfile(struct context *context, const uint64_t *a)
{
	return send_file(context, a, context->abi32 ? 4 : 8);
}

int64_t call_sendfile64(struct context *context, const uint64_t *a)
{
	return send_file(context, a, 8);
}

/* Waits for the side of a copy that is not ready, after the host said that the
 * copy would block. The host has already made all refusals. */
static int64_t copy_again(struct context *context, const struct file *from,
			  const struct file *to, bool nonblock)
{
	const struct file *late = file_ready(from, POLLIN) ? to : from;

	if (nonblock || late->nonblock)
		return -EAGAIN;
	return wait_file(context, late, late == to ? POLLOUT : POLLIN);
}

/* Whether a descriptor would block the host itself. Only inherited ones do. */
static int64_t blocks_host(struct context *context, const struct file *file,
			   short events)
{
	return file->host_nonblock ? 0 : file_blocks(context, file, events);
}

/* Copies from a pipe to a file of the simulator's /proc. */
static int64_t splice_to_made(struct context *context, const struct file *from,
			      const struct file *to, uint64_t size)
{
	char bytes[SPACE_PAGE];
	struct stat status;
	ssize_t got;

	if (fstat(from->host, &status) != 0 || !S_ISFIFO(status.st_mode))
		return -EINVAL;
	got = read(from->host, bytes, size < sizeof bytes ? size
							  : sizeof bytes);
	if (got <= 0)
		return got ? -errno : 0;
	return proc_write(context, to->made, bytes, (size_t)got);
}

static int64_t move_bytes(struct context *context, const uint64_t *a,
			  bool use_splice)
{
	struct file *from = file_get(context->process, (int)a[0]);
	struct file *to = file_get(context->process, (int)a[2]);
	int64_t in, out, *in_pointer, *out_pointer, result;
	uint64_t size, room;

	if (!to || !from)
		return -EBADF;
	if (get_offset(context, a[1], 8, &in, &in_pointer) ||
	    get_offset(context, a[3], 8, &out, &out_pointer))
		return -EFAULT;
	result = blocks_host(context, from, POLLIN);
	if (!result)
		result = blocks_host(context, to, POLLOUT);
	if (!result)
		result = size_room(context, to, out_pointer ? out : -1, &room);
	if (result)
		return result;
	size = a[4] < room ? a[4] : room;
	if (use_splice && to->kind == FILE_MADE)
		return splice_to_made(context, from, to, size);
	result = size_result(
		context,
		host_result(use_splice
				    ? splice(from->host, in_pointer, to->host,
					     out_pointer, size,
					     (unsigned)a[5] | SPLICE_F_NONBLOCK)
				    : copy_file_range(from->host, in_pointer,
						      to->host, out_pointer,
						      size, (unsigned)a[5])));
	if (result == -EPIPE)
		send_pipe_signal(context);
	if (result == -EAGAIN)
		return copy_again(context, from, to,
				  use_splice && (a[5] & SPLICE_F_NONBLOCK));
	if (result < 0)
		return result;
	moved(to, result);
	if ((in_pointer && guest_put(context, a[1], &in, 8)) ||
	    (out_pointer && guest_put(context, a[3], &out, 8)))
		return -EFAULT;
	return result;
}

int64_t call_copy_file_range(struct context *context, const uint64_t *a)
{
	return move_bytes(context, a, false);
}

int64_t call_splice(struct context *context, const uint64_t *a)
{
	return move_bytes(context, a, true);
}

int64_t call_tee(struct context *context, const uint64_t *a)
{
	struct file *from = file_get(context->process, (int)a[0]);
	struct file *to = file_get(context->process, (int)a[1]);
	int64_t result;

	if (!to || !from)
		return -EBADF;
	result = blocks_host(context, from, POLLIN);
	if (!result)
		result = blocks_host(context, to, POLLOUT);
	if (result)
		return result;
	return moved(to, host_result(tee(from->host, to->host, a[2],
					 (unsigned)a[3] |
						 SPLICE_F_NONBLOCK)));
}

/* Copies the pages. So the pipe never shows later writes of the guest to the
 * pages, which Linux does not promise either. */
int64_t call_vmsplice(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);
	struct stat status;
	bool nonblock, write;
	int64_t result;

	if (!file)
		return -EBADF;
	if (a[3] & ~UINT64_C(15))
		return -EINVAL;
	if (fstat(file->host, &status) != 0 || !S_ISFIFO(status.st_mode))
		return -EBADF;
	write = file_writable(file);
	/* A part is enough, but not nothing. */
	nonblock = file->nonblock;
	file->nonblock = true;
	result = transfer_vectors(context, a, write, -1, 0);
	file->nonblock = nonblock;
	if (result == -EAGAIN && !nonblock && !(a[3] & SPLICE_F_NONBLOCK))
		return wait_file(context, file, write ? POLLOUT : POLLIN);
	return result;
}
