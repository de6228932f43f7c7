#include "x86/timing/study/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/timing/predict/counter.h"

enum {
	WIDTH = 64, /* the number of lanes is a multiple of it */
	MOST = 255, /* the largest count of a byte */
};

/* Compiled for hosts with vectors of 32 and of 64 bytes, too. */
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) &&                    \
	!defined(__clang__)
#define MANY_WIDTHS                                                            \
	__attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#else
#define MANY_WIDTHS
#endif

/* Totals of each lane. */
struct totals {
	uint64_t wrong, sources[PREDICT_SOURCES];
};

struct lanes {
	const struct predict_config *config;
	size_t count, padded;
	uint32_t size, past_mask;
	unsigned shift;
	uint8_t *counters; /* a row for each index */
	/* Counts since the last settlement, a byte for each lane. */
	uint8_t *wrong, *sources[PREDICT_SOURCES];
	unsigned pending;
	struct totals *totals;
	uint64_t branches, taken;
};

bool lanes_know(const struct predict_config *config)
{
	return config->kind == DIRECTION_bimodal ||
	       config->kind == DIRECTION_gshare;
}

static size_t pad(size_t count)
{
	return (count + WIDTH - 1) / WIDTH * WIDTH;
}

static uint32_t size_of(const struct predict_config *config)
{
	return config->kind == DIRECTION_gshare ? config->gshare_size
						: config->bimodal_size;
}

size_t lanes_bytes(const struct predict_config *config, size_t count)
{
	return pad(count) * (size_of(config) + 1 + PREDICT_SOURCES +
			     sizeof(struct totals));
}

struct lanes *lanes_create(const struct predict_config *config, size_t count)
{
	struct lanes *lanes = xcalloc(1, sizeof *lanes);
	unsigned history =
		config->kind == DIRECTION_gshare ? config->gshare_history : 0;

	lanes->config = config;
	lanes->count = count;
	lanes->padded = pad(count);
	lanes->size = size_of(config);
	lanes->past_mask = (UINT32_C(1) << history) - 1;
	lanes->shift = log2_of(lanes->size) - history;
	lanes->counters = xmalloc_aligned(lanes->size * lanes->padded);
	memset(lanes->counters, 2, lanes->size * lanes->padded);
	lanes->wrong = xcalloc_aligned(lanes->padded);
	for (int i = 0; i < PREDICT_SOURCES; i++)
		lanes->sources[i] = xcalloc_aligned(lanes->padded);
	lanes->totals = xcalloc(lanes->padded, sizeof *lanes->totals);
	return lanes;
}

void lanes_free(struct lanes *lanes)
{
	if (!lanes)
		return;
	free(lanes->counters);
	free(lanes->wrong);
	for (int i = 0; i < PREDICT_SOURCES; i++)
		free(lanes->sources[i]);
	free(lanes->totals);
	free(lanes);
}

typedef uint8_t vector __attribute__((vector_size(WIDTH), may_alias));

/* One branch in all lanes. `followed` is 0 where fetch does not know the
 * branch. A true comparison of vectors is -1. */
MANY_WIDTHS
static void step_taken(uint8_t *row, uint8_t *wrong, uint8_t *source,
		       size_t lanes, uint8_t followed)
{
	for (size_t i = 0; i < lanes; i += WIDTH) {
		vector *counters = (vector *)(row + i);
		vector way = *counters >> 1 & followed;

		*(vector *)(source + i) += way;
		*(vector *)(wrong + i) += way ^ 1;
		*counters -= (vector)(*counters < 3);
	}
}

MANY_WIDTHS
static void step_not_taken(uint8_t *row, uint8_t *wrong, uint8_t *source,
			   size_t lanes, uint8_t followed)
{
	for (size_t i = 0; i < lanes; i += WIDTH) {
		vector *counters = (vector *)(row + i);
		vector way = *counters >> 1 & followed;

		*(vector *)(source + i) += way;
		*(vector *)(wrong + i) += way;
		*counters += (vector)(*counters > 0);
	}
}

/* Adds the bytes to the totals before one overflows. */
static void settle(struct lanes *lanes)
{
	for (size_t i = 0; i < lanes->padded; i++) {
		lanes->totals[i].wrong += lanes->wrong[i];
		for (int k = 0; k < PREDICT_SOURCES; k++)
			lanes->totals[i].sources[k] += lanes->sources[k][i];
	}
	memset(lanes->wrong, 0, lanes->padded);
	for (int k = 0; k < PREDICT_SOURCES; k++)
		memset(lanes->sources[k], 0, lanes->padded);
	lanes->pending = 0;
}

static enum predict_source source_of(const struct places *places, size_t i)
{
	int source = 0;

	while (!(places->known[source][i / 64] >> i % 64 & 1))
		source++;
	return (enum predict_source)source;
}

void lanes_run(struct lanes *lanes, const struct study_chunk *chunk,
	       const struct places *places)
{
	for (size_t i = 0; i < chunk->conditional; i++) {
		uint32_t past = chunk->pasts[i] & lanes->past_mask;
		uint32_t index = ((uint32_t)chunk->addresses[i] ^
				  past << lanes->shift) &
				 (lanes->size - 1);
		enum predict_source source = source_of(places, i);

		(chunk->outcomes[i] ? step_taken : step_not_taken)(
			lanes->counters + index * lanes->padded, lanes->wrong,
			lanes->sources[source], lanes->padded,
			source != PREDICT_FROM_FALL_THROUGH);
		if (++lanes->pending == MOST)
			settle(lanes);
	}
	settle(lanes);
	lanes->branches += chunk->conditional;
	lanes->taken += chunk->taken_count[BRANCH_CONDITIONAL];
}

void lanes_count(const struct lanes *lanes, size_t lane,
		 struct predict_counts *conditional)
{
	const struct totals *totals = &lanes->totals[lane];
	uint64_t elsewhere = lanes->branches;

	for (int k = 0; k < PREDICT_SOURCES; k++) {
		conditional->sources[k] += totals->sources[k];
		elsewhere -= totals->sources[k];
	}
	conditional->sources[PREDICT_FROM_FALL_THROUGH] += elsewhere;
	conditional->branches += lanes->branches;
	conditional->taken += lanes->taken;
	conditional->wrong += totals->wrong;
	conditional->wrong_way += totals->wrong;
}
