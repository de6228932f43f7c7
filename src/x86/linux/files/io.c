/* Reading and writing: one buffer or several, at the file's position or at
 * another. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "x86/linux/calls.h"
#include "x86/linux/files/files.h"
#include "x86/linux/files/io.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/mqueue/mqueue.h"
#include "x86/linux/proc/proc.h"
#include "x86/linux/random.h"
#include "x86/linux/signals/pending.h"
#include "x86/linux/signals/signal.h"
#include "x86/linux/state.h"
#include "x86/linux/wait.h"

int64_t file_blocks(struct context *context, const struct file *file,
		    short events)
{
	if (!file->may_block || file_ready(file, events))
		return 0;
	return file->nonblock ? -EAGAIN : wait_file(context, file, events);
}

int64_t file_again(struct context *context, const struct file *file,
		   short events)
{
	return file->nonblock ? -EAGAIN : wait_file(context, file, events);
}

/* signalfd: one struct signalfd_siginfo for each pending signal. */
static int64_t read_signals(struct context *context, struct file *file,
			    uint64_t address, uint64_t size)
{
	struct signal_information from;
	uint64_t done = 0;

	if (size < sizeof(struct signalfd_siginfo))
		return -EINVAL;
	while (size - done >= sizeof(struct signalfd_siginfo) &&
	       signal_take(context, file->signals.mask, &from)) {
		struct signalfd_siginfo to = {
			.ssi_signo = (uint32_t)from.number,
			.ssi_code = from.code, .ssi_pid = (uint32_t)from.pid,
			.ssi_uid = (uint32_t)from.uid,
			.ssi_tid = (uint32_t)from.timer,
			.ssi_overrun = (uint32_t)from.overrun,
			.ssi_status = from.poll ? 0 : from.status,
			.ssi_fd = from.poll ? from.status : 0,
			.ssi_band = from.poll ? (uint32_t)from.value : 0,
			.ssi_int = (int32_t)from.value,
			.ssi_ptr = from.value, .ssi_addr = from.address,
		};

		if (guest_put(context, address + done, &to, sizeof to))
			return -EFAULT;
		done += sizeof to;
	}
	if (done)
		return (int64_t)done;
	if (file->nonblock)
		return -EAGAIN;
	return wait_for(context, WAIT_SIGNAL, "a signal (signalfd)");
}

/* Fills guest memory. Returns the number of bytes, or -EFAULT when not even the
 * first byte fits. Gigabytes take seconds, so the number is less when the run
 * is to end. */
static int64_t fill_random(struct context *context, uint8_t *bytes,
			   uint64_t size)
{
	const struct linux_options *options = context->process->system->options;
	uint64_t page[SPACE_PAGE / 8], done = 0;

	while (done < size) {
		if (done && done % (16 << 20) == 0 && options->stop &&
		    options->stop(options->stop_owner))
			break;
		uint64_t piece = size - done < sizeof page ? size - done
							   : sizeof page;

		for (uint64_t i = 0; 8 * i < piece; i++)
			page[i] = random_next(context->process->system);
		if (space_copy(context->cpu->space, bytes + done, page, piece))
			return done ? (int64_t)done : -EFAULT;
		done += piece;
	}
	return (int64_t)done;
}

int64_t call_getrandom(struct context *context, const uint64_t *a)
{
	uint64_t size = a[1] > INT32_MAX ? INT32_MAX : a[1];
	void *bytes = guest_bytes(context, a[0], &size, true);

	if (a[2] & ~UINT64_C(7))
		return -EINVAL;
	if (!bytes)
		return -EFAULT;
	return fill_random(context, bytes, size);
}

static int64_t read_random(struct context *context, const struct iovec *list,
			   int count)
{
	int64_t done = 0;

	for (int i = 0; i < count; i++) {
		int64_t part = fill_random(context, list[i].iov_base,
					   list[i].iov_len);

		if (part < 0)
			return done ? done : part;
		done += part;
		if ((size_t)part < list[i].iov_len)
			break;
	}
	return done;
}

static int64_t read_vectors(struct context *context, struct file *file,
			    const struct iovec *list, int count,
			    int64_t offset, int flags)
{
	int64_t result;

	if (file->kind == FILE_RANDOM)
		return read_random(context, list, count);
	if (proc_is_memory(file))
		return proc_transfer(context, file, list, count, offset, false);
	if (offset < 0) {
		result = file->host_nonblock
				 ? 0
				 : file_blocks(context, file, POLLIN | POLLRDHUP);
		if (result)
			return result;
		result = host_result(
			flags ? preadv2(file->host, list, count, -1, flags)
			      : readv(file->host, list, count));
	} else {
		result = host_result(preadv2(file->host, list, count, offset,
					     flags));
	}
	if (result == -EAGAIN && file->host_nonblock)
		return file_again(context, file, POLLIN);
	return result;
}

int64_t size_result(struct context *context, int64_t result)
{
	struct rlimit own;

	return result == -EFBIG && getrlimit(RLIMIT_FSIZE, &own) == 0 &&
			       own.rlim_cur != RLIM_INFINITY
		       ? size_exceeded(context)
		       : result;
}

