/* Reader of the ELF objects that m2s-clc makes: clang's object for r600 with
 * CPU cypress, and our metadata section (metadata.h).
 *
 *	.text            all functions, then constant tables
 *	.rel.text        R_AMDGPU_ABS32: ALU literals that hold table addresses
 *	.AMDGPU.config   24 bytes a function: three (register, value) pairs
 *	.symtab          a global FUNC per kernel
 *	.m2s.kernels     names, arguments, attributes, build options
 *
 * The n-th function of .text, by address, owns the n-th configuration block.
 * libelf refuses headers and sections that do not lie inside the file;
 * everything read from them is checked here. */
#include <elf.h>
#include <errno.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/isa/inst.h"
#include "evergreen/kernel/cal.h"
#include "evergreen/kernel/kernel.h"
#include "evergreen/kernel/metadata.h"
#include "evergreen/kernel/object.h"

enum {
	MACHINE_CAL_INNER = 0x7d, /* EM_ATI_CALIMAGE_BINARY */

	LOCAL_DWORDS_MAX = 1 << 16, /* SQ_LDS_ALLOC is wider than the memory:
				       a launch checks what exists */
};

#define MAKE_IT "make it again with m2s-clc"

struct function {
	const char *name;
	uint32_t offset, size;
};

struct reader {
	const char *name;
	Elf *elf;
	size_t text_index;
	Elf_Data *text, *relocations, *config, *symbols, *metadata, *lines;
	size_t string_index; /* of the section with the symbols' names */
	struct function *functions;
	size_t function_count, function_capacity;
	struct evg_program *program;
	struct error *error;
};

#define fail(reader, ...) error_set((reader)->error, __VA_ARGS__)

static int read_chip(struct reader *reader, uint32_t number)
{
	int chip = evg_chip_by_number(number);
	char *names;

	if (chip >= 0) {
		reader->program->chip = (enum evg_chip)chip;
		return 0;
	}
	names = evg_chip_names();
	fail(reader, "%s: code for AMD GPU number 0x%x; expected a chip of the "
	     "Evergreen family (%s): compile the kernel's source with m2s-clc",
	     reader->name, number, names);
	free(names);
	return -1;
}

static int check_header(struct reader *reader, size_t size)
{
	const char *ident = elf_getident(reader->elf, NULL);
	const Elf32_Ehdr *header;

	if (elf_kind(reader->elf) != ELF_K_ELF || !ident)
		return fail(reader, "%s: not an ELF file (%zu bytes); expected "
			    "a kernel binary, as made by 'm2s-clc kernel.cl -o "
			    "kernel.bin'", reader->name, size);
	if (ident[EI_CLASS] != ELFCLASS32 || ident[EI_DATA] != ELFDATA2LSB)
		return fail(reader, "%s: a %s-bit %s-endian ELF file; expected "
			    "a 32-bit little-endian kernel binary from m2s-clc",
			    reader->name,
			    ident[EI_CLASS] == ELFCLASS64 ? "64" : "32",
			    ident[EI_DATA] == ELFDATA2MSB ? "big" : "little");
	header = elf32_getehdr(reader->elf);
	if (!header)
		return fail(reader, "%s: damaged ELF header: %s", reader->name,
			    elf_errmsg(-1));
	if (header->e_machine == MACHINE_CAL_INNER)
		return fail(reader, "%s: the inner image of an AMD binary (ELF "
			    "machine 0x%x); expected the whole binary",
			    reader->name, header->e_machine);
	if (header->e_machine != EVG_MACHINE_AMDGPU)
		return fail(reader, "%s: an ELF file for machine 0x%x; expected "
			    "0x%x (AMDGPU), as made by m2s-clc", reader->name,
			    header->e_machine, EVG_MACHINE_AMDGPU);
	if (read_chip(reader, header->e_flags & EVG_FLAGS_MACH))
		return -1;
	/* libelf hands them out where they are. */
	if (header->e_shoff % sizeof(Elf32_Word))
		return fail(reader, "%s: section headers at offset 0x%x, which "
			    "is not a multiple of 4; " MAKE_IT, reader->name,
			    header->e_shoff);
	if (header->e_type != ET_REL)
		return fail(reader, "%s: ELF type %d; expected %d (relocatable "
			    "object), as made by m2s-clc", reader->name,
			    header->e_type, ET_REL);
	return 0;
}

/* The one section of this name and type; `data` stays NULL if there is none.
 * A second one is an error. */
