/* Notes of core files: struct elf_prstatus and elf_prpsinfo of either ABI
 * (linux/elfcore.h), and those that describe the process as a whole. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/core/notes.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/signals/information.h"
#include "x86/linux/state.h"

enum {
	STATUS_64 = 336, STATUS_32 = 144, /* struct elf_prstatus */
	STATUS_REGISTERS_64 = 112, STATUS_REGISTERS_32 = 72,
	PROCESS_64 = 136, PROCESS_32 = 124, /* struct elf_prpsinfo */
	ARGUMENTS = 80,
	SIGNAL_INFORMATION = 128,
};

static void note(struct core_bytes *bytes, const char *owner, uint32_t type,
		 const void *description, size_t size)
{
	static const uint8_t zeros[4];
	const size_t name = strlen(owner) + 1;
	const uint32_t header[3] = { (uint32_t)name, (uint32_t)size, type };

	core_put(bytes, header, sizeof header);
	core_put(bytes, owner, name);
	core_put(bytes, zeros, -name & 3);
	core_put(bytes, description, size);
	core_put(bytes, zeros, -size & 3);
}

/* Fields of a structure, one behind the other. */
struct cursor {
	uint8_t *at;
	bool abi32;
};

static void put_number(struct cursor *cursor, uint64_t value, unsigned size)
{
	memcpy(cursor->at, &value, size);
	cursor->at += size;
}

static void put_note_word(struct cursor *cursor, uint64_t value)
{
	put_number(cursor, value, cursor->abi32 ? 4 : 8);
}

/* A time in ns as struct timeval. */
static void put_time(struct cursor *cursor, uint64_t time)
{
	put_note_word(cursor, time / 1000000000);
	put_note_word(cursor, time % 1000000000 / 1000);
}

static uint64_t pending_set(const struct signal_queue *queue)
{
	uint64_t set = 0;

	for (size_t i = 0; i < queue->count; i++)
		set |= UINT64_C(1) << (queue->list[i].number - 1);
	return set;
}

static int parent_id(const struct process *process)
{
	return process->parent ? process->parent->pid : 1;
}

static void put_family(struct cursor *cursor, const struct context *context)
{
	const struct process *process = context->process;

	put_number(cursor, (uint64_t)context->tid, 4);
	put_number(cursor, (uint64_t)parent_id(process), 4);
	put_number(cursor, (uint64_t)process->group, 4);
	put_number(cursor, (uint64_t)process->session, 4);
}

static void put_status(struct core_bytes *bytes, const struct context *context,
		       const struct signal_information *information)
{
	const struct process *process = context->process;
	const bool abi32 = process->memory->abi32;
	const unsigned word = abi32 ? 4 : 8;
	uint8_t image[STATUS_64] = { 0 };
	struct cursor cursor = { image, abi32 };

	put_number(&cursor, (uint64_t)information->number, 4);
	put_number(&cursor, (uint64_t)information->code, 4);
	put_number(&cursor, (uint64_t)information->error, 4);
	put_number(&cursor, (uint64_t)information->number, 4);
	put_note_word(&cursor, pending_set(&context->signals.pending));
	put_note_word(&cursor, context->signals.mask);
	put_family(&cursor, context);
	put_time(&cursor, x86_instructions(context->cpu));
	put_time(&cursor, 0);
	put_time(&cursor, process->account.children_instructions);
	put_time(&cursor, 0);
	for (unsigned i = 0; i < registers_size(abi32) / word; i++)
		put_note_word(&cursor, user_register(context, i, abi32));
	put_number(&cursor, 1, 4); /* floating-point registers follow */
	note(bytes, "CORE", NT_PRSTATUS, image, abi32 ? STATUS_32 : STATUS_64);
}

