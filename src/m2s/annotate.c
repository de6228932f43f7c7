#include "m2s/annotate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/output.h"
#include "evergreen/asm/listing.h"
#include "evergreen/isa/code.h"

/* A static instruction; a clause that several CF instructions name has its
 * rows behind each. */
struct row {
	size_t line;           /* of the code, for the figures */
	char *text;
	char *source;          /* "file:line", or NULL */
	char *source_text;     /* that line, or NULL */
	uint32_t address;
	enum evg_step_kind kind;
	unsigned slots;        /* filled, of a VLIW group */
};

struct figures {
	uint64_t executions, lanes, transactions, conflicts;
};

struct annotation {
	char *name;
	uint8_t *code;         /* two kernels are one when this is equal */
	uint32_t code_size;
	struct row *rows;
	size_t row_count, row_capacity;
	struct figures *figures; /* by line */
	uint64_t launches, wavefronts, work_items;
};

struct annotations {
	struct annotation *list;
	size_t count, capacity;
};

/* --- Collecting --------------------------------------------------------- */

struct annotations *annotations_create(void)
{
	return xcalloc(1, sizeof(struct annotations));
}

static void clear(struct annotation *annotation)
{
	for (size_t i = 0; i < annotation->row_count; i++) {
		free(annotation->rows[i].text);
		free(annotation->rows[i].source);
		free(annotation->rows[i].source_text);
	}
	free(annotation->rows);
	free(annotation->figures);
	free(annotation->code);
	free(annotation->name);
}

void annotations_free(struct annotations *annotations)
{
	if (!annotations)
		return;
	for (size_t i = 0; i < annotations->count; i++)
		clear(&annotations->list[i]);
	free(annotations->list);
	free(annotations);
}

static void set_source(struct row *row, const struct evg_kernel *kernel)
{
	const struct evg_lines *lines = kernel->program->lines;
	const struct evg_line_row *found = evg_lines_find(
		lines, kernel->code_offset + 8 * row->address);
	const char *file, *text;
	size_t length;

	if (!found)
		return;
	file = lines->files[found->file - 1];
	if (strrchr(file, '/'))
		file = strrchr(file, '/') + 1;
	row->source = xasprintf("%s:%" PRIu32, file, found->line);
	text = evg_lines_source(lines, found->file, found->line, &length);
	if (!text)
		return;
	for (; length && (*text == ' ' || *text == '\t'); length--)
		text++;
	row->source_text = xasprintf("%.*s", (int)length, text);
}

static void add_row(struct annotation *annotation,
		    const struct evg_kernel *kernel,
		    const struct evg_inst_stats *all, size_t line)
{
	const struct evg_code_line *code_line = &kernel->code->lines[line];
	size_t length = evg_code_line_format(NULL, 0, code_line) + 1;
	struct row *row;

	ARRAY_GROW(annotation->rows, annotation->row_count,
		   annotation->row_capacity);
	row = &annotation->rows[annotation->row_count++];
	*row = (struct row){ .line = line, .text = xmalloc(length),
			     .address = all[line].address,
			     .kind = all[line].kind };
	evg_code_line_format(row->text, length, code_line);
	if (all[line].group)
		row->slots = all[line].group->inst_count;
	set_source(row, kernel);
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

static struct annotation *find(struct annotations *annotations,
			       const struct evg_kernel *kernel,
			       const struct evg_inst_stats *all, size_t count)
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
		     const struct evg_ndrange *ndrange)
{
	const struct evg_kernel *kernel = evg_ndrange_launch(ndrange)->kernel;
	const struct evg_inst_stats *rows;
	struct annotation *annotation;
	struct evg_stats totals;
	size_t count;

	evg_ndrange_stats(ndrange, &totals);
	rows = evg_ndrange_inst_stats(ndrange, &count);
	annotation = find(annotations, kernel, rows, count);
	for (size_t i = 0; i < count; i++) {
		struct figures *figures = &annotation->figures[i];

		figures->executions += rows[i].executions;
		figures->lanes += rows[i].active_lanes;
		figures->transactions += rows[i].transactions;
		figures->conflicts += rows[i].bank_conflicts;
	}
	annotation->launches++;
	annotation->wavefronts += totals.wavefronts;
	annotation->work_items += totals.work_items;
}

/* --- Text --------------------------------------------------------------- */

enum { FIGURES_WIDTH = 59 };

