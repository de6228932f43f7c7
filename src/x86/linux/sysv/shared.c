/* System V shared memory. A segment is an unnamed file of the host's that
 * each attachment maps; how often it is attached is counted in the lists of
 * mapped regions, which fork() and munmap() keep right. */
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/identity/capability.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/memory/memory.h"
#include "x86/linux/memory/place.h"
#include "x86/linux/state.h"
#include "x86/linux/sysv/object.h"

enum {
	STAT_ANY = 15, /* SHM_STAT_ANY */
	HUGE = 04000,  /* SHM_HUGETLB */
};
/* shmmax and shmall: ULONG_MAX - (1 << 24), cut to each ABI's long. */
#define SIZE_LIMIT(word) ((word) - (UINT64_C(1) << 24))

struct segment {
	struct ipc_object object;
	uint64_t size;
	int file;
	dev_t device;
	ino_t inode;
	char name[32];   /* as /proc/self/maps shows it */
	int creator_pid, last_pid;
	int64_t attached, detached; /* seconds */
};

static struct segment *find_segment(struct context *context, uint64_t id)
{
	return (struct segment *)ipc_find(context,
					  IPC_SHARED, (int)id);
}

void shared_free(struct ipc_object *object)
{
	struct segment *segment = (struct segment *)object;

	/* Memory that once mapped it keeps the file open. */
	if (segment->file >= 0) {
		while (ftruncate(segment->file, 0) != 0 && errno == EINTR)
			;
		close(segment->file);
	}
	free(segment);
}

static uint64_t pages(uint64_t size)
{
	return (size + SPACE_PAGE - 1) / SPACE_PAGE;
}

/* ---- Who has it attached ---- */

struct count {
	const struct segment *segment;
	uint64_t regions;
};

static bool maps(const struct space_region *region,
		 const struct segment *segment)
{
	return region->shared && region->device == segment->device &&
	       region->inode == segment->inode;
}

static void count_region(void *owner, const struct space_region *region)
{
	struct count *count = owner;

	count->regions += maps(region, count->segment);
}

static uint64_t attachments(struct linux_system *system,
			    const struct segment *segment,
			    const struct guest_memory *without)
{
	struct count count = { segment, 0 };

	for (const struct process *process = system->processes; process;
	     process = process->next) {
		const struct process *other = system->processes;

		/* vfork() and CLONE_VM: one memory, counted once. */
		while (other->memory != process->memory)
			other = other->next;
		if (other == process && process->memory &&
		    process->memory != without)
			space_visit(process->memory->space, count_region,
				    &count);
	}
	return count.regions;
}

/* Frees a removed segment when nobody has it any more. */
static void release(struct linux_system *system, struct segment *segment,
		    const struct guest_memory *without)
{
	if (!(segment->object.mode & SHM_DEST) ||
	    attachments(system, segment, without))
		return;
	ipc_remove(system, &segment->object);
	shared_free(&segment->object);
}

/* munmap() may have taken the last attachment away. */
static void release_all(struct linux_system *system,
			const struct guest_memory *without)
{
	for (const struct sysv_ipc *ipc = sysv_of(system); ipc;
	     ipc = ipc->next) {
		const struct ipc_table *table = ipc->tables + IPC_SHARED;

		for (size_t i = 0; i < table->capacity; i++)
			if (table->list[i])
				release(system,
					(struct segment *)table->list[i],
					without);
	}
}

static void note_left(struct process *process, const struct ipc_table *table)
{
	struct linux_system *system = process->system;

	for (size_t i = 0; i < table->capacity; i++) {
		struct segment *segment = (struct segment *)table->list[i];
		struct count count = { segment, 0 };

		if (!segment)
			continue;
		space_visit(process->memory->space, count_region, &count);
		if (count.regions) {
			segment->detached = ipc_seconds(system);
			segment->last_pid = process->pid;
		}
	}
}

