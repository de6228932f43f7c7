/* What the files that draw a kernel share. */
#ifndef M2S_TESTS_CODEGEN_RANDOM_MAKE_H
#define M2S_TESTS_CODEGEN_RANDOM_MAKE_H

#include "codegen/random/program.h"

struct maker {
	struct kernel *kernel;
	uint64_t state;
	bool visible[VARIABLES_MAX];  /* counters only within their loops */
	bool readable[SHARED_MAX];    /* between barriers */
	bool barriers;                /* the kernel has some */
	unsigned budget;              /* statements still to be drawn */
	unsigned loops;               /* around the place */
	bool in_switch;               /* break would leave that */
	unsigned homes[SIZES];
};

/* A number below `count`. */
unsigned draw(struct maker *maker, unsigned count);
/* Memory that kernel_free() frees. */
void *make(struct maker *maker, size_t size);
struct type draw_type(struct maker *maker);
struct node *make_node(struct maker *maker, enum node_kind kind,
		       struct type type);
struct node *make_kid(struct maker *maker, struct node *node, struct type type,
		      unsigned depth);
struct node *make_expression(struct maker *maker, struct type type,
			     unsigned depth);
/* Of an `int`. */
struct node *make_index(struct maker *maker);
unsigned make_variable(struct maker *maker, enum variable_kind kind,
		       struct type type);
/* A number of a variable of this kind, and of this type where it is given; or
 * VARIABLES_MAX. */
unsigned draw_variable(struct maker *maker, enum variable_kind kind,
		       const struct type *type);

#endif
