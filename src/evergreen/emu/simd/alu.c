/* The ALU operations over rows, for one host instruction set. */
#include "evergreen/emu/alu/template.h"
#include "evergreen/emu/simd/level.h"

#include "evergreen/emu/alu/bits.h"
#include "evergreen/emu/alu/convert.h"
#include "evergreen/emu/alu/function.h"
#include "evergreen/emu/alu/wide.h"
#include "evergreen/emu/alu/exponent.h"

/* All ones or zero in both dwords. */
#define DOUBLE_SET(id, test) DOUBLE(id, BITS, (vd)(test))
#define DOUBLE_PREDICATE(id, test) DOUBLE_TEST(id, run_double_predicate, test)
#define JOINED(id, run, argument) WIDE(id, run, argument)
#include "evergreen/emu/alu/operations.def"

/* Every row that a compute kernel can hold has a body, or this does not
 * compile. */
#define ALU_0(id)
#define ALU_1(id) [EVG_ALU_##id] = &body_##id,
#define ALU(id, text, form, code, sources, takes, slots, result, kind,         \
	    compute, ...)                                                      \
	ALU_##compute(id)
const struct evg_alu_body *const EVG_LEVEL(evg_alu_bodies)[EVG_ALU_COUNT] = {
#include "evergreen/isa/alu.def"
};