int64_t size_exceeded(struct context *context)
{
	signal_send_context(context, &(struct signal_information){
					     .number = SIGXFSZ,
					     .code = SI_USER,
					     .pid = context->process->pid,
				     });
	return -EFBIG;
}

/* Drops the first `done` bytes of a vector list. */
static int skip_bytes(struct iovec *list, int count, uint64_t done)
{
	int first = 0;

	while (first < count && done >= list[first].iov_len)
		done -= list[first++].iov_len;
	memmove(list, list + first, (size_t)(count - first) * sizeof *list);
	count -= first;
	if (count) {
		list[0].iov_base = (uint8_t *)list[0].iov_base + done;
		list[0].iov_len -= done;
	}
	return count;
}

/* As writev(), and keeps file->pipe.end: Linux appends the rest of a write
 * behind its whole pages to a pipe's last page, if it fits. */
static int64_t write_host(struct file *file, const struct iovec *list,
			  int count)
{
	int held = 0;
	size_t total = 0, odd, done;
	int64_t result;

	if (!file->pipe.writes)
		return host_result(writev(file->host, list, count));
	ioctl(file->host, FIONREAD, &held);
	result = host_result(writev(file->host, list, count));
	if (result <= 0)
		return result;
	for (int i = 0; i < count; i++)
		total += list[i].iov_len;
	odd = total % SPACE_PAGE;
	done = (size_t)result;
	if (held && odd && file->pipe.end + odd <= SPACE_PAGE) {
		file->pipe.end += (uint16_t)odd;
		done -= odd;
	}
	if (done)
		file->pipe.end = (uint16_t)((done - 1) % SPACE_PAGE + 1);
	return result;
}

int64_t size_room(struct context *context, const struct file *file,
		  int64_t offset, uint64_t *room)
{
	uint64_t limit = context->process->limit[RLIMIT_FSIZE][0];
	struct stat status;

	*room = UINT64_MAX;
	if (limit == UINT64_MAX || fstat(file->host, &status) != 0 ||
	    !S_ISREG(status.st_mode))
		return 0;
	if (offset < 0)
		offset = fcntl(file->host, F_GETFL) & O_APPEND
				 ? status.st_size
				 : lseek(file->host, 0, SEEK_CUR);
	if ((uint64_t)offset >= limit)
		return size_exceeded(context);
	*room = limit - (uint64_t)offset;
	return 0;
}

/* RLIMIT_FSIZE: a write ends at the limit. A write beyond the limit is
 * refused. */
static int64_t limit_size(struct context *context, const struct file *file,
			  struct iovec *list, int *count, int64_t offset)
{
	uint64_t room;
	int64_t result = size_room(context, file, offset, &room);

	if (result || room == UINT64_MAX)
		return result;
	for (int i = 0; i < *count; i++) {
		if (list[i].iov_len > room) {
			list[i].iov_len = (size_t)room;
			*count = i + 1;
		}
		room -= list[i].iov_len;
	}
	return 0;
}

/* Writes a number or a name to a file of the simulator's /proc. */
static int64_t write_made(struct context *context, const struct file *file,
			  const struct iovec *from)
{
	char text[64];
	size_t size = from->iov_len < sizeof text ? from->iov_len
						  : sizeof text;
	int64_t result;

	if (space_copy(context->cpu->space, text, from->iov_base, size))
		return -EFAULT;
	result = proc_write(context, file->made, text, size);
	return result < 0 ? result : (int64_t)from->iov_len;
}

/* Writes until everything is written, if the file blocks. context->progress has
 * the bytes of earlier attempts. */
static int64_t write_vectors(struct context *context, struct file *file,
			     struct iovec *list, int count, int64_t offset,
			     int flags)
{
	int64_t result = limit_size(context, file, list, &count, offset);

	if (result)
		return result;
	if (file->kind == FILE_MADE)
		return count ? write_made(context, file, list) : 0;
	if (proc_is_memory(file))
		return proc_transfer(context, file, list, count, offset, true);
	if (offset >= 0)
		return size_result(context,
				   host_result(pwritev2(file->host, list, count,
							offset, flags)));
	count = skip_bytes(list, count, context->call.progress);
	for (;;) {
		result = flags ? host_result(pwritev2(file->host, list, count,
						      -1, flags))
			       : write_host(file, list, count);
		if (result == -EINTR)
			continue;
		if (result == -EPIPE)
			send_pipe_signal(context);
		if (!file->host_nonblock)
			return size_result(context, result);
		if (result >= 0) {
			context->call.progress += (uint64_t)result;
			count = skip_bytes(list, count, (uint64_t)result);
			if (!count)
				return (int64_t)context->call.progress;
			if (file->nonblock)
				return (int64_t)context->call.progress;
			continue;
		}
		if (result == -EAGAIN && !file->nonblock &&
		    !(context->call.interrupted && context->call.progress))
			result = wait_file(context, file, POLLOUT);
		return result != CALL_BLOCKS && context->call.progress
			       ? (int64_t)context->call.progress
			       : result;
	}
}

