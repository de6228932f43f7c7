/* The address space of a guest process: layout, birth, fork, end. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/aio/aio.h"
#include "x86/linux/memory/ldt.h"
#include "x86/linux/memory/memory.h"
#include "x86/linux/memory/page.h"
#include "x86/linux/random.h"
#include "x86/linux/state.h"

/* Where the stack ends: as a 64-bit kernel lays out an i386 process without
 * randomization; for x86-64 below what AddressSanitizer keeps for its shadow
 * memory, or, when a program or its stack is large, at the end of what a space
 * has at first. */
#define STACK_TOP_32 UINT64_C(0xffffe000)
#define STACK_TOP_64 UINT64_C(0x7fff7000)
#define STACK_TOP_LARGE ((UINT64_C(1) << SPACE_X86_64_BITS) - SPACE_PAGE)
#define LARGE (UINT64_C(1) << 30)

/* Addresses of an x86-64 program. */
#define END_64 (UINT64_C(1) << 47)

enum { STACK_DEFAULT = 8 << 20, STACK_GAP = 1 << 20 };

static uint64_t random_for_guest(void *owner)
{
	return random_next(owner);
}

void memory_lay_out(struct guest_memory *memory,
		    const struct linux_options *options, uint64_t image_end)
{
	uint64_t stack = page_up(options->stack_size ? options->stack_size
						     : STACK_DEFAULT);
	bool large = image_end > LARGE || stack > LARGE / 2;

	memory->stack_high = memory->abi32 ? STACK_TOP_32 :
			     large ? STACK_TOP_LARGE : STACK_TOP_64;
	memory->stack_low = memory->stack_high - stack;
	memory->map_top = memory->stack_low - STACK_GAP;
}

static struct guest_memory *create_space(struct linux_system *system,
					 bool abi32, uint64_t size,
					 struct error *error)
{
	struct guest_memory *memory = xcalloc(1, sizeof *memory);
	const struct linux_options *options = system->options;

	memory->references = 1;
	memory->serial = ++system->memory_serial;
	memory->abi32 = abi32;
	if (!system->decoder[abi32])
		system->decoder[abi32] = x86_decoder_create(
			abi32 ? X86_MODE_32 : X86_MODE_64,
			abi32 ? options->model_i386 : options->model_x86_64,
			error);
	if (system->decoder[abi32])
		memory->space = space_create_far(size, abi32 ? size : END_64,
						 error);
	if (memory->space)
		memory->emulator = x86_emulator_create_with(
			system->decoder[abi32], memory->space);
	if (memory->emulator)
		x86_emulator_set_random(memory->emulator, random_for_guest,
					system);
	if (!memory->emulator) {
		space_free(memory->space);
		free(memory);
		return NULL;
	}
	if (options->time_stamp)
		x86_emulator_set_time(memory->emulator, options->time_stamp,
				      options->now_owner);
	if (options->foreign_markers)
		x86_foreign_markers(memory->emulator);
	if (options->last_instruction_size)
		x86_last_instruction(memory->emulator,
				     options->last_instruction,
				     options->last_instruction_size);
	memory_lay_out(memory, options, 0);
	return memory;
}

struct guest_memory *memory_create(struct linux_system *system, bool abi32,
				   struct error *error)
{
	return create_space(system, abi32,
			    UINT64_C(1) << (abi32 ? 32 : SPACE_X86_64_BITS),
			    error);
}

void memory_release(struct guest_memory *memory)
{
	if (!memory || --memory->references)
		return;
	x86_emulator_free(memory->emulator);
	space_free(memory->space);
	for (size_t i = 0; i < memory->shared_count; i++) {
		free(memory->shared[i].name);
		close(memory->shared[i].file);
	}
	free(memory->shared);
	aio_free(memory);
	memory_set_program(memory, NULL);
	free(memory->executable);
	free(memory->command_line);
	free(memory->environment);
	free(memory->auxiliary);
	free(memory->ldt);
	free(memory);
}

void memory_set_program(struct guest_memory *memory,
			struct program_file *program)
{
	struct program_file *old = memory->program;

	memory->program = program;
	if (program)
		program->references++;
	if (!old || --old->references)
		return;
	close(old->host);
	free(old);
}

void memory_open_program(struct guest_memory *memory, int host)
{
	struct program_file *program = xcalloc(1, sizeof *program);

	program->host = host;
	memory_set_program(memory, program);
}

