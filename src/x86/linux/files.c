/* Descriptor tables and open files. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/process.h"

struct file_table *files_create(void)
{
	struct file_table *table = xcalloc(1, sizeof *table);

	table->references = 1;
	return table;
}

struct file_table *files_fork(const struct file_table *from)
{
	struct file_table *table = files_create();

	table->count = from->count;
	table->list = xcalloc((size_t)from->count + 1, sizeof *table->list);
	for (int i = 0; i < from->count; i++) {
		table->list[i] = from->list[i];
		if (table->list[i].file)
			file_hold(table->list[i].file);
	}
	return table;
}

/* Frees a descriptor, and with it its table's record locks on the file. */
static void descriptor_close(struct linux_system *system,
			     struct file_table *table, int at)
{
	struct file *file = table->list[at].file;

	if (!file)
		return;
	lock_descriptor_closed(system, table, file);
	table->list[at].file = NULL;
	if (file->references == 1)
		lock_file_closed(system, file);
	file_release(file);
}

void files_release(struct linux_system *system, struct file_table *table)
{
	if (!table || --table->references)
		return;
	for (int i = 0; i < table->count; i++)
		descriptor_close(system, table, i);
	free(table->list);
	free(table);
}

void files_unshare(struct process *process)
{
	struct file_table *shared = process->files;

	if (shared->references == 1)
		return;
	process->files = files_fork(shared);
	files_release(process->system, shared);
}

void files_close_on_exec(struct linux_system *system,
			 struct file_table *table)
{
	for (int i = 0; i < table->count; i++)
		if (table->list[i].close_on_exec)
			descriptor_close(system, table, i);
}

struct file *file_create(int host, enum file_kind kind)
{
	struct file *file = xcalloc(1, sizeof *file);
	struct stat status;

	file->references = 1;
	file->host = host;
	file->kind = kind;
	if (fstat(host, &status) != 0)
		return file;
	file->is_socket = S_ISSOCK(status.st_mode);
	file->may_block = !S_ISREG(status.st_mode) &&
			  !S_ISDIR(status.st_mode) &&
			  !S_ISLNK(status.st_mode) &&
			  !S_ISBLK(status.st_mode);
	return file;
}

struct file *file_hold(struct file *file)
{
	file->references++;
	return file;
}

void file_release(struct file *file)
{
	if (!file || --file->references)
		return;
	if (file->kind == FILE_TIMER)
		timer_file_forget(file);
	if (file->kind == FILE_PROCESS)
		pidfd_forget(file);
	if (!file->borrowed)
		close(file->host);
	free(file->positions);
	free(file->entries);
	free(file);
}

struct file *file_get(const struct process *process, int descriptor)
{
	const struct file_table *table = process->files;

	if (descriptor < 0 || descriptor >= table->count)
		return NULL;
	return table->list[descriptor].file;
}

static void table_grow(struct file_table *table, int count)
{
	if (count <= table->count)
		return;
	if (count < 2 * table->count)
		count = 2 * table->count;
	if (count < 16)
		count = 16;
	table->list = xrealloc(table->list,
			       (size_t)count * sizeof *table->list);
	memset(table->list + table->count, 0,
	       (size_t)(count - table->count) * sizeof *table->list);
	table->count = count;
}

static int descriptor_limit(const struct process *process)
{
	uint64_t limit = process->limit[RLIMIT_NOFILE][0];

	return limit > 65536 ? 65536 : (int)limit;
}

int64_t file_install(struct process *process, struct file *file, int from,
		     bool close_on_exec)
{
	struct file_table *table = process->files;
	int at = from;

	while (at < table->count && table->list[at].file)
		at++;
	if (at >= descriptor_limit(process)) {
		file_release(file);
		return -EMFILE;
	}
	table_grow(table, at + 1);
	table->list[at] = (struct descriptor){ file, close_on_exec };
	return at;
}

int64_t file_install_host(struct process *process, int host,
			  bool close_on_exec, bool nonblock)
{
	struct file *file;

	if (host < 0)
		return -errno;
	file = file_create(host, FILE_HOST);
	file->nonblock = nonblock;
	return file_install(process, file, 0, close_on_exec);
}

bool file_ready(const struct file *file, short events)
{
	struct pollfd poll_file = { .fd = file->host, .events = events };

	return poll(&poll_file, 1, 0) > 0;
}

/* ---- close, dup ---- */

int64_t call_close(struct context *context, const uint64_t *a)
{
	struct file_table *table = context->process->files;
	struct file *file = file_get(context->process, (int)a[0]);

	if (!file)
		return -EBADF;
	descriptor_close(context->process->system, table, (int)a[0]);
	return 0;
}