static int take_section(struct reader *reader, Elf_Scn *section,
			const Elf32_Shdr *header, const char *name,
			uint32_t type, Elf_Data **data)
{
	if (*data)
		return fail(reader, "%s: two %s sections; " MAKE_IT,
			    reader->name, name);
	if (header->sh_type != type)
		return fail(reader, "%s: section %s has type %u, expected %u; "
			    MAKE_IT, reader->name, name, header->sh_type, type);
	*data = elf_getdata(section, NULL);
	if (!*data)
		return fail(reader, "%s: section %s cannot be read: %s",
			    reader->name, name, elf_errmsg(-1));
	if (elf_getdata(section, *data) ||
	    (!(*data)->d_buf && (*data)->d_size))
		return fail(reader, "%s: section %s has no content; " MAKE_IT,
			    reader->name, name);
	return 0;
}

static int find_section(struct reader *reader, Elf_Scn *section,
			size_t names)
{
	const Elf32_Shdr *header = elf32_getshdr(section);
	const char *name;

	if (!header)
		return fail(reader, "%s: damaged section header: %s",
			    reader->name, elf_errmsg(-1));
	name = elf_strptr(reader->elf, names, header->sh_name);
	if (!name)
		return fail(reader, "%s: a section without a name: %s",
			    reader->name, elf_errmsg(-1));
	if (!strcmp(name, ".text")) {
		reader->text_index = elf_ndxscn(section);
		return take_section(reader, section, header, name,
				    SHT_PROGBITS, &reader->text);
	}
	if (!strcmp(name, ".rel.text"))
		return take_section(reader, section, header, name, SHT_REL,
				    &reader->relocations);
	if (!strcmp(name, ".AMDGPU.config"))
		return take_section(reader, section, header, name,
				    SHT_PROGBITS, &reader->config);
	if (!strcmp(name, ".symtab")) {
		reader->string_index = header->sh_link;
		return take_section(reader, section, header, name, SHT_SYMTAB,
				    &reader->symbols);
	}
	if (!strcmp(name, EVG_METADATA_SECTION))
		return take_section(reader, section, header, name,
				    SHT_PROGBITS, &reader->metadata);
	if (!strcmp(name, EVG_LINES_SECTION))
		return take_section(reader, section, header, name,
				    SHT_PROGBITS, &reader->lines);
	return 0;
}

static int find_sections(struct reader *reader)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(reader->elf, &names))
		return fail(reader, "%s: damaged ELF file: %s", reader->name,
			    elf_errmsg(-1));
	while ((section = elf_nextscn(reader->elf, section)))
		if (find_section(reader, section, names))
			return -1;
	if (!reader->metadata)
		return fail(reader, "%s: no " EVG_METADATA_SECTION " section "
			    "(the kernels' arguments): an object straight from "
			    "clang; compile the source with 'm2s-clc kernel.cl "
			    "-o kernel.bin'", reader->name);
	if (!reader->text || !reader->symbols)
		return fail(reader, "%s: no %s section; " MAKE_IT, reader->name,
			    !reader->text ? ".text" : ".symtab");
	return 0;
}

/* A symbol's name, or NULL and *error. */
static const char *symbol_name(struct reader *reader, const Elf32_Sym *symbol)
{
	const char *name = elf_strptr(reader->elf, reader->string_index,
				      symbol->st_name);

	if (!name)
		fail(reader, "%s: a symbol without a name: %s", reader->name,
		     elf_errmsg(-1));
	return name;
}

static int add_function(struct reader *reader, const Elf32_Sym *symbol)
{
	const char *name = symbol_name(reader, symbol);
	struct function *function;

	if (!name)
		return -1;
	if (symbol->st_value % 8 || symbol->st_size % 8 || !symbol->st_size ||
	    symbol->st_value > reader->text->d_size ||
	    symbol->st_size > reader->text->d_size - symbol->st_value)
		return fail(reader, "%s: function %s: %u bytes at offset %u; "
			    "expected multiples of 8 inside .text (%zu bytes); "
			    MAKE_IT, reader->name, name, symbol->st_size,
			    symbol->st_value, reader->text->d_size);
	ARRAY_GROW(reader->functions, reader->function_count,
		   reader->function_capacity);
	function = &reader->functions[reader->function_count++];
	function->name = name;
	function->offset = symbol->st_value;
	function->size = symbol->st_size;
	return 0;
}

static int compare_functions(const void *a, const void *b)
{
	const struct function *left = a, *right = b;

	return (left->offset > right->offset) -
	       (left->offset < right->offset);
}

