/* System V shared memory. A segment is an unnamed file of the host, which each
 * attachment maps. The lists of mapped regions, which fork() and munmap() keep
 * up to date, give the number of attachments. */
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
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
#include "x86/linux/sysv/shared.h"

enum { HUGE = 04000 /* SHM_HUGETLB */ };
/* shmmax and shmall: ULONG_MAX - (1 << 24), cut to each ABI's long. */
#define SIZE_LIMIT(word) ((word) - (UINT64_C(1) << 24))

struct segment *shared_find(struct context *context, uint64_t id)
{
	return (struct segment *)ipc_find(context,
					  IPC_SHARED, (int)id);
}

void shared_free(struct ipc_object *object)
{
	struct segment *segment = (struct segment *)object;

	/* Memory that once mapped the file keeps it open. */
	if (segment->file >= 0) {
		while (ftruncate(segment->file, 0) != 0 && errno == EINTR)
			;
		close(segment->file);
	}
	free(segment);
}

uint64_t shared_pages(uint64_t size)
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

uint64_t shared_attachments(struct linux_system *system,
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

/* Frees a removed segment without attachments. */
void shared_release(struct linux_system *system, struct segment *segment,
		    const struct guest_memory *without)
{
	if (!(segment->object.mode & SHM_DEST) ||
	    shared_attachments(system, segment, without))
		return;
	ipc_remove(system, &segment->object);
	shared_free(&segment->object);
}

/* munmap() may have taken the last attachment away. */
void shared_release_all(struct linux_system *system,
			const struct guest_memory *without)
{
	for (const struct sysv_ipc *ipc = sysv_of(system); ipc;
	     ipc = ipc->next) {
		const struct ipc_table *table = ipc->tables + IPC_SHARED;

		for (size_t i = 0; i < table->capacity; i++)
			if (table->list[i])
				shared_release(system,
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
	shared_release_all(process->system, process->memory);
}

/* ---- Calls ---- */

static uint64_t all_pages(struct context *context)
{
	const struct ipc_table *table = ipc_of(context)->tables + IPC_SHARED;
	uint64_t sum = 0;

	for (size_t i = 0; i < table->capacity; i++)
		if (table->list[i])
			sum += shared_pages(
				((struct segment *)table->list[i])->size);
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
		      (off_t)(shared_pages(size) * SPACE_PAGE)) == 0 &&
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

	shared_release_all(context->process->system, NULL);
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
	if (shared_pages(a[1]) > sysv_setting(context, IPC_SHARED_PAGES) ||
	    all_pages(context) > sysv_setting(context, IPC_SHARED_PAGES) -
					 shared_pages(a[1]))
		return -ENOSPC;
	if (!(a[2] & HUGE))
		return create_segment(context, (int32_t)a[0], a[1], a[2]);
	/* No huge pages are set aside. */
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
	shared_release_all(system, NULL);
	segment = shared_find(context, a[0]);
	if (!segment)
		return -EINVAL;
	result = ipc_permitted(context, &segment->object, wanted);
	if (result)
		return result;
	if (hint)
		place = flags & SHM_REMAP ? MAP_FIXED : MAP_FIXED_NOREPLACE;
	address = memory_place(memory, hint,
			       shared_pages(segment->size) * SPACE_PAGE, place);
	if (address < 0)
		return address == -EEXIST ? -EINVAL : address;
	result = space_map(memory->space, (uint64_t)address,
			   shared_pages(segment->size) * SPACE_PAGE, protection,
			   true, segment->file, 0,
			   memory_share(memory, segment->name, segment->file));
	if (result)
		return result;
	segment->attached = ipc_seconds(system);
	segment->last_pid = context->process->pid;
	return address;
}

/* Searches for the mapping that shmat() made at an address, or its rest. */
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
	shared_release_all(system, NULL);
	return 0;
}

void shared_print(struct linux_system *system, const struct ipc_object *object,
		  FILE *out)
{
	const struct segment *segment = (const struct segment *)object;
	struct stat file = { 0 };

	fstat(segment->file, &file);
	fprintf(out, " %21" PRIu64 " %5d %5d  %5" PRIu64, segment->size,
		segment->creator_pid, segment->last_pid,
		shared_attachments(system, segment, NULL));
	ipc_print_owner(object, out);
	fprintf(out, " %10" PRId64 " %10" PRId64 " %10" PRId64 " %21" PRIu64
		" %21d\n", segment->attached, segment->detached,
		object->changed, (uint64_t)file.st_blocks * 512, 0);
}
