#include "m2s/sampling/clusters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "m2s/sampling/random.h"

/* Beginnings that are tried for each number of clusters, and rounds until one is
 * given up; SimPoint 3.0 has the same figures. */
enum { BEGINNINGS = 5, ROUNDS = 100 };

/* Differences below this are no difference in what a program does: a thousandth
 * of the instructions in other blocks. Without it, intervals that are equal would
 * have an infinite likelihood. */
static const double LEAST_VARIANCE = 1e-6;

static double distance(const struct vector *a, const struct vector *b)
{
	double sum = 0;

	for (unsigned i = 0; i < VECTOR_COMPONENTS; i++) {
		double difference = a->component[i] - b->component[i];

		sum += difference * difference;
	}
	return sum;
}

/* A division of the vectors into clusters. */
struct division {
	const struct vector *list;
	size_t count;
	unsigned clusters;
	struct vector *centre;
	size_t *size;
	unsigned *of;
	double *apart;  /* squared distance of each vector from its centre */
};

static void create(struct division *division, const struct vector *list,
		   size_t count, unsigned most)
{
	*division = (struct division){
		.list = list,
		.count = count,
		.centre = xcalloc(most, sizeof *division->centre),
		.size = xcalloc(most, sizeof *division->size),
		.of = xcalloc(count, sizeof *division->of),
		.apart = xcalloc(count, sizeof *division->apart),
	};
}

static void clear(struct division *division)
{
	free(division->centre);
	free(division->size);
	free(division->of);
	free(division->apart);
}

/* ---- Division ---- */

/* Arthur and Vassilvitskii, "k-means++", SODA 2007: each next centre is one of the
 * vectors, drawn in proportion to the squared distance from the nearest centre.
 * Returns the number of centres: less where all vectors are centres already. */
static unsigned choose_centres(struct division *division, unsigned clusters,
			       uint64_t *random)
{
	size_t chosen = (size_t)(random_fraction(random) *
				 (double)division->count);
	unsigned centres = 0;

	for (size_t i = 0; i < division->count; i++)
		division->apart[i] = INFINITY;
	for (;;) {
		double sum = 0, drawn;

		division->centre[centres++] = division->list[chosen];
		if (centres == clusters)
			return centres;
		for (size_t i = 0; i < division->count; i++) {
			double apart = distance(&division->list[i],
						&division->list[chosen]);

			if (apart < division->apart[i])
				division->apart[i] = apart;
			sum += division->apart[i];
		}
		if (sum <= 0)
			return centres;
		drawn = random_fraction(random) * sum;
		for (size_t i = 0; i < division->count; i++) {
			if (division->apart[i] <= 0)
				continue;
			chosen = i;
			drawn -= division->apart[i];
			if (drawn < 0)
				break;
		}
	}
}

/* Gives each vector to its nearest centre. Returns whether one has changed. */
static bool assign(struct division *division)
{
	bool changed = false;

	memset(division->size, 0, division->clusters * sizeof *division->size);
	for (size_t i = 0; i < division->count; i++) {
		unsigned nearest = 0;
		double least = INFINITY;

		for (unsigned k = 0; k < division->clusters; k++) {
			double apart = distance(&division->list[i],
						&division->centre[k]);

			if (apart < least) {
				least = apart;
				nearest = k;
			}
		}
		changed |= division->of[i] != nearest;
		division->of[i] = nearest;
		division->apart[i] = least;
		division->size[nearest]++;
	}
	return changed;
}

/* Each centre becomes the mean of its vectors; without any it stays. */
static void move_centres(struct division *division)
{
	for (unsigned k = 0; k < division->clusters; k++)
		if (division->size[k])
			division->centre[k] = (struct vector){ { 0 } };
	for (size_t i = 0; i < division->count; i++) {
		unsigned k = division->of[i];

		for (unsigned at = 0; at < VECTOR_COMPONENTS; at++)
			division->centre[k].component[at] +=
				division->list[i].component[at] /
				(double)division->size[k];
	}
}

/* Lloyd's method. */
static void divide(struct division *division, unsigned clusters,
		   uint64_t *random)
{
	division->clusters = choose_centres(division, clusters, random);
	assign(division);
	for (unsigned round = 0; round < ROUNDS; round++) {
		move_centres(division);
		if (!assign(division))
			return;
	}
}

