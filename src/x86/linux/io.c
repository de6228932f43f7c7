/* Reading, writing, positions, directories, ioctl. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <termios.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/process.h"

/* 0 when a file may be read (or written) without stopping the host, else what
 * the call returns now. */
static int64_t blocks(struct context *context, const struct file *file,
		      short events)
{
	if (!file->may_block || file_ready(file, events))
		return 0;
	return file->nonblock ? -EAGAIN : wait_file(context, file, events);
}

static int64_t host_result(int64_t result)
{
	return result < 0 ? -errno : result;
}

/* A host call on a descriptor that never blocks said EAGAIN. */
static int64_t again(struct context *context, const struct file *file,
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
	       signal_take(context, file->mask, &from)) {
		struct signalfd_siginfo to = {
			.ssi_signo = (uint32_t)from.number,
			.ssi_code = from.code, .ssi_pid = (uint32_t)from.pid,
			.ssi_uid = (uint32_t)from.uid,
			.ssi_tid = (uint32_t)from.timer,
			.ssi_overrun = (uint32_t)from.overrun,
			.ssi_status = from.status,
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

static void fill_random(struct linux_system *system, uint8_t *bytes,
			uint64_t size)
{
	for (uint64_t i = 0; i < size; i += 8) {
		uint64_t value = random_next(system);

		memcpy(bytes + i, &value, size - i < 8 ? size - i : 8);
	}
}

int64_t call_getrandom(struct context *context, const uint64_t *a)
{
	uint64_t size = a[1] > INT32_MAX ? INT32_MAX : a[1];
	void *bytes = guest_bytes(context, a[0], &size, true);

	if (a[2] & ~UINT64_C(7))
		return -EINVAL;
	if (!bytes)
		return -EFAULT;
	fill_random(context->process->system, bytes, size);
	return (int64_t)size;
}

static int64_t read_vectors(struct context *context, struct file *file,
			    const struct iovec *list, int count,
			    int64_t offset, int flags)
{
	int64_t result;

	if (file->kind == FILE_RANDOM) {
		result = 0;
		for (int i = 0; i < count; i++) {
			fill_random(context->process->system,
				    list[i].iov_base, list[i].iov_len);
			result += (int64_t)list[i].iov_len;
		}
		return result;
	}
	if (offset < 0) {
		result = file->host_nonblock
				 ? 0
				 : blocks(context, file, POLLIN | POLLRDHUP);
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
		return again(context, file, POLLIN);
	return result;
}

static int64_t size_exceeded(struct context *context)
{
	signal_send_context(context, &(struct signal_information){
					     .number = SIGXFSZ,
					     .code = SI_USER,
					     .pid = context->process->pid,
				     });
	return -EFBIG;
}

/* What is left of a vector list after `done` bytes. */
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

/* writev() that keeps file->pipe_end: Linux adds to a pipe's last page what
 * is left of a write after whole pages, if it fits. */
static int64_t write_host(struct file *file, const struct iovec *list,
			  int count)
{
	int held = 0;
	size_t total = 0, odd, done;
	int64_t result;

	if (!file->is_pipe)
		return host_result(writev(file->host, list, count));
	ioctl(file->host, FIONREAD, &held);
	result = host_result(writev(file->host, list, count));
	if (result <= 0)
		return result;
	for (int i = 0; i < count; i++)
		total += list[i].iov_len;
	odd = total % SPACE_PAGE;
	done = (size_t)result;
	if (held && odd && file->pipe_end + odd <= SPACE_PAGE) {
		file->pipe_end += (uint16_t)odd;
		done -= odd;
	}
	if (done)
		file->pipe_end = (uint16_t)((done - 1) % SPACE_PAGE + 1);
	return result;
}

/* RLIMIT_FSIZE: a write ends at the limit, and beyond it is refused. */
static int64_t limit_size(struct context *context, const struct file *file,
			  struct iovec *list, int *count, int64_t offset)
{
	uint64_t limit = context->process->limit[RLIMIT_FSIZE][0], room;
	struct stat status;

	if (limit == UINT64_MAX || fstat(file->host, &status) != 0 ||
	    !S_ISREG(status.st_mode))
		return 0;
	if (offset < 0)
		offset = fcntl(file->host, F_GETFL) & O_APPEND
				 ? status.st_size
				 : lseek(file->host, 0, SEEK_CUR);
	if ((uint64_t)offset >= limit)
		return size_exceeded(context);
	room = limit - (uint64_t)offset;
	for (int i = 0; i < *count; i++) {
		if (list[i].iov_len > room) {
			list[i].iov_len = (size_t)room;
			*count = i + 1;
		}
		room -= list[i].iov_len;
	}
	return 0;
}

/* A blocking write ends when everything is written: what earlier attempts
 * wrote is in context->progress. */
static int64_t write_vectors(struct context *context, struct file *file,
			     struct iovec *list, int count, int64_t offset,
			     int flags)
{
	int64_t result = limit_size(context, file, list, &count, offset);

	if (result)
		return result;
	if (file->kind == FILE_MADE)
		return count ? proc_write(context, file->made,
					  list[0].iov_base, list[0].iov_len)
			     : 0;
	if (offset >= 0)
		return host_result(pwritev2(file->host, list, count, offset,
					    flags));
	count = skip_bytes(list, count, context->progress);
	for (;;) {
		result = flags ? host_result(pwritev2(file->host, list, count,
						      -1, flags))
			       : write_host(file, list, count);
		if (result == -EINTR)
			continue;
		if (result == -EPIPE)
			send_pipe_signal(context);
		if (!file->host_nonblock)
			return result;
		if (result >= 0) {
			context->progress += (uint64_t)result;
			count = skip_bytes(list, count, (uint64_t)result);
			if (!count)
				return (int64_t)context->progress;
			if (file->nonblock)
				return (int64_t)context->progress;
			continue;
		}
		if (result == -EAGAIN && !file->nonblock &&
		    !(context->interrupted && context->progress))
			result = wait_file(context, file, POLLOUT);
		return result != CALL_BLOCKS && context->progress
			       ? (int64_t)context->progress
			       : result;
	}
}

/* For /proc/self/io. */
static int64_t count_bytes(struct context *context, bool write, int64_t result)
{
	struct process *process = context->process;

	if (result >= 0) {
		process->transfers[write]++;
		process->bytes[write] += (uint64_t)result;
	}
	return result;
}

static int64_t transfer(struct context *context, uint64_t descriptor,
			uint64_t address, uint64_t size, bool write,
			int64_t offset)
{
	struct file *file = file_get(context->process, (int)descriptor);
	uint64_t most = size > 0x7ffff000 ? 0x7ffff000 : size;
	struct iovec vector;

	if (!file)
		return -EBADF;
	if (context->abi32 && size > INT32_MAX)
		return -EINVAL;
	if (file->kind == FILE_PROCESS)
		return -EINVAL;
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
	return transfer(context, a[0], a[1], a[2], false, -1);
}

int64_t call_write(struct context *context, const uint64_t *a)
{
	return transfer(context, a[0], a[1], a[2], true, -1);
}

/* A 64-bit argument, which i386 passes in two words. */
static int64_t wide_argument(const struct context *context, const uint64_t *a)
{
	return context->abi32 ? (int64_t)(a[0] | a[1] << 32) : (int64_t)a[0];
}

int64_t call_pread(struct context *context, const uint64_t *a)
{
	int64_t offset = wide_argument(context, a + 3);

	return offset < 0 ? -EINVAL
			  : transfer(context, a[0], a[1], a[2], false, offset);
}

int64_t call_pwrite(struct context *context, const uint64_t *a)
{
	int64_t offset = wide_argument(context, a + 3);

	return offset < 0 ? -EINVAL
			  : transfer(context, a[0], a[1], a[2], true, offset);
}

static bool file_writable(const struct file *file)
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

static int64_t transfer_vectors(struct context *context, const uint64_t *a,
				bool write, int64_t offset, int flags)
{
	struct file *file = file_get(context->process, (int)a[0]);
	struct iovec list[IOV_MAX];
	int count;

	if (!file)
		return -EBADF;
	if (file->kind == FILE_PROCESS)
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

/* preadv and preadv2 pass the offset in two words on both ABIs. */
static int64_t vector_offset(const struct context *context, const uint64_t *a)
{
	return context->abi32 ? (int64_t)(a[3] | a[4] << 32) : (int64_t)a[3];
}

int64_t call_preadv(struct context *context, const uint64_t *a)
{
	int64_t offset = vector_offset(context, a);

	return offset < 0 ? -EINVAL
			  : transfer_vectors(context, a, false, offset, 0);
}

int64_t call_pwritev(struct context *context, const uint64_t *a)
{
	int64_t offset = vector_offset(context, a);

	return offset < 0 ? -EINVAL
			  : transfer_vectors(context, a, true, offset, 0);
}

/* Offset -1: at the current position. */
int64_t call_preadv2(struct context *context, const uint64_t *a)
{
	int64_t offset = vector_offset(context, a);

	return offset < -1 ? -EINVAL
			   : transfer_vectors(context, a, false, offset,
					      (int)a[5]);
}

int64_t call_pwritev2(struct context *context, const uint64_t *a)
{
	int64_t offset = vector_offset(context, a);

	return offset < -1 ? -EINVAL
			   : transfer_vectors(context, a, true, offset,
					      (int)a[5]);
}

/* ---- Positions and sizes ---- */

static int64_t seek(struct file *file, int64_t offset, int whence)
{
	if (file->kind == FILE_LIST) {
		if (whence == SEEK_CUR)
			offset += (int64_t)file->entries_at;
		if (whence == SEEK_END || offset < 0 ||
		    (size_t)offset > file->entries_size)
			return -EINVAL;
		file->entries_at = (size_t)offset;
		return offset;
	}
	if (file->positions && whence == SEEK_SET) {
		if (offset < 0 || (size_t)offset > file->position_count)
			return -EINVAL;
		if (offset)
			return host_result(lseek(
				       file->host,
				       file->positions[offset - 1],
				       SEEK_SET)) < 0
				       ? -errno
				       : offset;
		file->position_count = 0;
	}
	return host_result(lseek(file->host, offset, whence));
}

int64_t call_lseek(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);
	int64_t offset = context->abi32 ? (int32_t)a[1] : (int64_t)a[1];

	return file ? seek(file, offset, (int)a[2]) : -EBADF;
}

int64_t call_llseek(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);
	int64_t result;

	if (!file)
		return -EBADF;
	result = seek(file, (int64_t)(a[1] << 32 | (uint32_t)a[2]), (int)a[4]);
	if (result < 0)
		return result;
	return guest_put(context, a[3], &result, sizeof result);
}

int64_t call_fsync(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);

	return file ? host_result(fdatasync(file->host)) : -EBADF;
}

int64_t call_syncfs(struct context *context, const uint64_t *a)
{
	return file_get(context->process, (int)a[0]) ? 0 : -EBADF;
}

int64_t call_sync(struct context *context, const uint64_t *a)
{
	(void)context;
	(void)a;
	return 0;
}

int64_t call_sync_file_range(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);
	bool narrow = context->abi32;

	return file ? host_result(sync_file_range(
			      file->host, wide_argument(context, a + 1),
			      wide_argument(context, a + (narrow ? 3 : 2)),
			      (unsigned)a[narrow ? 5 : 3]))
		    : -EBADF;
}

