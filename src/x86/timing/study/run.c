#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/timing/study/lanes.h"
#include "x86/timing/study/ways.h"
#include "x86/timing/study/workers.h"

enum { MOST_MEGABYTES = 8192, LANES_WORTH = 16, LANES_VECTOR = 64,
       NOBODY = -1 };

/* The parts that simulate a predictor: a unit of its own; or targets, and
 * directions by one machine or by a lane of many. */
struct part {
	struct predict_unit *unit;
	long ways, places, group;
	size_t lane;
	uint64_t *said; /* for agreements, else NULL */
};

struct group {
	size_t first, count; /* the first predictor of it */
	size_t most;         /* the rest is another group, for other threads */
	struct lanes *lanes;
};

struct study {
	struct study_list *predictors;
	const struct study_options *options;
	struct part *parts;
	struct ways **ways;
	study_bits *said; /* of each */
	size_t ways_count, ways_capacity;
	size_t *ways_first;
	size_t ways_first_capacity;
	struct places **places;
	size_t places_count, places_capacity;
	struct group *groups;
	size_t group_count, group_capacity;
	/* The present chunk, and the next one, which is being read. */
	struct study_chunk *chunk, *following;
	struct branch_reader *reader; /* or events in memory: */
	const struct branch_event *events;
	size_t event_count;
	bool failed;
	struct error error;
	bool numbered; /* some need addresses as numbers */
	struct numbers numbers;
	struct study_workers *workers;
};

/* --- Parts of predictors -------------------------------------------------- */

static long find_places(struct study *study,
			const struct predict_config *config)
{
	for (size_t i = 0; i < study->places_count; i++)
		if (places_alike(study->places[i]->config, config))
			return (long)i;
	ARRAY_GROW(study->places, study->places_count, study->places_capacity);
	study->places[study->places_count] = places_create(config);
	return (long)study->places_count++;
}

static long find_ways(struct study *study, size_t predictor)
{
	const struct study_predictor *list = study->predictors->list;
	const struct predict_config *config = &list[predictor].config;

	for (size_t i = 0; i < study->ways_count && !study->options->apart;
	     i++)
		if (ways_alike(&list[study->ways_first[i]].config, config))
			return (long)i;
	if (study->ways_count == study->ways_capacity) {
		study->ways_capacity = study->ways_capacity
					       ? 2 * study->ways_capacity
					       : 16;
		study->ways = xrealloc(study->ways,
				       study->ways_capacity *
					       sizeof *study->ways);
		study->ways_first = xrealloc(study->ways_first,
					     study->ways_capacity *
						     sizeof *study->ways_first);
	}
	study->ways[study->ways_count] = ways_create(config);
	study->ways_first[study->ways_count] = predictor;
	return (long)study->ways_count++;
}

/* A thread's share of lanes: whole vectors. */
static size_t share_of(const struct study *study, size_t alike)
{
	size_t threads = study->options->threads;
	size_t share = (alike + threads - 1) / threads;

	return (share + LANES_VECTOR - 1) / LANES_VECTOR * LANES_VECTOR;
}

/* With enough others that are alike, a lane. */
static long find_group(struct study *study, size_t predictor)
{
	const struct study_predictor *list = study->predictors->list;
	const struct predict_config *config = &list[predictor].config;
	size_t alike = 0;

	if (!study->options->apart)
		return NOBODY;
	for (size_t i = 0; i < study->group_count; i++) {
		struct group *group = &study->groups[i];
		const struct predict_config *first = &list[group->first].config;

		if (group->count < group->most && ways_alike(first, config) && places_alike(first, config)) {
			study->parts[predictor].lane = group->count++;
			return (long)i;
		}
	}
	for (size_t i = predictor; i < study->predictors->count; i++)
		alike += ways_alike(config, &list[i].config) &&
			 places_alike(config, &list[i].config);
	if (alike < LANES_WORTH)
		return NOBODY;
	ARRAY_GROW(study->groups, study->group_count, study->group_capacity);
	study->groups[study->group_count] = (struct group){
		.first = predictor,
		.count = 1,
		.most = share_of(study, alike),
	};
	return (long)study->group_count++;
}

static void distribute(struct study *study)
{
	for (size_t i = 0; i < study->predictors->count; i++) {
		struct predict_config *config =
			&study->predictors->list[i].config;
		struct part *part = &study->parts[i];

		*part = (struct part){ .ways = NOBODY, .places = NOBODY,
				       .group = NOBODY };
		if (study->options->agreements)
			part->said = xcalloc_aligned(sizeof(study_bits));
		if (study->options->single || !ways_know(config)) {
			part->unit = xcalloc(1, sizeof *part->unit);
			predict_unit_init(part->unit, config, 1);
			continue;
		}
		part->group = find_group(study, i);
		if (part->group == NOBODY)
			part->ways = find_ways(study, i);
		if (part->group == NOBODY || !lanes_have_places(config))
			part->places = find_places(study, config);
		else
			study->numbered = true;
	}
	for (size_t i = 0; i < study->group_count; i++) {
		struct group *group = &study->groups[i];

		group->lanes = lanes_create(
			&study->predictors->list[group->first].config,
			group->count);
	}
	study->said = xcalloc_aligned((study->ways_count + 1) *
				      sizeof *study->said);
}

