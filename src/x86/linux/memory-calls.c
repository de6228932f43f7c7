/* Calls that leave what is mapped as it is: advice, locks, memory of others. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "x86/linux/process.h"

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
	case MADV_DONTDUMP:
	case MADV_DODUMP:
	case MADV_COLD:
	case MADV_PAGEOUT:
	case 22: /* MADV_POPULATE_READ */
	case 23: /* MADV_POPULATE_WRITE */
		return true;
	default:
		return false;
	}
}

static int advise(struct space *space, const struct space_region *region,
		  uint64_t at, uint64_t stop, int advice)
{
	if (advice_harmless(advice))
		return 0;
	if (advice == MADV_FREE) {
		if (!region->anonymous || region->shared)
			return -EINVAL;
		advice = MADV_DONTNEED; /* the same now and for sure */
	}
	if (advice == MADV_REMOVE && !region->shared)
		return -EINVAL;
	return space_advise(space, at, stop - at, advice);
}

int64_t call_madvise(struct context *context, const uint64_t *a)
{
	struct space *space = context->cpu->space;
	uint64_t size = page_up(a[1]), end = a[0] + size;
	int advice = (int)a[2], result;
	bool hole = false;

	if (!advice_harmless(advice) && advice != MADV_DONTNEED &&
	    advice != MADV_FREE && advice != MADV_REMOVE)
		return -EINVAL;
	if (a[0] % SPACE_PAGE || size < a[1] || end < a[0])
		return -EINVAL;
	for (uint64_t at = a[0]; at < end;) {
		const struct space_region *region = space_region_at(space, at);
		uint64_t stop;

		if (!region) {
			hole = true;
			at += SPACE_PAGE;
			if (at >= space->size)
				break;
			continue;
		}
		stop = region->end < end ? region->end : end;
		result = advise(space, region, at, stop, advice);
		if (result)
			return result;
		at = stop;
	}
	return hole ? -ENOMEM : 0;
}

int64_t call_msync(struct context *context, const uint64_t *a)
{
	struct space *space = context->cpu->space;
	const int known = MS_ASYNC | MS_INVALIDATE | MS_SYNC;

	if (a[0] % SPACE_PAGE || ((int)a[2] & ~known) ||
	    ((a[2] & MS_ASYNC) && (a[2] & MS_SYNC)))
		return -EINVAL;
	if (!a[1])
		return 0;
	if (!memory_range_valid(context, a[0], a[1]) ||
	    !space_check(space, a[0], page_up(a[1]), 0))
		return -ENOMEM;
	if (msync(space->base + a[0], page_up(a[1]), (int)a[2]) != 0)
		return -errno;
	return 0;
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
	for (uint64_t at = 0; at < pages; at += sizeof resident) {
		size_t count = pages - at < sizeof resident
				       ? (size_t)(pages - at)
				       : sizeof resident;

		if (mincore(space->base + a[0] + at * SPACE_PAGE,
			    count * SPACE_PAGE, resident) != 0)
			return -errno;
		if (guest_put(context, a[2] + at, resident, count))
			return -EFAULT;
	}
	return 0;
}

/* Memory is never taken away from a guest: a lock only checks. */
int64_t call_mlock(struct context *context, const uint64_t *a)
{
	uint64_t start = a[0] & ~(uint64_t)(SPACE_PAGE - 1);
	uint64_t size = page_up(a[1] + (a[0] - start));

	if (!a[1])
		return 0;
	if (size < a[1] || start + size < start)
		return -EINVAL;
	if (!space_check(context->cpu->space, start, size, 0))
		return -ENOMEM;
	/* Makes the pages present, as far as they can be (22 reads, and 23
	 * writes them). */
	if (madvise(context->cpu->space->base + start, size, 23) != 0)
		madvise(context->cpu->space->base + start, size, 22);
	return 0;
}

int64_t call_mlock2(struct context *context, const uint64_t *a)
{
	return a[2] & ~UINT64_C(1) ? -EINVAL : call_mlock(context, a);
}

int64_t call_mlockall(struct context *context, const uint64_t *a)
{
	(void)context;
	return !a[0] || (a[0] & ~UINT64_C(7)) || a[0] == 4 ? -EINVAL : 0;
}

static int64_t copy_other(struct context *context, const uint64_t *a,
			  bool write)
{
	struct process *other =
		process_find(context->process->system, (int)a[0]);
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
			if (write ? space_write(other->memory->space, address,
						bytes, piece)
				  : space_read(other->memory->space, address,
					       bytes, piece))
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
	(void)context;
	/* Guest threads take turns: every barrier is already complete. */
	switch ((int)a[0]) {
	case 0: /* QUERY: GLOBAL, PRIVATE_EXPEDITED and its registration */
		return 1 | 8 | 16;
	case 1:
	case 8:
	case 16:
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
