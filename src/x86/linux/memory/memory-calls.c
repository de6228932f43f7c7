/* Calls that leave what is mapped as it is: advice, locks, memory of others. */
#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/uio.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/files/files.h"
#include "x86/linux/identity/capability.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/memory/memory.h"
#include "x86/linux/memory/page.h"
#include "x86/linux/memory/place.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/state.h"

/* Advice that Linux knows and that needs nothing done here. */
static bool advice_harmless(int advice)
{
	switch (advice) {
	case MADV_NORMAL:
	case MADV_RANDOM:
	case MADV_SEQUENTIAL:
	case MADV_WILLNEED:
	case MADV_MERGEABLE:
	case MADV_UNMERGEABLE:
	case MADV_HUGEPAGE:
	case MADV_NOHUGEPAGE:
	case MADV_COLD:
	case MADV_PAGEOUT:
	case 22: /* MADV_POPULATE_READ */
	case 23: /* MADV_POPULATE_WRITE */
		return true;
	default:
		return false;
	}
}

/* Advice that a region remembers: which flags it sets and clears. */
struct mark {
	int advice;
	unsigned set, clear;
};

static const struct mark *mark_of(int advice)
{
	static const struct mark marks[] = {
		{ MADV_DONTFORK, SPACE_DONT_FORK, 0 },
		{ MADV_DOFORK, 0, SPACE_DONT_FORK },
		{ MADV_WIPEONFORK, SPACE_WIPE_ON_FORK, 0 },
		{ MADV_DONTDUMP, SPACE_DONT_DUMP, 0 },
		{ MADV_DODUMP, 0, SPACE_DONT_DUMP },
		{ MADV_KEEPONFORK, 0, SPACE_WIPE_ON_FORK },
	};

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (marks[i].advice == advice)
			return marks + i;
	return NULL;
}

/* Advice that removes contents, from this process or its children. */
static bool discards(int advice)
{
	return advice == MADV_DONTNEED || advice == MADV_FREE ||
	       advice == MADV_REMOVE || advice == MADV_DONTFORK ||
	       advice == MADV_WIPEONFORK;
}

/* A process that may write to sealed memory may clear it, too. */
static bool sealed_for_reading(const struct space *space, uint64_t start,
			       uint64_t end)
{
	const struct space_region *region = space_region_above(space, start);

	for (; region && region->start < end;
	     region = space_region_above(space, region->end))
		if ((region->flags & SPACE_SEALED) && region->anonymous &&
		    !region->shared && !(region->protection & SPACE_WRITE))
			return true;
	return false;
}

static int advise_region(struct space *space, const struct space_region *region,
			 uint64_t at, uint64_t stop, int advice)
{
	const struct mark *mark = mark_of(advice);

	if (advice_harmless(advice))
		return 0;
	if (mark) {
		if (advice == MADV_WIPEONFORK &&
		    (region->shared || !region->anonymous))
			return -EINVAL;
		return space_set_flags(space, at, stop - at, mark->set,
				       mark->clear);
	}
	if (advice == MADV_FREE) {
		if (!region->anonymous || region->shared)
			return -EINVAL;
		advice = MADV_DONTNEED; /* the same now and for sure */
	} else if (region->flags & SPACE_LOCKS) {
		return -EINVAL;
	}
	if (advice == MADV_REMOVE &&
	    (!region->shared || !(region->protection & SPACE_WRITE)))
		return region->shared ? -EACCES : -EINVAL;
	return space_advise(space, at, stop - at, advice);
}

int64_t call_madvise(struct context *context, const uint64_t *a)
{
	struct space *space = context->cpu->space;
	uint64_t size = page_up(a[1]), end = a[0] + size;
	int advice = (int)a[2], result;
	bool hole = false;

	if (!advice_harmless(advice) && !mark_of(advice) &&
	    advice != MADV_DONTNEED &&
	    advice != MADV_FREE && advice != MADV_REMOVE)
		return -EINVAL;
	if (a[0] % SPACE_PAGE || size < a[1] || end < a[0])
		return -EINVAL;
	if (discards(advice) && sealed_for_reading(space, a[0], end))
		return -EPERM;
	for (uint64_t at = a[0]; at < end;) {
		const struct space_region *region =
			space_region_above(space, at);
		uint64_t stop;

		if (!region || region->start > at) {
			hole = true;
			if (!region)
				break;
			at = region->start;
			continue;
		}
		stop = region->end < end ? region->end : end;
		result = advise_region(space, region, at, stop, advice);
		if (result)
			return result;
		at = stop;
	}
	return hole ? -ENOMEM : 0;
}

