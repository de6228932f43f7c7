/* x87: loads, stores, constants, exchanges and conditional moves. */
#include "x86/emu/x87/x87.h"

/* ---- Pushes ---- */

#define X87_CONSTANT(mnemonic, name, code) \
	X87_SLOW_REGISTERS(name, code) \
	X87_OP(name, x87_ready_push(x87), { \
		__asm__ volatile(#name "\n\tfstpt %0" \
				 : "=m"(*x87_push(x87)) : : X87_CLOBBERS); \
		x87->status &= (uint16_t)~X87_C1; \
	})

/* The load may fault, so the push comes behind it. */
#define X87_LOAD(mnemonic, operand, name, host, code) \
	X87_SLOW_LOAD(name, code, X87_SIZE_##operand) \
	X87_OP(name, x87_ready_push(x87), { \
		X87_GUEST_##operand *memory = \
			X87_OPERAND(operand, X86_LOAD); \
		uint16_t status; \
		\
		__asm__ volatile(#host " %[source]\n\t" \
				 "fnstsw %[word]\n\t" \
				 "fstpt %[target]" \
				 : [word] "=&a"(status), \
				   [target] "=m"(*x87_st(x87, 7)) \
				 : [source] "m"(*memory) \
				 : X87_CLOBBERS); \
		x87_push(x87); \
		x87_take_status(x87, status, X87_C1); \
	})

/* ---- Stores ---- */

/* The store may fault, so the status changes behind it. */
#define X87_STORE(mnemonic, operand, name, host, code, pops) \
	X87_SLOW_STORE(name, code, X87_SIZE_##operand) \
	X87_OP(name, x87_ready(x87), { \
		X87_GUEST_##operand *memory = \
			X87_OPERAND(operand, X86_STORE); \
		uint16_t status; \
		\
		__asm__ volatile("fldt %[source]\n\t" \
				 #host " %[target]\n\t" \
				 "fnstsw %[word]" \
				 : [word] "=&a"(status), \
				   [target] "=m"(*memory) \
				 : [source] "m"(*x87_st(x87, 0)) \
				 : X87_CLOBBERS); \
		x87_take_status(x87, status, X87_C1); \
		if (pops) \
			x87_pop(x87); \
	})

/* ---- Between registers ---- */

#define X87_MOVE_IF(mnemonic, name, flags, value, code) \
	X87_SLOW_REGISTERS(name, (code) + op->src) \
	X87_OP(name, x87_ready2(x87, op->src), { \
		if (!(x86_arithmetic_flags(cpu) & (flags)) == !(value)) \
			*x87_st(x87, 0) = *x87_st(x87, op->src); \
	})

#define INST(...)
#include "x86/isa/x87.def"
#undef INST

X87_SLOW_REGISTERS(fld_f, 0xd9c0 + op->dst)
X86_OP(fld_f)
{
	struct x86_x87 *x87 = &cpu->x87;
	union x86_x87_register value;

	X87_WAIT;
	if (!x87_ready_push(x87) || !x87_full(x87, op->dst))
		X87_GO_SLOW(fld_f);
	value = *x87_st(x87, op->dst);
	*x87_push(x87) = value;
	x87->status &= (uint16_t)~X87_C1;
	X87_NEXT;
}

static inline void store(struct x86_cpu *cpu, unsigned to)
{
	struct x86_x87 *x87 = &cpu->x87;

	*x87_st(x87, to) = *x87_st(x87, 0);
	x87->empty &= (uint8_t)~(1u << x87_index(x87, to));
	x87->status &= (uint16_t)~X87_C1;
}

X87_SLOW_REGISTERS(fst_f, 0xddd0 + op->dst)
X86_OP(fst_f)
{
	X87_WAIT;
	if (!x87_ready(&cpu->x87))
		X87_GO_SLOW(fst_f);
	store(cpu, op->dst);
	X87_NEXT;
}

X87_SLOW_REGISTERS(fstp_f, 0xddd8 + op->dst)
X86_OP(fstp_f)
{
	X87_WAIT;
	if (!x87_ready(&cpu->x87))
		X87_GO_SLOW(fstp_f);
	store(cpu, op->dst);
	x87_pop(&cpu->x87);
	X87_NEXT;
}

/* An alias of FSTP that reads empty registers, too. */
X87_SLOW_REGISTERS(fstpnce, 0xd9d8 + op->dst)
X86_OP(fstpnce)
{
	X87_WAIT;
	X87_GO_SLOW(fstpnce);
}

X87_SLOW_REGISTERS(fxch, 0xd9c8 + op->dst)
X86_OP(fxch)
{
	struct x86_x87 *x87 = &cpu->x87;
	union x86_x87_register value;

	X87_WAIT;
	if (!x87_ready2(x87, op->dst))
		X87_GO_SLOW(fxch);
	value = *x87_st(x87, op->dst);
	*x87_st(x87, op->dst) = *x87_st(x87, 0);
	*x87_st(x87, 0) = value;
	x87->status &= (uint16_t)~X87_C1;
	X87_NEXT;
}
