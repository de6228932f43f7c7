/* Islands are divided over threads by the work that they have been seen to
 * do. */
#include "sim/lane.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct weighed {
	double weight;
	size_t island;
};

static int heavier(const void *left, const void *right)
{
	const struct weighed *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->island < b->island ? -1 : 1;
}

static unsigned lightest(const double *sums, unsigned lanes)
{
	unsigned found = 0;

	for (unsigned i = 1; i < lanes; i++)
		if (sums[i] < sums[found])
			found = i;
	return found;
}

void lanes_divide(const double *weight, size_t count, unsigned lanes,
		  unsigned *lane)
{
	struct weighed *order = xcalloc(count, sizeof *order);
	double *sums = xcalloc(lanes, sizeof *sums);

	for (size_t i = 1; i < count; i++)
		order[i - 1] = (struct weighed){ weight[i], i };
	qsort(order, count - 1, sizeof *order, heavier);
	for (size_t i = 0; i + 1 < count; i++) {
		unsigned to = lightest(sums, lanes);

		lane[order[i].island] = to;
		sums[to] += order[i].weight;
	}
	free(order);
	free(sums);
}

/* The island of a lane that weighs most nearly `wanted`; 0: none. */
static size_t nearest(const double *weight, size_t count, const unsigned *lane,
		      unsigned from, double wanted)
{
	double least = 0;
	size_t found = 0;

	for (size_t i = 1; i < count; i++) {
		double distance = fabs(weight[i] - wanted);

		if (lane[i] != from || weight[i] <= 0)
			continue;
		if (!found || distance < least) {
			found = i;
			least = distance;
		}
	}
	return found;
}

/* Moves one island from the heaviest lane to the lightest. False: a move gains
 * too little. */
static bool move_one(const double *weight, size_t count, unsigned lanes,
		     double *sums, unsigned *lane)
{
	enum { LEAST = 25 }; /* parts of a lane's share that a move gains */
	unsigned from = 0, to = lightest(sums, lanes);
	double all = 0;
	size_t island;

	for (unsigned i = 0; i < lanes; i++) {
		all += sums[i];
		if (sums[i] > sums[from])
			from = i;
	}
	island = nearest(weight, count, lane, from,
			 (sums[from] - sums[to]) / 2);
	if (!island || sums[to] + weight[island] >
			       sums[from] - all / lanes / LEAST)
		return false;
	lane[island] = to;
	sums[from] -= weight[island];
	sums[to] += weight[island];
	return true;
}

unsigned lanes_adjust(const double *weight, size_t count, unsigned lanes,
		      const double *extra, unsigned *lane)
{
	double *sums = xcalloc(lanes, sizeof *sums);
	unsigned moves = 0;

	memcpy(sums, extra, lanes * sizeof *sums);
	for (size_t i = 1; i < count; i++)
		sums[lane[i]] += weight[i];
	while (moves < count && move_one(weight, count, lanes, sums, lane))
		moves++;
	free(sums);
	return moves;
}

/* --- What was measured -------------------------------------------------- */

static const unsigned projected_threads[] = { 2, 4, 8, 16 };

void workload_create(struct workload *workload, size_t count)
{
	workload_free(workload);
	workload->sample = xcalloc(count, sizeof *workload->sample);
	workload->weight = xcalloc(count, sizeof *workload->weight);
	for (size_t i = 0; i < count; i++)
		workload->weight[i] = 1;
	workload->projection_count = ARRAY_SIZE(projected_threads);
	workload->projections = xcalloc(workload->projection_count,
					sizeof *workload->projections);
	for (unsigned i = 0; i < workload->projection_count; i++) {
		struct workload_projection *projection =
			&workload->projections[i];

		projection->threads = projected_threads[i];
		projection->lane = xcalloc(count, sizeof *projection->lane);
	}
}

void workload_free(struct workload *workload)
{
	for (unsigned i = 0; i < workload->projection_count; i++)
		free(workload->projections[i].lane);
	free(workload->projections);
	free(workload->sample);
	free(workload->weight);
	*workload = (struct workload){ 0 };
}

/* A sample that is far beyond what is usual was interrupted by the host. */
static uint64_t plausible(double weight, uint64_t sample)
{
	enum { MOST = 3, LEAST = 500 };
	double most = MOST * weight + LEAST;

	return sample > most ? (uint64_t)most : sample;
}

static void project(struct workload *workload, size_t count)
{
	enum { DIVIDE_WINDOWS = 256, MOST_THREADS = 16 };
	bool divides = workload->windows % DIVIDE_WINDOWS == 1;

	for (unsigned i = 0; i < workload->projection_count; i++) {
		struct workload_projection *projection =
			&workload->projections[i];
		uint64_t sums[MOST_THREADS] = { 0 }, busiest = 0;

		if (divides)
			lanes_divide(workload->weight, count,
				     projection->threads, projection->lane);
		for (size_t n = 1; n < count; n++)
			sums[projection->lane[n]] += workload->sample[n];
		for (unsigned lane = 0; lane < projection->threads; lane++)
			if (sums[lane] > busiest)
				busiest = sums[lane];
		projection->busiest += (double)busiest;
	}
}

void workload_count(struct workload *workload, size_t count, bool averages)
{
	/* The first windows make up for what is not known. */
	double part = workload->samples < 32
			      ? 1 / (double)(workload->samples + 1)
			      : 1 / 32.;

	for (size_t i = 1; i < count; i++) {
		if (workload->samples > 8)
			workload->sample[i] = plausible(workload->weight[i],
							workload->sample[i]);
		workload->weight[i] += part * ((double)workload->sample[i] -
					       workload->weight[i]);
	}
	workload->samples++;
	if (averages) {
		for (size_t i = 1; i < count; i++)
			workload->total += (double)workload->sample[i];
		workload->windows++;
		project(workload, count);
	}
	memset(workload->sample, 0, count * sizeof *workload->sample);
}

void workload_report(const struct workload *workload, size_t count,
		     FILE *stream)
{
	double windows = (double)workload->windows;
	double alone = (workload->hub + workload->settle) / windows;
	double total = workload->total / windows, heaviest = 0;

	for (size_t i = 1; i < count; i++)
		if (workload->weight[i] > heaviest)
			heaviest = workload->weight[i];
	fprintf(stream, "WorkPerWindow = %.0f\nHeaviestIsland = %.0f\n"
		"HubPerWindow = %.0f\nSettlePerWindow = %.0f\n",
		total, heaviest, workload->hub / windows,
		workload->settle / windows);
	for (unsigned i = 0; i < workload->projection_count; i++) {
		const struct workload_projection *projection =
			&workload->projections[i];
		double busiest = projection->busiest / windows;

		fprintf(stream, "Projected.%u.Busiest = %.0f\n"
			"Projected.%u.SpeedUp = %.2f\n", projection->threads,
			busiest, projection->threads,
			(total + alone) / (busiest + alone));
	}
}