/* The mapped parts are written even when some of the range is not mapped. */
int64_t call_msync(struct context *context, const uint64_t *a)
{
	struct space *space = context->cpu->space;
	const int known = MS_ASYNC | MS_INVALIDATE | MS_SYNC;
	uint64_t end = a[0] + page_up(a[1]);
	bool hole = false;

	if (a[0] % SPACE_PAGE || ((int)a[2] & ~known) ||
	    ((a[2] & MS_ASYNC) && (a[2] & MS_SYNC)))
		return -EINVAL;
	if (end < a[0])
		return -ENOMEM;
	for (uint64_t at = a[0], stop; at < end; at = stop) {
		const struct space_region *region =
			space_region_above(space, at);
		uint8_t *host;

		if (!region || region->start > at) {
			hole = true;
			if (!region || region->start >= end)
				break;
			stop = region->start;
			continue;
		}
		if ((a[2] & MS_INVALIDATE) && (region->flags & SPACE_LOCKS))
			return -EBUSY;
		host = space_chunk(space, at,
				   region->end < end ? region->end : end,
				   &stop);
		if (host && region->shared &&
		    msync(host, stop - at, (int)a[2]) != 0)
			return -errno;
	}
	return hole ? -ENOMEM : 0;
}

int64_t call_mincore(struct context *context, const uint64_t *a)
{
	struct space *space = context->cpu->space;
	uint64_t pages = page_up(a[1]) / SPACE_PAGE;
	uint8_t resident[1024];

	if (a[0] % SPACE_PAGE)
		return -EINVAL;
	if (!memory_range_valid(context, a[0], a[1]) ||
	    !space_check(space, a[0], page_up(a[1]), 0))
		return -ENOMEM;
	for (uint64_t at = 0; at < pages;) {
		uint64_t start = a[0] + at * SPACE_PAGE, stop;
		const uint64_t most = sizeof resident;
		uint64_t count = pages - at < most ? pages - at : most;
		uint8_t *host = space_chunk(space, start,
					    start + count * SPACE_PAGE, &stop);

		count = (stop - start) / SPACE_PAGE;
		memset(resident, 0, sizeof resident);
		if (host && mincore(host, stop - start, resident) != 0)
			return -errno;
		if (guest_put(context, a[2] + at, resident, count))
			return -EFAULT;
		at += count;
	}
	return 0;
}

/* ---- Locks ---- */

/* Memory is never taken away from a guest: a lock is remembered, and makes
 * pages present. */

static void add_locked(void *owner, const struct space_region *region)
{
	if (region->flags & SPACE_LOCKS)
		*(uint64_t *)owner += region->end - region->start;
}

uint64_t memory_locked(const struct guest_memory *memory)
{
	uint64_t sum = 0;

	space_visit(memory->space, add_locked, &sum);
	return sum;
}

bool memory_may_lock(const struct context *context, uint64_t size)
{
	const struct process *process = context->process;
	uint64_t limit = process->limit[RLIMIT_MEMLOCK][0];

	return has_capability(process, CAP_IPC_LOCK) ||
	       (size <= limit && memory_locked(process->memory) <= limit - size);
}

/* Locks or unlocks mapped pages. */
static int64_t lock_range(struct context *context, const uint64_t *a,
			  unsigned set)
{
	struct space *space = context->cpu->space;
	uint64_t start = a[0] & ~(uint64_t)(SPACE_PAGE - 1);
	uint64_t size = page_up(a[1] + (a[0] - start)), stop;
	int result;

	if (set && !has_capability(context->process, CAP_IPC_LOCK) &&
	    !context->process->limit[RLIMIT_MEMLOCK][0])
		return -EPERM;
	if (set && !memory_may_lock(context, size))
		return -ENOMEM;
	if (size < a[1] || start + size < start)
		return -EINVAL;
	if (!size)
		return 0;
	result = space_set_flags(space, start, size, set, SPACE_LOCKS);
	if (result || !(set & SPACE_LOCKED))
		return result;
	/* As far as they can be (22 reads, and 23 writes them). */
	for (uint64_t at = start, end = start + size; at < end; at = stop) {
		uint8_t *host = space_chunk(space, at, end, &stop);

		if (host && madvise(host, stop - at, 23) != 0)
			madvise(host, stop - at, 22);
	}
	return 0;
}

int64_t call_mlock(struct context *context, const uint64_t *a)
{
	return lock_range(context, a, SPACE_LOCKED);
}

int64_t call_mlock2(struct context *context, const uint64_t *a)
{
	if (a[2] & ~(uint64_t)MLOCK_ONFAULT)
		return -EINVAL;
	return lock_range(context, a, a[2] ? SPACE_LOCK_ON_FAULT
					   : SPACE_LOCKED);
}

int64_t call_munlock(struct context *context, const uint64_t *a)
{
	return lock_range(context, a, 0);
}

/* Everything that is mapped. */
static void lock_all(struct space *space, unsigned set)
{
	const struct space_region *region = space_region_above(space, 0);
	uint64_t end;

	for (; region; region = space_region_above(space, end)) {
		end = region->end;
		space_set_flags(space, region->start, end - region->start, set,
				SPACE_LOCKS);
	}
}

