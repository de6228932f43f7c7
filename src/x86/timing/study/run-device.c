/* A whole trace and all predictors on a device. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/timing/study/device.h"
#include "x86/timing/study/layout.h"

enum {
	EVENTS = 1 << 15,        /* of a launch */
	MOST_BATCH = 192 << 20,  /* bytes of the state of a batch */
};

struct place {
	size_t predictor;
	uint32_t kind, words;
};

struct part {
	size_t first, count; /* of `order` */
	struct study_batch *batch;
};

struct work {
	struct study_list *predictors;
	struct place *order; /* those of one kind and size side by side */
	struct part *parts;
	size_t count, capacity;
	struct numbers numbers;
	struct branch_event events[EVENTS];
	struct numbered numbered[EVENTS];
};

static int by_shape(const void *one, const void *other)
{
	const struct place *first = one, *second = other;

	if (first->kind != second->kind)
		return first->kind < second->kind ? -1 : 1;
	if (first->words != second->words)
		return first->words < second->words ? -1 : 1;
	return first->predictor < second->predictor ? -1 : 1;
}

static int make_order(struct work *work, struct error *error)
{
	struct study_list *predictors = work->predictors;

	work->order = xcalloc(predictors->count + 1, sizeof *work->order);
	for (size_t i = 0; i < predictors->count; i++) {
		uint32_t words[LAYOUT_WORDS];
		struct error why;

		if (layout_knows(&predictors->list[i].config, &why))
			return error_set(error, "predictor %s: %s",
					 predictors->list[i].name, why.text);
		layout_make(&predictors->list[i].config, 0, words);
		work->order[i] = (struct place){ i, words[LAYOUT_KIND],
						 words[LAYOUT_TOTAL] };
	}
	qsort(work->order, predictors->count, sizeof *work->order, by_shape);
	return 0;
}

static int add_part(struct work *work, struct study_device *device,
		    size_t first, size_t count, struct error *error)
{
	const struct predict_config **list = xcalloc(count, sizeof *list);
	struct part *part;

	for (size_t i = 0; i < count; i++)
		list[i] = &work->predictors
				   ->list[work->order[first + i].predictor]
				   .config;
	ARRAY_GROW(work->parts, work->count, work->capacity);
	part = &work->parts[work->count];
	*part = (struct part){ .first = first, .count = count };
	part->batch = study_batch_create(device, list, NULL, count, error);
	free(list);
	work->count += part->batch != NULL;
	return part->batch ? 0 : -1;
}

/* A batch has room for the largest of it, so those are not twice the first. */
static int make_parts(struct work *work, struct study_device *device,
		      struct error *error)
{
	size_t all = work->predictors->count, first = 0;

	for (size_t i = 1; i <= all; i++) {
		if (i < all &&
		    work->order[i].words <= 2 * work->order[first].words &&
		    work->order[i].words >= work->order[first].words / 2 &&
		    (i - first + 1) * 4 * 2 * work->order[first].words <
			    MOST_BATCH)
			continue;
		if (add_part(work, device, first, i - first, error))
			return -1;
		first = i;
	}
	return 0;
}

static int run_trace(struct work *work, struct branch_reader *reader,
		     struct study_totals *totals, struct error *error)
{
	long count;

	while ((count = branch_reader_read(reader, work->events, EVENTS,
					   error)) > 0) {
		totals->branches += (uint64_t)count;
		for (long i = 0; i < count; i++) {
			const struct branch_event *event = &work->events[i];

			totals->conditional +=
				event->branch.kind == BRANCH_CONDITIONAL;
			work->numbered[i] =
				number_event(&work->numbers, event);
		}
		for (size_t i = 0; i < work->count; i++)
			if (study_batch_run(work->parts[i].batch,
					    work->numbered, (size_t)count,
					    (size_t)count, error))
				return -1;
	}
	totals->instructions = branch_reader_instructions(reader);
	return (int)count;
}

static int collect(struct work *work, struct error *error)
{
	for (size_t i = 0; i < work->count; i++) {
		struct part *part = &work->parts[i];
		struct predict_counts(*counts)[BRANCH_KINDS] =
			xcalloc(part->count, sizeof *counts);
		int status = study_batch_counts(part->batch, counts, error);

		for (size_t k = 0; k < part->count && !status; k++)
			memcpy(work->predictors
				       ->list[work->order[part->first + k]
						      .predictor]
				       .counts,
			       counts[k], sizeof counts[k]);
		free(counts);
		if (status)
			return -1;
	}
	return 0;
}

int study_run_device(struct study_list *predictors, const char *trace,
		     struct study_device *device, struct study_totals *totals,
		     struct error *error)
{
	struct work *work = xcalloc(1, sizeof *work);
	struct branch_reader *reader = branch_reader_open(trace, error);
	int status = -1;

	*totals = (struct study_totals){ 0 };
	work->predictors = predictors;
	if (reader && !make_order(work, error) &&
	    !make_parts(work, device, error) &&
	    !run_trace(work, reader, totals, error))
		status = collect(work, error);
	for (size_t i = 0; i < work->count; i++)
		study_batch_free(work->parts[i].batch);
	branch_reader_free(reader);
	numbers_clear(&work->numbers);
	free(work->order);
	free(work->parts);
	free(work);
	return status;
}
