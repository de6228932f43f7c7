/* What the x87 handlers share. Internal to x86/emu.
 *
 * Each instruction has a fast path for the case that all exceptions are masked
 * and no stack fault can occur. The fast path loads the operands into the
 * host's x87, executes the host's instruction and takes back the result and the
 * status word. In all other cases x87_execute() gives the host the guest's
 * whole x87 state and executes the instruction there. So stack faults, unmasked
 * exceptions and their odd results are those of the hardware. */
#ifndef M2S_X86_EMU_X87_X87_H
#define M2S_X86_EMU_X87_X87_H

#include "x86/emu/block.h"
#include "x86/emu/flags.h"
#include "x86/emu/operand.h"
#include "x86/emu/vector/float.h"
#include "x86/emu/x87/fxsave.h"

/* Bits of the status word. The lowest six are also in the control word, as
 * masks. */
enum {
	X87_INVALID = 1 << 0,
	X87_DENORMAL = 1 << 1,
	X87_ZERO_DIVIDE = 1 << 2,
	X87_OVERFLOW = 1 << 3,
	X87_UNDERFLOW = 1 << 4,
	X87_PRECISION = 1 << 5,
	X87_EXCEPTIONS = 0x3f,
	X87_STACK_FAULT = 1 << 6,
	X87_SUMMARY = 1 << 7,
	X87_C0 = 1 << 8,
	X87_C1 = 1 << 9,
	X87_C2 = 1 << 10,
	X87_TOP_SHIFT = 11,
	X87_C3 = 1 << 14,
	X87_BUSY = 1 << 15,
	X87_CONDITIONS = X87_C0 | X87_C1 | X87_C2 | X87_C3,
};

static inline unsigned x87_index(const struct x86_x87 *x87, unsigned i)
{
	return (x87->top + i) & 7;
}

static inline union x86_x87_register *x87_st(struct x86_x87 *x87, unsigned i)
{
	return &x87->reg[x87_index(x87, i)];
}

static inline bool x87_full(const struct x86_x87 *x87, unsigned i)
{
	return !(x87->empty >> x87_index(x87, i) & 1);
}

static inline bool x87_masked(const struct x86_x87 *x87)
{
	return (x87->control & X87_EXCEPTIONS) == X87_EXCEPTIONS;
}

/* Whether the fast path may be taken: by an instruction that reads st(0)
 * (x87_ready()), that reads st(0) and st(i) (x87_ready2()), or that pushes
 * (x87_ready_push()). */
static inline bool x87_ready(const struct x86_x87 *x87)
{
	return __builtin_expect(x87_masked(x87) && x87_full(x87, 0), 1);
}

static inline bool x87_ready2(const struct x86_x87 *x87, unsigned i)
{
	return __builtin_expect(x87_masked(x87) && x87_full(x87, 0) &&
				x87_full(x87, i), 1);
}

static inline bool x87_ready_push(const struct x86_x87 *x87)
{
	return __builtin_expect(x87_masked(x87) && !x87_full(x87, 7), 1);
}

static inline void x87_pop(struct x86_x87 *x87)
{
	x87->empty |= (uint8_t)(1u << x87->top);
	x87->top = (x87->top + 1) & 7;
}

/* Makes room on the stack and returns the new st(0). */
static inline union x86_x87_register *x87_push(struct x86_x87 *x87)
{
	x87->top = (x87->top - 1) & 7;
	x87->empty &= (uint8_t)~(1u << x87->top);
	return &x87->reg[x87->top];
}

/* Takes over the exception flags of the host's status word and the condition
 * codes in `conditions`. */
static inline void x87_take_status(struct x86_x87 *x87, uint16_t status,
				   unsigned conditions)
{
	x87->status = (uint16_t)((x87->status & ~conditions) |
				 (status & (conditions | X87_EXCEPTIONS)));
}

/* The start of every instruction except the few "no-wait" ones: raises a
 * pending exception. */
int x87_raise_pending(struct x86_cpu *cpu, const struct x86_op *op);
#define X87_WAIT \
	do { \
		if (__builtin_expect(cpu->x87.status & X87_SUMMARY, 0)) \
			return x87_raise_pending(cpu, op); \
	} while (0)
/* The end of every instruction except control instructions: notes its
 * address. */
#define X87_NEXT \
	do { \
		cpu->x87.instruction_pointer = \
			x86_op_block(op)->rip + op->offset; \
		X86_NEXT; \
	} while (0)

/* The slow path is a function of its own, entered by a tail call, so that the
 * fast path needs no stack frame. `code` may use op. */
#define X87_SLOW(name) \
	int slow_##name(struct x86_cpu *cpu, const struct x86_op *op)