int64_t call_close_range(struct context *context, const uint64_t *a)
{
	struct process *process = context->process;
	struct file_table *table;
	uint64_t first = (uint32_t)a[0], last = (uint32_t)a[1];

	if (first > last || (a[2] & ~UINT64_C(6)))
		return -EINVAL;
	if (a[2] & 2) /* UNSHARE */
		files_unshare(process);
	table = process->files;
	for (uint64_t i = first; i <= last && i < (uint64_t)table->count;
	     i++) {
		if (!table->list[i].file)
			continue;
		if (a[2] & 4) { /* CLOEXEC */
			table->list[i].close_on_exec = true;
			continue;
		}
		descriptor_close(process->system, table, (int)i);
	}
	return 0;
}

int64_t call_dup(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);

	if (!file)
		return -EBADF;
	return file_install(context->process, file_hold(file), 0, false);
}

static int64_t dup_to(struct context *context, int from, int to,
		      bool close_on_exec)
{
	struct process *process = context->process;
	struct file *file = file_get(process, from);

	if (!file || to < 0 || to >= descriptor_limit(process))
		return -EBADF;
	table_grow(process->files, to + 1);
	file_hold(file);
	descriptor_close(process->system, process->files, to);
	process->files->list[to] = (struct descriptor){ file, close_on_exec };
	return to;
}

int64_t call_dup2(struct context *context, const uint64_t *a)
{
	if (a[0] == a[1])
		return file_get(context->process, (int)a[0]) ? (int)a[0]
							     : -EBADF;
	return dup_to(context, (int)a[0], (int)a[1], false);
}

int64_t call_dup3(struct context *context, const uint64_t *a)
{
	if (a[0] == a[1] || (a[2] & ~(uint64_t)O_CLOEXEC))
		return -EINVAL;
	return dup_to(context, (int)a[0], (int)a[1], a[2] & O_CLOEXEC);
}

/* ---- fcntl ---- */

/* Retries, a millisecond apart, what the host does not let us wait for. */
static int64_t wait_retry(struct context *context, const char *what)
{
	context->wait.deadline =
		clock_monotonic(context->process->system) + 1000000;
	return wait_for(context, WAIT_TIME, what);
}

static int64_t set_flags(struct file *file, uint64_t flags)
{
	int host = fcntl(file->host, F_GETFL), wanted;
	const int settable = O_APPEND | O_DIRECT | O_NOATIME;

	if (host < 0)
		return -errno;
	wanted = (host & ~settable) | ((int)flags & settable);
	if (wanted != host && fcntl(file->host, F_SETFL, wanted) != 0)
		return -errno;
	file->nonblock = flags & O_NONBLOCK;
	return 0;
}

static int64_t get_flags(const struct context *context,
			 const struct file *file)
{
	int flags = fcntl(file->host, F_GETFL);

	if (flags < 0)
		return -errno;
	flags = (flags & ~(O_NONBLOCK | O_CLOEXEC)) |
		(file->nonblock ? O_NONBLOCK : 0);
	(void)context;
	return flags;
}

/* What Linux allows on a descriptor opened with O_PATH. */
static bool path_command(int command)
{
	return command == F_DUPFD || command == F_DUPFD_CLOEXEC ||
	       command == F_GETFD || command == F_SETFD || command == F_GETFL;
}

static bool owner_exists(const struct process *process, int owner)
{
	for (const struct process *other = process->system->processes; other;
	     other = other->next)
		if (owner > 0 ? other->pid == owner : other->group == -owner)
			return true;
	return false;
}

