/* How operations on doubles pass through LLVM's back end, which knows none.
 *
 * Only llvm.r600.dot4 has enough operands and is selected, scheduled and given
 * registers without regard to what it computes. It takes two vectors of four,
 * becomes one ALU group (DOT4 in the slots x, y, z and w), and no OpenCL C
 * makes it. So carrier-build.c writes every operation on doubles as dot4's, one
 * for each word of the result; carrier-read.c decodes them in the machine code
 * and fuse-emit.c puts the operation itself there. Slots and words:
 *
 *	slot    x       y       z          w
 *	first   p low   q high  r low      which word of the result
 *	second  q low   p high  which op   r high
 *
 * LLVM insists that operands are in the channel of their slot, so p and q
 * should be values in x and y, where FP64 groups leave their result; r in z and
 * w. FMA is q * r + p and has `which op` 0.0. Other operations have at most the
 * sources p and q; there `which op`, r low and r high hold a number in base 3,
 * in the digits 0.0, 0.5 and 1.0, which are inline constants. `Which word` is
 * 0.0 for the low and 1.0 for the high one. Signs and absolute values of
 * doubles are those of their high words. */
#ifndef M2S_OPENCL_RT_CLC_DOUBLE_CARRIER_H
#define M2S_OPENCL_RT_CLC_DOUBLE_CARRIER_H

enum carrier_operation {
#define CARRIER(id, ...) CARRIER_##id,
#include "opencl-rt/clc/double/carrier.def"
	CARRIER_COUNT
};

enum { CARRIER_BASE = 3 }; /* of the digits */

#endif
