/* Common instructions as functions, for their own handlers and for fused
 * handlers, which execute several instructions (fused.h). Internal to
 * x86/emu. */
#ifndef M2S_X86_EMU_BODIES_H
#define M2S_X86_EMU_BODIES_H

#include "x86/emu/integer/integer.h"

/* ---- ADD OR AND SUB XOR CMP TEST: all forms ----
 *
 * RESULT computes r from a and b. STORE_R and STORE_M store r or drop it. FLAGS
 * notes the flags. */
#define X86_ALU_BODY_RR(name, RESULT, STORE, FLAGS, bits) \
	X86_BODY(name##bits##_rr) \
	{ \
		UINT(bits) a = X86_REG##bits(cpu, op->dst); \
		UINT(bits) b = X86_REG##bits(cpu, op->src); \
		UINT(bits) r = (UINT(bits))(RESULT); \
		STORE##_R(bits); \
		FLAGS(bits); \
	}
#define X86_ALU_BODY_RI(name, RESULT, STORE, FLAGS, bits) \
	X86_BODY(name##bits##_ri) \
	{ \
		UINT(bits) a = X86_REG##bits(cpu, op->dst); \
		UINT(bits) b = (UINT(bits))op->imm; \
		UINT(bits) r = (UINT(bits))(RESULT); \
		STORE##_R(bits); \
		FLAGS(bits); \
	}
#define X86_ALU_BODY_RM(name, RESULT, STORE, FLAGS, bits) \
	X86_BODY(name##bits##_rm) \
	{ \
		UINT(bits) b = x86_load##bits(cpu, op, x86_address(cpu, op)); \
		UINT(bits) a = X86_REG##bits(cpu, op->dst); \
		UINT(bits) r = (UINT(bits))(RESULT); \
		STORE##_R(bits); \
		FLAGS(bits); \
	}
#define X86_ALU_BODY_MR(name, RESULT, STORE, FLAGS, bits) \
	X86_BODY(name##bits##_mr) \
	{ \
		uint64_t address = x86_address(cpu, op); \
		UINT(bits) a = x86_load##bits(cpu, op, address); \
		UINT(bits) b = X86_REG##bits(cpu, op->src); \
		UINT(bits) r = (UINT(bits))(RESULT); \
		STORE##_M(bits); \
		FLAGS(bits); \
	}
#define X86_ALU_BODY_MI(name, RESULT, STORE, FLAGS, bits) \
	X86_BODY(name##bits##_mi) \
	{ \
		uint64_t address = x86_address(cpu, op); \
		UINT(bits) a = x86_load##bits(cpu, op, address); \
		UINT(bits) b = (UINT(bits))op->imm; \
		UINT(bits) r = (UINT(bits))(RESULT); \
		STORE##_M(bits); \
		FLAGS(bits); \
	}
#define KEEP_R(bits) x86_set##bits(cpu, op->dst, r)
#define KEEP_M(bits) x86_store##bits(cpu, op, address, r)
#define DROP_R(bits) (void)r
#define DROP_M(bits) (void)r, (void)address

/* ... and without TEST r, m, which is TEST m, r. */
#define X86_ALU_BODIES(name, RESULT, STORE, FLAGS) \
	X86_SIZES(X86_ALU_BODY_RM, name, RESULT, STORE, FLAGS) \
	X86_ALU_BODIES_NO_RM(name, RESULT, STORE, FLAGS)
#define X86_ALU_BODIES_NO_RM(name, RESULT, STORE, FLAGS) \
	X86_SIZES(X86_ALU_BODY_RR, name, RESULT, STORE, FLAGS) \
	X86_SIZES(X86_ALU_BODY_RI, name, RESULT, STORE, FLAGS) \
	X86_SIZES(X86_ALU_BODY_MR, name, RESULT, STORE, FLAGS) \
	X86_SIZES(X86_ALU_BODY_MI, name, RESULT, STORE, FLAGS)

X86_ALU_BODIES(add, a + b, KEEP, FLAGS_ADD)
X86_ALU_BODIES(sub, a - b, KEEP, FLAGS_SUB)
X86_ALU_BODIES(and, a & b, KEEP, FLAGS_LOGIC)
X86_ALU_BODIES(or, a | b, KEEP, FLAGS_LOGIC)
X86_ALU_BODIES(xor, a ^ b, KEEP, FLAGS_LOGIC)
X86_ALU_BODIES(cmp, a - b, DROP, FLAGS_SUB)
X86_ALU_BODIES_NO_RM(test, a & b, DROP, FLAGS_LOGIC)

/* ---- MOV, MOVZX, MOVSX, LEA ---- */

#define MOV_BODIES(bits) \
	X86_BODY(mov##bits##_rr) \
	{ \
		x86_set##bits(cpu, op->dst, X86_REG##bits(cpu, op->src)); \
	} \
	X86_BODY(mov##bits##_ri) \
	{ \
		x86_set##bits(cpu, op->dst, \
			      (UINT(bits))(INT(bits))op->imm); \
	} \
	X86_BODY(mov##bits##_rm) \
	{ \
		x86_set##bits(cpu, op->dst, \
			      x86_load##bits(cpu, op, \
					     x86_address(cpu, op))); \
	} \
	X86_BODY(mov##bits##_mr) \
	{ \
		x86_store##bits(cpu, op, x86_address(cpu, op), \
				X86_REG##bits(cpu, op->src)); \
	} \
	X86_BODY(mov##bits##_mi) \
	{ \
		x86_store##bits(cpu, op, x86_address(cpu, op), \
				(UINT(bits))(INT(bits))op->imm); \
	}
MOV_BODIES(8) MOV_BODIES(16) MOV_BODIES(32) MOV_BODIES(64)
#undef MOV_BODIES

/* name_to_from */
#define EXTEND_BODIES(name, CAST, to, from) \
	X86_BODY(name##to##_##from##_rr) \
	{ \
		x86_set##to(cpu, op->dst, \
			    (UINT(to))(CAST(from))X86_REG##from(cpu, \
								op->src)); \
	} \
	X86_BODY(name##to##_##from##_rm) \
	{ \
		x86_set##to(cpu, op->dst, \
			    (UINT(to))(CAST(from))x86_load##from( \
				    cpu, op, x86_address(cpu, op))); \
	}
#define X86_EXTENSIONS(MACRO) \
	MACRO(movzx, UINT, 16, 8) \
	MACRO(movzx, UINT, 32, 8) \
	MACRO(movzx, UINT, 64, 8) \
	MACRO(movzx, UINT, 16, 16) \
	MACRO(movzx, UINT, 32, 16) \
	MACRO(movzx, UINT, 64, 16) \
	MACRO(movsx, INT, 16, 8) \
	MACRO(movsx, INT, 32, 8) \
	MACRO(movsx, INT, 64, 8) \
	MACRO(movsx, INT, 16, 16) \
	MACRO(movsx, INT, 32, 16) \
	MACRO(movsx, INT, 64, 16) \
	MACRO(movsx, INT, 16, 32) \
	MACRO(movsx, INT, 32, 32) \
	MACRO(movsx, INT, 64, 32)
X86_EXTENSIONS(EXTEND_BODIES)
#undef EXTEND_BODIES

/* An address op has already handled address widths other than the mode's. In
 * 64-bit mode x86_address() changes nothing. */
#define LEA_BODY(bits) \
	X86_BODY(lea##bits) \
	{ \
		x86_set##bits(cpu, op->dst, \
			      (UINT(bits))x86_address(cpu, op)); \
	}
LEA_BODY(16) LEA_BODY(32) LEA_BODY(64)
#undef LEA_BODY

/* ---- PUSH and POP of registers ---- */

/* The stack pointer plus some bytes. */
static inline uint64_t x86_stack(const struct x86_cpu *cpu, int bytes)
{
	return (cpu->reg[X86_RSP] + (uint64_t)(int64_t)bytes) &
	       cpu->address_mask;
}

#define STACK_BODIES(bits) \
	X86_BODY(push##bits##_r) \
	{ \
		uint64_t top = x86_stack(cpu, -(bits / 8)); \
		x86_store##bits(cpu, op, top, X86_REG##bits(cpu, op->dst)); \
		cpu->reg[X86_RSP] = top; \
	} \
	X86_BODY(pop##bits##_r) \
	{ \
		UINT(bits) value = x86_load##bits(cpu, op, \
						  cpu->reg[X86_RSP]); \
		cpu->reg[X86_RSP] = x86_stack(cpu, bits / 8); \
		x86_set##bits(cpu, op->dst, value); \
	}
STACK_BODIES(16) STACK_BODIES(32) STACK_BODIES(64)
#undef STACK_BODIES

#endif
