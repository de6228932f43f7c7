/* x87: comparisons and classification. */
#include "x86/emu/x87/x87.h"

/* ---- Into the condition codes ---- */

/* Compares a with b by FCOM or FUCOM. */
#define COMPARE_REGISTERS(host, a, b, status) \
	__asm__ volatile("fldt %[second]\n\t" \
			 "fldt %[first]\n\t" \
			 host " %%st(1)\n\t" \
			 "fnstsw %[word]\n\t" \
			 "fstp %%st(0)\n\t" \
			 "fstp %%st(0)" \
			 : [word] "=&a"(status) \
			 : [first] "m"(*(a)), [second] "m"(*(b)) \
			 : X87_CLOBBERS)

#define COMPARISON(name, host, i, code, pops) \
	X87_SLOW_REGISTERS(name, code) \
	X87_OP(name, x87_ready2(x87, i), { \
		uint16_t status; \
		\
		COMPARE_REGISTERS(host, x87_st(x87, 0), x87_st(x87, i), \
				  status); \
		x87_take_status(x87, status, X87_CONDITIONS); \
		for (int pop = 0; pop < (pops); pop++) \
			x87_pop(x87); \
	})
COMPARISON(fcom, "fcom", op->dst, 0xd8d0 + op->dst, 0)
COMPARISON(fcomp, "fcom", op->dst, 0xd8d8 + op->dst, 1)
COMPARISON(fcompp, "fcom", 1, 0xded9, 2)
COMPARISON(fucom, "fucom", op->dst, 0xdde0 + op->dst, 0)
COMPARISON(fucomp, "fucom", op->src, 0xdde8 + op->src, 1)
COMPARISON(fucompp, "fucom", 1, 0xdae9, 2)

#define X87_COMPARE(mnemonic, operand, name, host, code, pops) \
	X87_SLOW_LOAD(name, code, X87_SIZE_##operand) \
	X87_OP(name, x87_ready(x87), { \
		X87_GUEST_##operand *memory = \
			X87_OPERAND(operand, X86_LOAD); \
		uint16_t status; \
		\
		__asm__ volatile("fldt %[first]\n\t" \
				 #host " %[second]\n\t" \
				 "fnstsw %[word]\n\t" \
				 "fstp %%st(0)" \
				 : [word] "=&a"(status) \
				 : [first] "m"(*x87_st(x87, 0)), \
				   [second] "m"(*memory) \
				 : X87_CLOBBERS); \
		x87_take_status(x87, status, X87_CONDITIONS); \
		for (int pop = 0; pop < (pops); pop++) \
			x87_pop(x87); \
	})

#define INST(...)
#include "x86/isa/x87.def"
#undef INST

/* Instructions that read st(0) alone. An empty register is one of the classes
 * of FXAM. */
#define EXAMINATION(name, code) \
	X87_SLOW_REGISTERS(name, code) \
	X87_OP(name, x87_ready(x87), { \
		uint16_t status; \
		\
		__asm__ volatile("fldt %1\n\t" #name "\n\tfnstsw %0\n\t" \
				 "fstp %%st(0)" \
				 : "=&a"(status) : "m"(*x87_st(x87, 0)) \
				 : X87_CLOBBERS); \
		x87_take_status(x87, status, X87_CONDITIONS); \
	})
EXAMINATION(ftst, 0xd9e4)
EXAMINATION(fxam, 0xd9e5)

/* ---- Into EFLAGS ---- */

#define FLAGS_COMPARISON(name, host, code, pops) \
	X87_SLOW_REGISTERS(name, (code) + op->src) \
	X87_OP(name, x87_ready2(x87, op->src), { \
		bool carry, zero, parity; \
		uint16_t status; \
		\
		__asm__ volatile("fldt %[second]\n\t" \
				 "fldt %[first]\n\t" \
				 host " %%st(1), %%st\n\t" \
				 "fnstsw %[word]\n\t" \
				 "fstp %%st(0)\n\t" \
				 "fstp %%st(0)" \
				 : [word] "=&a"(status), "=@ccc"(carry), \
				   "=@ccz"(zero), "=@ccp"(parity) \
				 : [first] "m"(*x87_st(x87, 0)), \
				   [second] "m"(*x87_st(x87, op->src)) \
				 : X87_CLOBBERS); \
		x87_take_status(x87, status, 0); \
		x86_set_arithmetic_flags(cpu, carry * (uint32_t)X86_CF | \
					 zero * (uint32_t)X86_ZF | \
					 parity * (uint32_t)X86_PF); \
		if (pops) \
			x87_pop(x87); \
	})
FLAGS_COMPARISON(fcomi, "fcomi", 0xdbf0, 0)
FLAGS_COMPARISON(fcomip, "fcomi", 0xdff0, 1)
FLAGS_COMPARISON(fucomi, "fucomi", 0xdbe8, 0)
FLAGS_COMPARISON(fucomip, "fucomi", 0xdfe8, 1)
