/* Prints the code of an object straight from clang in LLVM's style, kernel by
 * kernel: for tests/evergreen/llvm-text.sh. */
#include <fcntl.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evergreen/listing/llvm-text.h"

static Elf_Data *find(Elf *elf, const char *name, Elf32_Word *link)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		const Elf32_Shdr *header = elf32_getshdr(section);

		if (strcmp(elf_strptr(elf, names, header->sh_name), name))
			continue;
		*link = header->sh_link;
		return elf_getdata(section, NULL);
	}
	return NULL;
}

static int print_function(const Elf_Data *text, const Elf32_Sym *symbol,
			  const char *name)
{
	struct error error;
	struct evg_code *code = evg_code_decode(
		(const uint8_t *)text->d_buf + symbol->st_value,
		symbol->st_size, &error);

	if (!code) {
		fprintf(stderr, "%s: %s\n", name, error.text);
		return 1;
	}
	evg_llvm_print(code, stdout);
	evg_code_free(code);
	return 0;
}

/* In the order of the code, as the compiler's text has them. */
static const Elf32_Sym *next_function(const Elf_Data *symbols,
				      const Elf32_Sym *last)
{
	const Elf32_Sym *all = symbols->d_buf, *next = NULL;

	for (size_t i = 0; i < symbols->d_size / sizeof *all; i++)
		if (ELF32_ST_TYPE(all[i].st_info) == STT_FUNC &&
		    ELF32_ST_BIND(all[i].st_info) == STB_GLOBAL &&
		    (!last || all[i].st_value > last->st_value) &&
		    (!next || all[i].st_value < next->st_value))
			next = &all[i];
	return next;
}

int main(int argc, char **argv)
{
	int file = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	Elf_Data *text, *symbols;
	Elf32_Word link = 0;
	int failed = 0;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(file, ELF_C_READ, NULL);
	text = find(elf, ".text", &link);
	symbols = find(elf, ".symtab", &link);
	if (!text || !symbols) {
		fprintf(stderr, "usage: print-llvm-text OBJECT\n");
		return 1;
	}
	for (const Elf32_Sym *symbol = NULL;
	     (symbol = next_function(symbols, symbol));)
		failed |= print_function(text, symbol,
					 elf_strptr(elf, link,
						    symbol->st_name));
	elf_end(elf);
	return failed;
}
