/* x87: addition, subtraction, multiplication, division. */
#include "x86/emu/x87/x87.h"

/* *d = *d op *s, with /digit's operation; the status word to `status`. */
#define REGISTERS(digit, d, s, status) \
	__asm__ volatile("fldt %[source]\n\t" \
			 "fldt %[target]\n\t" \
			 ".byte 0xd8, 0xc1 + 8 * " #digit "\n\t" \
			 "fnstsw %[word]\n\t" \
			 "fstpt %[target]\n\t" \
			 "fstp %%st(0)" \
			 : [target] "+m"(*(d)), [word] "=&a"(status) \
			 : [source] "m"(*(s)) \
			 : X87_CLOBBERS)
/* *d = *d op memory. */
#define MEMORY(host, d, memory, status) \
	__asm__ volatile("fldt %[target]\n\t" \
			 host " %[source]\n\t" \
			 "fnstsw %[word]\n\t" \
			 "fstpt %[target]" \
			 : [target] "+m"(*(d)), [word] "=&a"(status) \
			 : [source] "m"(*(memory)) \
			 : X87_CLOBBERS)

/* With st(i) as the target, subtractions and divisions exchange their encodings
 * with their reverses. */
#define REVERSED(digit) ((digit) >= 4 ? (digit) ^ 1 : (digit))

#define MEMORY_FORM(handler, host, operand, code) \
	X87_SLOW_LOAD(handler, code, X87_SIZE_##operand) \
	X87_OP(handler, x87_ready(x87), { \
		X87_GUEST_##operand *memory = \
			X87_OPERAND(operand, X86_LOAD); \
		uint16_t status; \
		\
		MEMORY(host, x87_st(x87, 0), memory, status); \
		x87_take_status(x87, status, X87_C1); \
	})

#define X87_ARITHMETIC(mnemonic, name, digit) \
	X87_SLOW_REGISTERS(f##name##_ff, \
			   op->dst ? 0xdcc0 + 8 * REVERSED(digit) + op->dst : \
				     0xd8c0 + 8 * (digit) + op->src) \
	/* One register is st(0). */ \
	X87_OP(f##name##_ff, x87_ready2(x87, op->dst + op->src), { \
		uint16_t status; \
		\
		REGISTERS(digit, x87_st(x87, op->dst), x87_st(x87, op->src), \
			  status); \
		x87_take_status(x87, status, X87_C1); \
	}) \
	X87_SLOW_REGISTERS(f##name##p, \
			   0xdec0 + 8 * REVERSED(digit) + op->dst) \
	X87_OP(f##name##p, x87_ready2(x87, op->dst), { \
		uint16_t status; \
		\
		REGISTERS(digit, x87_st(x87, op->dst), x87_st(x87, 0), \
			  status); \
		x87_take_status(x87, status, X87_C1); \
		x87_pop(x87); \
	}) \
	MEMORY_FORM(f##name##_m32, "f" #name "s", M32, 0xd800 + 8 * (digit)) \
	MEMORY_FORM(f##name##_m64, "f" #name "l", M64, 0xdc00 + 8 * (digit)) \
	MEMORY_FORM(fi##name##_m16, "fi" #name "s", M16, \
		    0xde00 + 8 * (digit)) \
	MEMORY_FORM(fi##name##_m32, "fi" #name "l", M32, \
		    0xda00 + 8 * (digit))

#define INST(...)
#include "x86/isa/x87.def"
#undef INST
