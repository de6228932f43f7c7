#include "x86/timing/study/output.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/csv.h"
#include "base/memory.h"
#include "stats/plot.h"

static const char *const kind_names[] = {
#define PREDICTOR(id, name, ...) name,
#include "x86/timing/predict/kinds.def"
};

double study_mpki(const struct study_predictor *predictor,
		  const struct study_totals *totals)
{
	return totals->instructions
		       ? 1000.0 * (double)study_sum(predictor).wrong /
				 (double)totals->instructions
		       : 0;
}

bool study_is_best(const struct study_result *result, size_t number)
{
	const struct study_predictor *own = &result->list[number];
	uint64_t wrong = study_sum(own).wrong;

	for (size_t i = 0; i < result->count; i++) {
		const struct study_predictor *other = &result->list[i];
		uint64_t errors = study_sum(other).wrong;

		if (errors <= wrong &&
		    other->storage_bits <= own->storage_bits &&
		    (errors < wrong ||
		     other->storage_bits < own->storage_bits))
			return false;
	}
	return true;
}

struct row {
	const struct study_result *result;
	const struct study_predictor *predictor;
	struct predict_counts sum;
};

/* The columns of numbers, in their order. */
static const struct column {
	const char *name;
	enum { ROW_TOTALS, ROW_PREDICTOR, ROW_SUM } from;
	size_t offset; /* of an uint64_t */
} columns[] = {
#define TOTAL(name, field)                                                     \
	{ name, ROW_TOTALS, offsetof(struct study_totals, field) },
#define SUM(name, field) { name, ROW_SUM, offsetof(struct predict_counts, field) },
#define OWN(name, field)                                                       \
	{ name, ROW_PREDICTOR, offsetof(struct study_predictor, field) },
	OWN("StorageBits", storage_bits)
	TOTAL("Instructions", instructions)
	TOTAL("Branches", branches)
	SUM("Wrong", wrong)
	SUM("WrongDirection", wrong_way)
	OWN("Conditional", counts[BRANCH_CONDITIONAL].branches)
	OWN("ConditionalTaken", counts[BRANCH_CONDITIONAL].taken)
	OWN("ConditionalWrong", counts[BRANCH_CONDITIONAL].wrong)
	OWN("Jump", counts[BRANCH_JUMP].branches)
	OWN("JumpWrong", counts[BRANCH_JUMP].wrong)
	OWN("Call", counts[BRANCH_CALL].branches)
	OWN("CallWrong", counts[BRANCH_CALL].wrong)
	OWN("IndirectJump", counts[BRANCH_INDIRECT_JUMP].branches)
	OWN("IndirectJumpWrong", counts[BRANCH_INDIRECT_JUMP].wrong)
	OWN("IndirectCall", counts[BRANCH_INDIRECT_CALL].branches)
	OWN("IndirectCallWrong", counts[BRANCH_INDIRECT_CALL].wrong)
	OWN("Return", counts[BRANCH_RETURN].branches)
	OWN("ReturnWrong", counts[BRANCH_RETURN].wrong)
	SUM("FromBTB", sources[PREDICT_FROM_BTB])
	SUM("FromBTB2", sources[PREDICT_FROM_BTB2])
	SUM("FromDecode", sources[PREDICT_FROM_DECODE])
	SUM("FromFallThrough", sources[PREDICT_FROM_FALL_THROUGH])
	SUM("FromNothing", sources[PREDICT_FROM_NOTHING])
};

static uint64_t number_of(const struct row *row, const struct column *column)
{
	const void *const from[] = {
		[ROW_TOTALS] = &row->result->totals,
		[ROW_PREDICTOR] = row->predictor,
		[ROW_SUM] = &row->sum,
	};

	return *(const uint64_t *)((const char *)from[column->from] +
				   column->offset);
}

void study_write_csv(const struct study_result *result, bool first,
		     FILE *stream)
{
	if (first) {
		fputs("Trace,Predictor,Kind,MPKI,Pareto", stream);
		for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
			fprintf(stream, ",%s", columns[i].name);
		fputc('\n', stream);
	}
	for (size_t i = 0; i < result->count; i++) {
		struct row row = { result, &result->list[i],
				   study_sum(&result->list[i]) };

		csv_print(result->trace, stream);
		fputc(',', stream);
		csv_print(row.predictor->name, stream);
		fprintf(stream, ",%s,%.6f,%s",
			kind_names[row.predictor->config.kind],
			study_mpki(row.predictor, &result->totals),
			study_is_best(result, i) ? "yes" : "no");
		for (size_t k = 0; k < ARRAY_SIZE(columns); k++)
			fprintf(stream, ",%" PRIu64,
				number_of(&row, &columns[k]));
		fputc('\n', stream);
	}
}

static void json_text(const char *text, FILE *stream)
{
	fputc('"', stream);
	for (; *text; text++)
		if (*text == '"' || *text == '\\')
			fprintf(stream, "\\%c", *text);
		else if ((unsigned char)*text < ' ')
			fprintf(stream, "\\u%04x", (unsigned char)*text);
		else
			fputc(*text, stream);
	fputc('"', stream);
}

