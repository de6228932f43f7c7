#include "base/optimize.h"

#include "x86/timing/predict/corrector.h"

#include <stdlib.h>
#include <string.h>

#include "x86/timing/predict/counter.h"

enum {
	WEIGHT_BITS = 6,
	SCALE_BITS = 6,
	TRUST_BITS = 7,
	THRESHOLD_BITS = 12,
	LOCAL_THRESHOLD_BITS = 8,
	FIRST_THRESHOLD = 35 * 8,
	/* a source with double weight raises the threshold */
	SCALED_MARGIN = 12,
};

const struct corrector_sizes corrector_sizes_64 = {
	.log_bias = 8,
	.sources = {
		[CORRECT_BY_BACKWARD] = { 3, 10, { 40, 24, 10 } },
		[CORRECT_BY_PATH] = { 3, 9, { 25, 16, 9 } },
		[CORRECT_BY_LOCAL_1] = { 3, 10, { 11, 6, 3 } },
		[CORRECT_BY_LOCAL_2] = { 3, 9, { 16, 11, 6 } },
		[CORRECT_BY_LOCAL_3] = { 2, 10, { 9, 4 } },
		[CORRECT_BY_ITERATION_PAST] = { 2, 9, { 10, 4 } },
		[CORRECT_BY_ITERATION] = { 1, 8, { 8 } },
	},
	.log_locals = { 8, 4, 4 },
};

const struct corrector_sizes corrector_sizes_8 = {
	.log_bias = 7,
	.sources = {
		[CORRECT_BY_BACKWARD] = { 2, 7, { 6, 3 } },
		[CORRECT_BY_LOCAL_1] = { 2, 7, { 6, 3 } },
		[CORRECT_BY_ITERATION] = { 1, 7, { 8 } },
	},
	.log_locals = { 6 },
};

static inline unsigned log_of_table(const struct corrector_sizes *sizes,
				    unsigned source, unsigned table)
{
	return sizes->sources[source].log_entries -
	       (table + 2 >= sizes->sources[source].tables);
}

/* TAGE's bits include the path. */
uint64_t corrector_bits(const struct corrector_sizes *sizes)
{
	uint64_t bits = THRESHOLD_BITS +
			(LOCAL_THRESHOLD_BITS << CORRECT_LOG_THRESHOLDS) +
			2 * TRUST_BITS + (SCALE_BITS << CORRECT_LOG_SCALES) +
			((CORRECT_BIASES * WEIGHT_BITS) << sizes->log_bias);

	for (unsigned source = 0; source < CORRECT_SOURCES; source++) {
		unsigned tables = sizes->sources[source].tables;
		uint64_t length = sizes->sources[source].lengths[0];

		if (!tables)
			continue;
		bits += SCALE_BITS << CORRECT_LOG_SCALES;
		for (unsigned table = 0; table < tables; table++)
			bits += (uint64_t)WEIGHT_BITS
				<< log_of_table(sizes, source, table);
		if (source == CORRECT_BY_PATH)
			continue;
		if (source >= CORRECT_BY_LOCAL_1 &&
		    source <= CORRECT_BY_LOCAL_3)
			length <<= sizes->log_locals[source -
						     CORRECT_BY_LOCAL_1];
		if (source == CORRECT_BY_ITERATION_PAST)
			length *= CORRECT_ITERATIONS;
		bits += length;
	}
	return bits;
}

/* Biases begin in agreement with their input, and weights as weak as
 * possible. */
void corrector_init(const struct corrector_sizes *sizes,
		    struct corrector *corrector)
{
	static const int8_t agree[4] = { -32, 31, -1, 0 };
	static const int8_t by_confidence[4] = { -8, 7, -32, 31 };

	corrector->threshold = FIRST_THRESHOLD;
	for (unsigned i = 0; i < 1u << sizes->log_bias; i++) {
		corrector->bias[0][i] = agree[i % 4];
		corrector->bias[1][i] = by_confidence[i % 4];
		corrector->bias[2][i] = agree[i % 4];
	}
	memset(corrector->bias_scale, 4, sizeof corrector->bias_scale);
	memset(corrector->scale, 7, sizeof corrector->scale);
	memset(corrector->scale[CORRECT_BY_ITERATION_PAST], 0,
	       sizeof corrector->scale[0]);
	for (unsigned i = 0; i < 1 << CORRECT_MOST_LOG_TABLE; i += 2)
		for (unsigned source = 0; source < CORRECT_SOURCES; source++)
			for (unsigned k = 0; k < CORRECT_MOST_TABLES; k++)
				corrector->weights[source][k][i] = -1;
	for (unsigned i = 0; i < 1u << sizes->log_locals[1]; i++)
		corrector->local[1][i] = 3;
}

