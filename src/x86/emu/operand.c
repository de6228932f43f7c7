/* Memory operands: where the memory is, and operands longer than a register. */
#include "x86/emu/operand.h"

#include "x86/emu/run.h"

void x86_bind_memory(struct x86_cpu *cpu)
{
	cpu->base = cpu->space->base;
	cpu->address_end = cpu->space->size;
	cpu->far = cpu->space->far;
	cpu->far_count = cpu->space->far_count;
}

void x86_load_bytes(struct x86_cpu *cpu, const struct x86_op *op,
		    uint64_t address, void *to, size_t size)
{
	memcpy(to, x86_host(cpu, op, address), size);
}

/* Writes the byte that is there, without a change even for other threads.
 * (clang would leave no access of an atomic OR with zero.) */
static void write_same(uint8_t *byte)
{
	uint8_t value = __atomic_load_n(byte, __ATOMIC_RELAXED);

	__atomic_compare_exchange_n(byte, &value, value, false,
				    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void x86_probe_host(uint8_t *first, size_t size)
{
	uint8_t *last = first + size - 1;

	write_same(first);
	/* A fault in the second page is at its first byte. */
	last -= (uintptr_t)last & 4095;
	if (last > first)
		write_same(last);
}

void x86_probe_write(struct x86_cpu *cpu, const struct x86_op *op,
		     uint64_t address, size_t size)
{
	x86_probe_host(x86_host(cpu, op, address), size);
}

void x86_store_bytes(struct x86_cpu *cpu, const struct x86_op *op,
		     uint64_t address, const void *from, size_t size)
{
	x86_probe_write(cpu, op, address, size);
	memcpy(x86_host(cpu, op, address), from, size);
}