static double spread(const struct division *division)
{
	double sum = 0;

	for (size_t i = 0; i < division->count; i++)
		sum += division->apart[i];
	return sum;
}

/* ---- Number of clusters ---- */

/* The Bayesian information criterion of round Gaussians of the same width, of
 * Pelleg and Moore, "X-means", ICML 2000, with the variance of one component. */
static double criterion(const struct division *division)
{
	double count = (double)division->count, clusters = division->clusters;
	double free_count = (count - clusters) * VECTOR_COMPONENTS;
	double variance = free_count > 0 ? spread(division) / free_count : 0;
	double likelihood = 0;
	double parameters = clusters - 1 + clusters * VECTOR_COMPONENTS + 1;

	if (variance < LEAST_VARIANCE)
		variance = LEAST_VARIANCE;
	for (unsigned k = 0; k < division->clusters; k++)
		if (division->size[k])
			likelihood += (double)division->size[k] *
				      log((double)division->size[k] / count);
	likelihood -= count * VECTOR_COMPONENTS / 2 *
		      log(2 * 3.14159265358979323846 * variance);
	likelihood -= spread(division) / (2 * variance);
	return likelihood - parameters / 2 * log(count);
}

/* The best of some beginnings, in *best. `random` depends on the number, so that
 * it can be found once more. */
static void best_of(struct division *best, struct division *other,
		    unsigned clusters)
{
	uint64_t random = clusters;

	divide(best, clusters, &random);
	for (unsigned i = 1; i < BEGINNINGS && clusters > 1; i++) {
		divide(other, clusters, &random);
		if (spread(other) < spread(best)) {
			struct division swapped = *best;

			*best = *other;
			*other = swapped;
		}
	}
}

static unsigned choose(const double *criteria, unsigned most)
{
	double least = INFINITY, greatest = -INFINITY;
	unsigned clusters = 1;

	for (unsigned k = 1; k <= most; k++) {
		least = fmin(least, criteria[k]);
		greatest = fmax(greatest, criteria[k]);
	}
	while (criteria[clusters] < least + 0.9 * (greatest - least))
		clusters++;
	return clusters;
}

/* ---- Representatives ---- */

static void represent(struct clusters *clusters,
		      const struct division *division)
{
	unsigned *number = xcalloc(division->clusters, sizeof *number);
	size_t *nearest = xcalloc(division->clusters, sizeof *nearest);

	for (unsigned k = 0; k < division->clusters; k++)
		nearest[k] = SIZE_MAX;
	for (size_t i = 0; i < division->count; i++) {
		unsigned k = division->of[i];

		if (nearest[k] == SIZE_MAX ||
		    division->apart[i] < division->apart[nearest[k]])
			nearest[k] = i;
	}
	clusters->of = xcalloc(division->count, sizeof *clusters->of);
	clusters->nearest = xcalloc(division->clusters,
				    sizeof *clusters->nearest);
	clusters->size = xcalloc(division->clusters, sizeof *clusters->size);
	for (size_t i = 0; i < division->count; i++) {
		unsigned k = division->of[i];

		if (nearest[k] != i)
			continue;
		number[k] = (unsigned)clusters->count;
		clusters->nearest[clusters->count] = i;
		clusters->size[clusters->count++] = division->size[k];
	}
	for (size_t i = 0; i < division->count; i++)
		clusters->of[i] = number[division->of[i]];
	free(number);
	free(nearest);
}

void clusters_find(struct clusters *clusters, const struct vector *list,
		   size_t count, unsigned most)
{
	struct division best, other;
	double *criteria;

	*clusters = (struct clusters){ 0 };
	if (most > count)
		most = (unsigned)count;
	create(&best, list, count, most);
	create(&other, list, count, most);
	criteria = xcalloc(most + 1, sizeof *criteria);
	for (unsigned k = 1; k <= most; k++) {
		best_of(&best, &other, k);
		criteria[k] = criterion(&best);
	}
	best_of(&best, &other, choose(criteria, most));
	represent(clusters, &best);
	free(criteria);
	clear(&best);
	clear(&other);
}

void clusters_clear(struct clusters *clusters)
{
	free(clusters->of);
	free(clusters->nearest);
	free(clusters->size);
}