static int read_functions(struct reader *reader)
{
	const Elf32_Sym *symbols = reader->symbols->d_buf;
	size_t count = reader->symbols->d_size / sizeof *symbols;
	size_t config_size;

	for (size_t i = 0; i < count; i++)
		if (symbols[i].st_shndx == reader->text_index &&
		    ELF32_ST_TYPE(symbols[i].st_info) == STT_FUNC &&
		    ELF32_ST_BIND(symbols[i].st_info) == STB_GLOBAL &&
		    add_function(reader, &symbols[i]))
			return -1;
	if (reader->function_count)
		qsort(reader->functions, reader->function_count,
		      sizeof *reader->functions, compare_functions);
	for (size_t i = 1; i < reader->function_count; i++) {
		const struct function *before = &reader->functions[i - 1];

		if (before->offset + before->size >
		    reader->functions[i].offset)
			return fail(reader, "%s: functions %s and %s overlap; "
				    MAKE_IT, reader->name, before->name,
				    reader->functions[i].name);
	}
	/* A program without kernels has no such section. */
	config_size = reader->config ? reader->config->d_size : 0;
	if (config_size != reader->function_count * EVG_CONFIG_BLOCK_SIZE)
		return fail(reader, "%s: .AMDGPU.config has %zu bytes, expected "
			    "%d for each of %zu functions; " MAKE_IT,
			    reader->name, config_size, EVG_CONFIG_BLOCK_SIZE,
			    reader->function_count);
	return 0;
}

/* Register and local memory needs from a kernel's configuration block. */
static int read_config(struct reader *reader, size_t block,
		       struct evg_kernel *kernel)
{
	uint32_t pairs[EVG_CONFIG_BLOCK_SIZE / 4];

	memcpy(pairs,
	       (char *)reader->config->d_buf + block * EVG_CONFIG_BLOCK_SIZE,
	       sizeof pairs);
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i += 2) {
		uint32_t value = pairs[i + 1];

		switch (pairs[i]) {
		case EVG_SQ_PGM_RESOURCES_LS:
			kernel->registers = value & 0xff;
			kernel->stack_size = value >> 8 & 0xff;
			break;
		case EVG_SQ_LDS_ALLOC:
			if (value > LOCAL_DWORDS_MAX)
				return fail(reader, "%s: kernel %s: SQ_LDS_ALLOC "
					    "is %u dwords, expected at most %d; "
					    MAKE_IT, reader->name,
					    kernel->name, value,
					    LOCAL_DWORDS_MAX);
			kernel->local_size = value * 4;
			break;
		case EVG_DB_SHADER_CONTROL:
			break;
		default:
			return fail(reader, "%s: kernel %s: unknown register "
				    "0x%x in .AMDGPU.config; " MAKE_IT,
				    reader->name, kernel->name, pairs[i]);
		}
	}
	if (kernel->registers > EVG_REGISTERS)
		return fail(reader,
			    "%s: kernel %s needs %u registers per "
			    "work-item; the machine has %d",
			    reader->name, kernel->name, kernel->registers,
			    EVG_REGISTERS);
	return 0;
}

static int read_kernel(struct reader *reader, struct evg_kernel *kernel)
{
	for (size_t i = 0; i < reader->function_count; i++) {
		const struct function *function = &reader->functions[i];

		if (strcmp(function->name, kernel->name))
			continue;
		kernel->code_offset = function->offset;
		kernel->code_size = function->size;
		return read_config(reader, i, kernel);
	}
	return fail(reader, "%s: kernel %s has arguments but no code; " MAKE_IT,
		    reader->name, kernel->name);
}

static int read_kernels(struct reader *reader)
{
	struct evg_program *program = reader->program;

	if (evg_metadata_read(reader->name,
			      reader->metadata->d_buf ? reader->metadata->d_buf
						      : "",
			      reader->metadata->d_size, program,
			      reader->error))
		return -1;
	if (reader->lines && reader->lines->d_size) {
		program->lines = evg_lines_read(reader->name,
						reader->lines->d_buf,
						reader->lines->d_size,
						reader->error);
		if (!program->lines)
			return -1;
	}
	for (uint32_t i = 0; i < program->kernel_count; i++) {
		const char *name = program->kernels[i].name;

		for (uint32_t j = 0; j < i; j++)
			if (!strcmp(program->kernels[j].name, name))
				return fail(reader, "%s: two kernels named %s; "
					    MAKE_IT, reader->name, name);
		if (read_kernel(reader, &program->kernels[i]))
			return -1;
	}
	return 0;
}

/* One word of .text that holds an address: symbol + what is there already
 * becomes relative to .text; the loader adds the rest. */