static int64_t truncate_to(struct context *context, uint64_t descriptor,
			   int64_t size)
{
	struct file *file = file_get(context->process, (int)descriptor);

	if (!file)
		return -EBADF;
	if (size > 0 &&
	    (uint64_t)size > context->process->limit[RLIMIT_FSIZE][0])
		return size_exceeded(context);
	return host_result(ftruncate(file->host, size));
}

int64_t call_ftruncate(struct context *context, const uint64_t *a)
{
	return truncate_to(context, a[0],
			   context->abi32 ? (int32_t)a[1] : (int64_t)a[1]);
}

int64_t call_ftruncate64(struct context *context, const uint64_t *a)
{
	return truncate_to(context, a[0], wide_argument(context, a + 1));
}

static int64_t truncate_path(struct context *context, uint64_t address,
			     int64_t size)
{
	struct host_path path;
	int64_t result = path_resolve_change(context, AT_FDCWD, address, true,
					     &path);
	int host;

	if (result)
		return result;
	if (size < 0 ||
	    (uint64_t)size > context->process->limit[RLIMIT_FSIZE][0]) {
		path_release(&path);
		return size < 0 ? -EINVAL : size_exceeded(context);
	}
	host = openat(path.folder, path.text,
		      O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (host < 0) {
		result = -errno;
	} else {
		result = host_result(ftruncate(host, size));
		close(host);
	}
	path_release(&path);
	return result;
}

int64_t call_truncate(struct context *context, const uint64_t *a)
{
	return truncate_path(context, a[0],
			     context->abi32 ? (int32_t)a[1] : (int64_t)a[1]);
}

int64_t call_truncate64(struct context *context, const uint64_t *a)
{
	return truncate_path(context, a[0], wide_argument(context, a + 1));
}

int64_t call_fallocate(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);
	int64_t offset = wide_argument(context, a + 2);
	int64_t size = wide_argument(context, a + (context->abi32 ? 4 : 3));

	if (file && offset >= 0 && size > 0 &&
	    (uint64_t)offset + (uint64_t)size >
		    context->process->limit[RLIMIT_FSIZE][0])
		return size_exceeded(context);
	return file ? host_result(fallocate(file->host, (int)a[1], offset,
					    size))
		    : -EBADF;
}

