/* The outer file. */
#include "evergreen/kernel/cal.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

enum { MACHINE_CYPRESS = 0x3f1 };

/* The devices in the order of their numbers, which is that of CAL's targets
 * (caltarget.h of AMD's OpenCL runtime). */
static const char *const devices[] = {
	"R600", "RV610", "RV630", "RV670", "R700", "RV770", "RV710", "RV730",
	"Cypress", "Juniper", "Redwood", "Cedar", "Sumo", "SuperSumo",
	"Wrestler", "Cayman", "Kauai", "Barts", "Turks", "Caicos",
	"Tahiti (Southern Islands)", "Pitcairn (Southern Islands)",
	"Cape Verde (Southern Islands)", "Devastator", "Scrapper",
	"Oland (Southern Islands)", "Bonaire (Sea Islands)",
	"Spectre (Sea Islands)", "Spooky (Sea Islands)",
	"Kalindi (Sea Islands)", "Hainan (Southern Islands)",
	"Hawaii (Sea Islands)", "Iceland (Volcanic Islands)",
	"Tonga (Volcanic Islands)",
};

#define PREFIX "__OpenCL_"
#define KERNEL_SUFFIX "_kernel"
#define METADATA_SUFFIX "_metadata"
#define DATA_SUFFIX "_global"

/* Constant buffers 0 and 1 describe launch and arguments; constant data of
 * number 0 is read as global memory. */
enum { CONSTANT_BUFFERS = 16, CONSTANT_BUFFER_SIZE = 65536 };

struct outer {
	const char *name;
	struct span file;
	Elf32_Ehdr header;
	struct span symbols, strings;
	struct error *error;
};

#define fail(outer, ...) error_set((outer)->error, __VA_ARGS__)

static bool section_header(const struct outer *outer, unsigned index,
			   Elf32_Shdr *header)
{
	return index && index < outer->header.e_shnum &&
	       span_read(outer->file,
			 outer->header.e_shoff + (size_t)index * sizeof *header,
			 header, sizeof *header);
}

/* What a section holds. */
static bool section_content(const struct outer *outer, unsigned index,
			    struct span *content)
{
	Elf32_Shdr header;

	return section_header(outer, index, &header) &&
	       header.sh_type != SHT_NOBITS &&
	       span_part(outer->file, header.sh_offset, header.sh_size,
			 content);
}

static int find_symbols(struct outer *outer)
{
	Elf32_Shdr header;

	for (unsigned i = 1; i < outer->header.e_shnum; i++) {
		if (!section_header(outer, i, &header))
			return fail(outer, "%s: section header %u lies outside "
				    "of the file (%zu bytes)", outer->name, i,
				    outer->file.size);
		if (header.sh_type == SHT_SYMTAB &&
		    section_content(outer, i, &outer->symbols) &&
		    section_content(outer, header.sh_link, &outer->strings))
			return 0;
	}
	return fail(outer, "%s: an AMD binary without a symbol table",
		    outer->name);
}

static int check_machine(struct outer *outer)
{
	unsigned machine = outer->header.e_machine;
	size_t index = machine - CAL_MACHINE_FIRST;

	if (machine == MACHINE_CYPRESS)
		return 0;
	return fail(outer, "%s: an AMD binary for %s (ELF machine 0x%x), not "
		    "for the Radeon HD 5870 (Cypress, 0x%x): compile the "
		    "kernel's source with 'm2s-clc kernel.cl -o kernel.bin'",
		    outer->name,
		    index < ARRAY_SIZE(devices) ? devices[index]
						: "another device",
		    machine, MACHINE_CYPRESS);
}

/* The n-th symbol and its name; NULL when the file does not have it whole. */
static const char *symbol_at(const struct outer *outer, size_t index,
			     Elf32_Sym *symbol)
{
	const char *name;

	if (!span_read(outer->symbols, index * sizeof *symbol, symbol,
		       sizeof *symbol) ||
	    symbol->st_name >= outer->strings.size)
		return NULL;
	name = (const char *)outer->strings.bytes + symbol->st_name;
	return memchr(name, '\0', outer->strings.size - symbol->st_name)
		       ? name
		       : NULL;
}

static bool symbol_content(const struct outer *outer, const Elf32_Sym *symbol,
			   struct span *content)
{
	struct span section;

	return section_content(outer, symbol->st_shndx, &section) &&
	       span_part(section, symbol->st_value, symbol->st_size, content);
}

/* The kernel's name inside "__OpenCL_name_kernel", or NULL. */
static char *kernel_name(const char *symbol)
{
	size_t length = strlen(symbol);
	size_t around = strlen(PREFIX) + strlen(KERNEL_SUFFIX);

	if (length <= around || strncmp(symbol, PREFIX, strlen(PREFIX)) ||
	    strcmp(symbol + length - strlen(KERNEL_SUFFIX), KERNEL_SUFFIX))
		return NULL;
	return xasprintf("%.*s", (int)(length - around),
			 symbol + strlen(PREFIX));
}

static int find_metadata(const struct outer *outer, const char *kernel,
			 struct span *text)
{
	char *wanted = xasprintf(PREFIX "%s" METADATA_SUFFIX, kernel);
	size_t count = outer->symbols.size / sizeof(Elf32_Sym);
	Elf32_Sym symbol;
	int result = -1;

