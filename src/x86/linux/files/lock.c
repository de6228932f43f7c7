/* Record locks (fcntl): the host's belong to a process, and to the host all
 * guests are one, so that guests' locks against each other are kept here.
 *
 * As in Linux a lock is owned by a descriptor table (POSIX) or by an open
 * file (F_OFD_*). Locks are also set on the host, as locks of the open file,
 * for the sake of other host processes; where that is not possible because
 * the same owner holds the range through another open file, they are not. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/files/lock.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/state.h"
#include "x86/linux/time/clock.h"
#include "x86/linux/wait.h"

struct record_lock {
	dev_t device;
	ino_t inode;
	const void *owner;  /* struct file_table or struct file */
	int pid;            /* -1 of an open file */
	struct file *file;  /* open as long as the lock is held */
	short type;
	int64_t start, end; /* both inclusive */
};

struct lock_table {
	struct record_lock *list;
	size_t count, capacity;
};

/* struct flock as the ABI of the call has it: field offsets. */
struct layout {
	unsigned start, length, pid, word;
};

static struct layout lock_layout(const struct context *context, bool wide)
{
	if (!context->abi32)
		return (struct layout){ 8, 16, 24, 8 };
	if (wide)
		return (struct layout){ 4, 12, 20, 8 };
	return (struct layout){ 4, 8, 12, 4 };
}

static bool same_file(const struct record_lock *a, const struct record_lock *b)
{
	return a->device == b->device && a->inode == b->inode;
}

static bool overlap(const struct record_lock *a, const struct record_lock *b)
{
	return same_file(a, b) && a->start <= b->end && b->start <= a->end;
}

/* The first conflicting lock of the file. */
static const struct record_lock *conflict(const struct lock_table *table,
					  const struct record_lock *lock)
{
	const struct record_lock *first = NULL;

	for (size_t i = 0; i < table->count; i++) {
		const struct record_lock *other = table->list + i;

		if (other->owner != lock->owner && overlap(other, lock) &&
		    (other->type == F_WRLCK || lock->type == F_WRLCK) &&
		    (!first || other->start < first->start))
			first = other;
	}
	return first;
}

static void add_lock(struct lock_table *table, const struct record_lock *lock)
{
	ARRAY_GROW(table->list, table->count, table->capacity);
	table->list[table->count++] = *lock;
}

/* Removes a range from its owner's locks. */
static void cut_out_range(struct lock_table *table,
			  const struct record_lock *range)
{
	for (size_t i = table->count; i-- > 0;) {
		struct record_lock *old = table->list + i, upper = *old;
		bool low = old->start < range->start;
		bool high = old->end > range->end;

		if (old->owner != range->owner || !overlap(old, range))
			continue;
		if (high)
			upper.start = range->end + 1;
		if (low)
			old->end = range->start - 1;
		else if (high)
			*old = upper;
		else
			*old = table->list[--table->count];
		if (low && high)
			add_lock(table, &upper);
	}
}

/* Joins a lock with its owner's neighbours of the same type. */
static void join(struct lock_table *table, struct record_lock *lock)
{
	for (size_t i = table->count; i-- > 0;) {
		const struct record_lock *old = table->list + i;

		if (old->owner != lock->owner || old->file != lock->file ||
		    old->type != lock->type ||
		    (old->end != INT64_MAX && old->end + 1 < lock->start) ||
		    (lock->end != INT64_MAX && lock->end + 1 < old->start))
			continue;
		if (old->start < lock->start)
			lock->start = old->start;
		if (old->end > lock->end)
			lock->end = old->end;
		table->list[i] = table->list[--table->count];
		i = table->count;
	}
}

/* ---- The host's side ---- */

static int set_on_host(const struct file *file, short type, int64_t start,
		       int64_t end)
{
	struct flock lock = {
		.l_type = type, .l_whence = SEEK_SET, .l_start = start,
		.l_len = end == INT64_MAX ? 0 : end - start + 1,
	};

	return fcntl(file->host, F_OFD_SETLK, &lock) ? -errno : 0;
}

/* Removes a range from an open file's locks in the table. */
static void set_again(const struct lock_table *table, const struct file *file,
		      const struct record_lock *range)
{
	set_on_host(file, F_UNLCK, range->start, range->end);
	for (size_t i = 0; i < table->count; i++)
		if (table->list[i].file == file &&
		    overlap(table->list + i, range))
			set_on_host(file, table->list[i].type,
				    table->list[i].start, table->list[i].end);
}

/* Removes a range, on the host too. The owner may have locked parts of the
 * range through several open files. */
