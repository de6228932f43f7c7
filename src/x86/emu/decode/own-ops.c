/* Ops without a table row, which the decoder adds by itself. */
#include <string.h>

#include "x86/emu/block.h"

X86_OP(fallthrough)
{
	X86_EXIT(1);
}

/* First in a block whose page is often overwritten. */
X86_OP(check)
{
	const struct x86_block *block = x86_op_block(op);

	cpu->op = op;
	if (memcmp(space_at(cpu->space, block->rip), block->code, block->bytes) != 0)
		return X86_LEAVE_CODE_CHANGED;
	X86_NEXT;
}

X86_OP(unsupported)
{
	cpu->op = op;
	return X86_LEAVE_UNSUPPORTED;
}

X86_OP(too_long)
{
	return x86_raise(cpu, op, SIGSEGV, SI_KERNEL, 0, 13);
}