static void put_process(struct core_bytes *bytes, const struct context *context)
{
	const struct process *process = context->process;
	const struct guest_memory *memory = process->memory;
	const bool abi32 = memory->abi32;
	size_t length = memory->command_line_size;
	uint8_t image[PROCESS_64] = { 0 };
	struct cursor cursor = { image, abi32 };

	put_number(&cursor, 0, 1);
	put_number(&cursor, 'R', 1);
	put_number(&cursor, 0, 1);
	put_number(&cursor, (uint64_t)process->priority.nice, 1);
	if (!abi32)
		cursor.at += 4;
	put_note_word(&cursor, 0);
	put_number(&cursor, process->credentials.user[0], abi32 ? 2 : 4);
	put_number(&cursor, process->credentials.group[0], abi32 ? 2 : 4);
	put_family(&cursor, context);
	memcpy(cursor.at, process->name, sizeof process->name);
	cursor.at += sizeof process->name;
	if (length >= ARGUMENTS)
		length = ARGUMENTS - 1;
	for (size_t i = 0; i < length; i++) {
		char byte = memory->command_line[i];

		cursor.at[i] = byte ? (uint8_t)byte : ' ';
	}
	note(bytes, "CORE", NT_PRPSINFO, image, abi32 ? PROCESS_32
						      : PROCESS_64);
}

/* ---- NT_FILE: what is mapped ---- */

struct files {
	struct core_bytes ranges, names;
	uint64_t count;
	bool abi32;
};

static void put_file(void *owner, const struct space_region *region)
{
	struct files *files = owner;
	const uint64_t range[] = { region->start, region->end,
				   region->offset / SPACE_PAGE };

	if (region->anonymous || region->name[0] != '/')
		return;
	files->count++;
	for (size_t i = 0; i < ARRAY_SIZE(range); i++)
		core_put(&files->ranges, range + i, files->abi32 ? 4 : 8);
	core_put(&files->names, region->name, strlen(region->name) + 1);
}

static void put_files(struct core_bytes *bytes,
		      const struct guest_memory *memory)
{
	const size_t word = memory->abi32 ? 4 : 8;
	const uint64_t page = SPACE_PAGE;
	struct files files = { .abi32 = memory->abi32 };
	struct core_bytes all = { 0 };

	space_visit(memory->space, put_file, &files);
	core_put(&all, &files.count, word);
	core_put(&all, &page, word);
	core_put(&all, files.ranges.list, files.ranges.size);
	core_put(&all, files.names.list, files.names.size);
	if (files.count)
		note(bytes, "CORE", NT_FILE, all.list, all.size);
	free(files.ranges.list);
	free(files.names.list);
	free(all.list);
}

/* ---- All of them ---- */

static void put_set(struct core_bytes *bytes, const struct context *context,
		    const char *owner, uint32_t type)
{
	uint8_t image[REGISTER_SET_MAX];
	size_t size = register_set_image(context, type, image);

	if (size)
		note(bytes, owner, type, image, size);
}

static void put_vectors(struct core_bytes *bytes, const struct context *context)
{
	put_set(bytes, context, "CORE", NT_PRFPREG);
	put_set(bytes, context, "LINUX", NT_PRXFPREG);
	put_set(bytes, context, "LINUX", NT_X86_XSTATE);
}

void core_put_notes(struct core_bytes *bytes, const struct context *context,
		    const struct signal_information *information)
{
	const struct process *process = context->process;
	const struct guest_memory *memory = process->memory;
	uint8_t image[SIGNAL_INFORMATION];

	put_status(bytes, context, information);
	put_process(bytes, context);
	signal_pack(information, memory->abi32, image);
	note(bytes, "CORE", NT_SIGINFO, image, sizeof image);
	note(bytes, "CORE", NT_AUXV, memory->auxiliary, memory->auxiliary_size);
	put_files(bytes, memory);
	put_vectors(bytes, context);
	for (const struct context *other = process->system->contexts; other;
	     other = other->next) {
		if (other == context || other->ended ||
		    other->process != process)
			continue;
		put_status(bytes, other, information);
		put_vectors(bytes, other);
	}
}