	for (size_t i = 0; i < count && result; i++) {
		const char *name = symbol_at(outer, i, &symbol);

		if (name && !strcmp(name, wanted) &&
		    symbol_content(outer, &symbol, text))
			result = 0;
	}
	free(wanted);
	return result ? fail(outer, "%s: kernel %s has no metadata",
			     outer->name, kernel)
		      : 0;
}

static int read_kernel(struct outer *outer, struct evg_program *program,
		       const Elf32_Sym *symbol, char *name)
{
	struct evg_kernel *kernel;
	struct span image, text;

	for (uint32_t i = 0; i < program->kernel_count; i++)
		if (!strcmp(program->kernels[i].name, name)) {
			fail(outer, "%s: two kernels named %s", outer->name,
			     name);
			free(name);
			return -1;
		}
	kernel = &program->kernels[program->kernel_count++];
	kernel->name = name;
	kernel->program = program;
	kernel->attributes = xstrdup("");
	if (!symbol_content(outer, symbol, &image))
		return fail(outer, "%s: kernel %s: its image lies outside of "
			    "the file (%zu bytes)", outer->name, name,
			    outer->file.size);
	return find_metadata(outer, name, &text) ||
	       cal_metadata_read(outer->name, text, program, kernel,
				 outer->error) ||
	       cal_inner_read(outer->name, image, program, kernel,
			      outer->error)
		       ? -1
		       : 0;
}

/* The number n of constant data "__OpenCL_n_global". */
static bool data_number(const char *symbol, uint32_t *number)
{
	const char *at = symbol + strlen(PREFIX);
	char *end;
	unsigned long parsed;

	if (strncmp(symbol, PREFIX, strlen(PREFIX)) || *at < '0' || *at > '9')
		return false;
	parsed = strtoul(at, &end, 10);
	*number = parsed < UINT32_MAX ? (uint32_t)parsed : UINT32_MAX;
	return !strcmp(end, DATA_SUFFIX);
}

/* Data is padded to whole constants, for reads of four dwords. */
static int read_data(struct outer *outer, struct evg_program *program,
		     const Elf32_Sym *symbol, uint32_t number)
{
	struct evg_constant_data *data;
	struct span bytes;
	uint8_t *padded;
	size_t size;

	if (number == 1 || number >= CONSTANT_BUFFERS)
		return fail(outer, "%s: constant data %u: expected 0, or a "
			    "constant buffer from 2 to %d", outer->name,
			    number, CONSTANT_BUFFERS - 1);
	for (uint32_t i = 0; i < program->data_count; i++)
		if (program->data[i].bank == number)
			return fail(outer, "%s: constant data %u is there "
				    "twice", outer->name, number);
	if (!symbol_content(outer, symbol, &bytes))
		return fail(outer, "%s: constant data %u lies outside of the "
			    "file (%zu bytes)", outer->name, number,
			    outer->file.size);
	size = (bytes.size + 15) / 16 * 16;
	if (number && size > CONSTANT_BUFFER_SIZE)
		return fail(outer, "%s: constant data %u: %zu bytes are more "
			    "than a constant buffer has (%d)", outer->name,
			    number, size, CONSTANT_BUFFER_SIZE);
	padded = xcalloc(1, size + 1);
	memcpy(padded, bytes.bytes, bytes.size);
	program->data = xrealloc(program->data, (program->data_count + 1) *
							sizeof *data);
	data = &program->data[program->data_count++];
	data->bank = number;
	data->size = (uint32_t)size;
	data->offset = evg_program_append(program, padded, data->size);
	free(padded);
	return 0;
}

static int read_all_data(struct outer *outer, struct evg_program *program)
{
	size_t count = outer->symbols.size / sizeof(Elf32_Sym);

	for (size_t i = 0; i < count; i++) {
		Elf32_Sym symbol;
		const char *name = symbol_at(outer, i, &symbol);
		uint32_t number;

		if (name && data_number(name, &number) &&
		    read_data(outer, program, &symbol, number))
			return -1;
	}
	return 0;
}

static int read_kernels(struct outer *outer, struct evg_program *program)
{
	size_t count = outer->symbols.size / sizeof(Elf32_Sym);

	program->kernels = xcalloc(count + 1, sizeof *program->kernels);
	for (size_t i = 0; i < count; i++) {
		Elf32_Sym symbol;
		const char *name = symbol_at(outer, i, &symbol);
		char *kernel = name ? kernel_name(name) : NULL;

		if (!name)
			return fail(outer, "%s: symbol %zu has no name",
				    outer->name, i);
		if (kernel && read_kernel(outer, program, &symbol, kernel))
			return -1;
	}
	return program->kernel_count
		       ? 0
		       : fail(outer, "%s: an AMD binary without kernels",
			      outer->name);
}

struct evg_program *cal_program_read(const char *name, const void *image,
				     size_t size, struct error *error)
{
	struct outer outer = {
		.name = name, .file = { image, size }, .error = error,
	};
	struct evg_program *program = xcalloc(1, sizeof *program);
	int result;

	program->convention = EVG_CONVENTION_CAL;
	program->build_options = xstrdup("");
	program->compiler = xstrdup("AMD's CAL compiler");
	if (!span_read(outer.file, 0, &outer.header, sizeof outer.header))
		result = fail(&outer, "%s: %zu bytes are no ELF file", name,
			      size);
	else
		result = check_machine(&outer) || find_symbols(&outer) ||
			 read_all_data(&outer, program) ||
			 read_kernels(&outer, program);
	if (!result)
		return program;
	evg_program_free(program);
	return NULL;
}
