/* Parts of ELF files that are only shown to users: sections, and the stubs
 * through which functions of other libraries are called. Internal to the
 * loader, except for struct elf_section. */
#ifndef M2S_LOADER_SECTIONS_H
#define M2S_LOADER_SECTIONS_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_section {
	char *name;
	uint64_t address, offset, size;
	bool allocated, writable, code;
	bool in_file;          /* all of its bytes are in the file */
};

/* The sections of a file, in file order. *count is 0 when it has none. The
 * caller frees the list with sections_free(). */
struct elf_section *sections_read(Elf *elf, uint64_t file_size,
				  size_t *count);
void sections_free(struct elf_section *list, size_t count);

/* Calls add(owner, address, size, "name@plt") for each entry of the procedure
 * linkage tables that jumps through a relocated word. The name is valid
 * during the call. */
void plt_visit(Elf *elf, bool wide,
	       void (*add)(void *owner, uint64_t address, uint64_t size,
			   const char *name), void *owner);

#endif
