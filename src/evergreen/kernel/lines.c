#include "evergreen/kernel/lines.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { VERSION = 3, OLDEST_VERSION = 2 };
#define END "end\n"

/* --- Reading ------------------------------------------------------------ */

struct scanner {
	const char *name, *at, *end;
	unsigned line;
	struct error *error;
};

static int damaged(const struct scanner *scanner, const char *expected)
{
	return error_set(scanner->error, "%s: " EVG_LINES_SECTION ":%u: "
			 "expected %s (the file is damaged; make it again with "
			 "m2s-clc -g)", scanner->name, scanner->line, expected);
}

/* The rest of the line after `word` and a blank: a pointer into the section
 * and its length. False when the line begins otherwise or has no end. */
static bool take_line(struct scanner *scanner, const char *word,
		      const char **rest, size_t *length)
{
	size_t left = (size_t)(scanner->end - scanner->at);
	size_t word_length = strlen(word);
	const char *end = memchr(scanner->at, '\n', left);

	if (!end || (size_t)(end - scanner->at) <= word_length ||
	    memcmp(scanner->at, word, word_length) ||
	    scanner->at[word_length] != ' ')
		return false;
	*rest = scanner->at + word_length + 1;
	*length = (size_t)(end - *rest);
	scanner->at = end + 1;
	scanner->line++;
	return true;
}

/* Exactly `count` decimal numbers between single blanks. */
static bool parse_numbers(const char *text, size_t length, uint32_t *numbers,
			  unsigned count)
{
	const char *end = text + length;

	for (unsigned i = 0; i < count; i++) {
		uint64_t value = 0;
		const char *start = text;

		for (; text < end && *text >= '0' && *text <= '9' &&
		       value <= UINT32_MAX; text++)
			value = value * 10 + (uint64_t)(*text - '0');
		if (text == start || value > UINT32_MAX)
			return false;
		if (i + 1 < count && (text == end || *text++ != ' '))
			return false;
		numbers[i] = (uint32_t)value;
	}
	return text == end;
}

static int read_rows(struct scanner *scanner, struct evg_lines *lines)
{
	uint32_t numbers[4];
	size_t capacity = 0, length;
	const char *rest;

	while (take_line(scanner, "line", &rest, &length)) {
		numbers[3] = 0;
		if ((!parse_numbers(rest, length, numbers, 3) &&
		     !parse_numbers(rest, length, numbers, 4)) ||
		    numbers[1] > lines->file_count ||
		    (lines->row_count &&
		     lines->rows[lines->row_count - 1].offset >= numbers[0])) {
			scanner->line--;
			return damaged(scanner, "an offset above the one "
				       "before, a file and a line");
		}
		ARRAY_GROW(lines->rows, lines->row_count, capacity);
		lines->rows[lines->row_count++] = (struct evg_line_row){
			numbers[0], numbers[1], numbers[2], numbers[3]
		};
	}
	return 0;
}

/* The text of the next file. */
static int read_source(struct scanner *scanner, char **source)
{
	const char *rest;
	uint32_t size;
	size_t length;

	if (!take_line(scanner, "source", &rest, &length) ||
	    !parse_numbers(rest, length, &size, 1) ||
	    size > (size_t)(scanner->end - scanner->at))
		return damaged(scanner, "'source' and the size of its text");
	*source = xmalloc((size_t)size + 1);
	memcpy(*source, scanner->at, size);
	(*source)[size] = 0;
	scanner->at += size;
	return 0;
}

static int read_all(struct scanner *scanner, struct evg_lines *lines)
{
	uint32_t capacity = 0, number;
	size_t length;
	const char *rest;

	if (!take_line(scanner, "m2s-lines", &rest, &length) ||
	    !parse_numbers(rest, length, &number, 1) ||
	    number < OLDEST_VERSION || number > VERSION)
		return damaged(scanner, "'m2s-lines 3'");
	while (take_line(scanner, "file", &rest, &length)) {
		ARRAY_GROW(lines->files, lines->file_count, capacity);
		lines->files[lines->file_count++] =
			xasprintf("%.*s", (int)length, rest);
	}
	if (read_rows(scanner, lines))
		return -1;
	lines->sources = xcalloc((size_t)lines->file_count + 1,
				 sizeof *lines->sources);
	for (uint32_t i = 0; i < lines->file_count; i++)
		if (read_source(scanner, &lines->sources[i]))
			return -1;
	if ((size_t)(scanner->end - scanner->at) != strlen(END) ||
	    memcmp(scanner->at, END, strlen(END)))
		return damaged(scanner, "'end'");
	return 0;
}

struct evg_lines *evg_lines_read(const char *name, const char *text,
				 size_t size, struct error *error)
{
	struct scanner scanner = { name, text, text + size, 1, error };
	struct evg_lines *lines = xcalloc(1, sizeof *lines);

	if (!read_all(&scanner, lines))
		return lines;
	evg_lines_free(lines);
	return NULL;
}

void evg_lines_free(struct evg_lines *lines)
{
	if (!lines)
		return;
	for (uint32_t i = 0; i < lines->file_count; i++) {
		free(lines->files[i]);
		if (lines->sources)
			free(lines->sources[i]);
	}
	free(lines->files);
	free(lines->sources);
	free(lines->rows);
	free(lines);
}

/* --- Writing ------------------------------------------------------------ */

char *evg_lines_write(const struct evg_lines *lines, size_t *size)
{
	char *text = NULL;
	FILE *stream = open_memstream(&text, size);

	fprintf(stream, "m2s-lines %d\n", VERSION);
	for (uint32_t i = 0; i < lines->file_count; i++)
		fprintf(stream, "file %s\n", lines->files[i]);
	for (size_t i = 0; i < lines->row_count; i++) {
		const struct evg_line_row *row = &lines->rows[i];

		fprintf(stream, "line %" PRIu32 " %" PRIu32 " %" PRIu32,
			row->offset, row->file, row->line);
		if (row->argument)
			fprintf(stream, " %" PRIu32, row->argument);
		fputc('\n', stream);
	}
	for (uint32_t i = 0; i < lines->file_count; i++)
		fprintf(stream, "source %zu\n%s", strlen(lines->sources[i]),
			lines->sources[i]);
	fputs(END, stream);
	fclose(stream);
	return text;
}

/* --- Asking ------------------------------------------------------------- */

const struct evg_line_row *evg_lines_find(const struct evg_lines *lines,
					  uint32_t offset)
{
	size_t low = 0, high = lines ? lines->row_count : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lines->rows[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || !lines->rows[low - 1].file || !lines->rows[low - 1].line)
		return NULL;
	return &lines->rows[low - 1];
}

const char *evg_lines_source(const struct evg_lines *lines, uint32_t file,
			     uint32_t number, size_t *length)
{
	const char *at = lines->sources[file - 1];

	while (--number) {
		at = strchr(at, '\n');
		if (!at++)
			return NULL;
	}
	*length = strcspn(at, "\r\n");
	return *length || *at ? at : NULL;
}
