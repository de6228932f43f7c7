#include "opencl-rt/clc/verify/internal.h"

int check_register(const struct check *check, uint32_t address,
		   unsigned number)
{
	if (number < check->kernel->registers)
		return 0;
	return error_set(check->error, "instruction at %u uses R%u, but the "
			 "kernel declares %u registers", address, number,
			 check->kernel->registers);
}
