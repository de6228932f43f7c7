/* The operands of ops, as handlers use them: registers and guest memory.
 * Internal to x86/emu. */
#ifndef M2S_X86_EMU_OPERAND_H
#define M2S_X86_EMU_OPERAND_H

#include <string.h>

#include "x86/emu/op.h"

/* ---- Registers ---- */

typedef uint8_t __attribute__((may_alias)) x86_u8;
typedef uint16_t __attribute__((may_alias)) x86_u16;
typedef uint32_t __attribute__((may_alias)) x86_u32;
typedef uint64_t __attribute__((may_alias)) x86_u64;

/* Registers as lvalues, on little-endian hosts only. x86_set32() writes a
 * 32-bit register and clears the upper half. */
#define X86_REG8(cpu, field) (*((x86_u8 *)(cpu) + (field)))
#define X86_REG16(cpu, field) (*(x86_u16 *)((x86_u8 *)(cpu) + (field)))
#define X86_REG32(cpu, field) (*(x86_u32 *)((x86_u8 *)(cpu) + (field)))
#define X86_REG64(cpu, field) (*(x86_u64 *)((x86_u8 *)(cpu) + (field)))

static inline void x86_set8(struct x86_cpu *cpu, unsigned field, uint8_t value)
{
	X86_REG8(cpu, field) = value;
}

static inline void x86_set16(struct x86_cpu *cpu, unsigned field,
			     uint16_t value)
{
	X86_REG16(cpu, field) = value;
}

static inline void x86_set32(struct x86_cpu *cpu, unsigned field,
			     uint32_t value)
{
	X86_REG64(cpu, field) = value;
}

static inline void x86_set64(struct x86_cpu *cpu, unsigned field,
			     uint64_t value)
{
	X86_REG64(cpu, field) = value;
}

/* ---- Guest memory ---- */

/* The guest address of the op's memory operand. */
static inline uint64_t x86_address(struct x86_cpu *cpu,
				   const struct x86_op *op)
{
	return (X86_REG64(cpu, op->base) +
		(X86_REG64(cpu, op->index) << op->scale) +
		(uint64_t)op->disp) & cpu->address_mask;
}

/* The host address of a guest address in far memory (space.h). */
static inline uint8_t *x86_far_host(struct x86_cpu *cpu,
				    const struct x86_op *op, uint64_t address)
{
	uint64_t piece = address >> SPACE_PIECE_BITS;

	if (piece >= cpu->far_count || !cpu->far[piece])
		x86_raise_access(cpu, op, address);
	return cpu->far[piece] +
	       (address & ((UINT64_C(1) << SPACE_PIECE_BITS) - 1));
}

/* The host address of a guest address, which the caller touches next. The size
 * needs no check, because an inaccessible page lies behind the space's end. */
static inline uint8_t *x86_host(struct x86_cpu *cpu, const struct x86_op *op,
				uint64_t address)
{
	cpu->op = op;
	if (__builtin_expect(address >= cpu->address_end, 0))
		return x86_far_host(cpu, op, address);
	return cpu->base + address;
}

/* Notes a reference. Observed handlers call this right before they touch
 * memory. */
static inline void x86_refer(struct x86_cpu *cpu, uint64_t address,
			     uint32_t count, size_t size,
			     enum x86_direction direction)
{
	*cpu->reference++ = (struct x86_reference){
		.address = address, .count = count, .size = (uint16_t)size,
		.direction = (uint16_t)direction,
	};
}

/* The bytes of an access of an observed handler, where cpu->address_end is not
 * above the address: far memory, held stores, wrong paths (redirect.c). Until
 * its next call, the handler may write to the bytes that it stores. */
uint8_t *x86_redirected_host(struct x86_cpu *cpu, const struct x86_op *op,
			     uint64_t address, size_t size,
			     enum x86_direction direction);
void x86_redirected_probe(struct x86_cpu *cpu, const struct x86_op *op,
			  uint64_t address, size_t size);
void x86_overlay_done(struct x86_cpu *cpu);

#ifdef X86_OBSERVED
#define X86_REFER(...) x86_refer(__VA_ARGS__)
/* Bytes of the instruction's memory operand. */
#define X86_OPERAND_SIZE(cpu) ((cpu)->inst->memory[0].size)
/* To be called when a part of the instruction is complete, and execution can
 * resume after that part. */
#define X86_PART_DONE(cpu) \
	do { \
		(cpu)->reference_done = (cpu)->reference; \
		if (__builtin_expect((cpu)->redirect, 0)) \
			x86_overlay_done(cpu); \
	} while (0)
/* X86_PART_DONE() where the instruction may also pause. */
#define X86_MAY_PAUSE(cpu, more) \
	do { \
		X86_PART_DONE(cpu); \
		if ((cpu)->reference >= (cpu)->reference_limit && (more)) \
			return X86_LEAVE_PAUSED; \
	} while (0)
#else
#define X86_REFER(...) (void)0
#define X86_OPERAND_SIZE(cpu) 0
#define X86_PART_DONE(cpu) (void)0
#define X86_MAY_PAUSE(cpu, more) (void)0
#endif

/* x86_host() of `count` elements of `size` bytes, at most two pages together,
 * that the caller loads or stores as `direction` says. */
