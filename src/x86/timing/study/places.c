#include "x86/timing/study/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

bool places_alike(const struct predict_config *one,
		  const struct predict_config *other)
{
	return one->btb_sets == other->btb_sets &&
	       one->btb_ways == other->btb_ways &&
	       one->btb2_sets == other->btb2_sets &&
	       (!one->btb2_sets || one->btb2_ways == other->btb2_ways) &&
	       one->btb_miss == other->btb_miss &&
	       one->ras_size == other->ras_size &&
	       one->indirect == other->indirect &&
	       (one->indirect != TARGET_cache ||
		(one->indirect_sets == other->indirect_sets &&
		 one->indirect_ways == other->indirect_ways &&
		 one->indirect_history == other->indirect_history));
}

struct places *places_create(const struct predict_config *config)
{
	struct places *places = xcalloc(1, sizeof *places);

	places->config = config;
	btb_init(&places->btb, config);
	target_init(&places->target, config);
	return_stack_init(&places->stack, config);
	places->record = xcalloc(1, places->target.kind->record_bytes + 8);
	return places;
}

void places_free(struct places *places)
{
	if (!places)
		return;
	btb_free(&places->btb);
	target_free(&places->target);
	return_stack_free(&places->stack);
	free(places->record);
	free(places);
}

/* The predicted target of a branch that is taken, or predicted so. */
static enum predict_source find(struct places *places,
				const struct branch_event *event,
				uint64_t returned, uint64_t *next)
{
	const struct branch *branch = &event->branch;
	struct btb_answer known = btb_look(&places->btb, branch->address);
	uint64_t special = returned;

	if (branch_is_indirect(branch))
		special = target_predict(&places->target, places->record,
					 branch->address);
	*next = event->behind;
	if (!known.level &&
	    places->config->btb_miss == PREDICT_MISS_FALL_THROUGH)
		return PREDICT_FROM_FALL_THROUGH;
	*next = branch->target ? branch->target
		: special      ? special
		: known.level  ? known.target
			       : 0;
	if (!*next)
		return PREDICT_FROM_NOTHING;
	if (!known.level || (branch->target && known.target != branch->target))
		return PREDICT_FROM_DECODE;
	return known.level == 1 ? PREDICT_FROM_BTB : PREDICT_FROM_BTB2;
}

static void learn(struct places *places, const struct branch_event *event)
{
	struct branch branch = event->branch;

	if (!branch.target && event->taken)
		branch.target = event->next;
	target_history(&places->target, places->record, &branch, event->taken);
	if (branch_is_indirect(&branch))
		target_update(&places->target, places->record, branch.address,
			      event->next);
	branch.target = event->next;
	if (event->taken)
		btb_update(&places->btb, &branch);
}

void places_run(struct places *places, const struct study_chunk *chunk)
{
	size_t n = 0;

	memset(places->known, 0, sizeof places->known);
	for (size_t i = 0; i < chunk->count; i++) {
		const struct branch_event *event = &chunk->events[i];
		enum branch_kind kind = event->branch.kind;
		struct predict_counts *counts = &places->counts[kind];
		struct return_record record;
		uint64_t next, returned = return_stack_fetch(
				       &places->stack, &record, kind,
				       event->behind);
		enum predict_source source =
			find(places, event, returned, &next);

		if (kind == BRANCH_CONDITIONAL) {
			places->known[source][n / 64] |= UINT64_C(1) << n % 64;
			n++;
		} else {
			bool fell = source == PREDICT_FROM_FALL_THROUGH;

			counts->branches++;
			counts->taken += event->taken;
			counts->wrong += fell || next != event->next;
			counts->wrong_way += fell;
			counts->sources[source]++;
		}
		learn(places, event);
	}
}

static uint64_t count_both(const uint64_t *one, const uint64_t *other,
			   size_t words)
{
	uint64_t count = 0;

	for (size_t i = 0; i < words; i++)
		count += (uint64_t)__builtin_popcountll(one[i] & other[i]);
	return count;
}

void places_count(const struct places *places, const struct study_chunk *chunk,
		  study_bits said, struct predict_counts *conditional)
{
	size_t words = study_words(chunk);
	uint64_t wrong = 0, elsewhere = chunk->conditional;

	if (places->config->btb_miss == PREDICT_MISS_FALL_THROUGH)
		for (size_t i = 0; i < words; i++)
			said[i] &= ~places->known[PREDICT_FROM_FALL_THROUGH][i];
	for (size_t i = 0; i < words; i++)
		wrong += (uint64_t)__builtin_popcountll(said[i] ^
							chunk->taken[i]);
	for (int source = 0; source < PREDICT_SOURCES; source++) {
		uint64_t count;

		if (source == PREDICT_FROM_FALL_THROUGH)
			continue;
		count = count_both(said, places->known[source], words);
		conditional->sources[source] += count;
		elsewhere -= count;
	}
	conditional->sources[PREDICT_FROM_FALL_THROUGH] += elsewhere;
	conditional->branches += chunk->conditional;
	conditional->taken += chunk->taken_count[BRANCH_CONDITIONAL];
	conditional->wrong += wrong;
	conditional->wrong_way += wrong;
}