static int64_t advise(struct context *context, uint64_t descriptor,
		      int64_t offset, int64_t size, int advice)
{
	struct file *file = file_get(context->process, (int)descriptor);

	return file ? -posix_fadvise(file->host, offset, size, advice)
		    : -EBADF;
}

int64_t call_fadvise(struct context *context, const uint64_t *a)
{
	bool narrow = context->abi32;

	return advise(context, a[0], wide_argument(context, a + 1),
		      (int64_t)a[narrow ? 3 : 2], (int)a[narrow ? 4 : 3]);
}

int64_t call_fadvise_long(struct context *context, const uint64_t *a)
{
	return advise(context, a[0], wide_argument(context, a + 1),
		      wide_argument(context, a + 3), (int)a[5]);
}

int64_t call_readahead(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);
	bool narrow = context->abi32;

	return file ? host_result(readahead(
			      file->host, wide_argument(context, a + 1),
			      (size_t)a[narrow ? 3 : 2]))
		    : -EBADF;
}

/* ---- Copies between descriptors ---- */

/* Writes do not add to pages that a pipe was given in this way. */
static int64_t moved(struct file *to, int64_t result)
{
	if (result > 0)
		to->pipe_end = SPACE_PAGE;
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

	if (!to || !from)
		return -EBADF;
	if (get_offset(context, a[2], offset_size, &offset, &pointer))
		return -EFAULT;
	result = blocks(context, to, POLLOUT);
	if (!result)
		result = blocks(context, from, POLLIN);
	if (result)
		return result;
	result = moved(to, host_result(sendfile(to->host, from->host, pointer,
						a[3])));
	if (result == -EAGAIN && to->host_nonblock)
		return again(context, to, POLLOUT);
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

/* What a copy does that the host said would block: waits for whichever side
 * is not ready. Asking the host first leaves all refusals to it. */
static int64_t copy_again(struct context *context, const struct file *from,
			  const struct file *to, bool nonblock)
{
	const struct file *late = file_ready(from, POLLIN) ? to : from;

	if (nonblock || late->nonblock)
		return -EAGAIN;
	return wait_file(context, late, late == to ? POLLOUT : POLLIN);
}

/* Descriptors that would block the host itself: only inherited ones. */
static int64_t blocks_host(struct context *context, const struct file *file,
			   short events)
{
	return file->host_nonblock ? 0 : blocks(context, file, events);
}

static int64_t move_bytes(struct context *context, const uint64_t *a,
			  bool use_splice)
{
	struct file *from = file_get(context->process, (int)a[0]);
	struct file *to = file_get(context->process, (int)a[2]);
	int64_t in, out, *in_pointer, *out_pointer, result;

	if (!to || !from)
		return -EBADF;
	if (get_offset(context, a[1], 8, &in, &in_pointer) ||
	    get_offset(context, a[3], 8, &out, &out_pointer))
		return -EFAULT;
	result = blocks_host(context, from, POLLIN);
	if (!result)
		result = blocks_host(context, to, POLLOUT);
	if (result)
		return result;
	result = host_result(
		use_splice ? splice(from->host, in_pointer, to->host,
				    out_pointer, a[4],
				    (unsigned)a[5] | SPLICE_F_NONBLOCK)
			   : copy_file_range(from->host, in_pointer, to->host,
					     out_pointer, a[4],
					     (unsigned)a[5]));
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

/* Pages are copied: the pipe never shows what the guest writes to them
 * afterwards, which Linux does not promise either. */
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
	/* What fits is enough, unless that is nothing. */
	nonblock = file->nonblock;
	file->nonblock = true;
	result = transfer_vectors(context, a, write, -1, 0);
	file->nonblock = nonblock;
	if (result == -EAGAIN && !nonblock && !(a[3] & SPLICE_F_NONBLOCK))
		return wait_file(context, file, write ? POLLOUT : POLLIN);
	return result;
}

/* ---- Directories ---- */

/* Positions that fit an i386 guest's off_t: Linux gives its 32-bit processes
 * such positions by itself, but sees only a 64-bit one in us. */
static void narrow_positions(struct file *file, uint8_t *bytes, int64_t size)
{
	const size_t head = offsetof(struct dirent64, d_name);

	for (int64_t at = 0; at < size;) {
		struct dirent64 entry;

		memcpy(&entry, bytes + at, head);
		ARRAY_GROW(file->positions, file->position_count,
			   file->position_capacity);
		file->positions[file->position_count++] = entry.d_off;
		entry.d_off = (int64_t)file->position_count;
		memcpy(bytes + at, &entry, head);
		at += entry.d_reclen;
	}
}

/* As many made-up entries as fit. Positions are byte offsets in the list. */
static int64_t list_entries(struct file *file, uint8_t *bytes, uint64_t size)
{
	uint64_t used = 0;

	while (file->entries_at < file->entries_size) {
		const char *name = file->entries + file->entries_at;
		size_t length = strlen(name) + 1;
		size_t record = (offsetof(struct dirent64, d_name) + length +
				 7) & ~(size_t)7;
		struct dirent64 entry = {
			.d_ino = file->entries_at + 1,
			.d_reclen = (uint16_t)record, .d_type = DT_UNKNOWN,
		};

		if (used + record > size)
			return used ? (int64_t)used : -EINVAL;
		file->entries_at += length;
		entry.d_off = (int64_t)file->entries_at;
		memcpy(bytes + used, &entry,
		       offsetof(struct dirent64, d_name));
		memcpy(bytes + used + offsetof(struct dirent64, d_name), name,
		       length);
		used += record;
	}
	return (int64_t)used;
}

static int64_t host_entries(struct context *context, struct file *file,
			    uint8_t *bytes, uint64_t size)
{
	int64_t result;

	if (file->kind == FILE_LIST)
		return list_entries(file, bytes, size);
	result = host_result(syscall(SYS_getdents64, file->host, bytes, size));
	if (context->abi32)
		narrow_positions(file, bytes, result);
	return result;
}

int64_t call_getdents64(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);
	uint64_t size = (uint32_t)a[2];
	void *bytes;

	if (!file)
		return -EBADF;
	bytes = guest_bytes(context, a[1], &size, true);
	if (!bytes)
		return -EFAULT;
	return host_entries(context, file, bytes, size);
}

