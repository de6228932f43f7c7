/* Threads, and the files of their code. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "m2s/profile/internal.h"
#include "x86/emu/step.h"

struct machine_profile *machine_profile_create(unsigned width)
{
	struct machine_profile *profile = xcalloc(1, sizeof *profile);

	profile->width = width;
	profile->idle = x86_profile_create(NULL, NULL);
	return profile;
}

void machine_profile_free(struct machine_profile *profile)
{
	if (!profile)
		return;
	for (size_t i = 0; i < profile->thread_count; i++) {
		x86_profile_free(profile->thread[i]->profile);
		free(profile->thread[i]->program);
		free(profile->thread[i]);
	}
	for (size_t i = 0; i < profile->file_count; i++) {
		if (profile->file[i].lines)
			dwarf_end(profile->file[i].lines);
		if (profile->file[i].image)
			elf_free(profile->file[i].image);
		free(profile->file[i].name);
	}
	x86_profile_free(profile->idle);
	free(profile->thread);
	free(profile->file);
	free(profile);
}

/* The number of the file behind a region. */
static uint32_t file_of(struct machine_profile *profile,
			const struct space_region *region)
{
	for (size_t i = 0; i < profile->file_count; i++)
		if (profile->file[i].device == region->device &&
		    profile->file[i].inode == region->inode)
			return (uint32_t)i;
	ARRAY_GROW(profile->file, profile->file_count, profile->file_capacity);
	profile->file[profile->file_count] = (struct profile_file){
		.name = xstrdup(region->name),
		.device = region->device,
		.inode = region->inode,
	};
	return (uint32_t)profile->file_count++;
}

/* An address keeps the file and the bytes that it has when it is first seen. */
static void made(void *owner, struct x86_profile_row *row)
{
	struct profile_thread *thread = owner;
	const struct space_region *region =
		space_region_at(thread->space, row->address);

	row->file = PROFILE_NO_FILE;
	row->offset = row->address;
	if (!region)
		return;
	if (!region->anonymous && region->name[0] == '/') {
		row->file = file_of(thread->owner, region);
		row->offset = row->address - region->start + region->offset;
	}
	for (row->size = sizeof row->code; row->size; row->size--)
		if (!space_read(thread->space, row->address, row->code,
				row->size))
			break;
}

struct x86_profile *machine_profile_of(struct machine_profile *profile,
				       struct context *thread)
{
	struct profile_thread *found = NULL;
	uint64_t memory;

	if (!thread)
		return profile->idle;
	memory = linux_memory_serial(thread);
	for (size_t i = profile->thread_count; i-- && !found;)
		if (profile->thread[i]->thread == linux_thread_id(thread) &&
		    profile->thread[i]->memory == memory)
			found = profile->thread[i];
	if (!found) {
		found = xcalloc(1, sizeof *found);
		found->owner = profile;
		found->process = linux_process_id(thread);
		found->thread = linux_thread_id(thread);
		found->memory = memory;
		found->program = xstrdup(linux_program(thread));
		found->wide = linux_cpu(thread)->address_mask != 0xffffffff;
		found->profile = x86_profile_create(made, found);
		ARRAY_GROW(profile->thread, profile->thread_count,
			   profile->thread_capacity);
		profile->thread[profile->thread_count++] = found;
	}
	found->space = linux_cpu(thread)->space;
	return found->profile;
}

void machine_profile_visit(const struct machine_profile *profile,
			   void (*row)(void *owner,
				       const struct x86_profile_row *row,
				       bool wide),
			   void *owner)
{
	for (size_t i = 0; i < profile->thread_count; i++) {
		const struct profile_thread *thread = profile->thread[i];

		for (size_t k = 0; k < thread->profile->count; k++)
			row(owner, thread->profile->row[k], thread->wide);
	}
}