const char *memory_share(struct guest_memory *memory, const char *name,
			 int file)
{
	struct shared_object *object;
	struct stat status = { 0 };
	bool taken = false;

	fstat(file, &status);
	for (size_t i = 0; i < memory->shared_count; i++) {
		object = memory->shared + i;
		if (object->device == status.st_dev &&
		    object->inode == status.st_ino &&
		    !strncmp(object->name, name, strlen(name)))
			return object->name;
		taken |= !strcmp(object->name, name);
	}
	ARRAY_GROW(memory->shared, memory->shared_count,
		   memory->shared_capacity);
	object = memory->shared + memory->shared_count++;
	/* Another file of that name: it was replaced in the meantime. */
	object->name = taken ? xasprintf("%s (%zu)", name,
					 memory->shared_count)
			     : xstrdup(name);
	object->device = status.st_dev;
	object->inode = status.st_ino;
	object->file = fcntl(file, F_DUPFD_CLOEXEC, 0);
	return object->name;
}

/* ---- fork ---- */

struct copy {
	const struct guest_memory *from;
	struct guest_memory *to;
	int result;
};

static int map_shared(const struct copy *copy,
		      const struct space_region *region)
{
	const struct guest_memory *to = copy->to;

	const uint64_t size = region->end - region->start;
	unsigned flags = region->flags & ~(unsigned)SPACE_LOCKS;

	for (size_t i = 0; i < to->shared_count; i++) {
		int result;

		if (strcmp(to->shared[i].name, region->name) != 0)
			continue;
		result = space_map(to->space, region->start, size,
				   region->protection, true, to->shared[i].file,
				   region->offset, region->name);
		if (!result && flags)
			space_set_flags(to->space, region->start, size, flags,
					0);
		return result;
	}
	return 0;
}

static void copy_region(void *owner, const struct space_region *region)
{
	struct copy *copy = owner;

	if (!copy->result && !(region->flags & SPACE_DONT_FORK))
		copy->result = region->shared
			? map_shared(copy, region)
			: space_fork_region(copy->from->space, copy->to->space,
					    region);
}

struct guest_memory *memory_fork(struct linux_system *system,
				 const struct guest_memory *from,
				 struct error *error)
{
	struct guest_memory *to =
		create_space(system, from->abi32, from->space->size, error);
	struct copy copy = { .from = from, .to = to };

	if (!to)
		return NULL;
	to->break_start = from->break_start;
	to->break_end = from->break_end;
	to->map_top = from->map_top;
	to->stack_low = from->stack_low;
	to->stack_high = from->stack_high;
	to->sigreturn = from->sigreturn;
	to->executable = xstrdup(from->executable ? from->executable : "");
	memory_set_program(to, from->program);
	to->command_line_size = from->command_line_size;
	to->command_line = xmalloc(from->command_line_size + 1);
	memcpy(to->command_line, from->command_line, from->command_line_size);
	to->environment_size = from->environment_size;
	to->environment = xmalloc(from->environment_size + 1);
	memcpy(to->environment, from->environment, from->environment_size);
	to->auxiliary_size = from->auxiliary_size;
	to->auxiliary = xmalloc(from->auxiliary_size + 1);
	memcpy(to->auxiliary, from->auxiliary, from->auxiliary_size);
	ldt_copy(to, from);
	for (size_t i = 0; i < from->shared_count; i++)
		memory_share(to, from->shared[i].name, from->shared[i].file);
	copy.result = space_fork_prepare(from->space);
	space_visit(from->space, copy_region, &copy);
	if (copy.result) {
		error_set(error, "cannot copy the memory of a process: %s",
			  strerror(-copy.result));
		memory_release(to);
		return NULL;
	}
	return to;
}

/* ---- Regions that grow down ---- */

/* Addresses that Linux keeps free below such a region (its stack_guard_gap). */
#define GUARD_BELOW (UINT64_C(256) * SPACE_PAGE)

uint64_t memory_guard_below(const struct space_region *region)
{
	return region->flags & SPACE_GROWS_DOWN ? GUARD_BELOW : 0;
}

bool memory_grow_down(struct guest_memory *memory, uint64_t address,
		      uint64_t limit)
{
	const uint64_t page = address - address % SPACE_PAGE;
	const struct space_region *region, *below;

	if (address < GUARD_BELOW)
		return false;
	region = space_region_above(memory->space, address);
	if (!region || region->start <= address || !region->anonymous ||
	    !(region->flags & SPACE_GROWS_DOWN) || region->end - page > limit)
		return false;
	below = space_region_above(memory->space, page - GUARD_BELOW);
	if (below != region && below->protection &&
	    !(below->flags & SPACE_GROWS_DOWN))
		return false;
	return space_extend_down(memory->space, region->start, page) == 0;
}
