/* The least number of groups of a small graph, by trying all. */
#ifndef M2S_TESTS_CODEGEN_OPTIMUM_SEARCH_H
#define M2S_TESTS_CODEGEN_OPTIMUM_SEARCH_H

#include "codegen/optimum/graph.h"

enum search_answer { SEARCH_NO, SEARCH_YES, SEARCH_UNKNOWN };

/* Whether the operations fit into so many groups. There are as many registers
 * as wanted. SEARCH_UNKNOWN: it takes too long to find out. */
enum search_answer search_fits(const struct graph *graph, unsigned groups);

#endif