/* The old layout: inode and offset are words, the type comes last. */
int64_t call_getdents(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);
	unsigned word = context->abi32 ? 4 : 8;
	uint64_t size = (uint32_t)a[2], at = a[1];
	uint8_t *bytes;
	int64_t got;

	if (!file)
		return -EBADF;
	/* An entry shrinks in the old layout, so that what is read fits. */
	if (size > 65536)
		size = 65536;
	bytes = xmalloc(size + 1);
	got = host_entries(context, file, bytes, size);
	for (int64_t i = 0; i < got;) {
		const struct dirent64 *entry =
			(const struct dirent64 *)(bytes + i);
		size_t length = strlen(entry->d_name);
		uint16_t record = (uint16_t)((2 * word + 2 + length + 2 +
					      word - 1) &
					     ~(size_t)(word - 1));
		uint8_t out[512] = { 0 };

		memcpy(out, &entry->d_ino, word);
		memcpy(out + word, &entry->d_off, word);
		memcpy(out + 2 * word, &record, 2);
		memcpy(out + 2 * word + 2, entry->d_name, length);
		out[record - 1] = entry->d_type;
		if (guest_put(context, at, out, record)) {
			free(bytes);
			return -EFAULT;
		}
		at += record;
		i += entry->d_reclen;
	}
	free(bytes);
	return got < 0 ? got : (int64_t)(at - a[1]);
}