static uint32_t local_index(const struct corrector_sizes *sizes, unsigned local,
			    uint64_t address)
{
	static const uint8_t shifts[CORRECT_LOCALS] = { 2, 5, 10 };

	return (uint32_t)(address ^ address >> shifts[local]) &
	       ((1u << sizes->log_locals[local]) - 1);
}

#define INLINE static inline __attribute__((always_inline))

INLINE void remember(const struct corrector_sizes *sizes,
		     const struct corrector *corrector, uint64_t address,
		     uint32_t path, struct corrector_past *past)
{
	past->by[CORRECT_BY_BACKWARD] = corrector->backward;
	past->by[CORRECT_BY_PATH] = path;
	for (unsigned i = 0; i < CORRECT_LOCALS; i++)
		past->by[CORRECT_BY_LOCAL_1 + i] =
			corrector->local[i][local_index(sizes, i, address)];
	past->by[CORRECT_BY_ITERATION_PAST] =
		corrector->iteration_past[corrector->iteration];
	past->by[CORRECT_BY_ITERATION] = corrector->iteration;
}

void corrector_remember(const struct corrector_sizes *sizes,
			const struct corrector *corrector, uint64_t address,
			uint32_t path, struct corrector_past *past)
{
	remember(sizes, corrector, address, path, past);
}

INLINE uint64_t hash(uint64_t address, uint64_t history, unsigned length,
		     unsigned table)
{
	history &= (UINT64_C(1) << length) - 1;
	return address ^ history ^ history >> (8 - table) ^
	       history >> (16 - 2 * table) ^ history >> (24 - 3 * table) ^
	       history >> (32 - 3 * table) ^ history >> (40 - 4 * table);
}

static int worth(int8_t weight)
{
	return 2 * weight + 1;
}

/* The worth of a table's weight, whose place *lookup keeps. */
INLINE int look_table(const struct corrector_sizes *sizes,
		      const struct corrector *corrector,
		      const struct corrector_past *past, unsigned source,
		      unsigned table, uint64_t address,
		      struct corrector_lookup *lookup)
{
	uint64_t index;

	if (table >= sizes->sources[source].tables)
		return 0;
	index = hash(address, past->by[source],
		     sizes->sources[source].lengths[table], table) &
		((1u << log_of_table(sizes, source, table)) - 1);
	lookup->weight[source][table] = (uint16_t)index;
	return worth(corrector->weights[source][table][index]);
}

INLINE int sum_bias(const struct corrector *corrector,
		    const struct corrector_lookup *lookup)
{
	int sum = 0;

	for (unsigned i = 0; i < CORRECT_BIASES; i++)
		sum += worth(corrector->bias[i][lookup->bias[i]]);
	return sum;
}

static unsigned scale_index(uint64_t address)
{
	return (address ^ address >> 2) & ((1u << CORRECT_LOG_SCALES) - 1);
}

static unsigned threshold_index(uint64_t address)
{
	return (address ^ address >> 2) & ((1u << CORRECT_LOG_THRESHOLDS) - 1);
}

/* The address of the first source includes the input. */
static uint64_t source_address(unsigned source, uint64_t address, bool input)
{
	return source == CORRECT_BY_BACKWARD ? (address << 1) + input : address;
}

INLINE void find_biases(const struct corrector_sizes *sizes,
			const struct tage_lookup *tage, uint64_t address,
			struct corrector_lookup *lookup)
{
	uint64_t mixed = address ^ address >> 2;
	uint64_t other = address ^ address >> (sizes->log_bias - 2);
	bool doubt = tage->low && tage->longest_taken != tage->alternate_taken;
	uint64_t bits[CORRECT_BIASES] = {
		(mixed << 1 ^ doubt) << 1,
		(other << 1 ^ tage->high) << 1,
		(mixed << 7) + ((tage->hit + 1u) / 4 << 4) +
			((tage->alternate != 0) << 3) + (tage->low << 2) +
			(tage->high << 1),
	};

	for (unsigned i = 0; i < CORRECT_BIASES; i++)
		lookup->bias[i] = (uint32_t)(bits[i] + lookup->input) &
				  ((1u << sizes->log_bias) - 1);
}

/* Decides between TAGE and the sum. Where TAGE is sure and the sum is small,
 * past success decides. */
INLINE bool decide(const struct corrector *corrector,
		   const struct tage_lookup *tage,
		   const struct corrector_lookup *lookup)
{
	bool corrected = lookup->sum >= 0;
	int size = abs(lookup->sum);

	if (corrected == lookup->input)
		return corrected;
	if (tage->high && size < lookup->threshold / 4)
		return lookup->input;
	if (tage->high && size < lookup->threshold / 2)
		return corrector->trust_high < 0 ? corrected : lookup->input;
	if (tage->medium && size < lookup->threshold / 4)
		return corrector->trust_medium < 0 ? corrected : lookup->input;
	return corrected;
}

