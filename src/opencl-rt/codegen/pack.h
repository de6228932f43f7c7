/* One group in the making: slots, literals and read ports. */
#ifndef M2S_OPENCL_RT_CODEGEN_PACK_H
#define M2S_OPENCL_RT_CODEGEN_PACK_H

#include "opencl-rt/codegen/unit.h"

struct pack {
	struct codegen_group made;
	unsigned literals;   /* of made.group.literal */
	bool alone;          /* nothing else may come in */
};

/* Puts an instruction, whose sources are settled but for literals, into a slot;
 * false, and nothing changed, when the group cannot have it. Swizzles are as
 * pack_close() finds them. */
bool pack_put(struct pack *pack, unsigned slot, const struct evg_alu_inst *inst,
	      const struct unit_source *sources);

/* Completes the group: order, the last instruction, size, swizzles. */
void pack_close(struct pack *pack);

#endif
