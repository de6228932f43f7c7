/* Breakpoints: addresses at which x86_run() stops. Memory is not changed. The
 * decoder ends blocks in front of such an address, and begins a block there
 * that only stops. Breakpoints elsewhere cost nothing. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/emu/access.h"
#include "x86/emu/block.h"
#include "x86/emu/operand.h"

/* The index of the first breakpoint at or above an address. */
static size_t find(const struct x86_emulator *emulator, uint64_t address)
{
	size_t low = 0, high = emulator->breakpoint_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (emulator->breakpoints[middle] < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool x86_breakpoint_at(const struct x86_emulator *emulator, uint64_t address)
{
	size_t at = find(emulator, address);

	return at < emulator->breakpoint_count &&
	       emulator->breakpoints[at] == address;
}

/* Blocks that begin in the page before may reach into this one. */
static void forget_code(struct x86_emulator *emulator, uint64_t address)
{
	x86_blocks_drop_range(emulator, address, address + 1);
}

void x86_breakpoint_insert(struct x86_emulator *emulator, uint64_t address)
{
	size_t at = find(emulator, address);

	if (x86_breakpoint_at(emulator, address))
		return;
	ARRAY_GROW(emulator->breakpoints, emulator->breakpoint_count,
		   emulator->breakpoint_capacity);
	memmove(emulator->breakpoints + at + 1, emulator->breakpoints + at,
		(emulator->breakpoint_count - at) *
			sizeof *emulator->breakpoints);
	emulator->breakpoints[at] = address;
	emulator->breakpoint_count++;
	forget_code(emulator, address);
}

void x86_breakpoint_remove(struct x86_emulator *emulator, uint64_t address)
{
	size_t at = find(emulator, address);

	if (!x86_breakpoint_at(emulator, address))
		return;
	emulator->breakpoint_count--;
	memmove(emulator->breakpoints + at, emulator->breakpoints + at + 1,
		(emulator->breakpoint_count - at) *
			sizeof *emulator->breakpoints);
	forget_code(emulator, address);
}

void x86_watch(struct x86_emulator *emulator, uint64_t start, uint64_t end)
{
	if (emulator->watch_start == start && emulator->watch_end == end)
		return;
	emulator->watch_start = start;
	emulator->watch_end = end;
	x86_blocks_drop_range(emulator, 0, emulator->space->end);
}

static bool is_near(const struct x86_emulator *emulator, uint64_t address,
		    uint64_t size)
{
	return address < emulator->watch_end &&
	       address + size > emulator->watch_start;
}

bool x86_near_watch(const struct x86_cpu *cpu)
{
	struct x86_access list[X86_ACCESSES_MAX];
	size_t count;

	if (cpu->emulator->watch_start == cpu->emulator->watch_end)
		return false;
	count = x86_accesses(cpu, list);
	while (count--)
		if (is_near(cpu->emulator, list[count].address,
			    list[count].size))
			return true;
	return false;
}

/* Stands in front of an instruction with one plain memory operand, of op->imm
 * bytes. */
X86_OP(watch_operand)
{
	if (is_near(cpu->emulator, x86_address(cpu, op), (uint32_t)op->imm)) {
		cpu->op = op;
		return X86_LEAVE_WATCH;
	}
	X86_NEXT;
}

/* Stands in front of other instructions that access memory. */
X86_OP(watch_instruction)
{
	cpu->rip = x86_op_rip(op);
	if (x86_near_watch(cpu)) {
		cpu->op = op;
		return X86_LEAVE_WATCH;
	}
	X86_NEXT;
}

void x86_last_instruction(struct x86_emulator *emulator, const uint8_t *code,
			  size_t size)
{
	emulator->last_size = (uint8_t)size;
	memcpy(emulator->last, code, size);
}

void x86_foreign_markers(struct x86_emulator *emulator)
{
	emulator->foreign = true;
}

X86_OP(breakpoint)
{
	cpu->op = op;
	return X86_LEAVE_BREAKPOINT;
}

X86_OP(last_instruction)
{
	cpu->op = op;
	return X86_LEAVE_LAST;
}