#if X86_TAIL_CALLS && defined(__clang__)
#define X87_GO_SLOW(name) \
	__attribute__((musttail)) return slow_##name(cpu, op)
#else
#define X87_GO_SLOW(name) return slow_##name(cpu, op)
#endif
#define X87_SLOW_REGISTERS(name, code) \
	static __attribute__((noinline)) X87_SLOW(name) \
	{ \
		x87_execute(cpu, op, code, NULL); \
		X87_NEXT; \
	}
#define X87_SLOW_LOAD(name, code, size) \
	static __attribute__((noinline)) X87_SLOW(name) \
	{ \
		x87_execute_load(cpu, op, code, size); \
		X87_NEXT; \
	}
#define X87_SLOW_STORE(name, code, size) \
	static __attribute__((noinline)) X87_SLOW(name) \
	{ \
		x87_execute_store(cpu, op, code, size); \
		X87_NEXT; \
	}

/* A handler: `...` is its fast path, a block that may use x87; unless `ready`,
 * slow_NAME() executes the instruction. */
#define X87_OP(name, ready, ...) \
	X86_OP(name) \
	{ \
		struct x86_x87 *x87 = &cpu->x87; \
		\
		X87_WAIT; \
		if (!(ready)) \
			X87_GO_SLOW(name); \
		__VA_ARGS__ \
		X87_NEXT; \
	}

/* Executes an instruction on the host with the guest's x87 state and arithmetic
 * flags. `code` is the two bytes of its encoding, the first byte in the high
 * half. `memory` is its operand, NULL if it has none; a store that an exception
 * suppresses leaves the operand unchanged. Returns whether the instruction was
 * completed (stores and pops happened), so that the caller copies a store to
 * the guest. */
bool x87_execute(struct x86_cpu *cpu, const struct x86_op *op, unsigned code,
		 void *memory);
/* x87_execute() of an instruction that loads the op's memory operand of `size`
 * bytes. */
static inline void x87_execute_load(struct x86_cpu *cpu,
				    const struct x86_op *op, unsigned code,
				    size_t size)
{
	uint8_t memory[10];

	x86_load_bytes(cpu, op, x86_address(cpu, op), memory, size);
	x87_execute(cpu, op, code, memory);
}

/* x87_execute() of an instruction that stores. The write may fault, and then
 * nothing must have changed. */
static inline void x87_execute_store(struct x86_cpu *cpu,
				     const struct x86_op *op, unsigned code,
				     size_t size)
{
	struct x86_x87 before = cpu->x87, after;
	uint8_t memory[10];

	cpu->op = op;
	if (!x87_execute(cpu, op, code, memory))
		return;
	after = cpu->x87;
	cpu->x87 = before;
	x86_store_bytes(cpu, op, x86_address(cpu, op), memory, size);
	cpu->x87 = after;
}

/* The summary and busy bits follow from flags and masks. */
static inline void x87_summarize(struct x86_x87 *x87)
{
	x87->status &= (uint16_t)~(X87_SUMMARY | X87_BUSY);
	if (x87->status & ~(unsigned)x87->control & X87_EXCEPTIONS)
		x87->status |= X87_SUMMARY | X87_BUSY;
}

/* The host's whole x87 state in the 32-bit format of FNSAVE. */
struct x87_image {
	uint16_t control, reserved0;
	uint16_t status, reserved1;
	uint16_t tags, reserved2;
	uint32_t instruction_pointer;
	uint16_t instruction_selector, opcode;
	uint32_t data_pointer;
	uint16_t data_selector, reserved3;
	uint8_t st[8][10];
};
_Static_assert(sizeof(struct x87_image) == 108, "as FNSAVE writes it");

/* Bit 6 reads as 1 and the other reserved bits as 0. */
static inline void x87_set_control_word(struct x86_x87 *x87, uint16_t control)
{
	x87->control = (control & 0x1f7f) | 0x40;
}

/* Memory operands as the inline assembly sees them, and their sizes. */
typedef uint8_t x87_m80[10];
#define X87_GUEST_M16 x86_guest16
#define X87_GUEST_M32 x86_guest32
#define X87_GUEST_M64 x86_guest64
#define X87_GUEST_M80 x87_m80
#define X87_SIZE_M16 2
#define X87_SIZE_M32 4
#define X87_SIZE_M64 8
#define X87_SIZE_M80 10

/* The op's memory operand, for X86_LOAD or X86_STORE. */
#define X87_OPERAND(operand, access) \
	((X87_GUEST_##operand *)x86_host_for(cpu, op, x86_address(cpu, op), \
					     X87_SIZE_##operand, access))

/* Registers that the inline assembly of a fast path uses. */
#define X87_CLOBBERS "st", "st(1)", "st(2)"

#endif
