#include "report/annotate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/listing/listing.h"
#include "evergreen/isa/code.h"
#include "report/annotate-internal.h"

struct annotations *annotations_create(void)
{
	return xcalloc(1, sizeof(struct annotations));
}

static void clear_annotation(struct annotation *annotation)
{
	for (size_t i = 0; i < annotation->row_count; i++)
		free(annotation->rows[i].text);
	for (size_t i = 0; i < annotation->source_count; i++) {
		free(annotation->sources[i].place);
		free(annotation->sources[i].text);
	}
	free(annotation->rows);
	free(annotation->sources);
	free(annotation->figures);
	free(annotation->code);
	free(annotation->name);
}

void annotations_free(struct annotations *annotations)
{
	if (!annotations)
		return;
	for (size_t i = 0; i < annotations->count; i++)
		clear_annotation(&annotations->list[i]);
	free(annotations->list);
	free(annotations);
}

/* --- Source lines ------------------------------------------------------- */

/* The text of a line, without what it is indented by. */
static char *line_text(const struct evg_lines *lines,
		       const struct evg_line_row *row)
{
	size_t length;
	const char *text = evg_lines_source(lines, row->file, row->line,
					    &length);

	if (!text)
		return xstrdup("");
	for (; length && (*text == ' ' || *text == '\t'); length--)
		text++;
	return xasprintf("%.*s", (int)length, text);
}

/* The source of the code at an address, in 64-bit units. */
static int find_source(struct annotation *annotation,
		       const struct evg_kernel *kernel, uint32_t address)
{
	const struct evg_lines *lines = kernel->program->lines;
	const struct evg_line_row *row =
		evg_lines_find(lines, kernel->code_offset + 8 * address);
	const char *file;
	char *place;

	if (!row)
		return NO_SOURCE;
	file = lines->files[row->file - 1];
	if (strrchr(file, '/'))
		file = strrchr(file, '/') + 1;
	place = xasprintf("%s:%" PRIu32, file, row->line);
	for (size_t i = 0; i < annotation->source_count; i++)
		if (!strcmp(annotation->sources[i].place, place)) {
			free(place);
			return (int)i;
		}
	ARRAY_GROW(annotation->sources, annotation->source_count,
		   annotation->source_capacity);
	annotation->sources[annotation->source_count] =
		(struct annotation_source){ place, line_text(lines, row) };
	return (int)annotation->source_count++;
}

/* The one that most of `count` slots have, if any has one. */
static int commonest(const int *sources, unsigned count)
{
	int best = NO_SOURCE;
	unsigned best_number = 0;

	for (unsigned i = 0; i < count; i++) {
		unsigned number = 0;

		for (unsigned j = 0; j < count; j++)
			number += sources[j] == sources[i];
		if (sources[i] != NO_SOURCE && number > best_number) {
			best = sources[i];
			best_number = number;
		}
	}
	return best;
}

/* The slots of a group are one 64-bit unit each, in the order in which they are
 * listed. */
static void set_sources(struct annotation *annotation,
			struct annotation_row *row,
			const struct evg_kernel *kernel)
{
	unsigned count = row->slots ? row->slots : 1;

	for (unsigned i = 0; i < count; i++)
		row->slot_source[i] =
			find_source(annotation, kernel, row->address + i);
	row->source = commonest(row->slot_source, count);
}

/* --- Collecting --------------------------------------------------------- */

static void add_row(struct annotation *annotation,
		    const struct evg_kernel *kernel,
		    const struct evg_inst_stats *all, size_t line)
{
	const struct evg_code_line *code_line = &kernel->code->lines[line];
	size_t length = evg_code_line_format(NULL, 0, code_line) + 1;
	struct annotation_row *row;

	ARRAY_GROW(annotation->rows, annotation->row_count,
		   annotation->row_capacity);
	row = &annotation->rows[annotation->row_count++];
	*row = (struct annotation_row){ .line = line,
					.text = xmalloc(length),
					.address = all[line].address,
					.kind = all[line].kind };
	evg_code_line_format(row->text, length, code_line);
	if (all[line].group)
		row->slots = all[line].group->inst_count;
	set_sources(annotation, row, kernel);
}

/* In the order of the listing: each CF instruction, then its clause. */
static void add_rows(struct annotation *annotation,
		     const struct evg_kernel *kernel,
		     const struct evg_inst_stats *all)
{
	const struct evg_code *code = kernel->code;

	for (uint32_t i = 0; i < code->cf_count; i++) {
		const struct evg_code_cf *cf = &code->cf[i];

		if (!cf->size)
			continue;
		add_row(annotation, kernel, all, cf->line);
		for (uint32_t j = 0; j < cf->count; j++)
			add_row(annotation, kernel, all,
				cf->clause == EVG_CLAUSE_ALU
					? code->groups[cf->first + j].line
					: code->fetches[cf->first + j].line);
	}
}

static struct annotation *find_annotation(struct annotations *annotations,
					  const struct evg_kernel *kernel,
					  const struct evg_inst_stats *all,
					  size_t count)
{
	const uint8_t *code = kernel->program->text + kernel->code_offset;
	struct annotation *annotation;

	for (size_t i = 0; i < annotations->count; i++) {
		annotation = &annotations->list[i];
		if (!strcmp(annotation->name, kernel->name) &&
		    annotation->code_size == kernel->code_size &&
		    !memcmp(annotation->code, code, kernel->code_size))
			return annotation;
	}
	ARRAY_GROW(annotations->list, annotations->count,
		   annotations->capacity);
	annotation = &annotations->list[annotations->count++];
	*annotation = (struct annotation){
		.name = xstrdup(kernel->name),
		.code = xmalloc(kernel->code_size),
		.code_size = kernel->code_size,
		.figures = xcalloc(count, sizeof *annotation->figures),
	};
	memcpy(annotation->code, code, kernel->code_size);
	add_rows(annotation, kernel, all);
	return annotation;
}

void annotations_add(struct annotations *annotations,
		     const struct evg_ndrange *ndrange,
		     const struct evg_inst_cycles *cycles)
{
	const struct evg_kernel *kernel = evg_ndrange_launch(ndrange)->kernel;
	const struct evg_inst_stats *rows;
	struct annotation *annotation;
	struct evg_stats totals;
	size_t count;

	evg_ndrange_stats(ndrange, &totals);
	rows = evg_ndrange_inst_stats(ndrange, &count);
	annotation = find_annotation(annotations, kernel, rows, count);
	for (size_t i = 0; i < count; i++) {
		struct annotation_figures *figures = &annotation->figures[i];

		figures->executions += rows[i].executions;
		figures->lanes += rows[i].active_lanes;
		figures->transactions += rows[i].transactions;
		figures->conflicts += rows[i].bank_conflicts;
		if (cycles) {
			figures->busy += cycles[rows[i].address].busy;
			figures->stall += cycles[rows[i].address].stall;
		}
	}
	annotations->detailed |= cycles != NULL;
	annotation->launches++;
	annotation->wavefronts += totals.wavefronts;
	annotation->work_items += totals.work_items;
}
