/* The places that hold values at one instruction after the other. */
#ifndef M2S_OPENCL_RT_CODEGEN_WRITE_LIVE_H
#define M2S_OPENCL_RT_CODEGEN_WRITE_LIVE_H

#include "opencl-rt/codegen/clause.h"
#include "opencl-rt/codegen/machine.h"

struct write_live {
	const struct machine *machine;
	int *begins;         /* by place: a register that is used there first */
	int *next;           /* another one */
	unsigned *live;      /* registers */
	unsigned count, place;
};

void write_live_begin(struct write_live *live, const struct machine *machine);
/* The places of what is there before instruction `place`, which must not be before
 * that of the last call. */
void write_live_find(struct write_live *live, unsigned place,
		     struct codegen_registers *places);
void write_live_end(struct write_live *live);

#endif