/* Adds a source to the sum. Returns whether it counts double. */
INLINE bool look_source(const struct corrector_sizes *sizes,
			const struct corrector *corrector,
			const struct corrector_past *past, unsigned source,
			uint64_t address, struct corrector_lookup *lookup)
{
	uint64_t at = source_address(source, address, lookup->input);
	const int8_t *scale = corrector->scale[source];
	int part;

	if (!sizes->sources[source].tables)
		return false;
	part = look_table(sizes, corrector, past, source, 0, at, lookup) +
	       look_table(sizes, corrector, past, source, 1, at, lookup) +
	       look_table(sizes, corrector, past, source, 2, at, lookup);
	lookup->part[source] = part;
	lookup->sum += (1 + (scale[scale_index(at)] >= 0)) * part;
	return source != CORRECT_BY_ITERATION_PAST &&
	       scale[scale_index(address)] >= 0;
}

_Static_assert(CORRECT_SOURCES == 7 && CORRECT_MOST_TABLES == 3,
	       "each has a call");

INLINE void look(const struct corrector_sizes *sizes,
		 const struct corrector *corrector,
		 const struct corrector_past *past,
		 const struct tage_lookup *tage, uint64_t address,
		 struct corrector_lookup *lookup)
{
	int doubled = corrector->bias_scale[scale_index(address)] >= 0;

	find_biases(sizes, tage, address, lookup);
	lookup->sum = (1 + doubled) * sum_bias(corrector, lookup);
	doubled += look_source(sizes, corrector, past, 0, address, lookup);
	doubled += look_source(sizes, corrector, past, 1, address, lookup);
	doubled += look_source(sizes, corrector, past, 2, address, lookup);
	doubled += look_source(sizes, corrector, past, 3, address, lookup);
	doubled += look_source(sizes, corrector, past, 4, address, lookup);
	doubled += look_source(sizes, corrector, past, 5, address, lookup);
	doubled += look_source(sizes, corrector, past, 6, address, lookup);
	lookup->threshold = (corrector->threshold >> 3) +
			    corrector->thresholds[threshold_index(address)] +
			    SCALED_MARGIN * doubled;
	lookup->taken = decide(corrector, tage, lookup);
}

/* The compiler folds the constants of each of the sizes into a copy. */
void corrector_look(const struct corrector_sizes *sizes,
		    const struct corrector *corrector,
		    const struct corrector_past *past,
		    const struct tage_lookup *tage, uint64_t address,
		    bool input, struct corrector_lookup *lookup)
{
	lookup->input = input;
	if (sizes == &corrector_sizes_64)
		look(&corrector_sizes_64, corrector, past, tage, address,
		     lookup);
	else
		look(&corrector_sizes_8, corrector, past, tage, address,
		     lookup);
}

/* Learns which of the two was right in doubtful cases where they differed. */
INLINE bool train_trust(struct corrector *corrector,
			const struct tage_lookup *tage,
			const struct corrector_lookup *lookup, bool taken)
{
	int size = abs(lookup->sum);
	bool changed = false;

	if ((lookup->sum >= 0) == lookup->input)
		return false;
	if (tage->high && size < lookup->threshold / 2 &&
	    size >= lookup->threshold / 4)
		changed = weight_step(&corrector->trust_high,
				      lookup->input == taken, TRUST_BITS);
	if (tage->medium && size < lookup->threshold / 4)
		changed |= weight_step(&corrector->trust_medium,
				       lookup->input == taken, TRUST_BITS);
	return changed;
}

static void threshold_step(int16_t *threshold, bool up, unsigned bits)
{
	int limit = 1 << (bits - 1);

	if (up && *threshold < limit - 1)
		++*threshold;
	else if (!up && *threshold > -limit)
		--*threshold;
}

/* Trains the scale where doubling decides the sign. `part` is the source's own
 * sum. */
static void train_scale(int8_t *scale, int sum, int part, bool taken)
{
	int single = sum - (*scale >= 0) * part;

	if ((single + part >= 0) != (single >= 0))
		weight_step(scale, (part >= 0) == taken, SCALE_BITS);
}

