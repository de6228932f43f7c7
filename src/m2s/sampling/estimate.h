/* An estimate from the units of systematic sampling: Wunderlich, Wenisch, Falsafi
 * and Hoe, "SMARTS", ISCA 2003. */
#ifndef M2S_M2S_SAMPLING_ESTIMATE_H
#define M2S_M2S_SAMPLING_ESTIMATE_H

#include <stdint.h>

#include "stats/stats.h"

struct sampling_estimate {
#define STATS_MEMBERS
#include "m2s/sampling/estimate.stat.def"
	double mean;    /* cycles per instruction */
	double squares; /* sum of squared differences from the mean */
};

/* Takes up a unit. */
void sampling_add(struct sampling_estimate *estimate, double cpi);

/* Figures of a struct sampling_estimate (estimate.stat.def), as the registry of
 * statistics asks for them; 0 without units. */
double sampling_cpi(void *estimate);
double sampling_deviation(void *estimate);
double sampling_interval(void *estimate);
double sampling_needed(void *estimate);
double sampling_cycles(void *estimate);

/* Section "Sampling" of the x86 report. */
void sampling_register(struct sampling_estimate *estimate,
		       struct stats *stats);

#endif
