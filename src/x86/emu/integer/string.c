/* String instructions: MOVS STOS LODS SCAS CMPS, alone and repeated.
 *
 * A repeated instruction runs to its end as one instruction. Its registers
 * advance on the way, so that it resumes there after a fault. op->imm is the
 * address width, op->src2 the source's segment. */
#include <string.h>

#include "x86/emu/integer/integer.h"

/* The index and count registers at the address width. */
static inline uint64_t index_mask(const struct x86_op *op)
{
	return op->imm == 64 ? UINT64_MAX :
	       op->imm == 32 ? UINT32_MAX : UINT16_MAX;
}

static inline uint64_t source_address(const struct x86_cpu *cpu,
				      const struct x86_op *op)
{
	return ((cpu->reg[X86_RSI] & index_mask(op)) +
		cpu->segment[op->src2].base) & cpu->address_mask;
}

/* Repeated instructions find ES flat. For another ES the run loop executes one
 * iteration at a time (trap.h). */
enum { FLAT = 0 };

static inline uint64_t target_address(const struct x86_cpu *cpu,
				      const struct x86_op *op, uint64_t base)
{
	uint64_t offset = cpu->reg[X86_RDI] & index_mask(op);

	return base ? (offset + base) & cpu->address_mask : offset;
}

static inline void advance(struct x86_cpu *cpu, const struct x86_op *op,
			   int reg, int64_t by)
{
	uint64_t mask = index_mask(op);
	uint64_t value = (cpu->reg[reg] + (uint64_t)by) & mask;

	/* 16-bit writes keep the upper bits; 32-bit writes clear them. */
	if (op->imm == 16)
		value |= cpu->reg[reg] & ~mask;
	cpu->reg[reg] = value;
}

static inline int64_t stride(const struct x86_cpu *cpu, int bytes)
{
	return cpu->eflags & X86_DF ? -bytes : bytes;
}

/* Whole elements from an address to the end of its page. */
static inline uint64_t elements_in_page(uint64_t address, unsigned bytes)
{
	return (SPACE_PAGE - address % SPACE_PAGE) / bytes;
}

static inline uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Elements that can be copied at once. They lie in one source page and one
 * target page, so that a fault comes before the first of them. No element is
 * overwritten before it is read. */
static uint64_t copy_run(const struct x86_cpu *cpu, const struct x86_op *op,
			 uint64_t count, unsigned bytes)
{
	uint64_t from = source_address(cpu, op);
	uint64_t to = target_address(cpu, op, FLAT);
	uint64_t run = least(count, least(elements_in_page(from, bytes),
					  elements_in_page(to, bytes)));

	if (cpu->eflags & X86_DF || to - from < run * bytes)
		return 0;
	return run;
}

static uint64_t fill_run(const struct x86_cpu *cpu, const struct x86_op *op,
			 uint64_t count, unsigned bytes)
{
	if (cpu->eflags & X86_DF)
		return 0;
	return least(count, elements_in_page(target_address(cpu, op, FLAT),
					     bytes));
}

/* One element of each instruction. */
#define ELEMENTS(bits) \
	static inline void move##bits(struct x86_cpu *cpu, \
				      const struct x86_op *op, \
				      uint64_t base) \
	{ \
		x86_store##bits(cpu, op, target_address(cpu, op, base), \
				x86_load##bits(cpu, op, \
					       source_address(cpu, op))); \
		advance(cpu, op, X86_RSI, stride(cpu, bits / 8)); \
		advance(cpu, op, X86_RDI, stride(cpu, bits / 8)); \
	} \
	static inline void fill##bits(struct x86_cpu *cpu, \
				      const struct x86_op *op, \
				      uint64_t base) \
	{ \
		x86_store##bits(cpu, op, target_address(cpu, op, base), \
				X86_REG##bits(cpu, X86_RAX * 8)); \
		advance(cpu, op, X86_RDI, stride(cpu, bits / 8)); \
	} \
	static inline void fetch##bits(struct x86_cpu *cpu, \
				       const struct x86_op *op, \
				       uint64_t base) \
	{ \
		(void)base; \
		x86_set##bits(cpu, X86_RAX * 8, \
			      x86_load##bits(cpu, op, \
					     source_address(cpu, op))); \
		advance(cpu, op, X86_RSI, stride(cpu, bits / 8)); \
	} \
	static inline void compare##bits(struct x86_cpu *cpu, \
					 const struct x86_op *op, \
					 uint64_t base, UINT(bits) *a, \
					 UINT(bits) *b) \
	{ \
		*a = x86_load##bits(cpu, op, source_address(cpu, op)); \
		*b = x86_load##bits(cpu, op, target_address(cpu, op, base)); \
		advance(cpu, op, X86_RSI, stride(cpu, bits / 8)); \
		advance(cpu, op, X86_RDI, stride(cpu, bits / 8)); \
	} \
	static inline void search##bits(struct x86_cpu *cpu, \
					const struct x86_op *op, \
					uint64_t base, UINT(bits) *a, \
					UINT(bits) *b) \
	{ \
		*a = X86_REG##bits(cpu, X86_RAX * 8); \
		*b = x86_load##bits(cpu, op, target_address(cpu, op, base)); \
		advance(cpu, op, X86_RDI, stride(cpu, bits / 8)); \
	}