/* --- Work on a chunk ------------------------------------------------------ */

static void read_following(struct study *study)
{
	struct study_chunk *chunk = study->following;
	long count;

	chunk->past = study->chunk->past;
	chunk->numbers = study->numbered ? &study->numbers : NULL;
	if (study->reader) {
		count = branch_reader_read(study->reader, chunk->events,
					   STUDY_CHUNK, &study->error);
		study->failed = count < 0;
		chunk->count = count < 0 ? 0 : (size_t)count;
	} else {
		chunk->count = study->event_count < STUDY_CHUNK
				       ? study->event_count
				       : STUDY_CHUNK;
		memcpy(chunk->events, study->events,
		       chunk->count * sizeof *chunk->events);
		study->events += chunk->count;
		study->event_count -= chunk->count;
	}
	study_chunk_prepare(chunk);
}

static void run_single(struct part *part, const struct study_chunk *chunk)
{
	size_t n = 0;

	for (size_t i = 0; i < chunk->count; i++) {
		const struct branch_event *event = &chunk->events[i];
		struct predict_outcome outcome = { event->next, event->taken };
		struct predict_answer answer = predict_unit_predict(
			part->unit, &event->branch, event->behind, &outcome);

		predict_unit_resolve(part->unit, answer.checkpoint, &outcome);
		predict_unit_commit(part->unit);
		if (!part->said || event->branch.kind != BRANCH_CONDITIONAL)
			continue;
		if (n % 64 == 0)
			part->said[n / 64] = 0;
		part->said[n / 64] |= (uint64_t)answer.taken << n % 64;
		n++;
	}
}

/* Tasks: reading, then places, then ways, then units. */
static void predict(void *owner, size_t number)
{
	struct study *study = owner;
	if (number == 0) {
		read_following(study);
		return;
	}
	number--;
	if (number < study->places_count) {
		places_run(study->places[number], study->chunk);
		return;
	}
	number -= study->places_count;
	if (number < study->ways_count) {
		ways_run(study->ways[number], study->chunk,
			 study->said[number]);
		return;
	}
	number -= study->ways_count;
	if (study->parts[number].unit)
		run_single(&study->parts[number], study->chunk);
}

static void count_ways(struct study *study, size_t number)
{
	struct part *part = &study->parts[number];
	struct study_predictor *predictor = &study->predictors->list[number];
	study_bits said;

	memcpy(said, study->said[part->ways],
	       study_words(study->chunk) * sizeof *said);
	places_count(study->places[part->places], study->chunk, said,
		     &predictor->counts[BRANCH_CONDITIONAL]);
	if (part->said)
		memcpy(part->said, said,
		       study_words(study->chunk) * sizeof *said);
}

/* Tasks: groups of lanes, then predictors. */
static void count(void *owner, size_t number)
{
	struct study *study = owner;
	if (number < study->group_count) {
		struct group *group = &study->groups[number];
		long places = study->parts[group->first].places;

		lanes_run(group->lanes, study->chunk,
			  places == NOBODY ? NULL : study->places[places]);
		return;
	}
	number -= study->group_count;
	if (study->parts[number].ways != NOBODY)
		count_ways(study, number);
}

static void compare(void *owner, size_t number)
{
	struct study *study = owner;
	size_t count = study->predictors->count;
	size_t words = study_words(study->chunk);
	const uint64_t *own = study->parts[number].said;

	for (size_t k = 0; k < count; k++) {
		const uint64_t *other = study->parts[k].said;
		uint64_t differ = 0;

		for (size_t i = 0; i < words; i++)
			differ += (uint64_t)__builtin_popcountll(own[i] ^
								 other[i]);
		study->options->agreements[number * count + k] +=
			study->chunk->conditional - differ;
	}
}

static void run_chunks(struct study *study, struct study_totals *totals)
{
	size_t count_all = study->predictors->count;

	read_following(study);
	while (!study->failed && study->following->count) {
		struct study_chunk *chunk = study->following;

		study->following = study->chunk;
		study->chunk = chunk;
		totals->branches += chunk->count;
		totals->conditional += chunk->conditional;
		study_workers_do(study->workers,
				 1 + study->places_count + study->ways_count +
				     count_all,
				 predict);
		study_workers_do(study->workers, study->group_count + count_all,
				 count);
		if (study->options->agreements)
			study_workers_do(study->workers, count_all, compare);
	}
}

