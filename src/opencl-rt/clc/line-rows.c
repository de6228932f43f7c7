#include "opencl-rt/clc/line-rows.h"

#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/isa/code.h"

/* --- Files ---------------------------------------------------------------- */

/* The name that a file has in the table. */
static char *name_of(LLVMMetadataRef file)
{
	unsigned folder_length = 0, length = 0;
	const char *folder = LLVMDIFileGetDirectory(file, &folder_length);
	const char *name = LLVMDIFileGetFilename(file, &length);

	/* The driver hands over its source on a pipe. */
	if (length == strlen("<stdin>") && !memcmp(name, "<stdin>", length))
		return xstrdup("source");
	if (!folder_length || (length && *name == '/'))
		return xasprintf("%.*s", (int)length, name);
	return xasprintf("%.*s/%.*s", (int)folder_length, folder, (int)length,
			 name);
}

/* The number of a file, from 1, with its text (-gembed-source). */
static uint32_t find_file(struct evg_lines *lines, LLVMMetadataRef file)
{
	char *name = name_of(file);
	unsigned length = 0;
	const char *text;
	uint32_t number = 0;

	while (number < lines->file_count &&
	       strcmp(lines->files[number], name))
		number++;
	if (number < lines->file_count) {
		free(name);
		return number + 1;
	}
	text = LLVMDIFileGetSource(file, &length);
	lines->files = xrealloc(lines->files,
				(number + 1) * sizeof *lines->files);
	lines->sources = xrealloc(lines->sources,
				  (number + 1) * sizeof *lines->sources);
	lines->files[number] = name;
	lines->sources[number] = xasprintf("%.*s", (int)length,
					   text ? text : "");
	return ++lines->file_count;
}

/* --- Rows ----------------------------------------------------------------- */

/* Rows in the making: `next` of the lines comes next. */
struct rows {
	struct evg_lines *lines;
	const struct write_lines *from;
	size_t next, capacity;
	uint32_t start;          /* of the kernel, in the text */
};

static void add_row(struct rows *rows, uint32_t address)
{
	struct evg_lines *lines = rows->lines;
	struct write_line from = { .line = NULL };
	LLVMMetadataRef line;
	LLVMMetadataRef file = NULL;
	struct evg_line_row row = { .offset = rows->start + 8 * address };

	if (rows->next < rows->from->count)
		from = rows->from->list[rows->next];
	rows->next++;
	line = (LLVMMetadataRef)from.line;
	if (line)
		file = LLVMDIScopeGetFile(LLVMDILocationGetScope(line));
	if (file) {
		row.file = find_file(lines, file);
		row.line = LLVMDILocationGetLine(line);
		row.argument = from.argument;
	}
	ARRAY_GROW(lines->rows, lines->row_count, rows->capacity);
	lines->rows[lines->row_count++] = row;
}

/* Those of a CF instruction and of its clause. */
static void add_cf(struct rows *rows, const struct evg_code *code,
		   const struct evg_code_cf *cf)
{
	add_row(rows, cf->address);
	for (uint32_t i = 0; i < cf->count; i++) {
		const struct evg_code_group *group =
			&code->groups[cf->first + i];

		if (cf->clause != EVG_CLAUSE_ALU) {
			add_row(rows, code->fetches[cf->first + i].address);
			continue;
		}
		for (unsigned k = 0; k < group->group.inst_count; k++)
			add_row(rows, group->address + k);
	}
}

static int compare_rows(const void *left, const void *right)
{
	const struct evg_line_row *a = left, *b = right;

	return (a->offset > b->offset) - (a->offset < b->offset);
}

/* In the order of the code; neighbours that say the same become one. */
static void tidy(struct evg_lines *lines, size_t first)
{
	size_t count = first;

	qsort(lines->rows + first, lines->row_count - first,
	      sizeof *lines->rows, compare_rows);
	for (size_t i = first; i < lines->row_count; i++) {
		const struct evg_line_row *row = &lines->rows[i];

		if (count > first && lines->rows[count - 1].file == row->file &&
		    lines->rows[count - 1].line == row->line &&
		    lines->rows[count - 1].argument == row->argument)
			continue;
		lines->rows[count++] = *row;
	}
	lines->row_count = count;
}

int line_rows_add(struct evg_lines **lines, const struct evg_program *program,
		  const struct evg_kernel *kernel,
		  const struct write_lines *from, struct error *error)
{
	struct evg_code *code = evg_code_decode(
		program->text + kernel->code_offset, kernel->code_size, error);
	struct rows rows = { .from = from, .start = kernel->code_offset };
	size_t first;

	if (!code)
		return -1;
	if (!*lines)
		*lines = xcalloc(1, sizeof **lines);
	rows.lines = *lines;
	first = rows.capacity = rows.lines->row_count;
	/* What control never reaches is not decoded. */
	for (uint32_t i = 0; i < code->cf_count && code->cf[i].size; i++)
		add_cf(&rows, code, &code->cf[i]);
	tidy(rows.lines, first);
	evg_code_free(code);
	return 0;
}
