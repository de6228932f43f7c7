#include "evergreen/cal-writer.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct bytes {
	uint8_t *data;
	size_t size;
};

static size_t put(struct bytes *to, const void *data, size_t size)
{
	size_t at = to->size;

	to->data = xrealloc(to->data, at + size + 1);
	if (size)
		memcpy(to->data + at, data, size);
	to->size += size;
	return at;
}

static Elf32_Word put_text(struct bytes *to, const char *text)
{
	return (Elf32_Word)put(to, text, strlen(text) + 1);
}

static void put_note(struct bytes *to, uint32_t type, const uint32_t *words,
		     uint32_t count)
{
	const uint32_t head[3] = { 8, 4 * count, type };

	put(to, head, sizeof head);
	put(to, "ATI CAL", 8);
	put(to, words, 4 * (size_t)count);
}

/* An (offset, size) pair for each constant given. */
static void put_given(struct bytes *to, uint32_t type, uint32_t given,
		      uint32_t bytes)
{
	uint32_t pairs[64], count = 0;

	for (uint32_t n = 0; n < 32; n++)
		if (given >> n & 1) {
			pairs[count++] = n * bytes;
			pairs[count++] = bytes;
		}
	put_note(to, type, pairs, count);
}

/* 256 constants, 32 loop constants, 32 booleans. */
static struct bytes data(const struct evg_flow_constants *flow)
{
	static const uint8_t zeros[4096];
	struct bytes all = { 0 };

	put(&all, zeros, sizeof zeros);
	put(&all, flow->loops, sizeof flow->loops);
	for (uint32_t n = 0; n < 32; n++) {
		uint32_t value = flow->bools >> n & 1;

		put(&all, &value, sizeof value);
	}
	return all;
}

static struct bytes notes(const struct cal_kernel *kernel)
{
	const uint32_t program[] = {
		0xa235, 0x30000003, 0xa236, 0xc3, 0x80000079, 248,
		0x80000080, kernel->registers, 0x80000084, kernel->stack,
	};
	const uint32_t buffers[] = { 1, kernel->argument_constants, 0, 15 };
	struct bytes all = { 0 };

	put_note(&all, 2, NULL, 0);
	put_note(&all, 1, program, sizeof program / 4);
	put_note(&all, 10, buffers, 4);
	if (kernel->flow) {
		put_given(&all, 6, kernel->flow->loops_given, 16);
		put_given(&all, 7, kernel->flow->bools_given, 4);
	}
	return all;
}

/* Header, dictionary with two entries (IL text and machine code), notes, code,
 * section names, section headers. */
static struct bytes inner(const struct cal_kernel *kernel)
{
	struct bytes file = { 0 }, note = notes(kernel), names = { 0 };
	struct bytes constants = { 0 };
	Elf32_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, 1,
			     0x64, 1 },
		.e_type = ET_EXEC, .e_machine = 0x7d, .e_version = 1,
		.e_flags = 1, .e_ehsize = sizeof header,
		.e_phoff = sizeof header, .e_phentsize = sizeof(Elf32_Phdr),
		.e_phnum = 3, .e_shentsize = sizeof(Elf32_Shdr),
		.e_shnum = kernel->flow ? 4 : 3,
		.e_shstrndx = 1,
	};
	if (kernel->flow)
		constants = data(kernel->flow);
	uint32_t start = sizeof header + 3 * sizeof(Elf32_Phdr) + 40;
	uint32_t il_size = 16, code_at = start + il_size +
		(uint32_t)note.size;
	const uint32_t dictionary[10] = {
		10, 4, start, il_size, 0,
		kernel->encoding, 4, start + il_size,
		(uint32_t)note.size + kernel->code_size +
			(uint32_t)constants.size, 0,
	};
	Elf32_Phdr segments[3] = {
		{ .p_type = 0x70000002, .p_offset = start - 40,
		  .p_filesz = 40 },
		{ .p_type = PT_NOTE, .p_offset = start + il_size,
		  .p_filesz = (Elf32_Word)note.size },
		{ .p_type = PT_LOAD, .p_offset = code_at,
		  .p_filesz = kernel->code_size + (uint32_t)constants.size },
	};
	Elf32_Shdr sections[4] = { 0 };

	put_text(&names, "");
	sections[1].sh_name = put_text(&names, ".shstrtab");
	sections[1].sh_type = SHT_STRTAB;
	sections[2].sh_name = put_text(&names, ".text");
	sections[2].sh_type = SHT_PROGBITS;
	sections[2].sh_offset = code_at;
	sections[2].sh_size = kernel->code_size;
	sections[3].sh_name = put_text(&names, ".data");
	sections[3].sh_type = SHT_PROGBITS;
	sections[3].sh_offset = code_at + kernel->code_size;
	sections[3].sh_size = (Elf32_Word)constants.size;
	put(&file, &header, sizeof header);
	put(&file, segments, sizeof segments);
	put(&file, dictionary, sizeof dictionary);
	put(&file, "intermediate, il", il_size);
	put(&file, note.data, note.size);
	put(&file, kernel->code, kernel->code_size);
	put(&file, constants.data, constants.size);
	sections[1].sh_offset =
		(Elf32_Off)put(&file, names.data, names.size);
	sections[1].sh_size = (Elf32_Word)names.size;
	header.e_shoff = (Elf32_Off)put(&file, sections,
			       header.e_shnum * sizeof *sections);
	memcpy(file.data, &header, sizeof header);
	free(note.data);
	free(constants.data);
	free(names.data);
	return file;
}