static inline uint8_t *x86_host_for_all(struct x86_cpu *cpu,
					const struct x86_op *op,
					uint64_t address, uint32_t count,
					size_t size,
					enum x86_direction direction)
{
#ifdef X86_OBSERVED
	x86_refer(cpu, address, count, size, direction);
	cpu->op = op;
	if (__builtin_expect(address >= cpu->address_end, 0))
		return x86_redirected_host(cpu, op, address, count * size,
					   direction);
	return cpu->base + address;
#else
	(void)count;
	(void)size;
	(void)direction;
	return x86_host(cpu, op, address);
#endif
}

static inline uint8_t *x86_host_for(struct x86_cpu *cpu,
				    const struct x86_op *op, uint64_t address,
				    size_t size, enum x86_direction direction)
{
	return x86_host_for_all(cpu, op, address, 1, size, direction);
}

#ifdef X86_OBSERVED
/* x86_host() does not redirect accesses. */
#define x86_host x86_host_is_not_for_observed_handlers
#endif

/* Guest memory on the host. It is volatile, so that an access whose result is
 * not needed still faults. */
typedef volatile uint8_t __attribute__((may_alias)) x86_guest8;
typedef volatile uint16_t __attribute__((may_alias, aligned(1))) x86_guest16;
typedef volatile uint32_t __attribute__((may_alias, aligned(1))) x86_guest32;
typedef volatile uint64_t __attribute__((may_alias, aligned(1))) x86_guest64;
/* Sixteen bytes. Casts between vector types of one size keep the bits. */
typedef uint8_t __attribute__((vector_size(16), may_alias)) x86_v128;
typedef volatile uint8_t __attribute__((vector_size(16), may_alias,
					aligned(1))) x86_guest128;

#define X86_LOAD_STORE(bits) \
	static inline uint##bits##_t x86_load##bits( \
		struct x86_cpu *cpu, const struct x86_op *op, \
		uint64_t address) \
	{ \
		return *(x86_guest##bits *)x86_host_for( \
			cpu, op, address, bits / 8, X86_LOAD); \
	} \
	static inline void x86_store##bits( \
		struct x86_cpu *cpu, const struct x86_op *op, \
		uint64_t address, uint##bits##_t value) \
	{ \
		*(x86_guest##bits *)x86_host_for( \
			cpu, op, address, bits / 8, X86_STORE) = value; \
	}
X86_LOAD_STORE(8)
X86_LOAD_STORE(16)
X86_LOAD_STORE(32)
X86_LOAD_STORE(64)

static inline x86_v128 x86_load128(struct x86_cpu *cpu,
				   const struct x86_op *op, uint64_t address)
{
	return *(x86_guest128 *)x86_host_for(cpu, op, address, 16, X86_LOAD);
}

static inline void x86_store128(struct x86_cpu *cpu, const struct x86_op *op,
				uint64_t address, x86_v128 value)
{
	*(x86_guest128 *)x86_host_for(cpu, op, address, 16, X86_STORE) = value;
}

/* Legacy SSE operands that must be aligned to 16 bytes. */
static inline x86_v128 x86_load128_aligned(struct x86_cpu *cpu,
					   const struct x86_op *op,
					   uint64_t address)
{
	if (__builtin_expect(address & 15, 0))
		x86_raise_alignment(cpu, op);
	return x86_load128(cpu, op, address);
}

static inline void x86_store128_aligned(struct x86_cpu *cpu,
					const struct x86_op *op,
					uint64_t address, x86_v128 value)
{
	if (__builtin_expect(address & 15, 0))
		x86_raise_alignment(cpu, op);
	x86_store128(cpu, op, address, value);
}

/* Loads and stores of longer or odd-sized operands. x86_store_bytes() writes
 * all bytes or none. */
void x86_load_bytes(struct x86_cpu *cpu, const struct x86_op *op,
		    uint64_t address, void *to, size_t size);
void x86_store_bytes(struct x86_cpu *cpu, const struct x86_op *op,
		     uint64_t address, const void *from, size_t size);
/* Faults if a write to any of these bytes would fault. `size` is at most one
 * page. */
void x86_probe_write(struct x86_cpu *cpu, const struct x86_op *op,
		     uint64_t address, size_t size);

#ifdef X86_OBSERVED
static inline void x86_observed_load_bytes(struct x86_cpu *cpu,
					   const struct x86_op *op,
					   uint64_t address, void *to,
					   size_t size)
{
	memcpy(to, x86_host_for(cpu, op, address, size, X86_LOAD), size);
}

static inline void x86_observed_probe_write(struct x86_cpu *cpu,
					    const struct x86_op *op,
					    uint64_t address, size_t size)
{
	if (__builtin_expect(cpu->redirect, 0))
		x86_redirected_probe(cpu, op, address, size);
	else
		x86_probe_write(cpu, op, address, size);
}

static inline void x86_observed_store_bytes(struct x86_cpu *cpu,
					    const struct x86_op *op,
					    uint64_t address, const void *from,
					    size_t size)
{
	x86_observed_probe_write(cpu, op, address, size);
	memcpy(x86_host_for(cpu, op, address, size, X86_STORE), from, size);
}
#define x86_probe_write x86_observed_probe_write
#define x86_load_bytes x86_observed_load_bytes
#define x86_store_bytes x86_observed_store_bytes
#endif

#endif
