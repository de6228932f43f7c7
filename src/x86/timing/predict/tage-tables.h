/* TAGE's tables, which lie one behind another. Internal to this folder. */
#ifndef M2S_X86_TIMING_PREDICT_TAGE_TABLES_H
#define M2S_X86_TIMING_PREDICT_TAGE_TABLES_H

#include <stdlib.h>

#include "x86/timing/predict/tage.h"

/* Log2 of the bimodal directions that share a hysteresis bit. */
enum { TAGE_HYSTERESIS_SHIFT = 2 };

static inline size_t tage_entry_count(const struct tage_sizes *sizes)
{
	return (size_t)(sizes->short_banks + sizes->long_banks)
	       << sizes->log_entries;
}

static inline uint8_t *tage_bimodal(const struct tage_sizes *sizes,
				    const struct tage *tage)
{
	return (uint8_t *)&tage->entries[tage_entry_count(sizes)];
}

static inline uint8_t *tage_hysteresis(const struct tage_sizes *sizes,
				       const struct tage *tage)
{
	return tage_bimodal(sizes, tage) + ((size_t)1 << sizes->log_bimodal);
}

/* 1 weak, 3, 5, 7 strong. */
static inline unsigned tage_strength(int8_t counter)
{
	return (unsigned)abs(2 * counter + 1);
}

/* The counter that says whether to believe a new entry. */
static inline unsigned tage_use_alt(const struct tage_sizes *sizes,
				    const struct tage_lookup *lookup)
{
	return ((lookup->hit - 1) / 8 * 2 + lookup->alternate_confident) %
	       (sizes->use_alt - 1u);
}

#endif