/* ---- inotify: the host's ---- */

int64_t call_inotify_init1(struct context *context, const uint64_t *a)
{
	if (a[0] & ~(uint64_t)(IN_CLOEXEC | IN_NONBLOCK))
		return -EINVAL;
	return file_install_host(context->process, inotify_init1(IN_CLOEXEC),
				 a[0] & IN_CLOEXEC, a[0] & IN_NONBLOCK);
}

int64_t call_inotify_init(struct context *context, const uint64_t *a)
{
	uint64_t flags = 0;

	(void)a;
	return call_inotify_init1(context, &flags);
}

int64_t call_inotify_add_watch(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);
	struct host_path path;
	char full[PATH_MAX + 64];
	int64_t result;

	if (!file)
		return -EBADF;
	result = path_resolve(context, AT_FDCWD, a[1], true, &path);
	if (result)
		return result;
	/* inotify has no *at form. */
	if (path.text[0] == '/')
		snprintf(full, sizeof full, "%s", path.text);
	else
		snprintf(full, sizeof full, "/proc/self/fd/%d/%s", path.folder,
			 path.text);
	result = host_result(inotify_add_watch(file->host, full,
					       (uint32_t)a[2]));
	path_release(&path);
	return result;
}

int64_t call_inotify_rm_watch(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);

	return file ? host_result(inotify_rm_watch(file->host, (int)a[1]))
		    : -EBADF;
}