/* For /proc/self/io. */
static int64_t count_bytes(struct context *context, bool write, int64_t result)
{
	struct process *process = context->process;

	if (result >= 0) {
		process->account.transfers[write]++;
		process->account.bytes[write] += (uint64_t)result;
	}
	return result;
}

static int64_t transfer_bytes(struct context *context, uint64_t descriptor,
			      uint64_t address, uint64_t size, bool write,
			      int64_t offset)
{
	struct file *file = file_get(context->process, (int)descriptor);
	uint64_t most = size > TRANSFER_MAX ? TRANSFER_MAX : size;
	struct iovec vector;

	if (!file)
		return -EBADF;
	if (context->abi32 && size > INT32_MAX)
		return -EINVAL;
	if (file->kind == FILE_PROCESS)
		return -EINVAL;
	if (file->kind == FILE_QUEUE)
		return write ? -EINVAL
			     : mqueue_read(context, file, address, size);
	if (file->kind == FILE_SIGNAL && !write && offset < 0)
		return read_signals(context, file, address, size);
	vector.iov_base = guest_bytes(context, address, &most, !write);
	if (!vector.iov_base)
		return -EFAULT;
	vector.iov_len = most;
	return count_bytes(
		context, write,
		write ? write_vectors(context, file, &vector, 1, offset, 0)
		      : read_vectors(context, file, &vector, 1, offset, 0));
}

int64_t call_read(struct context *context, const uint64_t *a)
{
	return transfer_bytes(context, a[0], a[1], a[2], false, -1);
}

int64_t call_write(struct context *context, const uint64_t *a)
{
	return transfer_bytes(context, a[0], a[1], a[2], true, -1);
}

int64_t call_pread(struct context *context, const uint64_t *a)
{
	int64_t offset = wide_argument(context, a + 3);

	return offset < 0 ? -EINVAL
			  : transfer_bytes(context, a[0], a[1], a[2], false,
					   offset);
}

int64_t call_pwrite(struct context *context, const uint64_t *a)
{
	int64_t offset = wide_argument(context, a + 3);

	return offset < 0 ? -EINVAL
			  : transfer_bytes(context, a[0], a[1], a[2], true,
					   offset);
}

bool file_writable(const struct file *file)
{
	int mode = fcntl(file->host, F_GETFL);

	return mode >= 0 && !(mode & O_PATH) &&
	       (mode & O_ACCMODE) != O_RDONLY;
}

static uint64_t vector_start(const struct context *context, uint64_t vectors)
{
	uint64_t start = 0;

	guest_get_word(context, vectors, &start);
	return start;
}

int64_t transfer_vectors(struct context *context, const uint64_t *a,
			 bool write, int64_t offset, int flags)
{
	struct file *file = file_get(context->process, (int)a[0]);
	struct iovec list[IOV_MAX];
	int count;

	if (!file)
		return -EBADF;
	if (file->kind == FILE_PROCESS || file->kind == FILE_QUEUE)
		return -EINVAL;
	count = guest_vectors(context, a[1], a[2], !write, list);
	if (count < 0)
		return count;
	if (!count)
		return write && !file_writable(file) ? -EBADF : 0;
	if (file->kind == FILE_SIGNAL && !write && offset < 0)
		return read_signals(context, file, a[1] ? vector_start(
					    context, a[1]) : 0,
				    list[0].iov_len);
	return count_bytes(
		context, write,
		write ? write_vectors(context, file, list, count, offset,
				      flags)
		      : read_vectors(context, file, list, count, offset,
				     flags));
}

int64_t call_readv(struct context *context, const uint64_t *a)
{
	return transfer_vectors(context, a, false, -1, 0);
}

int64_t call_writev(struct context *context, const uint64_t *a)
{
	return transfer_vectors(context, a, true, -1, 0);
}

/* On both ABIs, preadv and preadv2 pass the offset in two words. */
int64_t call_preadv(struct context *context, const uint64_t *a)
{
	int64_t offset = wide_argument(context, a + 3);

	return offset < 0 ? -EINVAL
			  : transfer_vectors(context, a, false, offset, 0);
}

int64_t call_pwritev(struct context *context, const uint64_t *a)
{
	int64_t offset = wide_argument(context, a + 3);

	return offset < 0 ? -EINVAL
			  : transfer_vectors(context, a, true, offset, 0);
}

/* Offset -1: at the current position. */
int64_t call_preadv2(struct context *context, const uint64_t *a)
{
	int64_t offset = wide_argument(context, a + 3);

	return offset < -1 ? -EINVAL
			   : transfer_vectors(context, a, false, offset,
					      (int)a[5]);
}

int64_t call_pwritev2(struct context *context, const uint64_t *a)
{
	int64_t offset = wide_argument(context, a + 3);

	return offset < -1 ? -EINVAL
			   : transfer_vectors(context, a, true, offset,
					      (int)a[5]);
}
