/* Control transfers that name a code segment, IRET, and near transfers of 16
 * bits.
 *
 * User code may go to the flat code segments of its own mode. A processor
 * accepts other segments, too. Here a message stops a program that goes to the
 * other mode's segments, to 16-bit code or to a segment with a base. */
#include "x86/emu/integer/integer.h"
#include "x86/emu/segment.h"

static bool canonical(uint64_t address)
{
	return !((address + (1ull << 47)) >> 48);
}

static uint64_t stack_at(const struct x86_cpu *cpu, int64_t bytes)
{
	return (cpu->reg[X86_RSP] + (uint64_t)bytes) & cpu->address_mask;
}

/* Whether a transfer may go to a segment, and the segment. If not, *leave is
 * the handler's result. */
static bool may_go(struct x86_cpu *cpu, const struct x86_op *op,
		   uint16_t selector, uint64_t offset, bool returns,
		   struct x86_segment *code, int *leave)
{
	/* User code has privilege number 3. A return may not go to a lower
	 * number. */
	int error = returns && (selector & 3) != 3
			    ? X86_SEGMENT_INVALID
			    : x86_segment_find(cpu, X86_CS, selector, code);

	code->selector |= 3;
	if (error) {
		*leave = x86_segment_fault(cpu, op, X86_CS, selector, error);
		return false;
	}
	if (!canonical(offset)) {
		*leave = x86_selector_fault(cpu, op, 0);
		return false;
	}
	return true;
}

/* Ends the block. Functions with parameters of their own make no tail calls. */
static int go_to(struct x86_cpu *cpu, const struct x86_op *op, uint64_t rip)
{
	cpu->budget -= op->count + 1;
	cpu->rip = rip;
	/* A jump to a non-canonical address faults at its target. */
	cpu->op = (rip + (1ull << 47)) >> 48 ? NULL : op;
	return X86_LEAVE_LOOKUP;
}

static int go_far(struct x86_cpu *cpu, const struct x86_op *op,
		  const struct x86_segment *code, uint64_t rip)
{
	cpu->segment[X86_CS] = *code;
	return go_to(cpu, op, rip);
}

static int far_jump(struct x86_cpu *cpu, const struct x86_op *op,
		    uint16_t selector, uint64_t offset)
{
	struct x86_segment code;
	int leave;

	if (!may_go(cpu, op, selector, offset, false, &code, &leave))
		return leave;
	return go_far(cpu, op, &code, offset);
}

#define FAR_CALL(bits) \
	static int far_call##bits(struct x86_cpu *cpu, \
				  const struct x86_op *op, \
				  uint16_t selector, uint64_t offset) \
	{ \
		uint64_t low = stack_at(cpu, -(bits / 4)); \
		struct x86_segment code; \
		int leave; \
		if (!may_go(cpu, op, selector, offset, false, &code, &leave)) \
			return leave; \
		x86_probe_write(cpu, op, low, bits / 4); \
		x86_store##bits(cpu, op, low, \
				(UINT(bits))x86_op_next_rip(op)); \
		x86_store##bits(cpu, op, stack_at(cpu, -(bits / 8)), \
				cpu->segment[X86_CS].selector); \
		cpu->reg[X86_RSP] = low; \
		return go_far(cpu, op, &code, offset); \
	}