static void take_back(struct lock_table *table, const struct record_lock *range)
{
	struct file *files[16];
	size_t count = 0;

	for (size_t i = 0; i < table->count; i++) {
		const struct record_lock *old = table->list + i;
		size_t at = 0;

		if (old->owner != range->owner || !overlap(old, range))
			continue;
		while (at < count && files[at] != old->file)
			at++;
		if (at == count && count < ARRAY_SIZE(files))
			files[count++] = old->file;
	}
	cut_out_range(table, range);
	for (size_t i = 0; i < count; i++)
		set_again(table, files[i], range);
}

static bool held_elsewhere(const struct lock_table *table,
			   const struct record_lock *lock)
{
	for (size_t i = 0; i < table->count; i++)
		if (table->list[i].owner == lock->owner &&
		    table->list[i].file != lock->file &&
		    overlap(table->list + i, lock))
			return true;
	return false;
}

/* ---- Waking ---- */

static void wake(struct linux_system *system)
{
	for (struct context *context = system->contexts; context;
	     context = context->next)
		if (!context->ended && context->wait.kind == WAIT_LOCK)
			context->wait.woken = true;
}

static const struct context *waiter(const struct linux_system *system,
				    const void *owner)
{
	for (const struct context *context = system->contexts; context;
	     context = context->next)
		if (!context->ended && context->wait.kind == WAIT_LOCK &&
		    context->process->files == owner)
			return context;
	return NULL;
}

/* Whether waiting for `blocker` would close a circle. */
static bool deadlock(const struct linux_system *system, const void *owner,
		     const void *blocker)
{
	for (int limit = 0; limit < 64; limit++) {
		const struct context *next;

		if (blocker == owner)
			return true;
		next = waiter(system, blocker);
		if (!next)
			return false;
		blocker = next->wait.lock_owner;
	}
	return false;
}

/* ---- Closing ---- */

static void forget(struct linux_system *system, size_t at)
{
	struct lock_table *table = system->locks;
	struct record_lock gone = table->list[at];

	table->list[at] = table->list[--table->count];
	set_again(table, gone.file, &gone);
	wake(system);
}

void lock_descriptor_closed(struct linux_system *system, const void *owner,
			    const struct file *file)
{
	struct record_lock of = { 0 };
	struct stat status;

	if (!system->locks || !system->locks->count ||
	    fstat(file->host, &status) != 0)
		return;
	of.device = status.st_dev;
	of.inode = status.st_ino;
	for (size_t i = system->locks->count; i-- > 0;)
		if (system->locks->list[i].owner == owner &&
		    same_file(system->locks->list + i, &of))
			forget(system, i);
}

void lock_file_closed(struct linux_system *system, const struct file *file)
{
	struct lock_table *table = system->locks;

	for (size_t i = table ? table->count : 0; i-- > 0;)
		if (table->list[i].file == file)
			forget(system, i);
}

size_t lock_count(const struct linux_system *system)
{
	return system->locks ? system->locks->count : 0;
}

void lock_free(struct linux_system *system)
{
	if (!system->locks)
		return;
	free(system->locks->list);
	free(system->locks);
	system->locks = NULL;
}

/* ---- fcntl ---- */

static int64_t clip(int64_t value, const struct layout *layout)
{
	return layout->word == 4 && value > INT32_MAX ? INT32_MAX : value;
}

/* Reads the range: from `from` + `start` on; with a negative length, up to
 * there; with length 0, to the end of all files. */
static int read_range(struct record_lock *lock, int64_t from, int64_t start,
		      int64_t length)
{
	if (__builtin_add_overflow(from, start, &start))
		return -EOVERFLOW;
	if (start < 0 || (length < 0 && start + length < 0))
		return -EINVAL;
	lock->start = length < 0 ? start + length : start;
	lock->end = length < 0 ? start - 1 : INT64_MAX;
	if (length > 0 &&
	    __builtin_add_overflow(start, length - 1, &lock->end))
		return -EOVERFLOW;
	return 0;
}

static int read_lock(struct context *context, struct file *file,
		     uint64_t address, const struct layout *layout,
		     struct record_lock *lock)
{
	int64_t from = 0, start = 0, length = 0;
	struct stat status;
	int16_t whence;
	int result;

	if (guest_get(context, address, &lock->type, 2) ||
	    guest_get(context, address + 2, &whence, 2) ||
	    guest_get(context, address + layout->start, &start,
		      layout->word) ||
	    guest_get(context, address + layout->length, &length,
		      layout->word))
		return -EFAULT;
	if (layout->word == 4) {
		start = (int32_t)start;
		length = (int32_t)length;
	}
	if (fstat(file->host, &status) != 0)
		return -errno;
	lock->device = status.st_dev;
	lock->inode = status.st_ino;
	lock->file = file;
	if (whence == SEEK_CUR)
		from = lseek(file->host, 0, SEEK_CUR);
	else if (whence == SEEK_END)
		from = status.st_size;
	else if (whence != SEEK_SET)
		return -EINVAL;
	result = read_range(lock, from, start, length);
	if (result)
		return result;
	return lock->type == F_RDLCK || lock->type == F_WRLCK ||
			       lock->type == F_UNLCK
		       ? 0
		       : -EINVAL;
}

