/* The symbols of ELF images: of both symbol tables, and the stubs through which
 * other libraries' functions are called. */
#include "loader/elf-internal.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int by_address(const void *left, const void *right)
{
	const struct elf_symbol *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	/* Order of several names for one address: a name with a size, then the
	 * shortest, then the alphabetically first comes last and is shown. */
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return strcmp(b->name, a->name);
}

/* The strings are freed with the symbols. */
static void keep_names(struct elf_symbols *symbols, char *names)
{
	ARRAY_GROW(symbols->names, symbols->names_count,
		   symbols->names_capacity);
	symbols->names[symbols->names_count++] = names;
}

static void add_symbol(struct elf_symbols *symbols, uint64_t address,
		       uint64_t size, const char *name)
{
	ARRAY_GROW(symbols->list, symbols->count, symbols->capacity);
	symbols->list[symbols->count++] =
		(struct elf_symbol){ address, size, name };
}

static void read_symbol_table(struct elf_symbols *symbols, Elf *elf,
			      Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	Elf_Scn *strings = elf_getscn(elf, header->sh_link);
	Elf_Data *text = strings ? elf_getdata(strings, NULL) : NULL;
	GElf_Sym symbol;
	char *names;

	if (!data || !text || !text->d_buf || !text->d_size)
		return;
	names = xmalloc(text->d_size + 1);
	memcpy(names, text->d_buf, text->d_size);
	names[text->d_size] = 0;
	keep_names(symbols, names);
	for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
		int type = GELF_ST_TYPE(symbol.st_info);

		if (symbol.st_shndx == SHN_UNDEF || !symbol.st_value ||
		    symbol.st_name >= text->d_size || !names[symbol.st_name] ||
		    (type != STT_FUNC && type != STT_OBJECT &&
		     type != STT_NOTYPE && type != STT_GNU_IFUNC))
			continue;
		add_symbol(symbols, symbol.st_value, symbol.st_size,
			   names + symbol.st_name);
	}
}

static void add_stub(void *owner, uint64_t address, uint64_t size,
		     const char *name)
{
	struct elf_symbols *symbols = owner;
	char *copy = xstrdup(name);

	keep_names(symbols, copy);
	add_symbol(symbols, address, size, copy);
}

static struct elf_symbols *read_symbols(const struct elf_image *image)
{
	struct elf_symbols *symbols = xcalloc(1, sizeof *symbols);
	Elf *elf = elf_begin(image->file, ELF_C_READ, NULL);
	bool whole = false, dynamic = false;
	Elf_Scn *section = NULL;

	/* A file has one table of each kind; a damaged one with thousands,
	 * all the same bytes, must not cost their sum. */
	while (elf && (section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		bool *seen;

		if (!gelf_getshdr(section, &header) ||
		    (header.sh_type != SHT_SYMTAB &&
		     header.sh_type != SHT_DYNSYM))
			continue;
		seen = header.sh_type == SHT_SYMTAB ? &whole : &dynamic;
		if (!*seen)
			read_symbol_table(symbols, elf, section, &header);
		*seen = true;
	}
	if (elf) {
		plt_visit(elf, image->machine == ELF_X86_64, add_stub,
			  symbols);
		elf_end(elf);
	}
	if (symbols->count)
		qsort(symbols->list, symbols->count, sizeof *symbols->list,
		      by_address);
	return symbols;
}

const struct elf_symbols *elf_symbols(struct elf_image *image)
{
	if (!image->symbols)
		image->symbols = read_symbols(image);
	return image->symbols;
}

void elf_symbols_free(struct elf_symbols *symbols)
{
	if (!symbols)
		return;
	for (size_t i = 0; i < symbols->names_count; i++)
		free(symbols->names[i]);
	free(symbols->names);
	free(symbols->list);
	free(symbols);
}

const char *elf_symbol_at(struct elf_image *image, uint64_t address,
			  uint64_t *distance)
{
	const struct elf_symbols *symbols = elf_symbols(image);
	const struct elf_symbol *list = symbols->list;
	size_t low = 0, high = symbols->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	low--;
	*distance = address - list[low].address;
	if (list[low].size && *distance >= list[low].size)
		return NULL;
	return list[low].name;
}

bool elf_symbol_value(struct elf_image *image, const char *name,
		      uint64_t *value)
{
	const struct elf_symbols *symbols = elf_symbols(image);

	for (size_t i = 0; i < symbols->count; i++)
		if (!strcmp(symbols->list[i].name, name)) {
			*value = symbols->list[i].address;
			return true;
		}
	return false;
}