void shared_memory_left(struct process *process)
{
	if (!process->memory || process->memory->references > 1)
		return;
	for (const struct sysv_ipc *ipc = process->system->ipc; ipc;
	     ipc = ipc->next)
		note_left(process, ipc->tables + IPC_SHARED);
	release_all(process->system, process->memory);
}

/* ---- Calls ---- */

static uint64_t all_pages(struct context *context)
{
	const struct ipc_table *table = ipc_of(context)->tables + IPC_SHARED;
	uint64_t sum = 0;

	for (size_t i = 0; i < table->capacity; i++)
		if (table->list[i])
			sum += pages(((struct segment *)table->list[i])->size);
	return sum;
}

static int64_t create_segment(struct context *context, int32_t key,
			      uint64_t size, uint64_t flags)
{
	struct segment *segment = xcalloc(1, sizeof *segment);
	struct stat status;
	int64_t id = -ENOMEM;

	snprintf(segment->name, sizeof segment->name,
		 "/SYSV%08" PRIx32 " (deleted)", (uint32_t)key);
	segment->size = size;
	segment->creator_pid = context->process->pid;
	segment->file = memfd_create("SYSV", MFD_CLOEXEC);
	if (segment->file >= 0 &&
	    ftruncate(segment->file,
		      (off_t)(pages(size) * SPACE_PAGE)) == 0 &&
	    fstat(segment->file, &status) == 0) {
		segment->device = status.st_dev;
		segment->inode = status.st_ino;
		id = ipc_add(context, &segment->object, IPC_SHARED, key, flags,
			     sysv_setting(context, IPC_SEGMENTS));
	}
	if (id < 0)
		shared_free(&segment->object);
	return id;
}

int64_t call_shmget(struct context *context, const uint64_t *a)
{
	struct ipc_object *found;
	int result;

	release_all(context->process->system, NULL);
	result = ipc_look_up(context, IPC_SHARED, (int32_t)a[0], a[2],
			     &found);
	if (result)
		return result;
	if (found) {
		if (a[1] > ((struct segment *)found)->size)
			return -EINVAL;
		result = ipc_permitted(context, found, a[2] & 0777);
		return result ? result : found->id;
	}
	if (!a[1] || a[1] > sysv_setting(context, IPC_SEGMENT_BYTES) ||
	    a[1] > SIZE_LIMIT(INT64_MAX))
		return -EINVAL;
	if (pages(a[1]) > sysv_setting(context, IPC_SHARED_PAGES) ||
	    all_pages(context) >
		    sysv_setting(context, IPC_SHARED_PAGES) - pages(a[1]))
		return -ENOSPC;
	if (!(a[2] & HUGE))
		return create_segment(context, (int32_t)a[0], a[1], a[2]);
	/* Huge pages have to be set aside, and none are. */
	return has_capability(context->process, CAP_IPC_LOCK) ? -ENOMEM
							      : -EPERM;
}

int64_t call_shmat(struct context *context, const uint64_t *a)
{
	struct guest_memory *memory = context->process->memory;
	struct linux_system *system = context->process->system;
	uint64_t hint = a[1], place = 0;
	int flags = (int)a[2], protection = SPACE_READ, result;
	unsigned wanted = IPC_ANY_READ;
	struct segment *segment;
	int64_t address;

	if ((int)a[0] < 0)
		return -EINVAL;
	if (hint % SPACE_PAGE) {
		if (!(flags & SHM_RND))
			return -EINVAL;
		hint -= hint % SPACE_PAGE;
	}
	if (!hint && (flags & SHM_REMAP))
		return -EINVAL;
	if (!(flags & SHM_RDONLY)) {
		protection |= SPACE_WRITE;
		wanted |= IPC_ANY_WRITE;
	}
	if (flags & SHM_EXEC) {
		protection |= SPACE_EXECUTE;
		wanted |= 0111;
	}
	release_all(system, NULL);
	segment = find_segment(context, a[0]);
	if (!segment)
		return -EINVAL;
	result = ipc_permitted(context, &segment->object, wanted);
	if (result)
		return result;
	if (hint)
		place = flags & SHM_REMAP ? MAP_FIXED : MAP_FIXED_NOREPLACE;
	address = memory_place(memory, hint, pages(segment->size) * SPACE_PAGE,
			       place);
	if (address < 0)
		return address == -EEXIST ? -EINVAL : address;
	result = space_map(memory->space, (uint64_t)address,
			   pages(segment->size) * SPACE_PAGE, protection,
			   true, segment->file, 0,
			   memory_share(memory, segment->name,
					segment->file));
	if (result)
		return result;
	segment->attached = ipc_seconds(system);
	segment->last_pid = context->process->pid;
	return address;
}