static int relocate(struct reader *reader, const Elf32_Rel *relocation)
{
	const Elf32_Sym *symbols = reader->symbols->d_buf;
	size_t count = reader->symbols->d_size / sizeof *symbols;
	uint32_t type = ELF32_R_TYPE(relocation->r_info), word;
	uint32_t index = ELF32_R_SYM(relocation->r_info);
	struct evg_program *program = reader->program;
	const Elf32_Sym *symbol;
	const char *name;

	if (type != EVG_RELOCATION_ABS32)
		return fail(reader, "%s: relocation type %u at .text+%u, "
			    "expected %d (R_AMDGPU_ABS32); " MAKE_IT,
			    reader->name, type, relocation->r_offset,
			    EVG_RELOCATION_ABS32);
	if (relocation->r_offset % 4 || program->text_size < 4 ||
	    relocation->r_offset > program->text_size - 4)
		return fail(reader, "%s: relocation at .text+%u, expected a "
			    "multiple of 4 below %u; " MAKE_IT, reader->name,
			    relocation->r_offset, program->text_size);
	if (index >= count)
		return fail(reader, "%s: relocation of symbol %u; there are "
			    "%zu; " MAKE_IT, reader->name, index, count);
	symbol = &symbols[index];
	name = symbol_name(reader, symbol);
	if (!name)
		return -1;
	if (symbol->st_shndx != reader->text_index)
		return fail(reader, "%s: the code uses the address of '%s', "
			    "which is not in .text; " MAKE_IT, reader->name,
			    name);
	memcpy(&word, program->text + relocation->r_offset, sizeof word);
	word += symbol->st_value;
	memcpy(program->text + relocation->r_offset, &word, sizeof word);
	program->relocations[program->relocation_count++] =
		relocation->r_offset;
	return 0;
}

static int compare_offsets(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return (left > right) - (left < right);
}

static int read_relocations(struct reader *reader)
{
	struct evg_program *program = reader->program;
	const Elf32_Rel *relocations;
	size_t count;

	if (!reader->relocations || !reader->relocations->d_size)
		return 0;
	relocations = reader->relocations->d_buf;
	count = reader->relocations->d_size / sizeof *relocations;
	program->relocations = xcalloc(count,
				       sizeof *program->relocations);
	for (size_t i = 0; i < count; i++)
		if (relocate(reader, &relocations[i]))
			return -1;
	qsort(program->relocations, count, sizeof *program->relocations,
	      compare_offsets);
	for (size_t i = 1; i < count; i++)
		if (program->relocations[i] == program->relocations[i - 1])
			return fail(reader, "%s: two relocations at .text+%u; "
				    MAKE_IT, reader->name,
				    program->relocations[i]);
	return 0;
}

static int read_program(struct reader *reader, size_t size)
{
	struct evg_program *program = reader->program;

	if (check_header(reader, size) || find_sections(reader))
		return -1;
	if (reader->text->d_size > UINT32_MAX)
		return fail(reader, "%s: .text of %zu bytes", reader->name,
			    reader->text->d_size);
	program->text_size = (uint32_t)reader->text->d_size;
	program->text = xmalloc(program->text_size + 1);
	if (program->text_size)
		memcpy(program->text, reader->text->d_buf,
		       program->text_size);
	if (read_functions(reader) || read_kernels(reader))
		return -1;
	return read_relocations(reader);
}

/* AMD's binaries have a machine number for each device. */
static bool is_cal(const void *image, size_t size)
{
	Elf32_Ehdr header;

	return span_read((struct span){ image, size }, 0, &header,
			 sizeof header) &&
	       !memcmp(header.e_ident, ELFMAG, SELFMAG) &&
	       header.e_ident[EI_CLASS] == ELFCLASS32 &&
	       header.e_ident[EI_DATA] == ELFDATA2LSB &&
	       header.e_machine >= CAL_MACHINE_FIRST &&
	       header.e_machine <= CAL_MACHINE_LAST;
}

struct evg_program *evg_program_read(const char *name, const void *image,
				     size_t size, struct error *error)
{
	struct reader reader = { .name = name, .error = error };
	char *copy;
	int status = -1;

	if (is_cal(image, size))
		return cal_program_read(name, image, size, error);
	/* libelf wants the right alignment and memory that it may write. */
	copy = xmalloc(size + 1);
	memcpy(copy, image, size);
	reader.program = xcalloc(1, sizeof *reader.program);
	elf_version(EV_CURRENT);
	reader.elf = size ? elf_memory(copy, size) : NULL;
	if (!size)
		fail(&reader, "%s: the file is empty; expected a kernel binary "
		     "from m2s-clc", name);
	else if (!reader.elf)
		fail(&reader, "%s: not a kernel binary: %s", name,
		     elf_errmsg(-1));
	else
		status = read_program(&reader, size);
	elf_end(reader.elf);
	free(copy);
	free(reader.functions);
	if (status) {
		evg_program_free(reader.program);
		return NULL;
	}
	return reader.program;
}
