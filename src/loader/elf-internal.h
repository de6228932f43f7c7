/* ELF images from inside: the declarations that the elf*.c files share. What
 * becomes of an image:
 *
 *     elf.c           opened, read and checked
 *     elf-load.c      mapped into a space
 *     elf-symbols.c   searched for symbols
 *     elf-print.c     described to people */
#ifndef M2S_LOADER_ELF_INTERNAL_H
#define M2S_LOADER_ELF_INTERNAL_H

#include "loader/elf.h"

struct elf_symbol {
	uint64_t address, size;
	const char *name; /* points into elf_symbols.names */
};

struct elf_symbols {
	struct elf_symbol *list; /* by address */
	size_t count, capacity;
	char **names; /* one block of strings per symbol table */
	size_t names_count, names_capacity;
};

static inline uint64_t elf_page_down(uint64_t address)
{
	return address & ~(uint64_t)(SPACE_PAGE - 1);
}

static inline uint64_t elf_page_up(uint64_t address)
{
	return elf_page_down(address + SPACE_PAGE - 1);
}

/* ---- elf.c ---- */
/* Reads exactly `size` bytes. -1 when the file is shorter or cannot be read. */
int elf_read_exactly(int file, void *buffer, size_t size, uint64_t offset);

/* ---- elf-symbols.c ---- */
/* The symbols of the image. The first call reads them. */
const struct elf_symbols *elf_symbols(struct elf_image *image);
void elf_symbols_free(struct elf_symbols *symbols);

#endif