int64_t call_mlockall(struct context *context, const uint64_t *a)
{
	struct guest_memory *memory = context->process->memory;
	unsigned set = a[0] & MCL_ONFAULT ? SPACE_LOCK_ON_FAULT : SPACE_LOCKED;

	if (!a[0] || a[0] == MCL_ONFAULT ||
	    (a[0] & ~(uint64_t)(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT)))
		return -EINVAL;
	if (!has_capability(context->process, CAP_IPC_LOCK)) {
		if (!context->process->limit[RLIMIT_MEMLOCK][0])
			return -EPERM;
		if ((a[0] & MCL_CURRENT) && !memory_may_lock(context, UINT64_MAX))
			return -ENOMEM;
	}
	memory->lock_future = (uint8_t)(a[0] & MCL_FUTURE ? set : 0);
	if (a[0] & MCL_CURRENT)
		lock_all(memory->space, set);
	return 0;
}

int64_t call_munlockall(struct context *context, const uint64_t *a)
{
	struct guest_memory *memory = context->process->memory;

	(void)a;
	memory->lock_future = 0;
	lock_all(memory->space, 0);
	return 0;
}

/* At most a page between memory of the caller and another process's; either
 * may turn out to have no bytes. */
static int copy_process_piece(struct context *context, struct process *other,
			      uint64_t address, uint8_t *bytes, size_t size,
			      bool write)
{
	struct space *own = context->cpu->space, *space = other->memory->space;
	uint8_t page[SPACE_PAGE];

	if (write)
		return space_copy(own, page, bytes, size) ||
		       space_write(space, address, page, size);
	return space_read(space, address, page, size) ||
	       space_copy(own, bytes, page, size);
}

static int64_t copy_other(struct context *context, const uint64_t *a,
			  bool write)
{
	struct context *thread =
		context_find(context->process->system, (int)a[0]);
	struct process *other = thread ? thread->process : NULL;
	unsigned word = context->abi32 ? 4 : 8;
	struct iovec *local = xcalloc(IOV_MAX, sizeof *local);
	int count = guest_vectors(context, a[1], a[2], !write, local), at = 0;
	int64_t done = 0, result = 0;
	size_t used = 0;

	if (count < 0)
		result = count;
	else if (a[5] || a[4] > IOV_MAX)
		result = -EINVAL;
	else if (!other || !other->memory)
		result = -ESRCH;
	else if (!ptrace_may_access(context->process, other))
		result = -EPERM;
	for (uint64_t i = 0; !result && i < a[4]; i++) {
		uint64_t address, size;

		if (guest_get_word(context, a[3] + 2 * i * word, &address) ||
		    guest_get_word(context, a[3] + (2 * i + 1) * word, &size))
			result = -EFAULT;
		while (!result && size && at < count) {
			size_t piece = local[at].iov_len - used;
			uint8_t *bytes =
				(uint8_t *)local[at].iov_base + used;

			if (piece > size)
				piece = (size_t)size;
			if (piece > SPACE_PAGE)
				piece = SPACE_PAGE;
			if (copy_process_piece(context, other, address, bytes,
					       piece, write))
				result = -EFAULT;
			else
				done += (int64_t)piece;
			address += piece;
			size -= piece;
			used += piece;
			if (used == local[at].iov_len) {
				at++;
				used = 0;
			}
		}
	}
	free(local);
	return done ? done : result;
}

int64_t call_process_vm_readv(struct context *context, const uint64_t *a)
{
	return copy_other(context, a, false);
}

int64_t call_process_vm_writev(struct context *context, const uint64_t *a)
{
	return copy_other(context, a, true);
}

int64_t call_membarrier(struct context *context, const uint64_t *a)
{
	if (a[1])
		return -EINVAL;
	/* Guest threads take turns: every barrier is already complete. */
	switch ((int)a[0]) {
	case 0: /* QUERY: GLOBAL, PRIVATE_EXPEDITED and its registration */
		return 1 | 8 | 16;
	case 1:
		return 0;
	case 8: /* PRIVATE_EXPEDITED */
		return context->process->barriers ? 0 : -EPERM;
	case 16: /* its registration */
		context->process->barriers = true;
		return 0;
	default:
		return -EINVAL;
	}
}

int64_t call_memfd_create(struct context *context, const uint64_t *a)
{
	char name[256];
	int length = guest_get_string(context, a[0], name, sizeof name);

	if (length < 0)
		return length == -ENAMETOOLONG ? -EINVAL : length;
	return file_install_host(
		context->process,
		memfd_create(name, (unsigned)a[1] | MFD_CLOEXEC),
		a[1] & MFD_CLOEXEC, false);
}