/* Finds what shmat() made at an address, or what is left of it. */
struct search {
	const struct ipc_table *table; /* of some namespace */
	uint64_t address;
	struct segment *segment;
	uint64_t start, end; /* of the next piece; end 0: none */
};

static void search_segment_region(void *owner,
				  const struct space_region *region)
{
	struct search *search = owner;
	const struct ipc_table *table = search->table;

	if (search->end || region->start < search->address ||
	    region->start - search->address != region->offset)
		return;
	for (size_t i = 0; i < table->capacity; i++) {
		struct segment *segment = (struct segment *)table->list[i];

		if (!segment || !maps(region, segment) ||
		    (search->segment && search->segment != segment))
			continue;
		search->segment = segment;
		search->start = region->start;
		search->end = region->end;
	}
}

int64_t call_shmdt(struct context *context, const uint64_t *a)
{
	struct linux_system *system = context->process->system;
	struct space *space = context->cpu->space;
	struct search search = { .address = a[0] };

	if (a[0] % SPACE_PAGE)
		return -EINVAL;
	for (const struct sysv_ipc *ipc = sysv_of(system);
	     ipc && !search.segment; ipc = ipc->next) {
		search.table = ipc->tables + IPC_SHARED;
		do {
			search.end = 0;
			space_visit(space, search_segment_region, &search);
			if (search.end)
				space_unmap(space, search.start,
					    search.end - search.start);
		} while (search.end);
	}
	if (!search.segment)
		return -EINVAL;
	search.segment->detached = ipc_seconds(system);
	search.segment->last_pid = context->process->pid;
	release_all(system, NULL);
	return 0;
}

/* ---- Control ---- */

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
		  attachments(system, segment, NULL));
	return guest_put(context, address, buffer, structure_bytes[layout]);
}

void shared_print(struct linux_system *system, const struct ipc_object *object,
		  FILE *out)
{
	const struct segment *segment = (const struct segment *)object;
	struct stat file = { 0 };

	fstat(segment->file, &file);
	fprintf(out, " %21" PRIu64 " %5d %5d  %5" PRIu64, segment->size,
		segment->creator_pid, segment->last_pid,
		attachments(system, segment, NULL));
	ipc_print_owner(object, out);
	fprintf(out, " %10" PRId64 " %10" PRId64 " %10" PRId64 " %21" PRIu64
		" %21d\n", segment->attached, segment->detached,
		object->changed, (uint64_t)file.st_blocks * 512, 0);
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

	/* A 64-bit kernel cuts this one. */
	if (layout != IPC_64_BITS && words[0] > INT32_MAX)
		words[0] = INT32_MAX;
	for (unsigned i = 0; i < count; i++)
		if (guest_put_word(context,
				   address + i * (context->abi32 ? 4 : 8),
				   words[i]))
			return -EFAULT;
	return ipc_highest(context, IPC_SHARED);
}

/* struct shm_info: how much there is. All of it counts as present. */
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
			words[1] += pages(segment->size);
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
	release(context->process->system, segment, NULL);
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
	release_all(system, NULL);
	if (command == IPC_INFO)
		return limits(context, layout, a[2]);
	if (command == SHM_INFO)
		return usage(context, a[2]);
	if (command == SHM_STAT || command == STAT_ANY)
		segment = (struct segment *)ipc_at_index(context, IPC_SHARED,
							 (int)a[0]);
	else
		segment = find_segment(context, a[0]);
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
	case SHM_LOCK: /* memory is never taken away from a guest */
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