static void print_count(uint64_t count, int width, FILE *stream)
{
	if (count)
		fprintf(stream, "%*" PRIu64, width, count);
	else
		fprintf(stream, "%*s", width, "");
}

static void print_row(const struct row *row, const struct figures *n,
		      FILE *stream)
{
	const char *text = row->text;
	size_t length = strcspn(text, "\n");

	fprintf(stream, "%12" PRIu64, n->executions);
	if (n->executions)
		fprintf(stream, "%8.1f",
			(double)n->lanes / (double)n->executions);
	else
		fprintf(stream, "%8s", "");
	print_count(row->slots, 6, stream);
	print_count(n->transactions, 15, stream);
	print_count(n->conflicts, 15, stream);
	fprintf(stream, "  | %.*s\n", (int)length, text);
	while (text[length]) {
		text += length + 1;
		length = strcspn(text, "\n");
		fprintf(stream, "%*s| %.*s\n", FIGURES_WIDTH - 1, "",
			(int)length, text);
	}
}

static void print_text(const struct annotation *annotation, FILE *stream)
{
	const char *source = "";

	fprintf(stream, "Kernel %s: %" PRIu64 " launches, %" PRIu64
		" wavefronts, %" PRIu64 " work-items\n\n", annotation->name,
		annotation->launches, annotation->wavefronts,
		annotation->work_items);
	fprintf(stream, "%12s%8s%6s%15s%15s  |\n", "executions", "active",
		"slots", "transactions", "bank conflicts");
	for (size_t i = 0; i < annotation->row_count; i++) {
		const struct row *row = &annotation->rows[i];

		if (row->source && strcmp(row->source, source)) {
			fprintf(stream, "%*s| ; %s: %s\n", FIGURES_WIDTH - 1,
				"", row->source,
				row->source_text ? row->source_text : "");
			source = row->source;
		}
		print_row(row, &annotation->figures[row->line], stream);
	}
	fputc('\n', stream);
}

static const char legend[] =
	"; executions: by wavefronts. active: work-items of the wavefront that "
	"executed the\n"
	"; instruction, on average. slots: of five, filled in a VLIW group. "
	"transactions:\n"
	"; blocks of global memory touched, summed over executions. bank "
	"conflicts: cycles\n"
	"; that local memory needed beyond an even spread over its banks.\n\n";

/* --- Comma-separated values --------------------------------------------- */

static void print_quoted(const char *text, FILE *stream)
{
	fputc('"', stream);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', stream);
		fputc(*text, stream);
	}
	fputc('"', stream);
}

static void print_csv(const struct annotation *annotation, FILE *stream)
{
	static const char *const kinds[] = {
		[EVG_STEP_CF] = "cf", [EVG_STEP_CLAUSE] = "clause",
		[EVG_STEP_ALU] = "alu", [EVG_STEP_FETCH] = "fetch",
		[EVG_STEP_STORE] = "store",
	};

	for (size_t i = 0; i < annotation->row_count; i++) {
		const struct row *row = &annotation->rows[i];
		const struct figures *n = &annotation->figures[row->line];

		print_quoted(annotation->name, stream);
		fprintf(stream, ",%" PRIu32 ",%s,%" PRIu64 ",%" PRIu64
			",%u,%" PRIu64 ",%" PRIu64 ",", row->address,
			kinds[row->kind], n->executions, n->lanes, row->slots,
			n->transactions, n->conflicts);
		print_quoted(row->source ? row->source : "", stream);
		fputc(',', stream);
		print_quoted(row->text, stream);
		fputc('\n', stream);
	}
}

/* --- The file ----------------------------------------------------------- */

int annotations_write(const struct annotations *annotations, const char *path,
		      const char *partial, struct error *error)
{
	size_t length = strlen(path);
	bool csv = length > 4 && !strcmp(path + length - 4, ".csv");
	struct output output;

	if (output_open(&output, path, NULL, error))
		return error_prefix(error, "--evg-annotate");
	if (partial)
		fprintf(output.stream, "%s INCOMPLETE: %s\n",
			csv ? "#" : ";", partial);
	if (csv)
		fputs("kernel,address,kind,executions,active_lanes,slots,"
		      "transactions,bank_conflicts,source,text\n",
		      output.stream);
	else
		fputs(legend, output.stream);
	for (size_t i = 0; i < annotations->count; i++)
		(csv ? print_csv : print_text)(&annotations->list[i],
					       output.stream);
	return output_close(&output, 0, error);
}
