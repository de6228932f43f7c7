/* Division by numbers that are known when the kernel is compiled. */
#ifndef M2S_OPENCL_RT_CODEGEN_DIVISOR_DIVISOR_H
#define M2S_OPENCL_RT_CODEGEN_DIVISOR_DIVISOR_H

#include "opencl-rt/codegen/select/select.h"

/* The quotient of 32 bits by multiplying with the divisor's reciprocal as a
 * whole number (Granlund and Montgomery, "Division by invariant integers using
 * multiplication", 1994). False for divisors that are left to others: 0, 1, -1,
 * and the smallest number. */
bool divisor_quotient(struct selection *selection, bool is_signed,
		      struct machine_source a, uint32_t divisor,
		      struct machine_source *quotient);

#endif
