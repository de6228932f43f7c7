/* The ALU operations over rows, for one host instruction set. */
#include "evergreen/emu/alu-template.h"
#include "evergreen/emu/simd-level.h"

#include "evergreen/emu/alu-float.h"
#include "evergreen/emu/alu-integer.h"
#include "evergreen/emu/alu-function.h"
#include "evergreen/emu/alu-wide.h"

/* What a plan does by itself. */
SPECIAL(ALU_NOP)
SPECIAL(GROUP_BARRIER)
SPECIAL(LDS_IDX_OP)
SPECIAL(MOVA_INT)
SPECIAL(SET_CF_IDX0)
SPECIAL(SET_CF_IDX1)
SPECIAL(SET_LDS_SIZE)
SPECIAL(SET_MODE)

/* Every row that a compute kernel can hold has a body, or this does not
 * compile. */
#define ALU_0(id)
#define ALU_1(id) [EVG_ALU_##id] = &body_##id,
#define ALU(id, text, form, code, sources, slots, result, kind, compute, ...)  \
	ALU_##compute(id)
const struct evg_alu_body *const EVG_LEVEL(evg_alu_bodies)[EVG_ALU_COUNT] = {
#include "evergreen/isa/alu.def"
};