/* ---- ioctl ---- */

enum way { IN = 1, OUT = 2 };

/* Requests whose argument has one layout in both ABIs. */
static const struct {
	uint32_t number;
	uint16_t size; /* of the argument; 0: it is a value, not an address */
	uint16_t way;
} requests[] = {
	{ TCGETS, 36, OUT }, { TCSETS, 36, IN }, { TCSETSW, 36, IN },
	{ TCSETSF, 36, IN }, { TCGETA, 18, OUT }, { TCSETA, 18, IN },
	{ 0x802c542a /* TCGETS2 */, 44, OUT },
	{ 0x402c542b /* TCSETS2 */, 44, IN },
	{ 0x402c542c /* TCSETSW2 */, 44, IN },
	{ 0x402c542d /* TCSETSF2 */, 44, IN },
	{ TCSBRK, 0, 0 }, { TCXONC, 0, 0 }, { TCFLSH, 0, 0 },
	{ TIOCGWINSZ, 8, OUT }, { TIOCSWINSZ, 8, IN }, { TIOCOUTQ, 4, OUT },
	{ FIONREAD, 4, OUT }, { TIOCGPTN, 4, OUT }, { TIOCSPTLCK, 4, IN },
	/* struct ifreq: 16 bytes of name and the value (40 bytes on x86-64, 32
	 * on i386; what is asked for is in the first 32). */
	{ SIOCGIFNAME, 32, IN | OUT }, { SIOCGIFINDEX, 32, IN | OUT },
	{ SIOCGIFFLAGS, 32, IN | OUT }, { SIOCGIFADDR, 32, IN | OUT },
	{ SIOCGIFNETMASK, 32, IN | OUT }, { SIOCGIFBRDADDR, 32, IN | OUT },
	{ SIOCGIFMTU, 32, IN | OUT }, { SIOCGIFHWADDR, 32, IN | OUT },
	{ SIOCATMARK, 4, OUT },
	{ TIOCNOTTY, 0, 0 }, { TIOCEXCL, 0, 0 }, { TIOCNXCL, 0, 0 },
};

int64_t call_ioctl(struct context *context, const uint64_t *a)
{
	struct process *process = context->process;
	struct file *file = file_get(process, (int)a[0]);
	uint8_t bytes[64] = { 0 };
	int32_t value;

	if (!file || (fcntl(file->host, F_GETFL) & O_PATH))
		return -EBADF;
	switch ((uint32_t)a[1]) {
	case FIONBIO:
		if (guest_get(context, a[2], &value, sizeof value))
			return -EFAULT;
		file->nonblock = value;
		return 0;
	case FIOCLEX:
	case FIONCLEX:
		process->files->list[(int)a[0]].close_on_exec =
			(uint32_t)a[1] == FIOCLEX;
		return 0;
	case FIOASYNC:
		return 0;
	case TIOCGPGRP:
	case TIOCGSID:
		if (!isatty(file->host))
			return -ENOTTY;
		value = (uint32_t)a[1] == TIOCGSID
				? process->session
				: process->system->foreground_group;
		return guest_put(context, a[2], &value, sizeof value);
	case TIOCSPGRP:
		if (!isatty(file->host))
			return -ENOTTY;
		if (guest_get(context, a[2], &value, sizeof value))
			return -EFAULT;
		process->system->foreground_group = value;
		return 0;
	case TIOCSCTTY:
		return isatty(file->host) ? 0 : -ENOTTY;
	default:
		break;
	}
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		int64_t result;

		if (requests[i].number != (uint32_t)a[1])
			continue;
		if (!requests[i].size)
			return host_result(
				ioctl(file->host, requests[i].number, a[2]));
		if ((requests[i].way & IN) &&
		    guest_get(context, a[2], bytes, requests[i].size))
			return -EFAULT;
		result = host_result(
			ioctl(file->host, requests[i].number, bytes));
		if (result >= 0 && (requests[i].way & OUT) &&
		    guest_put(context, a[2], bytes, requests[i].size))
			return -EFAULT;
		return result;
	}
	return -ENOTTY;
}