#define FAR(bits) \
	FAR_CALL(bits) \
	X86_OP(jmp_far##bits##_m) \
	{ \
		uint64_t address = x86_address(cpu, op); \
		uint64_t offset = x86_load##bits(cpu, op, address); \
		return far_jump(cpu, op, \
				x86_load16(cpu, op, (address + bits / 8) & \
						    cpu->address_mask), \
				offset); \
	} \
	X86_OP(call_far##bits##_m) \
	{ \
		uint64_t address = x86_address(cpu, op); \
		uint64_t offset = x86_load##bits(cpu, op, address); \
		return far_call##bits( \
			cpu, op, x86_load16(cpu, op, (address + bits / 8) & \
						     cpu->address_mask), \
			offset); \
	} \
	static int far_return##bits(struct x86_cpu *cpu, \
				    const struct x86_op *op, unsigned drop) \
	{ \
		uint64_t offset = x86_load##bits(cpu, op, stack_at(cpu, 0)); \
		uint16_t selector = (uint16_t)x86_load##bits( \
			cpu, op, stack_at(cpu, bits / 8)); \
		struct x86_segment code; \
		int leave; \
		if (!may_go(cpu, op, selector, offset, true, &code, &leave)) \
			return leave; \
		cpu->reg[X86_RSP] = stack_at(cpu, bits / 4 + drop); \
		return go_far(cpu, op, &code, offset); \
	} \
	X86_OP(ret_far##bits) \
	{ \
		return far_return##bits(cpu, op, 0); \
	} \
	X86_OP(ret_far##bits##_i) \
	{ \
		return far_return##bits(cpu, op, (uint16_t)op->imm); \
	}
FAR(16)
FAR(32)
FAR(64)

/* Selector and offset in the instruction: 32-bit mode only. */
X86_OP(jmp_far_p)
{
	return far_jump(cpu, op, (uint16_t)op->imm, (uint64_t)op->disp);
}

X86_OP(call_far16_p)
{
	return far_call16(cpu, op, (uint16_t)op->imm, (uint64_t)op->disp);
}

X86_OP(call_far32_p)
{
	return far_call32(cpu, op, (uint16_t)op->imm, (uint64_t)op->disp);
}

/* ---- IRET ---- */

/* Pops instruction pointer, code segment and flags, in 64-bit mode also the
 * stack pointer and its segment. Ends its block because of the trap flag, as
 * POPF does. */
#define IRET(bits, keep) \
	X86_OP(iret##bits) \
	{ \
		bool wide = cpu->mode == X86_MODE_64; \
		uint64_t offset = x86_load##bits(cpu, op, stack_at(cpu, 0)); \
		uint16_t code = (uint16_t)x86_load##bits( \
			cpu, op, stack_at(cpu, bits / 8)); \
		uint32_t flags = (uint32_t)x86_load##bits( \
			cpu, op, stack_at(cpu, 2 * bits / 8)); \
		uint64_t stack = stack_at(cpu, 3 * bits / 8); \
		struct x86_segment to; \
		uint16_t segment = 0; \
		int leave, error; \
		if (cpu->eflags & X86_NT) \
			return x86_selector_fault(cpu, op, 0); \
		if (wide) { \
			stack = x86_load##bits(cpu, op, \
					       stack_at(cpu, 3 * bits / 8)); \
			segment = (uint16_t)x86_load##bits( \
				cpu, op, stack_at(cpu, 4 * bits / 8)); \
		} \
		if (!may_go(cpu, op, code, offset, true, &to, &leave)) \
			return leave; \
		error = wide ? x86_segment_load(cpu, X86_SS, segment) : 0; \
		if (error) \
			return x86_segment_fault(cpu, op, X86_SS, segment, \
						 error); \
		cpu->reg[X86_RSP] = stack; \
		x86_eflags_set(cpu, (x86_eflags(cpu) & (keep)) | flags); \
		return go_far(cpu, op, &to, offset); \
	}
IRET(16, 0xffff0000)
IRET(32, 0)
IRET(64, 0)

/* ---- Near transfers of 16 bits: 32-bit mode only ---- */

static int near_call16(struct x86_cpu *cpu, const struct x86_op *op,
		       uint16_t target)
{
	uint64_t top = stack_at(cpu, -2);

	x86_store16(cpu, op, top, (uint16_t)x86_op_next_rip(op));
	cpu->reg[X86_RSP] = top;
	return go_to(cpu, op, target);
}

X86_OP(call16)
{
	const struct x86_exit *exit = (const void *)(op + 1);

	return near_call16(cpu, op, (uint16_t)exit->address[0]);
}

X86_OP(call16_r)
{
	return near_call16(cpu, op, X86_REG16(cpu, op->dst));
}

X86_OP(call16_m)
{
	return near_call16(cpu, op,
			   x86_load16(cpu, op, x86_address(cpu, op)));
}

X86_OP(jmp16_r)
{
	X86_JUMP(X86_REG16(cpu, op->dst));
}

X86_OP(jmp16_m)
{
	X86_JUMP(x86_load16(cpu, op, x86_address(cpu, op)));
}

X86_OP(ret16)
{
	uint16_t target = x86_load16(cpu, op, stack_at(cpu, 0));

	cpu->reg[X86_RSP] = stack_at(cpu, 2);
	X86_JUMP(target);
}

X86_OP(ret16_i)
{
	uint16_t target = x86_load16(cpu, op, stack_at(cpu, 0));

	cpu->reg[X86_RSP] = stack_at(cpu, 2 + (uint16_t)op->imm);
	X86_JUMP(target);
}