static void put_symbol(struct bytes *symbols, struct bytes *strings,
		       const char *kernel, const char *suffix, size_t value,
		       size_t size, unsigned section)
{
	char *name = xasprintf("__OpenCL_%s_%s", kernel, suffix);
	Elf32_Sym symbol = {
		.st_name = put_text(strings, name),
		.st_value = (Elf32_Addr)value, .st_size = (Elf32_Word)size,
		.st_shndx = (Elf32_Section)section,
	};

	put(symbols, &symbol, sizeof symbol);
	free(name);
}

enum { NONE, NAMES, STRINGS, SYMBOLS, DATA, TEXT, SECTIONS };

uint8_t *cal_write(const struct cal_kernel *kernels, unsigned count,
		   uint16_t machine, size_t *size)
{
	static const char *const names[SECTIONS] = {
		"", ".shstrtab", ".strtab", ".symtab", ".rodata", ".text"
	};
	static const uint32_t types[SECTIONS] = {
		SHT_NULL, SHT_STRTAB, SHT_STRTAB, SHT_SYMTAB, SHT_PROGBITS,
		SHT_PROGBITS
	};
	struct bytes content[SECTIONS] = { { 0 } }, file = { 0 };
	Elf32_Shdr sections[SECTIONS] = { { 0 } };
	Elf32_Sym null_symbol = { 0 };
	Elf32_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, 1 },
		.e_type = ET_EXEC, .e_machine = machine, .e_version = 1,
		.e_ehsize = sizeof header,
		.e_shentsize = sizeof sections[0], .e_shnum = SECTIONS,
		.e_shstrndx = NAMES,
	};

	put(&content[SYMBOLS], &null_symbol, sizeof null_symbol);
	put_text(&content[STRINGS], "");
	put(&content[TEXT], "x", 1); /* nothing is aligned */
	for (unsigned i = 0; i < count; i++) {
		const struct cal_kernel *kernel = &kernels[i];
		size_t length = strlen(kernel->metadata) + 1;
		struct bytes image = inner(kernel);

		put_symbol(&content[SYMBOLS], &content[STRINGS], kernel->name,
			   "metadata",
			   put(&content[DATA], kernel->metadata, length),
			   length, DATA);
		for (const struct cal_data *data = kernel->data;
		     data && data->bytes; data++) {
			char *number = xasprintf("%u", data->number);

			put_symbol(&content[SYMBOLS], &content[STRINGS],
				   number, "global",
				   put(&content[DATA], data->bytes,
				       data->size),
				   data->size, DATA);
			free(number);
		}
		put_symbol(&content[SYMBOLS], &content[STRINGS], kernel->name,
			   "kernel",
			   put(&content[TEXT], image.data, image.size),
			   image.size, TEXT);
		free(image.data);
	}
	put(&file, &header, sizeof header);
	for (int i = NAMES; i < SECTIONS; i++)
		sections[i].sh_name = put_text(&content[NAMES], names[i]);
	for (int i = NAMES; i < SECTIONS; i++) {
		sections[i].sh_type = types[i];
		sections[i].sh_link = i == SYMBOLS ? STRINGS : 0;
		sections[i].sh_offset = (Elf32_Off)put(
			&file, content[i].data, content[i].size);
		sections[i].sh_size = (Elf32_Word)content[i].size;
		free(content[i].data);
	}
	header.e_shoff = (Elf32_Off)put(&file, sections, sizeof sections);
	memcpy(file.data, &header, sizeof header);
	*size = file.size;
	return file.data;
}
