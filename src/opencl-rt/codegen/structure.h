/* What the two ways of writing control flow share. */
#ifndef M2S_OPENCL_RT_CODEGEN_STRUCTURE_H
#define M2S_OPENCL_RT_CODEGEN_STRUCTURE_H

#include "opencl-rt/codegen/graph.h"
#include "opencl-rt/codegen/select/select.h"

struct structuring {
	struct selection *selection;
	struct graph *graph;
	bool *written;   /* of each block: a second time would be a copy */
	unsigned depth;
};

/* Gives the phis of a block their values for those who come from another. */
void structure_copy_phis(struct structuring *structuring, int from, int to);
bool structure_has_phis(const struct structuring *structuring, int block);
/* Adds control flow without operands, for the line of a block's end. */
void structure_add(struct structuring *structuring, enum machine_kind kind,
		   int block);

/* Adds IF, for the line of a block's end: the lanes for which a test of a value
 * and a number is true. */
void structure_add_if(struct structuring *structuring, int block,
		      enum evg_alu_op test, struct machine_source value,
		      uint32_t number);

/* Writes a function whose graph is reducible block by block, in an order in which
 * each comes behind those before it. A register has the number of the block that
 * a lane wants next; each block is for the lanes that want it. Takes longer than
 * nested branches, but knows neither shapes nor depths. */
void structure_dispatch(struct structuring *structuring);

#endif
