/* What the files that print a kernel share. */
#ifndef M2S_TESTS_CODEGEN_RANDOM_PRINT_H
#define M2S_TESTS_CODEGEN_RANDOM_PRINT_H

#include "codegen/random/program.h"

/* Of each buffer: the type of its elements. */
extern const char *const buffer_names[SIZES];

void print_node(FILE *out, const struct node *node);
/* An index below `count`, a power of two. */
void print_index(FILE *out, const struct node *node, unsigned count);
/* ".s" and the numbers of elements. */
void print_lanes(FILE *out, const uint8_t *lanes, unsigned count);
/* A place in the work-item's zone, to load or store. */
void print_zone(FILE *out, struct type type, const struct node *index,
		bool aligned);

/* A number as a constant of its type. */
void print_number(FILE *out, enum element element, const struct value *value,
		  unsigned lane);

#endif
