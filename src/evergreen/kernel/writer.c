/* Writer of the objects that reader.c describes. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/kernel/kernel.h"
#include "evergreen/kernel/metadata.h"
#include "evergreen/kernel/object.h"

struct buffer {
	uint8_t *bytes;
	size_t size, capacity;
};

/* Returns where the bytes begin. */
static size_t append_bytes(struct buffer *buffer, const void *bytes,
			   size_t size)
{
	size_t at = buffer->size;

	if (buffer->capacity - at < size) {
		buffer->capacity = 2 * (at + size);
		buffer->bytes = xrealloc(buffer->bytes, buffer->capacity);
	}
	if (size)
		memcpy(buffer->bytes + at, bytes, size);
	buffer->size += size;
	return at;
}

enum section {
	NONE, TEXT, RELOCATIONS, CONFIG, METADATA, SYMBOLS, STRINGS, NAMES,
	SECTION_COUNT
};

static const struct {
	const char *name;
	uint32_t type, flags, link, info, entry, alignment;
} sections[SECTION_COUNT] = {
	[TEXT] = { ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, 0, 0,
		   256 },
	[RELOCATIONS] = { ".rel.text", SHT_REL, 0, SYMBOLS, TEXT,
			  sizeof(Elf32_Rel), 4 },
	[CONFIG] = { ".AMDGPU.config", SHT_PROGBITS, 0, 0, 0, 0, 1 },
	[METADATA] = { EVG_METADATA_SECTION, SHT_PROGBITS, 0, 0, 0, 0, 1 },
	[SYMBOLS] = { ".symtab", SHT_SYMTAB, 0, STRINGS, 2, sizeof(Elf32_Sym),
		      4 },
	[STRINGS] = { ".strtab", SHT_STRTAB, 0, 0, 0, 0, 1 },
	[NAMES] = { ".shstrtab", SHT_STRTAB, 0, 0, 0, 0, 1 },
};

static int compare_kernels(const void *a, const void *b)
{
	const struct evg_kernel *left = *(const struct evg_kernel *const *)a;
	const struct evg_kernel *right = *(const struct evg_kernel *const *)b;

	return (left->code_offset > right->code_offset) -
	       (left->code_offset < right->code_offset);
}

/* Configuration blocks go by address. */
static void add_config(struct buffer *config, const struct evg_program *program)
{
	const struct evg_kernel **order =
		xcalloc(program->kernel_count + 1, sizeof *order);

	for (uint32_t i = 0; i < program->kernel_count; i++)
		order[i] = &program->kernels[i];
	qsort(order, program->kernel_count, sizeof *order, compare_kernels);
	for (uint32_t i = 0; i < program->kernel_count; i++) {
		uint32_t pairs[EVG_CONFIG_BLOCK_SIZE / 4] = {
			EVG_SQ_PGM_RESOURCES_LS,
			order[i]->registers | order[i]->stack_size << 8,
			EVG_DB_SHADER_CONTROL, 0,
			EVG_SQ_LDS_ALLOC, (order[i]->local_size + 3) / 4,
		};

		append_bytes(config, pairs, sizeof pairs);
	}
	free(order);
}

/* The null symbol, one for the section, one for each kernel. */
static void add_symbols(struct buffer *symbols, struct buffer *strings,
			const struct evg_program *program)
{
	Elf32_Sym symbol = { 0 };

	append_bytes(strings, "", 1);
	append_bytes(symbols, &symbol, sizeof symbol);
	symbol.st_info = ELF32_ST_INFO(STB_LOCAL, STT_SECTION);
	symbol.st_shndx = TEXT;
	append_bytes(symbols, &symbol, sizeof symbol);
	for (uint32_t i = 0; i < program->kernel_count; i++) {
		const struct evg_kernel *kernel = &program->kernels[i];

		symbol = (Elf32_Sym){
		    .st_name = (Elf32_Word)append_bytes(
			strings, kernel->name, strlen(kernel->name) + 1),
		    .st_value = kernel->code_offset,
		    .st_size = kernel->code_size,
		    .st_info = ELF32_ST_INFO(STB_GLOBAL, STT_FUNC),
		    .st_shndx = TEXT,
		};
		append_bytes(symbols, &symbol, sizeof symbol);
	}
}

static void add_relocations(struct buffer *relocations,
			    const struct evg_program *program)
{
	for (uint32_t i = 0; i < program->relocation_count; i++) {
		Elf32_Rel relocation = {
			.r_offset = program->relocations[i],
			.r_info = ELF32_R_INFO(1, EVG_RELOCATION_ABS32),
		};

		append_bytes(relocations, &relocation, sizeof relocation);
	}
}

void *evg_program_write(const struct evg_program *program,
			const char *compiler, size_t *size)
{
	struct buffer content[SECTION_COUNT] = { 0 }, file = { 0 };
	Elf32_Shdr headers[SECTION_COUNT] = { 0 };
	Elf32_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_REL, .e_machine = EVG_MACHINE_AMDGPU,
		.e_version = EV_CURRENT,
		.e_flags = evg_chip_info[program->chip].number,
		.e_ehsize = sizeof header, .e_shentsize = sizeof headers[0],
		.e_shnum = SECTION_COUNT, .e_shstrndx = NAMES,
	};
	static const uint8_t zeros[256];
	char *metadata = evg_metadata_write(program, compiler);

	append_bytes(&content[TEXT], program->text, program->text_size);
	append_bytes(&content[METADATA], metadata, strlen(metadata));
	free(metadata);
	add_config(&content[CONFIG], program);
	add_symbols(&content[SYMBOLS], &content[STRINGS], program);
	add_relocations(&content[RELOCATIONS], program);
	append_bytes(&content[NAMES], "", 1);
	for (int i = TEXT; i < SECTION_COUNT; i++)
		headers[i].sh_name =
		    (Elf32_Word)append_bytes(&content[NAMES], sections[i].name,
					     strlen(sections[i].name) + 1);
	append_bytes(&file, &header, sizeof header);
	for (int i = TEXT; i < SECTION_COUNT; i++) {
		append_bytes(&file, zeros, -file.size % sections[i].alignment);
		headers[i].sh_type = sections[i].type;
		headers[i].sh_flags = sections[i].flags;
		headers[i].sh_link = sections[i].link;
		headers[i].sh_info = sections[i].info;
		headers[i].sh_entsize = sections[i].entry;
		headers[i].sh_addralign = sections[i].alignment;
		headers[i].sh_size = (Elf32_Word)content[i].size;
		headers[i].sh_offset = (Elf32_Off)append_bytes(
		    &file, content[i].bytes, content[i].size);
		free(content[i].bytes);
	}
	append_bytes(&file, zeros, -file.size % 4);
	header.e_shoff =
	    (Elf32_Off)append_bytes(&file, headers, sizeof headers);
	memcpy(file.bytes, &header, sizeof header);
	*size = file.size;
	return file.bytes;
}
