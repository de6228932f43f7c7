/* One machine instruction as ALU groups. Internal to the code generator. */
#ifndef M2S_OPENCL_RT_CODEGEN_WRITE_GROUP_H
#define M2S_OPENCL_RT_CODEGEN_WRITE_GROUP_H

#include "opencl-rt/codegen/clause.h"
#include "opencl-rt/codegen/machine.h"

enum { GROUP_MOST = 7 }; /* groups of one instruction */

/* The groups of an ALU instruction whose registers have places; how many. 0: its
 * operands cannot be read at once. `takes_lanes_out`: a test that makes the
 * lanes inactive that do not pass. */
unsigned machine_groups(const struct machine *machine,
		    const struct machine_inst *inst, bool takes_lanes_out,
		    struct codegen_group *groups);

#endif
