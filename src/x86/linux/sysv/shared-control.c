/* shmctl(), and figures about shared memory. */
#include <errno.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/stat.h>

#include "x86/linux/calls.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/state.h"
#include "x86/linux/sysv/shared.h"

enum {
	STAT_ANY = 15, /* SHM_STAT_ANY */
};

static const struct ipc_field size_field = { { 48, 36, 16 }, { 8, 4, 4 } };
static const struct ipc_field attached = { { 56, 40, 20 }, { 8, 8, 4 } };
static const struct ipc_field detached = { { 64, 48, 24 }, { 8, 8, 4 } };
static const struct ipc_field changed = { { 72, 56, 28 }, { 8, 8, 4 } };
static const struct ipc_field creator_pid = { { 80, 64, 32 }, { 4, 4, 2 } };
static const struct ipc_field last_pid = { { 84, 68, 34 }, { 4, 4, 2 } };
static const struct ipc_field counted = { { 88, 72, 36 }, { 8, 4, 2 } };
static const uint8_t structure_bytes[IPC_LAYOUTS] = { 112, 84, 48 };

static int64_t segment_status(struct context *context,
			      const struct segment *segment,
			      enum ipc_layout layout, uint64_t address)
{
	struct linux_system *system = context->process->system;
	uint8_t buffer[IPC_STRUCTURE_MAX] = { 0 };

	ipc_store_owner(buffer, layout, &segment->object);
	ipc_store(buffer, layout, &size_field, segment->size);
	ipc_store(buffer, layout, &attached, (uint64_t)segment->attached);
	ipc_store(buffer, layout, &detached, (uint64_t)segment->detached);
	ipc_store(buffer, layout, &changed,
		  (uint64_t)segment->object.changed);
	ipc_store(buffer, layout, &creator_pid,
		  (uint64_t)segment->creator_pid);
	ipc_store(buffer, layout, &last_pid, (uint64_t)segment->last_pid);
	ipc_store(buffer, layout, &counted,
		  shared_attachments(system, segment, NULL));
	return guest_put(context, address, buffer, structure_bytes[layout]);
}

static int64_t limits(struct context *context, enum ipc_layout layout,
		      uint64_t address)
{
	const uint64_t segments = sysv_setting(context, IPC_SEGMENTS);
	/* max, min, mni, seg, all, and four unused */
	uint64_t words[9] = {sysv_setting(context, IPC_SEGMENT_BYTES), 1,
			     segments, segments,
			     sysv_setting(context, IPC_SHARED_PAGES)};
	unsigned count = layout == IPC_OLD ? 5 : 9;

	/* A 64-bit kernel cuts this value. */
	if (layout != IPC_64_BITS && words[0] > INT32_MAX)
		words[0] = INT32_MAX;
	for (unsigned i = 0; i < count; i++)
		if (guest_put_word(context,
				   address + i * (context->abi32 ? 4 : 8),
				   words[i]))
			return -EFAULT;
	return ipc_highest(context, IPC_SHARED);
}

/* struct shm_info: sums over segments. All memory counts as present. */
static int64_t usage(struct context *context, uint64_t address)
{
	const struct ipc_table *table = ipc_of(context)->tables + IPC_SHARED;
	uint64_t words[6] = { table->count };

	for (size_t i = 0; i < table->capacity; i++)
		if (table->list[i]) {
			struct segment *segment =
				(struct segment *)table->list[i];
			struct stat file = { 0 };

			fstat(segment->file, &file);
			words[1] += shared_pages(segment->size);
			words[2] += (uint64_t)file.st_blocks * 512 /
				    SPACE_PAGE;
		}
	for (unsigned i = 0; i < 6; i++)
		if (guest_put_word(context,
				   address + i * (context->abi32 ? 4 : 8),
				   words[i]))
			return -EFAULT;
	return ipc_highest(context, IPC_SHARED);
}

static int64_t remove_segment(struct context *context, struct segment *segment)
{
	int result = ipc_owned(context, &segment->object);

	if (result)
		return result;
	/* Stays until the last detaches, but cannot be found by its key. */
	segment->object.mode |= SHM_DEST;
	segment->object.key = IPC_PRIVATE;
	shared_release(context->process->system, segment, NULL);
	return 0;
}

int64_t call_shmctl(struct context *context, const uint64_t *a)
{
	struct linux_system *system = context->process->system;
	int command = (int)a[1];
	enum ipc_layout layout = ipc_layout_of(context, &command);
	uint8_t buffer[IPC_STRUCTURE_MAX];
	struct segment *segment;
	int64_t result = 0;

	if ((int)a[0] < 0 || command < 0)
		return -EINVAL;
	shared_release_all(system, NULL);
	if (command == IPC_INFO)
		return limits(context, layout, a[2]);
	if (command == SHM_INFO)
		return usage(context, a[2]);
	if (command == SHM_STAT || command == STAT_ANY)
		segment = (struct segment *)ipc_at_index(context, IPC_SHARED,
							 (int)a[0]);
	else
		segment = shared_find(context, a[0]);
	if (command == IPC_SET &&
	    guest_get(context, a[2], buffer, structure_bytes[layout]))
		return -EFAULT;
	if (!segment)
		return -EINVAL;
	switch (command) {
	case IPC_STAT:
	case SHM_STAT:
		result = ipc_permitted(context, &segment->object,
				       IPC_ANY_READ);
		/* fall through */
	case STAT_ANY:
		if (!result)
			result = segment_status(context, segment, layout, a[2]);
		return result || command == IPC_STAT ? result
						     : segment->object.id;
	case IPC_SET:
		result = ipc_owned(context, &segment->object);
		return result ? result
			      : ipc_set_owner(context, buffer, layout,
					      &segment->object);
	case IPC_RMID:
		return remove_segment(context, segment);
	case SHM_LOCK: /* the simulator never swaps a guest's memory */
	case SHM_UNLOCK:
		result = ipc_owned(context, &segment->object);
		if (!result)
			segment->object.mode =
				command == SHM_LOCK
					? segment->object.mode | SHM_LOCKED
					: segment->object.mode &
						  ~(unsigned)SHM_LOCKED;
		return result;
	default:
		return -EINVAL;
	}
}
