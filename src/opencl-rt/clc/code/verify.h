/* What the files verify*.c share: checks of a finished kernel. */
#ifndef M2S_OPENCL_RT_CLC_CODE_VERIFY_H
#define M2S_OPENCL_RT_CLC_CODE_VERIFY_H

#include "evergreen/isa/code.h"
#include "evergreen/kernel/kernel.h"
#include "opencl-rt/clc/facts.h"

struct check {
	const struct evg_kernel *kernel;
	const struct evg_code *code;
	struct error *error;
};

/* Each: -1 and *error when something does not check out. */

/* A register that an instruction names. */
int check_register(const struct check *check, uint32_t address,
		   unsigned number);
/* The clause of an ALU instruction. */
int check_alu_clause(const struct check *check, const struct evg_code_cf *cf);
/* Targets, nesting and stack of the control flow. */
int check_flow(const struct check *check);
/* Addresses and stored values come from registers that were written; after
 * check_flow. */
int check_defined(const struct check *check);
/* The stores and private arrays of the IR are all there. */
int check_facts(const struct check *check, const struct kernel_facts *facts);

#endif
