/* Data movement: MOV and its relatives, LEA, XCHG, CMOVcc, SETcc. */
#include "x86/emu/condition.h"
#include "x86/emu/integer/bodies.h"

/* ---- MOV ---- */

#define MOV(bits) \
	X86_OP_OF_BODY(mov##bits##_rr) \
	X86_OP_OF_BODY(mov##bits##_ri) \
	X86_OP_OF_BODY(mov##bits##_rm) \
	X86_OP_OF_BODY(mov##bits##_mr) \
	X86_OP_OF_BODY(mov##bits##_mi)
MOV(8) MOV(16) MOV(32) MOV(64)

/* The immediate may have all 64 bits. */
X86_OP(mov64_ri64)
{
	X86_REG64(cpu, op->dst) = (uint64_t)op->disp;
	X86_NEXT;
}

/* ---- Extension: name_to_from ---- */

#define EXTEND(name, CAST, to, from) \
	X86_OP_OF_BODY(name##to##_##from##_rr) \
	X86_OP_OF_BODY(name##to##_##from##_rm)
X86_EXTENSIONS(EXTEND)

X86_OP(cbw)
{
	X86_REG16(cpu, X86_RAX * 8) =
		(uint16_t)(int8_t)X86_REG8(cpu, X86_RAX * 8);
	X86_NEXT;
}

X86_OP(cwde)
{
	x86_set32(cpu, X86_RAX * 8,
		  (uint32_t)(int16_t)X86_REG16(cpu, X86_RAX * 8));
	X86_NEXT;
}

X86_OP(cdqe)
{
	cpu->reg[X86_RAX] = (uint64_t)(int32_t)X86_REG32(cpu, X86_RAX * 8);
	X86_NEXT;
}

X86_OP(cwd)
{
	X86_REG16(cpu, X86_RDX * 8) =
		(uint16_t)((int16_t)X86_REG16(cpu, X86_RAX * 8) >> 15);
	X86_NEXT;
}

X86_OP(cdq)
{
	x86_set32(cpu, X86_RDX * 8,
		  (uint32_t)((int32_t)X86_REG32(cpu, X86_RAX * 8) >> 31));
	X86_NEXT;
}

X86_OP(cqo)
{
	cpu->reg[X86_RDX] = (uint64_t)((int64_t)cpu->reg[X86_RAX] >> 63);
	X86_NEXT;
}

/* ---- MOVBE BSWAP ---- */

#define MOVBE(bits) \
	X86_OP(movbe##bits##_rm) \
	{ \
		x86_set##bits(cpu, op->dst, \
			      __builtin_bswap##bits(x86_load##bits( \
				      cpu, op, x86_address(cpu, op)))); \
		X86_NEXT; \
	} \
	X86_OP(movbe##bits##_mr) \
	{ \
		x86_store##bits(cpu, op, x86_address(cpu, op), \
				__builtin_bswap##bits(X86_REG##bits( \
					cpu, op->src))); \
		X86_NEXT; \
	}
MOVBE(16) MOVBE(32) MOVBE(64)

/* With a 16-bit operand the result is undefined; processors clear it. */
X86_OP(bswap16_r)
{
	X86_REG16(cpu, op->dst) = 0;
	X86_NEXT;
}

X86_OP(bswap32_r)
{
	x86_set32(cpu, op->dst, __builtin_bswap32(X86_REG32(cpu, op->dst)));
	X86_NEXT;
}

X86_OP(bswap64_r)
{
	X86_REG64(cpu, op->dst) = __builtin_bswap64(X86_REG64(cpu, op->dst));
	X86_NEXT;
}

/* ---- LEA ---- */

X86_OP_OF_BODY(lea16)
X86_OP_OF_BODY(lea32)
X86_OP_OF_BODY(lea64)

/* ---- XCHG ---- */

/* XCHG with memory is atomic, with or without LOCK. */
#define XCHG(bits) \
	X86_OP(xchg##bits##_rr) \
	{ \
		UINT(bits) a = X86_REG##bits(cpu, op->dst); \
		UINT(bits) b = X86_REG##bits(cpu, op->src); \
		x86_set##bits(cpu, op->dst, b); \
		x86_set##bits(cpu, op->src, a); \
		X86_NEXT; \
	} \
	X86_OP(xchg##bits##_mr) \
	{ \
		X86_ATOMIC(bits) *memory = (void *)x86_host_for( \
			cpu, op, x86_address(cpu, op), bits / 8, \
			X86_MODIFY); \
		x86_set##bits(cpu, op->src, \
			      __atomic_exchange_n( \
				      memory, X86_REG##bits(cpu, op->src), \
				      __ATOMIC_SEQ_CST)); \
		X86_NEXT; \
	}
XCHG(8) XCHG(16) XCHG(32) XCHG(64)

/* AL = DS:[rBX + AL] */
X86_OP(xlat)
{
	uint64_t address = cpu->reg[X86_RBX] + X86_REG8(cpu, X86_RAX * 8);

	if (op->imm != 64)
		address &= op->imm == 32 ? UINT32_MAX : UINT16_MAX;
	address = (address + cpu->segment[op->src2].base) & cpu->address_mask;
	X86_REG8(cpu, X86_RAX * 8) = x86_load8(cpu, op, address);
	X86_NEXT;
}

/* ---- Conditional ---- */

/* A 32-bit CMOV clears the upper half even when the condition is false. The
 * memory operand is read in any case. */
#define CMOV(condition, kind, bits) \
	X86_OP(cmov_##condition##_##kind##bits##_rr) \
	{ \
		UINT(bits) value = X86_REG##bits(cpu, op->dst); \
		if (CONDITION(condition, kind)) \
			value = X86_REG##bits(cpu, op->src); \
		x86_set##bits(cpu, op->dst, value); \
		X86_NEXT; \
	} \
	X86_OP(cmov_##condition##_##kind##bits##_rm) \
	{ \
		UINT(bits) value = x86_load##bits(cpu, op, \
						  x86_address(cpu, op)); \
		if (!CONDITION(condition, kind)) \
			value = X86_REG##bits(cpu, op->dst); \
		x86_set##bits(cpu, op->dst, value); \
		X86_NEXT; \
	}
#define SETCC(condition, kind) \
	X86_OP(set_##condition##_##kind##_r) \
	{ \
		X86_REG8(cpu, op->dst) = CONDITION(condition, kind); \
		X86_NEXT; \
	} \
	X86_OP(set_##condition##_##kind##_m) \
	{ \
		x86_store8(cpu, op, x86_address(cpu, op), \
			   CONDITION(condition, kind)); \
		X86_NEXT; \
	}
#define MOVES(condition, kind) \
	CMOV(condition, kind, 16) \
	CMOV(condition, kind, 32) \
	CMOV(condition, kind, 64) \
	SETCC(condition, kind)
X86_CONDITIONS(MOVES)

/* ---- Segment registers ---- */

X86_OP(mov16_rs)
{
	X86_REG16(cpu, op->dst) = cpu->segment[op->src].selector;
	X86_NEXT;
}

X86_OP(mov64_rs)
{
	X86_REG64(cpu, op->dst) = cpu->segment[op->src].selector;
	X86_NEXT;
}

X86_OP(mov_ms)
{
	x86_store16(cpu, op, x86_address(cpu, op),
		    cpu->segment[op->src].selector);
	X86_NEXT;
}
