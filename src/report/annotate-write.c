#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/memory.h"
#include "report/annotate-internal.h"

static double mean(uint64_t sum, uint64_t count)
{
	return count ? (double)sum / (double)count : 0;
}

/* --- Text --------------------------------------------------------------- */

enum { FIGURES_WIDTH = 59, CYCLES_WIDTH = 28 };

static int figures_width(bool detailed)
{
	return FIGURES_WIDTH + (detailed ? CYCLES_WIDTH : 0);
}

static void print_count(uint64_t count, int width, FILE *stream)
{
	if (count)
		fprintf(stream, "%*" PRIu64, width, count);
	else
		fprintf(stream, "%*s", width, "");
}

/* Up to the text; `slots`: of a group, or their mean. */
static void print_figures(const struct annotation_figures *n, double slots,
			  bool exact, bool detailed, FILE *stream)
{
	fprintf(stream, "%12" PRIu64, n->executions);
	if (n->executions)
		fprintf(stream, "%8.1f", mean(n->lanes, n->executions));
	else
		fprintf(stream, "%8s", "");
	if (slots > 0)
		fprintf(stream, exact ? "%6.0f" : "%6.2f", slots);
	else
		fprintf(stream, "%6s", "");
	print_count(n->transactions, 15, stream);
	print_count(n->conflicts, 15, stream);
	if (detailed) {
		print_count(n->busy, 12, stream);
		print_count(n->stall, 16, stream);
	}
}

static void print_heading(bool detailed, FILE *stream)
{
	fprintf(stream, "%12s%8s%6s%15s%15s", "executions", "active", "slots",
		"transactions", "bank conflicts");
	if (detailed)
		fprintf(stream, "%12s%16s", "cycles", "stall cycles");
	fputs("  |\n", stream);
}

/* Above the code of another line. */
static void print_source(const struct annotation *annotation, int source,
			 bool detailed, FILE *stream)
{
	fprintf(stream, "%*s| ; ", figures_width(detailed) - 1, "");
	if (source == NO_SOURCE)
		fputs("no source line: made by the compiler\n", stream);
	else
		fprintf(stream, "%s: %s\n", annotation->sources[source].place,
			annotation->sources[source].text);
}

static void print_row(const struct annotation *annotation,
		      const struct annotation_row *row, bool detailed,
		      int *source, FILE *stream)
{
	const char *text = row->text;

	for (unsigned i = 0; *text; i++) {
		size_t length = strcspn(text, "\n");

		if (i < EVG_SLOT_COUNT && (!i || i < row->slots) &&
		    row->slot_source[i] != *source) {
			*source = row->slot_source[i];
			print_source(annotation, *source, detailed, stream);
		}
		if (i)
			fprintf(stream, "%*s", figures_width(detailed) - 3,
				"");
		else
			print_figures(&annotation->figures[row->line],
				      row->slots, true, detailed, stream);
		fprintf(stream, "  | %.*s\n", (int)length, text);
		text += length + (text[length] == '\n');
	}
}

/* Sums of the rows of a line; its slots over executions of groups. */
struct total {
	struct annotation_figures figures;
	uint64_t slots, groups;
};

static void add_figures(struct total *total, const struct annotation_row *row,
			const struct annotation_figures *n)
{
	total->figures.executions += n->executions;
	total->figures.lanes += n->lanes;
	total->figures.transactions += n->transactions;
	total->figures.conflicts += n->conflicts;
	total->figures.busy += n->busy;
	total->figures.stall += n->stall;
	if (row->slots) {
		total->slots += n->executions * row->slots;
		total->groups += n->executions;
	}
}

static void print_total(const struct total *total, bool detailed,
			const char *place, const char *text, FILE *stream)
{
	print_figures(&total->figures, mean(total->slots, total->groups),
		      false, detailed, stream);
	fprintf(stream, "  | %s%s%s\n", place, *text ? ": " : "", text);
}

/* A clause that several CF instructions name has several rows, one figure. */
static void print_totals(const struct annotation *annotation, bool detailed,
			 FILE *stream)
{
	size_t count = annotation->source_count + 1;
	struct total *totals = xcalloc(count, sizeof *totals), all = { 0 };
	bool *seen = xcalloc(annotation->code_size, 1);

	for (size_t i = 0; i < annotation->row_count; i++) {
		const struct annotation_row *row = &annotation->rows[i];
		const struct annotation_figures *n =
			&annotation->figures[row->line];

		if (seen[row->line])
			continue;
		seen[row->line] = true;
		add_figures(&totals[row->source + 1], row, n);
		add_figures(&all, row, n);
	}
	fputs("\nTotals of source lines\n\n", stream);
	print_heading(detailed, stream);
	for (size_t i = 1; i < count; i++)
		if (totals[i].figures.executions)
			print_total(&totals[i], detailed,
				    annotation->sources[i - 1].place,
				    annotation->sources[i - 1].text, stream);
	if (totals[0].figures.executions)
		print_total(&totals[0], detailed, "no source line", "",
			    stream);
	print_total(&all, detailed, "the kernel", "", stream);
	free(seen);
	free(totals);
}

