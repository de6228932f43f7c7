/* Builds operations on doubles as carriers (carrier.h) in the LLVM module, at
 * the builder's position. */
#ifndef M2S_OPENCL_RT_CLC_DOUBLE_CARRIER_BUILD_H
#define M2S_OPENCL_RT_CLC_DOUBLE_CARRIER_BUILD_H

#include "opencl-rt/clc/double/carrier.h"
#include "opencl-rt/clc/double/operand.h"

/* Builds an operation on p and q other than FMA. `result` gets its one or two
 * words. */
void carrier_build(struct lowering *lowering, enum carrier_operation operation,
		   struct operand p, struct operand q, LLVMValueRef *result);

struct operand carrier_add(struct lowering *lowering, struct operand p,
			   struct operand q);
/* a * b + c. */
struct operand carrier_multiply_add(struct lowering *lowering,
				    struct operand a, struct operand b,
				    struct operand c);

#endif