/* --- The whole ------------------------------------------------------------ */

static size_t bytes_of(const struct study *study, size_t predictor)
{
	const struct predict_config *config =
		&study->predictors->list[predictor].config;

	return predict_unit_bytes(config) + sizeof(struct places) +
	       sizeof(study_bits);
}

/* An upper bound, which counts shared places for each predictor. */
static int check_memory(const struct study *study, struct error *error)
{
	size_t bytes = 0;

	for (size_t i = 0; i < study->predictors->count; i++) {
		bytes += bytes_of(study, i);
		if (bytes >> 20 > MOST_MEGABYTES)
			return error_set(error, "the predictors up to %s would "
					 "take more than %d MB of memory",
					 study->predictors->list[i].name,
					 MOST_MEGABYTES);
	}
	return 0;
}

static void collect(struct study *study)
{
	for (size_t i = 0; i < study->predictors->count; i++) {
		struct part *part = &study->parts[i];
		struct study_predictor *predictor =
			&study->predictors->list[i];

		if (part->unit) {
			memcpy(predictor->counts, part->unit->counts,
			       sizeof predictor->counts);
			continue;
		}
		if (part->group != NOBODY)
			lanes_count(study->groups[part->group].lanes,
				    part->lane, predictor->counts);
		for (int kind = 1;
		     kind < BRANCH_KINDS && part->places != NOBODY; kind++)
			predictor->counts[kind] =
				study->places[part->places]->counts[kind];
	}
}

static void clear(struct study *study)
{
	for (size_t i = 0; i < study->predictors->count; i++) {
		if (study->parts[i].unit)
			predict_unit_free(study->parts[i].unit);
		free(study->parts[i].unit);
		free(study->parts[i].said);
	}
	for (size_t i = 0; i < study->ways_count; i++)
		ways_free(study->ways[i]);
	for (size_t i = 0; i < study->places_count; i++)
		places_free(study->places[i]);
	for (size_t i = 0; i < study->group_count; i++)
		lanes_free(study->groups[i].lanes);
	free(study->parts);
	free(study->ways);
	free(study->ways_first);
	free(study->said);
	free(study->places);
	free(study->groups);
	numbers_clear(&study->numbers);
	free(study->chunk);
	free(study->following);
}

static int run(struct study *study, struct study_totals *totals,
	       struct error *error)
{
	size_t count = study->predictors->count;
	int status;

	*totals = (struct study_totals){ 0 };
	if (check_memory(study, error))
		return -1;
	study->parts = xcalloc(count + 1, sizeof *study->parts);
	study->chunk = xcalloc(1, sizeof *study->chunk);
	study->following = xcalloc(1, sizeof *study->following);
	for (size_t i = 0; i < count; i++)
		memset(study->predictors->list[i].counts, 0,
		       sizeof study->predictors->list[i].counts);
	if (study->options->agreements)
		memset(study->options->agreements, 0,
		       count * count * sizeof *study->options->agreements);
	distribute(study);
	study->workers = study_workers_create(study->options->threads, study);
	run_chunks(study, totals);
	study_workers_free(study->workers);
	collect(study);
	status = study->failed ? error_set(error, "%s", study->error.text) : 0;
	clear(study);
	return status;
}

int study_run_events(struct study_list *predictors,
		     const struct branch_event *events, size_t count,
		     const struct study_options *options,
		     struct study_totals *totals, struct error *error)
{
	struct study study = {
		.predictors = predictors,
		.options = options,
		.events = events,
		.event_count = count,
	};

	return run(&study, totals, error);
}

int study_run(struct study_list *predictors, const char *trace,
	      const struct study_options *options, struct study_totals *totals,
	      struct error *error)
{
	struct study study = {
		.predictors = predictors,
		.options = options,
		.reader = branch_reader_open(trace, error),
	};
	int status;

	if (!study.reader)
		return -1;
	status = run(&study, totals, error);
	totals->instructions = branch_reader_instructions(study.reader);
	branch_reader_free(study.reader);
	return status;
}

struct predict_counts study_sum(const struct study_predictor *predictor)
{
	struct predict_counts sum = { 0 };

	for (int kind = 0; kind < BRANCH_KINDS; kind++) {
		const struct predict_counts *counts = &predictor->counts[kind];

		sum.branches += counts->branches;
		sum.taken += counts->taken;
		sum.wrong += counts->wrong;
		sum.wrong_way += counts->wrong_way;
		for (int i = 0; i < PREDICT_SOURCES; i++)
			sum.sources[i] += counts->sources[i];
	}
	return sum;
}
