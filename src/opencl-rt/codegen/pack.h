/* One group in the making: slots, literals and read ports. */
#ifndef M2S_OPENCL_RT_CODEGEN_PACK_H
#define M2S_OPENCL_RT_CODEGEN_PACK_H

#include "opencl-rt/codegen/unit.h"

struct pack {
	struct codegen_group made;
	unsigned literals;   /* of made.group.literal */
	bool alone;          /* no other instruction may come in */
};

/* Puts an instruction into a slot. Its sources are settled except literals.
 * False, without any change, when the group has no place for it. pack_close()
 * finds the swizzles. */
bool pack_put(struct pack *pack, unsigned slot, const struct evg_alu_inst *inst,
	      const struct unit_source *sources);

/* Completes the group: order, the last instruction, size and swizzles. */
void pack_close(struct pack *pack);

#endif