static void print_text(const struct annotation *annotation, bool detailed,
		       FILE *stream)
{
	/* Without -g there is nothing to say of lines. */
	int source = NO_SOURCE;

	fprintf(stream, "Kernel %s: %" PRIu64 " launches, %" PRIu64
		" wavefronts, %" PRIu64 " work-items\n\n", annotation->name,
		annotation->launches, annotation->wavefronts,
		annotation->work_items);
	print_heading(detailed, stream);
	for (size_t i = 0; i < annotation->row_count; i++)
		print_row(annotation, &annotation->rows[i], detailed, &source,
			  stream);
	if (annotation->source_count)
		print_totals(annotation, detailed, stream);
	fputc('\n', stream);
}

static const char legend[] =
	"; executions: by wavefronts. active: work-items of the wavefront that "
	"executed the\n"
	"; instruction, on average. slots: of five, filled in a VLIW group. "
	"transactions:\n"
	"; blocks of global memory touched, summed over executions. bank "
	"conflicts: cycles\n"
	"; that local memory needed beyond an even spread over its banks.\n";
static const char detailed_legend[] =
	"; cycles: for which the instruction kept its engine. stall cycles: of "
	"wavefronts,\n"
	"; between the end of their last instruction and the beginning of this "
	"one.\n";

/* --- Comma-separated values --------------------------------------------- */

/* All lines that a row's slots have, once each, with blanks between. */
static void print_sources(const struct annotation *annotation,
			  const struct annotation_row *row, FILE *stream)
{
	unsigned count = row->slots ? row->slots : 1;
	bool any = false;

	fputc('"', stream);
	for (unsigned i = 0; i < count; i++) {
		bool before = row->slot_source[i] == NO_SOURCE;

		for (unsigned j = 0; j < i; j++)
			before |= row->slot_source[j] == row->slot_source[i];
		if (before)
			continue;
		fprintf(stream, "%s%s", any ? " " : "",
			annotation->sources[row->slot_source[i]].place);
		any = true;
	}
	fputc('"', stream);
}

static void print_csv(const struct annotation *annotation, bool detailed,
		      const char *partial, FILE *stream)
{
	static const char *const kinds[] = {
		[EVG_STEP_CF] = "cf", [EVG_STEP_CLAUSE] = "clause",
		[EVG_STEP_ALU] = "alu", [EVG_STEP_FETCH] = "fetch",
		[EVG_STEP_STORE] = "store",
	};

	for (size_t i = 0; i < annotation->row_count; i++) {
		const struct annotation_row *row = &annotation->rows[i];
		const struct annotation_figures *n =
			&annotation->figures[row->line];

		csv_print_quoted(annotation->name, stream);
		fprintf(stream, ",%" PRIu32 ",%s,%" PRIu64 ",%" PRIu64
			",%u,%" PRIu64 ",%" PRIu64 ",%.6g,", row->address,
			kinds[row->kind], n->executions, n->lanes, row->slots,
			n->transactions, n->conflicts,
			mean(n->lanes, n->executions));
		if (detailed)
			fprintf(stream, "%" PRIu64 ",%" PRIu64, n->busy,
				n->stall);
		else
			fputc(',', stream);
		fputc(',', stream);
		csv_print_quoted(row->source == NO_SOURCE
				     ? ""
				     : annotation->sources[row->source].place,
			     stream);
		fputc(',', stream);
		print_sources(annotation, row, stream);
		fputc(',', stream);
		csv_print_quoted(row->text, stream);
		fprintf(stream, ",%s\n", partial ? partial : "");
	}
}

/* --- The file ----------------------------------------------------------- */

int annotations_write(const struct annotations *annotations,
		      struct output *output, bool csv, const char *partial,
		      struct error *error)
{
	FILE *stream = output->stream;

	if (partial && !csv)
		fprintf(stream, "; INCOMPLETE: %s\n", partial);
	if (csv)
		fputs("kernel,address,kind,executions,active_lanes,slots,"
		      "transactions,bank_conflicts,active,cycles,stall_cycles,"
		      "source,sources,text,incomplete\n", stream);
	else
		fprintf(stream, "%s%s\n", legend,
			annotations->detailed ? detailed_legend : "");
	for (size_t i = 0; i < annotations->count; i++)
		if (csv)
			print_csv(&annotations->list[i], annotations->detailed,
				  partial, stream);
		else
			print_text(&annotations->list[i],
				   annotations->detailed, stream);
	return output_close(output, 0, error);
}
