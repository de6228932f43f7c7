#include "opencl-rt/clc/code/relayout.h"

#include <stdlib.h>

#include "base/memory.h"
#include "opencl-rt/clc/package.h"

/* Where the relocated words of a kernel have gone. */
struct moves {
	uint32_t kernel; /* its start in .text */
	const struct edit_move *moves;
	size_t count;
};

static uint32_t moved_place(void *context, uint32_t place)
{
	const struct moves *moves = context;

	for (size_t i = 0; i < moves->count; i++)
		if (place == moves->kernel + moves->moves[i].from)
			return moves->kernel + moves->moves[i].to;
	return place;
}

/* Source lines under way. */
struct line_rows {
	const struct evg_lines *lines; /* as they were */
	uint32_t kernel;               /* its start in .text */
	struct evg_line_row *rows;
	size_t count, capacity;
};

static void add_row(void *context, uint32_t from, uint32_t to)
{
	struct line_rows *rows = context;
	const struct evg_line_row *old =
		evg_lines_find(rows->lines, rows->kernel + 8 * from);

	if (!old)
		return;
	ARRAY_GROW(rows->rows, rows->count, rows->capacity);
	rows->rows[rows->count] = *old;
	rows->rows[rows->count++].offset = rows->kernel + 8 * to;
}

static int compare_rows(const void *left, const void *right)
{
	const struct evg_line_row *a = left, *b = right;

	return (a->offset > b->offset) - (a->offset < b->offset);
}

static void replace_rows(struct evg_lines *lines, struct line_rows *rows)
{
	if (!lines || !rows->count) {
		free(rows->rows);
		return;
	}
	qsort(rows->rows, rows->count, sizeof *rows->rows, compare_rows);
	free(lines->rows);
	lines->rows = rows->rows;
	lines->row_count = rows->count;
}

static struct edit *open_kernel(const struct evg_program *program,
				const struct evg_kernel *kernel,
				const struct evg_code *code)
{
	uint32_t *places = xcalloc(program->relocation_count + 1,
				   sizeof *places);
	struct edit *edit;
	size_t count = 0;

	for (uint32_t i = 0; i < program->relocation_count; i++) {
		uint32_t place = program->relocations[i];

		if (place >= kernel->code_offset &&
		    place < kernel->code_offset + kernel->code_size)
			places[count++] = place - kernel->code_offset;
	}
	edit = edit_open(code, places, count);
	free(places);
	return edit;
}

static int change_kernel(const struct relayout *relayout,
			 const struct evg_program *program,
			 const struct evg_kernel *kernel, void *image,
			 size_t size, uint32_t text, struct line_rows *rows,
			 struct error *error)
{
	uint8_t *bytes = (uint8_t *)image + text + kernel->code_offset;
	struct evg_code *code =
		evg_code_decode(bytes, kernel->code_size, error);
	struct edit_move *moved = NULL;
	struct moves moves = { .kernel = kernel->code_offset };
	struct edit *edit;
	int status;

	if (!code)
		return -1;
	if (!relayout->wants(relayout, code)) {
		evg_code_free(code);
		return 0;
	}
	edit = open_kernel(program, kernel, code);
	status = relayout->change(relayout->context, kernel, edit, error);
	if (!status)
		status = edit_write(edit, bytes, kernel->code_size, &moved,
				    &moves.count, error);
	moves.moves = moved;
	rows->kernel = kernel->code_offset;
	if (!status)
		edit_places(edit, add_row, rows);
	if (!status)
		status = package_move_relocations(image, size, moved_place,
						  &moves, error);
	free(moved);
	edit_free(edit);
	evg_code_free(code);
	return status;
}

int relayout_image(const struct relayout *relayout, const char *name,
		   void *image, size_t size, struct error *error)
{
	struct line_rows rows = { .lines = relayout->lines };
	uint32_t text_offset, text_size;
	struct evg_program *program;
	int status = 0;

	if (package_find_text(image, size, &text_offset, &text_size, error))
		return -1;
	program = evg_program_read(name, image, size, error);
	if (!program)
		return -1;
	for (uint32_t i = 0; !status && i < program->kernel_count; i++) {
		status = change_kernel(relayout, program, &program->kernels[i],
				       image, size, text_offset, &rows, error);
		if (status)
			error_prefix(error, "kernel '%s'",
				     program->kernels[i].name);
	}
	replace_rows(relayout->lines, &rows);
	evg_program_free(program);
	return status;
}
