/* What the SSE handlers share. Internal to x86/emu. */
#ifndef M2S_X86_EMU_VECTOR_SSE_H
#define M2S_X86_EMU_VECTOR_SSE_H

#include "x86/emu/flags.h"
#include "x86/emu/operand.h"
#include "x86/emu/vector/float.h"

typedef uint64_t __attribute__((vector_size(16), may_alias)) sse_u64;
typedef uint32_t __attribute__((vector_size(16), may_alias)) sse_u32;
typedef uint16_t __attribute__((vector_size(16), may_alias)) sse_u16;

/* The low 128 bits of a vector register. */
static inline x86_v128 xmm(const struct x86_cpu *cpu, unsigned number)
{
	return *(const x86_v128 *)&cpu->vector[number];
}

static inline void set_xmm(struct x86_cpu *cpu, unsigned number,
			   x86_v128 value)
{
	*(x86_v128 *)&cpu->vector[number] = value;
}

/* A number in the lowest bits, zeros above. */
static inline x86_v128 from_low64(uint64_t value)
{
	return (x86_v128)(sse_u64){ value, 0 };
}

/* Written in assembly, because compilers take a detour through a general
 * register. */
static inline x86_v128 load_low64(struct x86_cpu *cpu,
				  const struct x86_op *op, uint64_t address)
{
	const x86_guest64 *host = (void *)x86_host_for(cpu, op, address, 8,
						       X86_LOAD);
	x86_v128 value;

	__asm__ volatile("movq %1, %0" : "=x"(value) : "m"(*host));
	return value;
}

static inline x86_v128 load_low32(struct x86_cpu *cpu,
				  const struct x86_op *op, uint64_t address)
{
	const x86_guest32 *host = (void *)x86_host_for(cpu, op, address, 4,
						       X86_LOAD);
	x86_v128 value;

	__asm__ volatile("movd %1, %0" : "=x"(value) : "m"(*host));
	return value;
}

static inline x86_v128 load_low16(struct x86_cpu *cpu,
				  const struct x86_op *op, uint64_t address)
{
	return from_low64(x86_load16(cpu, op, address));
}

/* Writes the bytes whose mask byte has its top bit set, all of them or none. */
static inline void x86_store_masked(struct x86_cpu *cpu,
				    const struct x86_op *op, uint64_t address,
				    const uint8_t *from, const uint8_t *mask,
				    unsigned size)
{
	/* First see that every selected byte may be written. */
	for (unsigned i = 0; i < size; i++)
		if (mask[i] & 0x80)
			x86_probe_write(cpu, op,
					(address + i) & cpu->address_mask, 1);
	for (unsigned i = 0; i < size; i++)
		if (mask[i] & 0x80)
			x86_store8(cpu, op, (address + i) & cpu->address_mask,
				   from[i]);
}

#endif
