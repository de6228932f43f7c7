/* How many groups a clause needs at least. */
#ifndef M2S_OPENCL_RT_CODEGEN_BOUND_H
#define M2S_OPENCL_RT_CODEGEN_BOUND_H

#include "opencl-rt/codegen/unit.h"

/* The largest of: the longest chain of values and effects, the operations of
 * each slot that have no other, all slots' work. No schedule of these operations
 * with these registers for the values that stay can have fewer. */
unsigned bound_groups(const struct unit *unit);

/* The groups of the longest chain alone. */
unsigned bound_chain(const struct unit *unit);

#endif