void study_write_json(const struct study_result *result, bool first,
		      FILE *stream)
{
	for (size_t i = 0; i < result->count; i++) {
		struct row row = { result, &result->list[i],
				   study_sum(&result->list[i]) };

		fputs(first && !i ? "\n{ \"Trace\": " : ",\n{ \"Trace\": ",
		      stream);
		json_text(result->trace, stream);
		fputs(", \"Predictor\": ", stream);
		json_text(row.predictor->name, stream);
		fprintf(stream, ", \"Kind\": \"%s\", \"MPKI\": %.6f, "
			"\"Pareto\": %s",
			kind_names[row.predictor->config.kind],
			study_mpki(row.predictor, &result->totals),
			study_is_best(result, i) ? "true" : "false");
		for (size_t k = 0; k < ARRAY_SIZE(columns); k++)
			fprintf(stream, ", \"%s\": %" PRIu64,
				columns[k].name,
				number_of(&row, &columns[k]));
		fputs(" }", stream);
	}
}

/* Predictors by mispredictions, then by size. */
static int by_merit(const void *one, const void *other)
{
	const struct study_predictor *first =
		*(const struct study_predictor *const *)one;
	const struct study_predictor *second =
		*(const struct study_predictor *const *)other;
	uint64_t wrong[2] = { study_sum(first).wrong, study_sum(second).wrong };

	if (wrong[0] != wrong[1])
		return wrong[0] < wrong[1] ? -1 : 1;
	if (first->storage_bits != second->storage_bits)
		return first->storage_bits < second->storage_bits ? -1 : 1;
	return first < second ? -1 : 1;
}

static const struct study_predictor **sorted(const struct study_result *result)
{
	const struct study_predictor **list =
		xcalloc(result->count + 1, sizeof *list);

	for (size_t i = 0; i < result->count; i++)
		list[i] = &result->list[i];
	qsort(list, result->count, sizeof *list, by_merit);
	return list;
}

void study_print(const struct study_result *result, size_t most, FILE *stream)
{
	const struct study_predictor **list = sorted(result);

	fprintf(stream, "%s: %" PRIu64 " instructions, %" PRIu64
		" branches, %" PRIu64 " of them conditional\n",
		result->trace, result->totals.instructions,
		result->totals.branches, result->totals.conditional);
	fprintf(stream, "%10s %12s %10s %9s  %s\n", "MPKI", "wrong",
		"cond. %", "KB", "predictor");
	for (size_t i = 0; i < result->count && i < most; i++) {
		const struct predict_counts *counts =
			&list[i]->counts[BRANCH_CONDITIONAL];

		fprintf(stream, "%10.4f %12" PRIu64 " %10.4f %9.2f  %s\n",
			study_mpki(list[i], &result->totals),
			study_sum(list[i]).wrong,
			counts->branches ? 100.0 * (double)counts->wrong /
						   (double)counts->branches
					 : 0,
			(double)list[i]->storage_bits / 8192, list[i]->name);
	}
	if (result->count > most)
		fprintf(stream, "... and %zu more\n", result->count - most);
	free(list);
}

static int by_size(const void *one, const void *other)
{
	const double *first = one, *second = other;

	if (first[0] != second[0])
		return first[0] < second[0] ? -1 : 1;
	return first[1] < second[1] ? -1 : first[1] > second[1];
}

struct points {
	double *pairs, *x, *y;
	size_t count;
};

static struct points points_of(const struct study_result *result, bool best)
{
	struct points points = {
		.pairs = xcalloc(result->count + 1, 2 * sizeof(double)),
		.x = xcalloc(result->count + 1, sizeof(double)),
		.y = xcalloc(result->count + 1, sizeof(double)),
	};

	for (size_t i = 0; i < result->count; i++) {
		double *pair = &points.pairs[2 * points.count];

		/* A size of 0 (perfect prediction) has no logarithm. */
		if (!result->list[i].storage_bits ||
		    (best && !study_is_best(result, i)))
			continue;
		pair[0] = (double)result->list[i].storage_bits;
		pair[1] = study_mpki(&result->list[i], &result->totals);
		points.count++;
	}
	qsort(points.pairs, points.count, 2 * sizeof(double), by_size);
	for (size_t i = 0; i < points.count; i++) {
		points.x[i] = points.pairs[2 * i];
		points.y[i] = points.pairs[2 * i + 1];
	}
	return points;
}

static void free_points(struct points *points)
{
	free(points->pairs);
	free(points->x);
	free(points->y);
}

void study_write_svg(const struct study_result *result, FILE *stream)
{
	struct points all = points_of(result, false);
	struct points best = points_of(result, true);
	struct plot_series series[] = {
		{ "predictors", all.x, all.y, all.count, true },
		{ "best for their size", best.x, best.y, best.count, false },
	};
	struct plot plot = {
		.title = "Mispredicted branches in 1,000 instructions",
		.x_label = "storage [bits]",
		.y_label = "MPKI",
		.series = series,
		.series_count = 2,
		.x_log = 2,
		.steps = true,
	};

	plot_write_svg(&plot, stream);
	free_points(&all);
	free_points(&best);
}

void study_write_agreements(const struct study_result *result,
			    const uint64_t *agreements, FILE *stream)
{
	double all = result->totals.conditional
			     ? (double)result->totals.conditional
			     : 1;

	fputs("Predictor", stream);
	for (size_t i = 0; i < result->count; i++) {
		fputc(',', stream);
		csv_print(result->list[i].name, stream);
	}
	fputc('\n', stream);
	for (size_t i = 0; i < result->count; i++) {
		csv_print(result->list[i].name, stream);
		for (size_t k = 0; k < result->count; k++)
			fprintf(stream, ",%.6f",
				(double)agreements[i * result->count + k] /
					all);
		fputc('\n', stream);
	}
}
