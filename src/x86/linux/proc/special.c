/* Files of /proc that are neither text nor the host's: the memory of a guest
 * process and what lies behind its pages. What the host has under these names
 * is the simulator's own memory. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "x86/linux/files/files.h"
#include "x86/linux/memory/peek.h"
#include "x86/linux/proc/proc.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/state.h"

/* An empty file of the host that has a position, and the guest's rights. */
static int open_position(uint64_t flags)
{
	int memory = memfd_create("position", MFD_CLOEXEC), file;
	char link[64];

	if (memory < 0)
		return -errno;
	snprintf(link, sizeof link, "/proc/self/fd/%d", memory);
	file = open(link, (int)(flags & O_ACCMODE) | O_CLOEXEC);
	file = file < 0 ? -errno : file;
	close(memory);
	return file;
}

int64_t proc_open_special(struct context *context,
			  const struct proc_place *place, uint64_t flags)
{
	bool pagemap = !strcmp(place->row->name, "pagemap");
	struct file *file;
	int host;

	if (!ptrace_may_access(context->process, place->process) ||
	    (pagemap && (flags & O_ACCMODE) != O_RDONLY))
		return -EACCES;
	host = open_position(flags);
	if (host < 0)
		return host;
	file = file_create(host, pagemap ? FILE_PAGEMAP : FILE_MEMORY);
	file->process.pid = place->process->pid;
	if (place->process->memory)
		file->process.memory = place->process->memory->serial;
	return file_install(context->process, file, 0, flags & O_CLOEXEC);
}

/* The memory, or NULL when the process has ended or executed another
 * program. */
static struct guest_memory *memory_of(struct linux_system *system,
				      const struct file *file)
{
	struct process *process = process_find(system, file->process.pid);

	return process && !process->ended && process->memory &&
			       process->memory->serial == file->process.memory
		       ? process->memory : NULL;
}

/* ---- mem ---- */

/* At most a page: the bytes done. */
static size_t copy_memory_piece(struct context *context,
				struct guest_memory *memory, uint64_t address,
				uint8_t *bytes, size_t size, bool write)
{
	struct space *own = context->cpu->space;
	uint8_t page[SPACE_PAGE];

	if (write)
		return space_copy(own, page, bytes, size)
			       ? 0 : memory_poke(memory, address, page, size);
	size = memory_peek(memory, address, page, size);
	return space_copy(own, bytes, page, size) ? 0 : size;
}

static int64_t copy_memory(struct context *context, struct guest_memory *memory,
			   uint64_t address, uint8_t *bytes, size_t size,
			   bool write)
{
	size_t done = 0;

	while (done < size) {
		uint64_t at = address + done;
		size_t piece = SPACE_PAGE - at % SPACE_PAGE, part;

		if (piece > size - done)
			piece = size - done;
		part = copy_memory_piece(context, memory, at, bytes + done,
					 piece, write);
		done += part;
		if (part < piece)
			break;
	}
	return done || !size ? (int64_t)done : -EIO;
}

/* ---- pagemap ---- */

/* An entry (Documentation/admin-guide/mm/pagemap.rst), without what only the
 * superuser sees: which page of the machine it is. */
static uint64_t page_entry(const struct space *space, uint64_t address)
{
	const struct space_region *region = space_region_at(space, address);
	uint8_t *host = space_at(space, address);
	uint8_t resident = 0;
	uint64_t entry;

	if (!region || !host || mincore(host, SPACE_PAGE, &resident) != 0 ||
	    !(resident & 1))
		return 0;
	entry = UINT64_C(1) << 63;
	if (!region->anonymous || region->shared)
		entry |= UINT64_C(1) << 61;
	return entry;
}

static int64_t read_pagemap(struct context *context,
			    const struct guest_memory *memory, uint64_t offset,
			    uint8_t *bytes, size_t size)
{
	size_t done = 0;

	if (offset % 8 || size % 8)
		return -EINVAL;
	for (; done < size; done += 8) {
		uint64_t page = (offset + done) / 8;
		uint64_t entry;

		if (page >= memory->space->end / SPACE_PAGE)
			break;
		entry = page_entry(memory->space, page * SPACE_PAGE);
		if (space_copy(context->cpu->space, bytes + done, &entry, 8))
			return done ? (int64_t)done : -EFAULT;
	}
	return (int64_t)done;
}

/* ---- Both ---- */

bool proc_is_memory(const struct file *file)
{
	return file->kind == FILE_MEMORY || file->kind == FILE_PAGEMAP;
}

int64_t proc_transfer(struct context *context, struct file *file,
		      const struct iovec *list, int count, int64_t offset,
		      bool write)
{
	int64_t at = offset < 0 ? lseek(file->host, 0, SEEK_CUR) : offset;
	struct guest_memory *memory =
		memory_of(context->process->system, file);
	int64_t done = 0, part = 0;
	int access = fcntl(file->host, F_GETFL) & O_ACCMODE;

	if (access == (write ? O_RDONLY : O_WRONLY))
		return -EBADF;
	if (!memory)
		return 0;
	for (int i = 0; i < count && part >= 0; i++) {
		uint8_t *bytes = list[i].iov_base;
		size_t size = list[i].iov_len;

		part = file->kind == FILE_MEMORY
			? copy_memory(context, memory, (uint64_t)(at + done),
				      bytes, size, write)
			: read_pagemap(context, memory, (uint64_t)(at + done),
				       bytes, size);
		done += part > 0 ? part : 0;
		if ((size_t)part < size)
			break;
	}
	if (offset < 0 && done > 0)
		lseek(file->host, at + done, SEEK_SET);
	return done ? done : part;
}
