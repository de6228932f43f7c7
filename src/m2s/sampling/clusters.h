/* Intervals of a program that execute the same code, and one of each kind: Sherwood
 * and others, ASPLOS 2002, and Hamerly, Perelman, Lau and Calder, "SimPoint 3.0",
 * JILP 2005. */
#ifndef M2S_M2S_SAMPLING_CLUSTERS_H
#define M2S_M2S_SAMPLING_CLUSTERS_H

#include <stddef.h>
#include <stdint.h>

#include "m2s/sampling/vectors.h"

struct clusters {
	size_t count;      /* of clusters, none of them empty */
	unsigned *of;      /* by interval: its cluster */
	/* By cluster: the interval nearest to its centre, of several the first,
	 * and the number of its intervals. Clusters are in the order of these
	 * intervals. */
	size_t *nearest, *size;
};

/* Finds between 1 and `most` clusters of `count` vectors, of which there is at
 * least one. Their number is the least one whose Bayesian information criterion
 * has come nine tenths of the way from the worst to the best. Equal vectors give
 * equal clusters in every run. */
void clusters_find(struct clusters *clusters, const struct vector *list,
		   size_t count, unsigned most);
void clusters_clear(struct clusters *clusters);

#endif
