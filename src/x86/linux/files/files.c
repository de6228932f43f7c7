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
#include "x86/linux/async/async.h"
#include "x86/linux/calls.h"
#include "x86/linux/files/files.h"
#include "x86/linux/files/lock.h"
#include "x86/linux/landlock/landlock.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/signals/signal.h"
#include "x86/linux/state.h"
#include "x86/linux/time/clock.h"
#include "x86/linux/wait.h"

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

/* Frees a descriptor, and the record locks of its table on the file. */
static void descriptor_close(struct linux_system *system,
			     struct file_table *table, int at)
{
	struct file *file = table->list[at].file;

	if (!file)
		return;
	lock_descriptor_closed(system, table, file);
	if (file->events && file->events->descriptor_closed)
		file->events->descriptor_closed(table, file);
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
	if (file->events && file->events->released)
		file->events->released(file);
	namespace_release(file->namespace.object);
	if (file->socket.cookie_end)
		close(file->socket.cookie_end);
	async_forget(file);
	landlock_file_forget(file);
	if (!file->borrowed)
		close(file->host);
	free(file->positions.list);
	free(file->listing.entries);
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

int descriptor_limit(const struct process *process)
{
	uint64_t limit = process->limit[RLIMIT_NOFILE][0];

	if (limit > process->system->descriptors_max)
		limit = process->system->descriptors_max;
	return limit > 65536 ? 65536 : (int)limit;
}

int files_may_fork(const struct process *process)
{
	uint64_t highest = 0;

	for (int i = 0; i < process->files->count; i++)
		if (process->files->list[i].file)
			highest = (uint64_t)i + 1;
	/* Linux counts in words of 64 descriptors, the first for nothing. */
	highest = (highest + 63) / 64 * 64;
	return highest > NR_OPEN_LEAST &&
			       highest > process->system->descriptors_max
		       ? -EMFILE : 0;
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
	if (a[2] & 2) { /* UNSHARE */
		if (process->files->references > 1 && files_may_fork(process))
			return -EMFILE;
		files_unshare(process);
	}
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

/* ---- flock ---- */

/* Retries every millisecond, since the host gives no other way to wait. */
static int64_t wait_retry(struct context *context, const char *what)
{
	context->wait.deadline =
		clock_monotonic(context->process->system) + 1000000;
	return wait_for(context, WAIT_TIME, what);
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
		file->pipe.writes = i == 1 && !(a[1] & O_DIRECT);
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
