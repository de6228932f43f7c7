/* How many groups a clause needs at least. */
#ifndef M2S_OPENCL_RT_CODEGEN_BOUND_H
#define M2S_OPENCL_RT_CODEGEN_BOUND_H

#include "opencl-rt/codegen/unit.h"

/* The largest of: the longest chain of values and effects; what groups between
 * others must have room for, slot by slot and in all; literals, constants and
 * registers that a group can read. No schedule of these operations with these
 * registers for the values that stay can have fewer. Does not look for more than
 * `enough` groups. */
unsigned bound_groups(const struct unit *unit, unsigned enough);

/* The groups of the longest chain alone. */
unsigned bound_chain(const struct unit *unit);

#endif
