#include "loader/sections.h"

#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const char *section_name(Elf *elf, const GElf_Shdr *header)
{
	const char *name = NULL;
	size_t index;

	if (elf_getshdrstrndx(elf, &index) == 0)
		name = elf_strptr(elf, index, header->sh_name);
	return name ? name : "";
}

struct elf_section *sections_read(Elf *elf, uint64_t file_size, size_t *count)
{
	struct elf_section *list = NULL;
	size_t capacity = 0;
	Elf_Scn *section = NULL;

	*count = 0;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header))
			continue;
		ARRAY_GROW(list, *count, capacity);
		list[(*count)++] = (struct elf_section){
			.name = xstrdup(section_name(elf, &header)),
			.address = header.sh_addr, .offset = header.sh_offset,
			.size = header.sh_size,
			.allocated = header.sh_flags & SHF_ALLOC,
			.writable = header.sh_flags & SHF_WRITE,
			.code = header.sh_flags & SHF_EXECINSTR,
			.in_file = header.sh_type != SHT_NOBITS &&
				   header.sh_offset <= file_size &&
				   header.sh_size <=
					   file_size - header.sh_offset,
		};
	}
	return list;
}

void sections_free(struct elf_section *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(list[i].name);
	free(list);
}

/* ---- Procedure linkage tables ---- */

/* A word that the dynamic linker fills with a function's address. */
struct slot {
	uint64_t address;
	const char *name; /* libelf's */
};

struct slots {
	struct slot *list;
	size_t count, capacity;
	uint64_t got; /* what %ebx holds in position-independent i386 code */
};

static void add_slot(struct slots *slots, Elf *elf, const GElf_Shdr *table,
		     uint64_t address, uint64_t symbol_index)
{
	Elf_Scn *section = elf_getscn(elf, table->sh_link);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	GElf_Shdr header;
	GElf_Sym symbol;
	const char *name;

	if (!data || !gelf_getshdr(section, &header) ||
	    symbol_index > INT32_MAX ||
	    !gelf_getsym(data, (int)symbol_index, &symbol))
		return;
	name = elf_strptr(elf, header.sh_link, symbol.st_name);
	if (!name || !*name)
		return;
	ARRAY_GROW(slots->list, slots->count, slots->capacity);
	slots->list[slots->count++] = (struct slot){ address, name };
}

static void read_relocations(struct slots *slots, Elf *elf, Elf_Scn *section,
			     const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);

	for (int i = 0; data; i++) {
		GElf_Rela rela;
		GElf_Rel rel;

		if (header->sh_type == SHT_RELA) {
			if (!gelf_getrela(data, i, &rela))
				return;
			add_slot(slots, elf, header, rela.r_offset,
				 GELF_R_SYM(rela.r_info));
		} else {
			if (!gelf_getrel(data, i, &rel))
				return;
			add_slot(slots, elf, header, rel.r_offset,
				 GELF_R_SYM(rel.r_info));
		}
	}
}

static int by_address(const void *left, const void *right)
{
	const struct slot *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

static const char *find_slot(const struct slots *slots, uint64_t address)
{
	struct slot key = { .address = address };
	const struct slot *found =
		bsearch(&key, slots->list, slots->count, sizeof key,
			by_address);

	return found ? found->name : NULL;
}

/* The word through which an entry jumps: its first ff 25 (jmp *address; in
 * 64-bit code relative to the next instruction) or ff a3 (jmp *offset(%ebx)).
 * 0: none. */
static uint64_t jump_slot(const uint8_t *code, size_t size, uint64_t address,
			  bool wide, uint64_t got)
{
	for (size_t i = 0; i + 6 <= size; i++) {
		int32_t value;

		memcpy(&value, code + i + 2, 4);
		if (code[i] == 0xff && code[i + 1] == 0x25)
			return wide ? address + i + 6 + (uint64_t)(int64_t)value
				    : (uint32_t)value;
		if (code[i] == 0xff && code[i + 1] == 0xa3 && !wide)
			return (uint32_t)(got + (uint64_t)(int64_t)value);
	}
	return 0;
}

void plt_visit(Elf *elf, bool wide,
	       void (*add)(void *owner, uint64_t address, uint64_t size,
			   const char *name), void *owner)
{
	struct slots slots = { 0 };
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		const char *name;

		if (!gelf_getshdr(section, &header))
			continue;
		name = section_name(elf, &header);
		if (header.sh_type == SHT_RELA || header.sh_type == SHT_REL)
			read_relocations(&slots, elf, section, &header);
		else if (!strcmp(name, ".got.plt") ||
			 (!strcmp(name, ".got") && !slots.got))
			slots.got = header.sh_addr;
	}
	if (slots.count)
		qsort(slots.list, slots.count, sizeof *slots.list, by_address);
	while (slots.count && (section = elf_nextscn(elf, section))) {
		uint64_t step;
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) ||
		    strncmp(section_name(elf, &header), ".plt", 4) ||
		    !(data = elf_getdata(section, NULL)) || !data->d_buf)
			continue;
		step = header.sh_entsize == 8 ? 8 : 16;
		for (uint64_t at = 0; at + step <= data->d_size; at += step) {
			uint64_t slot = jump_slot(
				(const uint8_t *)data->d_buf + at, step,
				header.sh_addr + at, wide, slots.got);
			const char *name = find_slot(&slots, slot);
			char *text;

			if (!slot || !name)
				continue;
			text = xasprintf("%s@plt", name);
			add(owner, header.sh_addr + at, step, text);
			free(text);
		}
	}
	free(slots.list);
}
