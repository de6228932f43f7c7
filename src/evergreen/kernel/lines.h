/* The line table of a program: the source line of each instruction. m2s-clc
 * adds it as a section with -g (EVG_LINES_SECTION, SHT_PROGBITS, no flags). The
 * section is text:
 *
 *	m2s-lines 3
 *	file kernels/add.cl
 *	file kernels/add.h
 *	line 0 1 3
 *	line 16 2 5 4
 *	source 123
 *	<123 bytes>source 0
 *	end
 *
 * The first line holds the version. Files count from 1. A `line` row gives a
 * byte offset in .text, and the file and the line of the code from this offset
 * up to that of the next row; file and line 0 mean none. A fourth number is the
 * kernel's argument, from 1, through which this code accesses memory. Offsets
 * ascend. The texts of all files follow in the order of the files; an empty text
 * is unknown. Version 2, which is read as well, had no arguments. */
#ifndef M2S_EVERGREEN_KERNEL_LINES_H
#define M2S_EVERGREEN_KERNEL_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define EVG_LINES_SECTION ".m2s.lines"

struct evg_line_row {
	uint32_t offset; /* in the program's text, bytes */
	uint32_t file, line;
	uint32_t argument; /* from 1; 0: none that is known */
};

struct evg_lines {
	char **files, **sources; /* a source is "" when it is not known */
	uint32_t file_count;
	struct evg_line_row *rows;
	size_t row_count;
};

/* Reads a section; NULL and *error ("name: .m2s.lines: ...") when it is
 * damaged. */
struct evg_lines *evg_lines_read(const char *name, const char *text,
				 size_t size, struct error *error);
/* The text of the section, *size bytes, which the caller frees with free(). */
char *evg_lines_write(const struct evg_lines *lines, size_t *size);
void evg_lines_free(struct evg_lines *lines); /* NULL is fine */

/* The row that holds a byte of the text; NULL when the byte has no line.
 * `lines` may be NULL. */
const struct evg_line_row *evg_lines_find(const struct evg_lines *lines,
					  uint32_t offset);
/* Line `number` of a file (both from 1), *length bytes without its end; NULL
 * when there is none. */
const char *evg_lines_source(const struct evg_lines *lines, uint32_t file,
			     uint32_t number, size_t *length);

#endif
