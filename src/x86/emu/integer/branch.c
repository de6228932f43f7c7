/* Jumps, calls, returns, loops. */
#include "x86/emu/condition.h"
#include "x86/emu/integer/integer.h"

static inline const struct x86_exit *exit_of(const struct x86_op *op)
{
	return (const struct x86_exit *)(const void *)(op + 1);
}

X86_OP(jmp)
{
	X86_EXIT(0);
}

#define JCC(condition, kind) \
	X86_OP(j_##condition##_##kind) \
	{ \
		if (CONDITION(condition, kind)) \
			X86_EXIT(0); \
		X86_EXIT(1); \
	}
X86_CONDITIONS(JCC)

/* ---- Indirect jumps and calls ---- */

#define INDIRECT(bits) \
	X86_OP(jmp##bits##_r) \
	{ \
		X86_JUMP(X86_REG##bits(cpu, op->dst)); \
	} \
	X86_OP(jmp##bits##_m) \
	{ \
		X86_JUMP(x86_load##bits(cpu, op, x86_address(cpu, op))); \
	} \
	static inline void push_return##bits(struct x86_cpu *cpu, \
					     const struct x86_op *op) \
	{ \
		UINT(bits) top = (UINT(bits))(cpu->reg[X86_RSP] - bits / 8); \
		x86_store##bits(cpu, op, top, \
				(UINT(bits))exit_of(op)->address[1]); \
		cpu->reg[X86_RSP] = top; \
	} \
	X86_OP(call##bits) \
	{ \
		push_return##bits(cpu, op); \
		X86_EXIT(0); \
	} \
	X86_OP(call##bits##_r) \
	{ \
		UINT(bits) target = X86_REG##bits(cpu, op->dst); \
		push_return##bits(cpu, op); \
		X86_JUMP(target); \
	} \
	X86_OP(call##bits##_m) \
	{ \
		UINT(bits) target = x86_load##bits(cpu, op, \
						   x86_address(cpu, op)); \
		push_return##bits(cpu, op); \
		X86_JUMP(target); \
	} \
	X86_OP(ret##bits) \
	{ \
		UINT(bits) target = x86_load##bits(cpu, op, \
						   cpu->reg[X86_RSP]); \
		cpu->reg[X86_RSP] = \
			(UINT(bits))(cpu->reg[X86_RSP] + bits / 8); \
		X86_JUMP(target); \
	} \
	X86_OP(ret##bits##_i) \
	{ \
		UINT(bits) target = x86_load##bits(cpu, op, \
						   cpu->reg[X86_RSP]); \
		cpu->reg[X86_RSP] = \
			(UINT(bits))(cpu->reg[X86_RSP] + bits / 8 + \
				     (uint16_t)op->imm); \
		X86_JUMP(target); \
	}
INDIRECT(32)
INDIRECT(64)

/* ---- LOOP and JrCXZ: by the width of the count ---- */

#define COUNTED(bits) \
	static X86_OP(loop##bits) \
	{ \
		x86_set##bits(cpu, X86_RCX * 8, \
			      (UINT(bits))(X86_REG##bits(cpu, X86_RCX * 8) - \
					   1)); \
		if (X86_REG##bits(cpu, X86_RCX * 8)) \
			X86_EXIT(0); \
		X86_EXIT(1); \
	} \
	static X86_OP(loope##bits) \
	{ \
		x86_set##bits(cpu, X86_RCX * 8, \
			      (UINT(bits))(X86_REG##bits(cpu, X86_RCX * 8) - \
					   1)); \
		if (X86_REG##bits(cpu, X86_RCX * 8) && \
		    x86_condition(cpu, X86_IF_E)) \
			X86_EXIT(0); \
		X86_EXIT(1); \
	} \
	static X86_OP(loopne##bits) \
	{ \
		x86_set##bits(cpu, X86_RCX * 8, \
			      (UINT(bits))(X86_REG##bits(cpu, X86_RCX * 8) - \
					   1)); \
		if (X86_REG##bits(cpu, X86_RCX * 8) && \
		    !x86_condition(cpu, X86_IF_E)) \
			X86_EXIT(0); \
		X86_EXIT(1); \
	} \
	X86_OP(jcxz##bits) \
	{ \
		if (!X86_REG##bits(cpu, X86_RCX * 8)) \
			X86_EXIT(0); \
		X86_EXIT(1); \
	}
COUNTED(16)
COUNTED(32)
COUNTED(64)

/* The width of the count is that of addresses, which no operand shows. */
X86_OP(loop_any)
{
	if (op->src2 == 64)
		X86_CONTINUE_AS(loop64);
	if (op->src2 == 32)
		X86_CONTINUE_AS(loop32);
	X86_CONTINUE_AS(loop16);
}

X86_OP(loope_any)
{
	if (op->src2 == 64)
		X86_CONTINUE_AS(loope64);
	if (op->src2 == 32)
		X86_CONTINUE_AS(loope32);
	X86_CONTINUE_AS(loope16);
}

X86_OP(loopne_any)
{
	if (op->src2 == 64)
		X86_CONTINUE_AS(loopne64);
	if (op->src2 == 32)
		X86_CONTINUE_AS(loopne32);
	X86_CONTINUE_AS(loopne16);
}
