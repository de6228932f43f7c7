/* PUSH, POP and what builds on them. Suffixes give the operand size; the
 * stack pointer is as wide as the mode, which `top` respects. */
#include "x86/emu/integer/bodies.h"
#include "x86/emu/segment.h"

#define PUSH_VALUE(bits, value) \
	do { \
		UINT(bits) value_ = (UINT(bits))(value); \
		uint64_t top_ = x86_stack(cpu, -(bits / 8)); \
		x86_store##bits(cpu, op, top_, value_); \
		cpu->reg[X86_RSP] = top_; \
	} while (0)

/* POP to memory computes the address with the stack pointer of after the pop. A
 * fault must leave the stack pointer unmoved. */
#define STACK(bits) \
	X86_OP_OF_BODY(push##bits##_r) \
	X86_OP_OF_BODY(pop##bits##_r) \
	X86_OP(push##bits##_i) \
	{ \
		PUSH_VALUE(bits, (INT(bits))op->imm); \
		X86_NEXT; \
	} \
	X86_OP(push##bits##_m) \
	{ \
		PUSH_VALUE(bits, x86_load##bits(cpu, op, \
						x86_address(cpu, op))); \
		X86_NEXT; \
	} \
	X86_OP(pop##bits##_m) \
	{ \
		UINT(bits) value = x86_load##bits(cpu, op, \
						  cpu->reg[X86_RSP]); \
		uint64_t old = cpu->reg[X86_RSP], address; \
		cpu->reg[X86_RSP] = x86_stack(cpu, bits / 8); \
		address = x86_address(cpu, op); \
		cpu->reg[X86_RSP] = old; \
		x86_store##bits(cpu, op, address, value); \
		cpu->reg[X86_RSP] = x86_stack(cpu, bits / 8); \
		X86_NEXT; \
	} \
	X86_OP(pop##bits##_s) \
	{ \
		uint16_t selector = (uint16_t)x86_load##bits( \
			cpu, op, cpu->reg[X86_RSP]); \
		int error = x86_segment_load(cpu, op->dst, selector); \
		if (error) \
			return x86_segment_fault(cpu, op, op->dst, selector, \
						 error); \
		cpu->reg[X86_RSP] = x86_stack(cpu, bits / 8); \
		X86_NEXT_SEGMENTS; \
	} \
	X86_OP(pushf##bits) \
	{ \
		PUSH_VALUE(bits, x86_eflags(cpu) & ~(uint32_t)X86_RF); \
		X86_NEXT; \
	} \
	X86_OP(leave##bits) \
	{ \
		uint64_t frame = cpu->reg[X86_RBP] & cpu->address_mask; \
		UINT(bits) value = x86_load##bits(cpu, op, frame); \
		cpu->reg[X86_RSP] = (frame + bits / 8) & cpu->address_mask; \
		x86_set##bits(cpu, X86_RBP * 8, value); \
		X86_NEXT; \
	}
STACK(16)
STACK(32)
STACK(64)

/* Recent processors write 16 bits even where the operand has 32. */
#define PUSH_SEGMENT(bits, written) \
	X86_OP(push##bits##_s) \
	{ \
		uint64_t low = x86_stack(cpu, -(bits / 8)); \
		x86_store##written(cpu, op, low, \
				   cpu->segment[op->dst].selector); \
		cpu->reg[X86_RSP] = low; \
		X86_NEXT; \
	}
PUSH_SEGMENT(16, 16)
PUSH_SEGMENT(32, 16)
PUSH_SEGMENT(64, 64)

/* POPF ends its block, because the run loop executes single instructions while
 * the trap or alignment flag is set. */
#define POPF(bits, keep) \
	X86_OP(popf##bits) \
	{ \
		uint32_t value = (uint32_t)x86_load##bits( \
			cpu, op, cpu->reg[X86_RSP]); \
		cpu->reg[X86_RSP] = x86_stack(cpu, bits / 8); \
		x86_eflags_set(cpu, (x86_eflags(cpu) & (keep)) | value); \
		if (cpu->eflags & (X86_TF | X86_AC)) { \
			cpu->budget -= op->count + 1; \
			return x86_leave_at_exit(cpu, op, 1); \
		} \
		X86_EXIT(1); \
	}
POPF(16, 0xffff0000)
POPF(32, 0)
POPF(64, 0)

/* PUSHA and POPA exist in 32-bit mode only. */
#define ALL_REGISTERS(bits) \
	X86_OP(pusha##bits) \
	{ \
		uint64_t low = x86_stack(cpu, -(bits)); \
		x86_probe_write(cpu, op, low, bits); \
		for (int i = 0; i < 8; i++) \
			x86_store##bits(cpu, op, \
					low + (uint64_t)(7 - i) * (bits / 8), \
					(UINT(bits))cpu->reg[i]); \
		cpu->reg[X86_RSP] = low; \
		X86_NEXT; \
	} \
	X86_OP(popa##bits) \
	{ \
		UINT(bits) value[8]; \
		x86_load_bytes(cpu, op, cpu->reg[X86_RSP], value, \
			       sizeof value); \
		for (int i = 0; i < 8; i++) \
			if (i != X86_RSP) \
				x86_set##bits(cpu, (unsigned)i * 8, \
					      value[7 - i]); \
		cpu->reg[X86_RSP] = x86_stack(cpu, bits); \
		X86_NEXT; \
	}
ALL_REGISTERS(16)
ALL_REGISTERS(32)

/* ENTER size, level: Intel SDM volume 2A. All words are written to memory
 * before a register changes. The last word of the frame must be writable,
 * too. */
#define ENTER(bits) \
	X86_OP(enter##bits) \
	{ \
		unsigned size = (uint16_t)op->imm; \
		unsigned level = (uint32_t)op->imm >> 16 & 31; \
		uint64_t frame = x86_stack(cpu, -(bits / 8)), at = frame; \
		x86_store##bits(cpu, op, frame, \
				X86_REG##bits(cpu, X86_RBP * 8)); \
		for (unsigned i = 1; i < level; i++) { \
			uint64_t outer = (cpu->reg[X86_RBP] - \
					  i * (bits / 8)) & \
					 cpu->address_mask; \
			at = (at - bits / 8) & cpu->address_mask; \
			x86_store##bits(cpu, op, at, \
					x86_load##bits(cpu, op, outer)); \
		} \
		if (level) { \
			at = (at - bits / 8) & cpu->address_mask; \
			x86_store##bits(cpu, op, at, (UINT(bits))frame); \
		} \
		at = (at - size) & cpu->address_mask; \
		x86_probe_write(cpu, op, at, 1); \
		x86_set##bits(cpu, X86_RBP * 8, (UINT(bits))frame); \
		cpu->reg[X86_RSP] = at; \
		X86_NEXT; \
	}
ENTER(16)
ENTER(32)
ENTER(64)
