/* Names for guest addresses, and the report of an uncaught fault. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/linux/process.h"

static struct elf_image *find_image(struct linux_system *system,
				    const char *path)
{
	struct image_cache *entry;

	for (size_t i = 0; i < system->image_count; i++)
		if (!strcmp(system->images[i].path, path))
			return system->images[i].image;
	ARRAY_GROW(system->images, system->image_count,
		   system->image_capacity);
	entry = system->images + system->image_count++;
	entry->path = xstrdup(path);
	entry->image = elf_open(path, NULL);
	return entry->image;
}

void symbol_describe(struct linux_system *system, struct space *space,
		     uint64_t address, char *text, size_t size)
{
	const struct space_region *region = space_region_at(space, address);
	const char *base, *name = NULL;
	struct elf_image *image;
	uint64_t offset, in_file, distance;

	text[0] = 0;
	if (!region)
		return;
	if (region->name[0] != '/') {
		snprintf(text, size, "%s", region->name);
		return;
	}
	offset = region->offset + (address - region->start);
	base = strrchr(region->name, '/') + 1;
	image = find_image(system, region->name);
	if (image && elf_address_of_offset(image, offset, &in_file))
		name = elf_symbol_at(image, in_file, &distance);
	if (name)
		snprintf(text, size, "%s+0x%" PRIx64 " in %s", name, distance,
			 base);
	else
		snprintf(text, size, "%s+0x%" PRIx64, base, offset);
}

static const char *access_name(const struct signal_information *information)
{
	if (information->vector != 14)
		return "at";
	if (information->error_code & 16)
		return "executing";
	return information->error_code & 2 ? "writing" : "reading";
}

/* Return addresses found by walking frame pointers; best effort. */
static size_t backtrace(struct linux_system *system, struct context *context,
			char *text, size_t size)
{
	struct x86_cpu *cpu = context->cpu;
	unsigned word = cpu->mode == X86_MODE_64 ? 8 : 4;
	uint64_t frame = cpu->reg[X86_RBP];
	size_t used = 0;

	for (int depth = 0; depth < 16; depth++) {
		uint64_t next = 0, from = 0;
		char symbol[200];

		if (frame % word ||
		    space_read(cpu->space, frame, &next, word) ||
		    space_read(cpu->space, frame + word, &from, word) ||
		    !space_check(cpu->space, from, 1, SPACE_EXECUTE))
			break;
		symbol_describe(system, cpu->space, from, symbol,
				sizeof symbol);
		used += (size_t)snprintf(text + used, size - used,
					 "\n  called from 0x%" PRIx64 " %s",
					 from, symbol);
		if (used >= size)
			return size - 1;
		if (next <= frame)
			break;
		frame = next;
	}
	return used;
}

void fault_report(struct context *context,
		  const struct signal_information *information)
{
	static const char *const names[] = {
		"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
		"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"
	};
	struct linux_system *system = context->process->system;
	struct x86_cpu *cpu = context->cpu;
	bool wide = cpu->mode == X86_MODE_64;
	char instruction[200] = "not mapped", symbol[200], text[4096];
	size_t used;

	symbol_describe(system, cpu->space, cpu->rip, symbol, sizeof symbol);
	if (space_check(cpu->space, cpu->rip, 1, SPACE_EXECUTE))
		x86_describe_instruction(cpu, instruction,
					 sizeof instruction);
	used = (size_t)snprintf(
		text, sizeof text,
		"process %d (%s), context %d: %s (%s) %s 0x%" PRIx64
		"\n  at 0x%" PRIx64 " %s\n  %s\n ",
		context->process->pid, context->process->name, context->tid,
		signal_name(information->number),
		strsignal(information->number), access_name(information),
		information->address, cpu->rip, symbol, instruction);
	for (int i = 0; i < (wide ? 16 : 8); i++)
		used += (size_t)snprintf(
			text + used, sizeof text - used,
			wide ? " %s %016" PRIx64 "%s" : " %s %08" PRIx64 "%s",
			wide ? names[i] : (const char[4]){
				'e', names[i][1], names[i][2], 0 },
			cpu->reg[i], i % 4 == 3 ? "\n " : "");
	used += (size_t)snprintf(text + used, sizeof text - used,
				 " eflags %08" PRIx32, x86_eflags(cpu));
	backtrace(system, context, text + used, sizeof text - used);
	log_warning(system->log, "%s", text);
}