/* Trains thresholds, scales and weights. */
static __attribute__((noinline)) void
train_sum(const struct corrector_sizes *sizes, struct corrector *corrector,
	  uint64_t address, const struct corrector_lookup *lookup, bool taken)
{
	bool wrong = (lookup->sum >= 0) != taken;

	threshold_step(&corrector->thresholds[threshold_index(address)], wrong,
		       LOCAL_THRESHOLD_BITS);
	threshold_step(&corrector->threshold, wrong, THRESHOLD_BITS);
	train_scale(&corrector->bias_scale[scale_index(address)], lookup->sum,
		    sum_bias(corrector, lookup), taken);
	for (unsigned i = 0; i < CORRECT_BIASES; i++)
		weight_step(&corrector->bias[i][lookup->bias[i]], taken,
			    WEIGHT_BITS);
	for (unsigned source = 0; source < CORRECT_SOURCES; source++) {
		uint64_t at = source_address(source, address, lookup->input);

		if (!sizes->sources[source].tables)
			continue;
		for (unsigned i = 0; i < sizes->sources[source].tables; i++)
			weight_step(&corrector->weights[source][i]
					[lookup->weight[source][i]],
				    taken, WEIGHT_BITS);
		train_scale(&corrector->scale[source][scale_index(at)],
			    lookup->sum, lookup->part[source], taken);
	}
}

INLINE bool train(const struct corrector_sizes *sizes,
		  struct corrector *corrector, const struct tage_lookup *tage,
		  uint64_t address, const struct corrector_lookup *lookup,
		  bool taken)
{
	bool wrong = (lookup->sum >= 0) != taken;
	bool changed = train_trust(corrector, tage, lookup, taken);

	if (!wrong && abs(lookup->sum) >= lookup->threshold)
		return changed;
	train_sum(sizes, corrector, address, lookup, taken);
	return true;
}

bool corrector_train(const struct corrector_sizes *sizes,
		     struct corrector *corrector,
		     const struct tage_lookup *tage, uint64_t address,
		     const struct corrector_lookup *lookup, bool taken)
{
	return train(sizes, corrector, tage, address, lookup, taken);
}

/* A taken backward branch begins the next iteration of the innermost loop. One
 * that is not taken ends the loop. */
INLINE void push(const struct corrector_sizes *sizes,
		 struct corrector *corrector, const struct branch *branch,
		 bool taken)
{
	uint64_t address = branch->address;
	bool backward = branch->target < address;
	uint16_t *past = &corrector->iteration_past[corrector->iteration];

	*past = (uint16_t)(*past << 1 | taken);
	if (backward && !taken)
		corrector->iteration = 0;
	else if (backward && corrector->iteration < CORRECT_ITERATIONS - 1)
		corrector->iteration++;
	corrector->backward = corrector->backward << 1 | (backward && taken);
	for (unsigned i = 0; i < CORRECT_LOCALS; i++) {
		uint16_t *local =
			&corrector->local[i][local_index(sizes, i, address)];

		*local = (uint16_t)(*local << 1 | taken);
		/* A second history of the same length is more useful when it
		 * differs. */
		if (i == 1)
			*local ^= address & 15;
	}
}

void corrector_push(const struct corrector_sizes *sizes,
		    struct corrector *corrector, const struct branch *branch,
		    bool taken)
{
	push(sizes, corrector, branch, taken);
}

INLINE bool pass(const struct corrector_sizes *sizes,
		 struct corrector *corrector, const struct tage_lookup *tage,
		 uint32_t path, const struct branch *branch, bool input,
		 bool taken, bool *changed)
{
	uint64_t address = branch->address;
	struct corrector_lookup lookup;
	struct corrector_past past;

	lookup.input = input;
	remember(sizes, corrector, address, path, &past);
	look(sizes, corrector, &past, tage, address, &lookup);
	push(sizes, corrector, branch, taken);
	*changed = train(sizes, corrector, tage, address, &lookup, taken);
	return lookup.taken;
}

bool corrector_pass(const struct corrector_sizes *sizes,
		    struct corrector *corrector,
		    const struct tage_lookup *tage, uint32_t path,
		    const struct branch *branch, bool input, bool taken,
		    bool *changed)
{
	if (sizes == &corrector_sizes_64)
		return pass(&corrector_sizes_64, corrector, tage, path, branch,
			    input, taken, changed);
	return pass(&corrector_sizes_8, corrector, tage, path, branch, input,
		    taken, changed);
}

void corrector_pop(const struct corrector_sizes *sizes,
		   struct corrector *corrector, uint64_t address,
		   const struct corrector_past *past)
{
	corrector->backward = past->by[CORRECT_BY_BACKWARD];
	for (unsigned i = 0; i < CORRECT_LOCALS; i++)
		corrector->local[i][local_index(sizes, i, address)] =
			(uint16_t)past->by[CORRECT_BY_LOCAL_1 + i];
	corrector->iteration = (uint8_t)past->by[CORRECT_BY_ITERATION];
	corrector->iteration_past[corrector->iteration] =
		(uint16_t)past->by[CORRECT_BY_ITERATION_PAST];
}
