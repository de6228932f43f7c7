#include "m2s/sampling/estimate.h"

#include <math.h>

/* Of the normal distribution: 95 % within so many standard deviations. */
static const double Z = 1.959964;

void sampling_add(struct sampling_estimate *estimate, double cpi)
{
	double difference = cpi - estimate->mean;

	estimate->units++;
	estimate->mean += difference / (double)estimate->units;
	estimate->squares += difference * (cpi - estimate->mean);
}

double sampling_cpi(void *estimate)
{
	return ((const struct sampling_estimate *)estimate)->mean;
}

double sampling_deviation(void *owner)
{
	const struct sampling_estimate *estimate = owner;

	return estimate->units < 2 ? 0
				   : sqrt(estimate->squares /
					  (double)(estimate->units - 1));
}

double sampling_interval(void *owner)
{
	const struct sampling_estimate *estimate = owner;

	return estimate->units ? Z * sampling_deviation(owner) /
					 sqrt((double)estimate->units)
			       : 0;
}

double sampling_needed(void *owner)
{
	const struct sampling_estimate *estimate = owner;
	double ratio;

	if (estimate->mean <= 0)
		return 0;
	ratio = Z * sampling_deviation(owner) / (0.01 * estimate->mean);
	return ceil(ratio * ratio);
}

double sampling_cycles(void *owner)
{
	const struct sampling_estimate *estimate = owner;

	return estimate->mean * (double)estimate->instructions +
	       (double)estimate->kernel;
}

void sampling_register(struct sampling_estimate *count, struct stats *stats)
{
	struct stats_section *section = stats_section(stats, "x86", "Sampling");
	struct sampling_estimate *owner = count;

#define STATS_REGISTRATION
#include "m2s/sampling/estimate.stat.def"
}
