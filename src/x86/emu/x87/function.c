/* x87: functions of the top of the stack. */
#include "x86/emu/x87/x87.h"

/* The condition codes that these functions define: C1 always; C2 = "argument
 * out of range" of trigonometric functions; all four of the partial remainders,
 * but only C1 and C2 if the remainder is not a number (as current processors
 * do). */
#define CONDITIONS_fsqrt X87_C1
#define CONDITIONS_frndint X87_C1
#define CONDITIONS_f2xm1 X87_C1
#define CONDITIONS_fsin (X87_C1 | X87_C2)
#define CONDITIONS_fcos (X87_C1 | X87_C2)
#define CONDITIONS_fprem \
	((x87_st(x87, 0)->sign_exponent & 0x7fff) == 0x7fff ? \
		 X87_C1 | X87_C2 : X87_CONDITIONS)
#define CONDITIONS_fprem1 CONDITIONS_fprem
#define CONDITIONS_fscale X87_C1

#define X87_UNARY(mnemonic, name, code) \
	X87_SLOW_REGISTERS(name, code) \
	X87_OP(name, x87_ready(x87), { \
		uint16_t status; \
		\
		__asm__ volatile("fldt %[value]\n\t" \
				 #name "\n\t" \
				 "fnstsw %[word]\n\t" \
				 "fstpt %[value]" \
				 : [word] "=&a"(status), \
				   [value] "+m"(*x87_st(x87, 0)) \
				 : \
				 : X87_CLOBBERS); \
		x87_take_status(x87, status, CONDITIONS_##name); \
	})

#define X87_BINARY(mnemonic, name, code) \
	X87_SLOW_REGISTERS(name, code) \
	X87_OP(name, x87_ready2(x87, 1), { \
		uint16_t status; \
		\
		__asm__ volatile("fldt %[second]\n\t" \
				 "fldt %[first]\n\t" \
				 #name "\n\t" \
				 "fnstsw %[word]\n\t" \
				 "fstpt %[first]\n\t" \
				 "fstp %%st(0)" \
				 : [word] "=&a"(status), \
				   [first] "+m"(*x87_st(x87, 0)) \
				 : [second] "m"(*x87_st(x87, 1)) \
				 : X87_CLOBBERS); \
		x87_take_status(x87, status, CONDITIONS_##name); \
	})

#define X87_BINARY_POP(mnemonic, name, code) \
	X87_SLOW_REGISTERS(name, code) \
	X87_OP(name, x87_ready2(x87, 1), { \
		uint16_t status; \
		\
		__asm__ volatile("fldt %[second]\n\t" \
				 "fldt %[first]\n\t" \
				 #name "\n\t" \
				 "fnstsw %[word]\n\t" \
				 "fstpt %[second]" \
				 : [word] "=&a"(status), \
				   [second] "+m"(*x87_st(x87, 1)) \
				 : [first] "m"(*x87_st(x87, 0)) \
				 : X87_CLOBBERS); \
		x87_take_status(x87, status, X87_C1); \
		x87_pop(x87); \
	})

/* These are seldom used, and what they push depends on the argument. So the
 * slow path executes them. */
#define X87_UNARY_PUSH(mnemonic, name, code) \
	X86_OP(name) \
	{ \
		X87_WAIT; \
		x87_execute(cpu, op, code, NULL); \
		X87_NEXT; \
	}

#define INST(...)
#include "x86/isa/x87.def"
#undef INST

X87_SLOW_REGISTERS(fchs, 0xd9e0)
X86_OP(fchs)
{
	struct x86_x87 *x87 = &cpu->x87;

	X87_WAIT;
	if (!x87_ready(x87))
		X87_GO_SLOW(fchs);
	x87_st(x87, 0)->sign_exponent ^= 0x8000;
	x87->status &= (uint16_t)~X87_C1;
	X87_NEXT;
}

X87_SLOW_REGISTERS(fabs, 0xd9e1)
X86_OP(fabs)
{
	struct x86_x87 *x87 = &cpu->x87;

	X87_WAIT;
	if (!x87_ready(x87))
		X87_GO_SLOW(fabs);
	x87_st(x87, 0)->sign_exponent &= 0x7fff;
	x87->status &= (uint16_t)~X87_C1;
	X87_NEXT;
}