static int put_lock(struct context *context, uint64_t address,
		    const struct layout *layout,
		    const struct record_lock *lock)
{
	int64_t start, length;
	int16_t whence = SEEK_SET, type = F_UNLCK;

	if (!lock)
		return guest_put(context, address, &type, sizeof type);
	type = lock->type;
	start = clip(lock->start, layout);
	length = lock->end == INT64_MAX
			 ? 0
			 : clip(lock->end - lock->start + 1, layout);
	return guest_put(context, address, &type, sizeof type) ||
			       guest_put(context, address + 2, &whence,
					 sizeof whence) ||
			       guest_put(context, address + layout->start,
					 &start, layout->word) ||
			       guest_put(context, address + layout->length,
					 &length, layout->word) ||
			       guest_put(context, address + layout->pid,
					 &lock->pid, 4)
		       ? -EFAULT
		       : 0;
}

static int64_t test(struct context *context, uint64_t address,
		    const struct layout *layout,
		    const struct record_lock *lock)
{
	const struct record_lock *other;
	struct flock host = {
		.l_type = lock->type, .l_whence = SEEK_SET,
		.l_start = lock->start,
		.l_len = lock->end == INT64_MAX
				 ? 0
				 : lock->end - lock->start + 1,
	};
	struct record_lock outside = *lock;

	if (lock->type == F_UNLCK)
		return -EINVAL;
	other = conflict(context->process->system->locks, lock);
	if (other)
		return put_lock(context, address, layout, other);
	/* Locks of open files (pid -1) are probably the simulator's. */
	if (fcntl(lock->file->host, F_GETLK, &host) != 0)
		return -errno;
	if (host.l_type == F_UNLCK || host.l_pid < 0)
		return put_lock(context, address, layout, NULL);
	outside.type = host.l_type;
	outside.start = host.l_start;
	outside.end = host.l_len ? host.l_start + (host.l_len - 1) : INT64_MAX;
	outside.pid = 0;
	return put_lock(context, address, layout, &outside);
}

static int64_t set_lock(struct context *context, struct record_lock *lock,
			bool wait)
{
	struct linux_system *system = context->process->system;
	struct lock_table *table = system->locks;
	const struct record_lock *other;
	int mode = fcntl(lock->file->host, F_GETFL), result;

	if (lock->type == F_UNLCK) {
		take_back(table, lock);
		wake(system);
		return 0;
	}
	if (mode < 0 || (mode & O_PATH) ||
	    (mode & O_ACCMODE) == (lock->type == F_WRLCK ? O_RDONLY : O_WRONLY))
		return -EBADF;
	other = conflict(table, lock);
	if (other) {
		if (!wait)
			return -EAGAIN;
		if (lock->pid >= 0 &&
		    deadlock(system, lock->owner, other->owner))
			return -EDEADLK;
		context->wait.lock_owner = other->owner;
		context->wait.deadline = INT64_MAX;
		return wait_for(context, WAIT_LOCK, "a file lock");
	}
	if (!held_elsewhere(table, lock)) {
		result = set_on_host(lock->file, lock->type, lock->start,
				     lock->end);
		if (result == -EAGAIN && wait) {
			/* A process outside the simulator: look again after a
			 * while. */
			context->wait.lock_owner = NULL;
			context->wait.deadline =
				clock_monotonic(system) + 1000000;
			return wait_for(context, WAIT_LOCK,
					"a file lock of another program");
		}
		if (result)
			return result;
	}
	cut_out_range(table, lock);
	join(table, lock);
	add_lock(table, lock);
	wake(system); /* a write lock may have become a read lock */
	return 0;
}

int64_t lock_call(struct context *context, struct file *file, int command,
		  uint64_t address, bool wide)
{
	struct linux_system *system = context->process->system;
	bool own_file = command == F_OFD_GETLK || command == F_OFD_SETLK ||
			command == F_OFD_SETLKW;
	struct layout layout = lock_layout(context, wide);
	struct record_lock lock = { 0 };
	int result = read_lock(context, file, address, &layout, &lock);
	int32_t pid;

	if (result)
		return result;
	if (!system->locks)
		system->locks = xcalloc(1, sizeof *system->locks);
	lock.owner = own_file ? (const void *)file : context->process->files;
	lock.pid = own_file ? -1 : context->process->pid;
	if (own_file) {
		if (guest_get(context, address + layout.pid, &pid, 4))
			return -EFAULT;
		if (pid)
			return -EINVAL;
	}
	if (command == F_GETLK || command == F_OFD_GETLK)
		return test(context, address, &layout, &lock);
	return set_lock(context, &lock,
			command == F_SETLKW || command == F_OFD_SETLKW);
}
