/* Divisions, square roots and conversions of floating-point numbers that LLVM's
 * back end makes less exact than OpenCL C demands. */
#ifndef M2S_OPENCL_RT_CLC_IR_FLOAT_H
#define M2S_OPENCL_RT_CLC_IR_FLOAT_H

#include "opencl-rt/clc/ir/rewrite.h"

/* Rewrites them in the module. */
void float_lower(struct rewrite *rewrite);

#endif
