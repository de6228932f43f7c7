/* SSE: one element of a vector in or out, and masks of sign bits. */
#include "x86/emu/vector/sse.h"

/* ---- In ---- */

#define INSERT(name, type, lanes, source) \
	X86_OP(name) \
	{ \
		type value = source; \
		union x86_vector d = cpu->vector[op->dst]; \
		d.lanes[(unsigned)op->imm % (16 / sizeof(type))] = value; \
		set_xmm(cpu, op->dst, *(x86_v128 *)&d); \
		X86_NEXT; \
	}
INSERT(pinsrb_xr, uint8_t, u8, X86_REG8(cpu, op->src))
INSERT(pinsrw_xr, uint16_t, u16, X86_REG16(cpu, op->src))
INSERT(pinsrd_xr, uint32_t, u32, X86_REG32(cpu, op->src))
INSERT(pinsrq_xr, uint64_t, u64, X86_REG64(cpu, op->src))
INSERT(pinsrb_xm, uint8_t, u8, x86_load8(cpu, op, x86_address(cpu, op)))
INSERT(pinsrw_xm, uint16_t, u16, x86_load16(cpu, op, x86_address(cpu, op)))
INSERT(pinsrd_xm, uint32_t, u32, x86_load32(cpu, op, x86_address(cpu, op)))
INSERT(pinsrq_xm, uint64_t, u64, x86_load64(cpu, op, x86_address(cpu, op)))

/* ---- Out ---- */

#define ELEMENT(lanes, count) \
	(cpu->vector[op->src].lanes[(unsigned)op->imm % (count)])
#define EXTRACT(name, lanes, count, bits) \
	X86_OP(name##_mx) \
	{ \
		x86_store##bits(cpu, op, x86_address(cpu, op), \
				ELEMENT(lanes, count)); \
		X86_NEXT; \
	} \
	X86_OP(name##_rx) \
	{ \
		X86_REG64(cpu, op->dst) = ELEMENT(lanes, count); \
		X86_NEXT; \
	}
EXTRACT(pextrb, u8, 16, 8)
EXTRACT(pextrw, u16, 8, 16)
EXTRACT(pextrd, u32, 4, 32)
EXTRACT(pextrq, u64, 2, 64)

/* ---- Masks ---- */

#define SSE_MASK(mnemonic, host) \
	X86_OP(host##_rx) \
	{ \
		uint32_t mask; \
		__asm__(#host " %1, %0" : "=r"(mask) \
			: "x"(xmm(cpu, op->src))); \
		x86_set32(cpu, op->dst, mask); \
		X86_NEXT; \
	}

#define INST(...)
#include "x86/isa/sse.def"
#undef INST
