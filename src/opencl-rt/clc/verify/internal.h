/* The checks of a finished kernel. */
#ifndef M2S_OPENCL_RT_CLC_VERIFY_INTERNAL_H
#define M2S_OPENCL_RT_CLC_VERIFY_INTERNAL_H

#include "evergreen/isa/code.h"
#include "evergreen/kernel/kernel.h"
#include "base/error.h"

struct check {
	const struct evg_kernel *kernel;
	const struct evg_code *code;
	enum evg_chip chip;
	struct error *error;
};

/* Each check returns -1 and *error when it fails. */

/* Checks a register that an instruction names. */
int check_register(const struct check *check, uint32_t address,
		   unsigned number);
/* Checks the clause of an ALU instruction. */
int check_alu_clause(const struct check *check, const struct evg_code_cf *cf);
/* Checks targets, nesting and stack of the control flow. */
int check_flow(const struct check *check);
/* Checks that addresses and stored values come from registers that were
 * written. To be called after check_flow. */
int check_defined(const struct check *check);

#endif