static int64_t fcntl_call(struct context *context, const uint64_t *a,
			  bool wide)
{
	struct process *process = context->process;
	struct file *file = file_get(process, (int)a[0]);
	struct descriptor *descriptor;

	if (!file)
		return -EBADF;
	descriptor = process->files->list + (int)a[0];
	if ((fcntl(file->host, F_GETFL) & O_PATH) && !path_command((int)a[1]))
		return -EBADF;
	switch ((int)a[1]) {
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
		if ((int)a[2] < 0 || (int)a[2] >= descriptor_limit(process))
			return -EINVAL;
		return file_install(process, file_hold(file), (int)a[2],
				    (int)a[1] == F_DUPFD_CLOEXEC);
	case F_GETFD:
		return descriptor->close_on_exec ? FD_CLOEXEC : 0;
	case F_SETFD:
		descriptor->close_on_exec = a[2] & FD_CLOEXEC;
		return 0;
	case F_GETFL:
		return get_flags(context, file);
	case F_SETFL:
		return set_flags(file, a[2]);
	case 5: /* F_GETLK, F_SETLK, F_SETLKW */
		return lock_call(context, file, F_GETLK, a[2], false);
	case 6:
		return lock_call(context, file, F_SETLK, a[2], false);
	case 7:
		return lock_call(context, file, F_SETLKW, a[2], false);
	case 12: /* the same with 64-bit offsets on i386 */
		return wide ? lock_call(context, file, F_GETLK, a[2], true)
			    : -EINVAL;
	case 13:
		return wide ? lock_call(context, file, F_SETLK, a[2], true)
			    : -EINVAL;
	case 14:
		return wide ? lock_call(context, file, F_SETLKW, a[2], true)
			    : -EINVAL;
	case F_OFD_GETLK:
		return lock_call(context, file, F_OFD_GETLK, a[2], true);
	case F_OFD_SETLK:
		return lock_call(context, file, F_OFD_SETLK, a[2], true);
	case F_OFD_SETLKW:
		return lock_call(context, file, F_OFD_SETLKW, a[2], true);
	case F_GETOWN:
		return file->owner;
	case F_SETOWN:
		if ((int)a[2] && !owner_exists(process, (int)a[2]))
			return -ESRCH;
		file->owner = (int)a[2];
		return 0;
	case F_GETOWN_EX:
		if (guest_put(context, a[2],
			      (int32_t[]){ file->owner < 0 ? F_OWNER_PGRP
							   : F_OWNER_PID,
					   abs(file->owner) }, 8))
			return -EFAULT;
		return 0;
	case F_SETOWN_EX: {
		int32_t owner[2];

		if (guest_get(context, a[2], owner, sizeof owner))
			return -EFAULT;
		if (owner[0] < F_OWNER_TID || owner[0] > F_OWNER_PGRP)
			return -EINVAL;
		if (owner[0] == F_OWNER_PGRP)
			owner[1] = -owner[1];
		if (owner[1] && !owner_exists(process, owner[1]))
			return -ESRCH;
		file->owner = owner[1];
		return 0;
	}
	case F_GETSIG:
		return file->owner_signal;
	case F_SETSIG:
		if (a[2] > SIGNALS)
			return -EINVAL;
		file->owner_signal = (int)a[2];
		return 0;
	case F_GETLEASE:
		return F_UNLCK;
	case F_SETPIPE_SZ:
	case F_GETPIPE_SZ:
	case F_ADD_SEALS:
	case F_GET_SEALS: {
		int result = fcntl(file->host, (int)a[1], (int)a[2]);

		return result < 0 ? -errno : result;
	}
	default:
		return -EINVAL;
	}
}

int64_t call_fcntl(struct context *context, const uint64_t *a)
{
	return fcntl_call(context, a, false);
}

int64_t call_fcntl64(struct context *context, const uint64_t *a)
{
	return fcntl_call(context, a, true);
}

int64_t call_flock(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);

	if (!file)
		return -EBADF;
	if (flock(file->host, (int)a[1] | LOCK_NB) == 0)
		return 0;
	if (errno != EWOULDBLOCK || (a[1] & LOCK_NB))
		return -errno;
	return wait_retry(context, "a file lock (flock)");
}

/* ---- pipes ---- */

int64_t call_pipe2(struct context *context, const uint64_t *a)
{
	struct process *process = context->process;
	bool close_on_exec = a[1] & O_CLOEXEC, nonblock = a[1] & O_NONBLOCK;
	int host[2];
	int32_t guest[2];

	if (a[1] & ~(uint64_t)(O_CLOEXEC | O_NONBLOCK | O_DIRECT))
		return -EINVAL;
	if (pipe2(host, O_CLOEXEC | O_NONBLOCK |
				(a[1] & O_DIRECT ? O_DIRECT : 0)) != 0)
		return -errno;
	for (int i = 0; i < 2; i++) {
		struct file *file = file_create(host[i], FILE_HOST);

		file->nonblock = nonblock;
		file->host_nonblock = true;
		file->is_pipe = i == 1 && !(a[1] & O_DIRECT);
		guest[i] = (int32_t)file_install(process, file, 0,
						 close_on_exec);
		if (guest[i] < 0) {
			uint64_t first = (uint64_t)guest[0];

			if (i == 0)
				close(host[1]);
			else
				call_close(context, &first);
			return guest[i];
		}
	}
	return guest_put(context, a[0], guest, sizeof guest);
}

int64_t call_pipe(struct context *context, const uint64_t *a)
{
	uint64_t b[2] = { a[0], 0 };

	return call_pipe2(context, b);
}

void send_pipe_signal(struct context *context)
{
	signal_send_context(context, &(struct signal_information){
					     .number = SIGPIPE,
					     .code = SI_USER,
					     .pid = context->process->pid,
				     });
}