/* REP with a bulk operation for `run` elements at once (0: one by one). */
#define REPEAT(name, ONE, RUN, BULK, bits) \
	X86_OP(rep_##name##bits) \
	{ \
		const uint64_t mask = index_mask(op); \
		uint64_t count; \
		while ((count = cpu->reg[X86_RCX] & mask) != 0) { \
			uint64_t run = RUN(cpu, op, count, bits / 8); \
			if (run) { \
				BULK(bits); \
			} else { \
				ONE##bits(cpu, op, FLAT); \
				run = 1; \
			} \
			advance(cpu, op, X86_RCX, -(int64_t)run); \
			X86_MAY_PAUSE(cpu, count != run); \
		} \
		X86_NEXT; \
	}
#define BULK_MOVE(bits) \
	do { \
		const uint8_t *from = x86_host_for_all( \
			cpu, op, source_address(cpu, op), (uint32_t)run, \
			bits / 8, X86_LOAD); \
		uint8_t *to = x86_host_for_all( \
			cpu, op, target_address(cpu, op, FLAT), (uint32_t)run, \
			bits / 8, X86_STORE); \
		memmove(to, from, run * (bits / 8)); \
		advance(cpu, op, X86_RSI, (int64_t)(run * (bits / 8))); \
		advance(cpu, op, X86_RDI, (int64_t)(run * (bits / 8))); \
	} while (0)
#define BULK_FILL(bits) \
	do { \
		x86_guest##bits *to = (x86_guest##bits *)x86_host_for_all( \
			cpu, op, target_address(cpu, op, FLAT), (uint32_t)run, \
			bits / 8, X86_STORE); \
		UINT(bits) value = X86_REG##bits(cpu, X86_RAX * 8); \
		for (uint64_t i = 0; i < run; i++) \
			to[i] = value; \
		advance(cpu, op, X86_RDI, (int64_t)(run * (bits / 8))); \
	} while (0)
#define BULK_NONE(bits) (void)0
#define NO_RUN(cpu, op, count, bytes) 0

/* REPE, REPNE: ends when the comparison says so. A fault leaves the flags. */
#define REPEAT_WHILE(prefix, name, ONE, WHILE, bits) \
	X86_OP(prefix##_##name##bits) \
	{ \
		const uint64_t mask = index_mask(op); \
		UINT(bits) a = 0, b = 0; \
		if (!(cpu->reg[X86_RCX] & mask)) \
			X86_NEXT; \
		do { \
			ONE##bits(cpu, op, FLAT, &a, &b); \
			advance(cpu, op, X86_RCX, -1); \
			X86_MAY_PAUSE(cpu, a WHILE b && \
				      (cpu->reg[X86_RCX] & mask)); \
		} while (a WHILE b && (cpu->reg[X86_RCX] & mask)); \
		FLAGS_SUB(bits); \
		X86_NEXT; \
	}

#define STRING(bits) \
	ELEMENTS(bits) \
	X86_OP(movs##bits) \
	{ \
		move##bits(cpu, op, cpu->segment[X86_ES].base); \
		X86_NEXT; \
	} \
	X86_OP(stos##bits) \
	{ \
		fill##bits(cpu, op, cpu->segment[X86_ES].base); \
		X86_NEXT; \
	} \
	X86_OP(lods##bits) \
	{ \
		fetch##bits(cpu, op, cpu->segment[X86_ES].base); \
		X86_NEXT; \
	} \
	X86_OP(cmps##bits) \
	{ \
		UINT(bits) a, b; \
		compare##bits(cpu, op, cpu->segment[X86_ES].base, &a, &b); \
		FLAGS_SUB(bits); \
		X86_NEXT; \
	} \
	X86_OP(scas##bits) \
	{ \
		UINT(bits) a, b; \
		search##bits(cpu, op, cpu->segment[X86_ES].base, &a, &b); \
		FLAGS_SUB(bits); \
		X86_NEXT; \
	} \
	REPEAT(movs, move, copy_run, BULK_MOVE, bits) \
	REPEAT(stos, fill, fill_run, BULK_FILL, bits) \
	REPEAT(lods, fetch, NO_RUN, BULK_NONE, bits) \
	REPEAT_WHILE(repe, cmps, compare, ==, bits) \
	REPEAT_WHILE(repne, cmps, compare, !=, bits) \
	REPEAT_WHILE(repe, scas, search, ==, bits) \
	REPEAT_WHILE(repne, scas, search, !=, bits)
STRING(8)
STRING(16)
STRING(32)
STRING(64)
