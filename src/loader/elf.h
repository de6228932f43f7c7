/* Guest ELF images: checking them, loading them into a space, searching their
 * symbols. */
#ifndef M2S_LOADER_ELF_H
#define M2S_LOADER_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "loader/sections.h"
#include "memsys/space/space.h"

enum elf_machine { ELF_I386, ELF_X86_64 };

/* One PT_LOAD segment, in the file's own (unbiased) addresses. */
struct elf_segment {
	uint64_t address, memory_size;
	uint64_t offset, file_size;
	int protection; /* SPACE_READ | ... */
};

struct elf_image {
	char *path;
	int file;                /* descriptor, open for reading */
	enum elf_machine machine;
	bool relocatable;        /* ET_DYN: may be loaded at any bias */
	bool executable_stack;   /* PT_GNU_STACK asks for it (or is absent
				  * in an i386 image) */
	uint64_t entry;
	uint64_t headers;        /* address of the program headers; 0: none */
	unsigned header_count, header_size;
	uint64_t unwind_table;   /* address of .eh_frame_hdr, or 0 */
	char *interpreter;       /* PT_INTERP, or NULL */
	struct elf_segment *segments;
	size_t segment_count;
	uint64_t low, high;      /* page-rounded span of the segments */
	struct elf_symbols *symbols; /* read on first use */
	struct elf_section *sections; /* likewise: elf_sections() */
	size_t section_count;
};

/* Opens and checks a program for i386 or x86-64 Linux. NULL and *error ("path:
 * ...") when the file cannot be opened or is not such a program. */
struct elf_image *elf_open(const char *path, struct error *error);
/* elf_open() of a file that is open already. The image owns the descriptor from
 * now on, and it is closed on failure, too. `path` only names the file in
 * messages. */
struct elf_image *elf_open_file(const char *path, int file,
				struct error *error);
void elf_free(struct elf_image *image);

/* Writes the contents of the file's headers, for --elf-debug. */
void elf_describe(const struct elf_image *image, FILE *log);

/* Maps the segments at their addresses plus `bias`. The bias is a page
 * multiple, and 0 for an image that is not relocatable. `log` may be NULL. */
int elf_load(const struct elf_image *image, struct space *space,
	     uint64_t bias, FILE *log, struct error *error);

/* The sections of the file's section table, valid as long as the image. A file
 * without a section table has none. */
const struct elf_section *elf_sections(struct elf_image *image,
				       size_t *count);

/* Writes header, segments and symbols of the file, for the elf-debug
 * channel. */
void elf_print(struct elf_image *image, FILE *stream);

/* The function or object that holds an address of the file (unbiased): its
 * name, valid as long as the image, and the distance from its start. NULL
 * when no symbol is near. */
const char *elf_symbol_at(struct elf_image *image, uint64_t address,
			  uint64_t *distance);
/* Value of a defined symbol; false if there is none of that name. */
bool elf_symbol_value(struct elf_image *image, const char *name,
		      uint64_t *value);
/* Address (unbiased) of the byte at a file offset; false when no segment
 * holds it. */
bool elf_address_of_offset(const struct elf_image *image, uint64_t offset,
			   uint64_t *address);

#endif
