/* Decoded operations: what the interpreter executes.
 *
 * The decoder turns each guest instruction, once, into one `struct x86_op` in a
 * block's array. A memory operand with a segment base or an unusual address
 * size gets a second op in front, which leaves the address in the register
 * X86_ADDRESS. An op holds the handler and the operands in ready-to-use form. A
 * handler executes one op and continues with the next by a tail call: the
 * interpreter is threaded code.
 *
 * HOW AN INSTRUCTION IS ADDED: a row in a table and a handler.
 *
 * 1. A row in src/x86/isa/{integer,x87,mmx,sse,avx}.def:
 *
 *	INST(mnemonic, operand0, operand1, operand2, operand3, handler, attr)
 *	INST(PADDB,    X,        X,        _,        _,        paddb_xx, 0)
 *	INST(PADDB,    X,        M128,     _,        _,        paddb_xm, 0)
 *
 *    `mnemonic` is Zydis' (ZYDIS_MNEMONIC_PADDB). The operands are the visible
 *    ones (those that a disassembly shows, in Intel order):
 *
 *	R8 R16 R32 R64       general register of that width
 *	M8 M16 M32 M48 M64 M80 M128 M256   memory of that many bits
 *	M                    memory of any size (LEA, FXSAVE, ...)
 *	X Y                  XMM, YMM register
 *	N                    MMX register
 *	F                    x87 st(i)
 *	S                    segment register
 *	I                    immediate
 *	J                    target of a direct branch
 *	P                    selector and offset of a far one: op->imm, op->disp
 *	ANY                  whatever there is, or nothing
 *	_                    no operand
 *
 *    The first row of the mnemonic that fits (operands, prefixes, mode) wins.
 *    `attr` is 0 or an OR of enum x86_row_attribute.
 *    An instruction for which no row fits is reported as unsupported.
 *
 * 2. A handler in src/x86/emu/{integer,vector,x87}/<family>.c:
 *
 *	X86_OP(paddb_xm)
 *	{
 *		x86_v128 b = x86_load128_aligned(cpu, op,
 *						 x86_address(cpu, op));
 *		...change cpu->vector[op->dst]...
 *		X86_NEXT;
 *	}
 *
 * OPERANDS. By position of the operand: a register operand 0, 1, 2 or 3 is
 * op->dst, op->src, op->src2, op->src3: for general registers a byte offset
 * for X86_REG32(cpu, op->dst) and its like (so AH is 1), otherwise the
 * register's number. The memory operand, at whatever position, is
 * x86_address(cpu, op). The immediate is op->imm, sign-extended from its
 * encoded width (an imm8 that means 0..255: (uint8_t)op->imm); a second
 * immediate (ENTER, EXTRQ, INSERTQ) is in bits 16 and up of op->imm. An
 * instruction without visible operands (string instructions, XLAT) has its
 * address width in op->imm and its data segment's number in op->src2; one
 * with a branch target has its address width in op->src2. The hidden memory
 * operand of MASKMOVQ and MASKMOVDQU is x86_address(cpu, op). Gathers, whose
 * memory operand has a vector of indices: see avx-gather.c.
 *
 * PRECISION. A handler changes no architectural state before its last guest
 * memory access: any access may leave the handler for good. Writes longer
 * than eight bytes that are made piecewise call x86_probe_write() first.
 *
 * FAULTS. `return x86_raise(cpu, op, SIGFPE, FPE_INTDIV, 0, vector);` before any
 * change of state; the instruction has then not executed. */
#ifndef M2S_X86_EMU_OP_H
#define M2S_X86_EMU_OP_H

#include <string.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "x86/emu/cpu.h"
#include "x86/emu/step.h"

/* Executes one op. Returns the reason why control comes back to the run
 * loop. */
typedef int x86_handler(struct x86_cpu *cpu, const struct x86_op *op);

struct x86_op {
	x86_handler *handler;
	int64_t disp;     /* displacement, or a 64-bit immediate */
	int32_t imm;
	uint8_t dst, src, src2, src3;
	uint8_t base, index; /* byte offsets into cpu; X86_ZERO when absent */
	uint8_t scale;    /* as a shift count */
	uint8_t position; /* ops before this one in its block */
	uint16_t offset;  /* of the instruction from the block's first byte */
	uint8_t length;   /* of the instruction, bytes */
	uint8_t count;    /* instructions before this one in its block */
};

/* The exits of a block, in the place of an op after the last one. */
struct x86_exit {
	/* Where execution continues, once linked: [0] at the branch's target,
	 * [1] at the instruction after the branch. */
	const struct x86_op *target[2];
	uint64_t address[2];
};
_Static_assert(sizeof(struct x86_exit) == sizeof(struct x86_op),
	       "an exit takes the place of an op");

enum x86_row_attribute {
	/* The last op of its block; an x86_exit follows. */
	X86_ROW_END = 1 << 0,
	X86_ROW_LOCK = 1 << 1,    /* only with a LOCK prefix (no row without
	                           * this takes one) */
	X86_ROW_REP = 1 << 2,     /* only with REP or REPE */
	X86_ROW_REPNE = 1 << 3,   /* only with REPNE */
	X86_ROW_MODE32 = 1 << 4,
	X86_ROW_MODE64 = 1 << 5,
	X86_ROW_STACK16 = 1 << 6, /* only with a 16-bit operand size */
	X86_ROW_REXW = 1 << 7,    /* only with REX.W or VEX.W */
	/* The kind that the handler always leaves in cpu->flags_kind, so that a
	 * condition later in the block gets a special handler. Without one of
	 * these attributes nothing is assumed about an instruction that changes
	 * flags. */
	X86_ROW_SUB = 1 << 8,     /* X86_FLAGS_SUBn */
	X86_ROW_LOGIC = 1 << 9,   /* X86_FLAGS_LOGIC */
	X86_ROW_RESULT = 1 << 10, /* X86_FLAGS_RESULT or X86_FLAGS_ADDn */
	/* Rows of conditions only: the kind of flags for which the row's
	 * handler is specialized. */
	X86_ROW_IF_SUB = 1 << 11,
	X86_ROW_IF_LOGIC = 1 << 12,
	X86_ROW_IF_RESULT = 1 << 13,
	/* The branch names a code segment (rows without this take none). */
	X86_ROW_FAR = 1 << 14,
};

/* op->imm of a gather. */
enum x86_gather {
	X86_GATHER_WIDTH = 0xff,  /* width of addresses in bits */
	X86_GATHER_YMM = 1 << 8,  /* VEX.L */
};

/* Why a handler came back to the run loop. */
enum x86_leave {
	X86_LEAVE_CHAIN,       /* continue at cpu->op (builds without tail
	                        * calls) */
	/* Continue at cpu->rip, and link *cpu->link to it. */
	X86_LEAVE_LINK,
	/* Continue at cpu->rip, where cpu->op (or NULL) jumped; enter it in
	 * cpu->jumps. */
	X86_LEAVE_LOOKUP,
	X86_LEAVE_FAULT,       /* cpu->fault, raised by cpu->op */
	X86_LEAVE_INT80,
	X86_LEAVE_SYSCALL,
	X86_LEAVE_SYSENTER,
	X86_LEAVE_UNSUPPORTED, /* cpu->op */
	X86_LEAVE_MARKER,
	/* cpu->op's block is stale; execute its instruction again. */
	X86_LEAVE_CODE_CHANGED,
	X86_LEAVE_ONE,         /* end of a block that runs one instruction */
	X86_LEAVE_BREAKPOINT,  /* before cpu->op's address */
	X86_LEAVE_WATCH,       /* likewise: x86_watch() */
	X86_LEAVE_LAST,        /* likewise: x86_last_instruction() */
	/* From observed handlers: see below. */
	X86_LEAVE_NEXT,        /* continue at the next instruction */
	X86_LEAVE_EXIT,        /* retired; left the block by exit 0 or ... */
	X86_LEAVE_EXIT_1,
	X86_LEAVE_PAUSED,      /* a repeated instruction, not complete yet */
};

/* ---- Handlers and how they go on ---- */

/* The files with handlers are compiled twice. With X86_OBSERVED they make the
 * handlers x86_observed_<name>. step.c calls these one by one; they note the
 * memory that they touch, and always return to it. */
#ifdef X86_OBSERVED
#define X86_OP_NAME(name) x86_observed_##name
#else
#define X86_OP_NAME(name) x86_op_##name
#endif
#define X86_OP(name) \
	int X86_OP_NAME(name)(struct x86_cpu *cpu, const struct x86_op *op)

#define X86_OP_OBSERVED(name) x86_handler x86_observed_##name

/* Every handler that a table names. */
#define INST(mnemonic, a, b, c, d, handler, attr) X86_OP(handler);
#include "x86/isa/tables.def"

/* Whether the compiler turns calls in tail position into jumps. Where it does
 * not (-O0, sanitizers), the calls of one block's ops nest, and every block
 * returns to the run loop. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define X86_TAIL_CALLS 0
#elif defined(__clang__)
#define X86_TAIL_CALLS 1
#define X86_CONTINUE(to) \
	__attribute__((musttail)) return (to)->handler(cpu, (to))
#define X86_CONTINUE_WITH(name, at) \
	__attribute__((musttail)) return X86_OP_NAME(name)(cpu, at)
#elif defined(__OPTIMIZE__)
#define X86_TAIL_CALLS 1
#pragma GCC optimize("optimize-sibling-calls") /* -O1 lacks it */
#else
#define X86_TAIL_CALLS 0
#endif
#ifndef X86_CONTINUE
#define X86_CONTINUE(to) return (to)->handler(cpu, (to))
/* Continues with an op whose handler is known. */
#define X86_CONTINUE_WITH(name, at) return X86_OP_NAME(name)(cpu, at)
#endif
/* Continues as another handler of the same op. */
#define X86_CONTINUE_AS(name) X86_CONTINUE_WITH(name, op)
#if X86_TAIL_CALLS
#define X86_ENTER_BLOCK(to) X86_CONTINUE(to)
#else
#define X86_ENTER_BLOCK(to) \
	do { \
		cpu->op = (to); \
		return X86_LEAVE_CHAIN; \
	} while (0)
#endif

/* The end of an ordinary handler. */
#ifdef X86_OBSERVED
#define X86_NEXT \
	do { \
		(void)cpu; \
		(void)op; \
		return X86_LEAVE_NEXT; \
	} while (0)
#else
#define X86_NEXT X86_CONTINUE(op + 1)
#endif

/* An instruction as a function, for handlers that execute several (fused.h),
 * and the handler made from that function. */
#define X86_BODY(name) \
	static inline __attribute__((always_inline)) void x86_do_##name( \
		struct x86_cpu *cpu, const struct x86_op *op)
#define X86_OP_OF_BODY(name) \
	X86_OP(name) \
	{ \
		x86_do_##name(cpu, op); \
		X86_NEXT; \
	}

/* Ends the last handler of a block: leaves by exit `which` (0 or 1). */
#define X86_EXIT(which) X86_EXIT_OF(op, which)
#ifdef X86_OBSERVED
#define X86_EXIT_OF(last, which) \
	do { \
		(void)(last); \
		cpu->budget--; \
		return X86_LEAVE_EXIT + (which); \
	} while (0)
#else
#define X86_EXIT_OF(last, which) \
	do { \
		const struct x86_exit *x86_exit_ = \
			(const struct x86_exit *)(const void *)((last) + 1); \
		const struct x86_op *x86_to_ = x86_exit_->target[which]; \
		if (__builtin_expect((cpu->budget -= (last)->count + 1) > 0 && \
				     x86_to_ != NULL, 1)) \
			X86_ENTER_BLOCK(x86_to_); \
		return x86_leave_at_exit(cpu, last, which); \
	} while (0)
#endif

/* Ends the last handler of a block: jumps to a computed address. */
#ifdef X86_OBSERVED
#define X86_JUMP(address) \
	do { \
		cpu->rip = (address); \
		cpu->budget--; \
		cpu->op = op; \
		return X86_LEAVE_LOOKUP; \
	} while (0)
#else
#define X86_JUMP(address) \
	do { \
		uint64_t x86_rip_ = (address); \
		const struct x86_jump_entry *x86_entry_ = \
			&cpu->jumps[x86_jump_hash(x86_rip_)]; \
		if (__builtin_expect((cpu->budget -= op->count + 1) > 0 && \
				     x86_entry_->key == ~x86_rip_, 1)) \
			X86_ENTER_BLOCK(x86_entry_->op); \
		cpu->rip = x86_rip_; \
		cpu->op = op; \
		return X86_LEAVE_LOOKUP; \
	} while (0)
#endif

/* Recent targets of indirect jumps. The key is the complement of the address,
 * so that fresh memory, which is all zeros, has no entries (but see
 * block.c). */
struct x86_jump_entry {
	uint64_t key;
	const struct x86_op *op;
};
enum { X86_JUMP_BITS = 14 };

static inline unsigned x86_jump_hash(uint64_t rip)
{
	return (unsigned)(rip ^ rip >> X86_JUMP_BITS) &
	       ((1u << X86_JUMP_BITS) - 1);
}

/* The slow way out of a block. */
int x86_leave_at_exit(struct x86_cpu *cpu, const struct x86_op *op, int which);

/* The guest address of an op's instruction, and of the instruction after it. A
 * block keeps its own address right before its first op. */
static inline uint64_t x86_op_rip(const struct x86_op *op)
{
	const uint64_t *first = (const void *)(op - op->position);

	return first[-1] + op->offset;
}

static inline uint64_t x86_op_next_rip(const struct x86_op *op)
{
	return x86_op_rip(op) + op->length;
}

/* Notes a fault of the op's instruction. The handler returns the result. */
int x86_raise(struct x86_cpu *cpu, const struct x86_op *op, int signal,
	      int code, uint64_t address, int vector);
/* Raises a fault from inside a helper. Does not return to the handler. */
_Noreturn void x86_raise_now(struct x86_cpu *cpu, const struct x86_op *op,
			     int signal, int code, uint64_t address,
			     int vector);
/* Raise the fault of an access beyond the address space, or of one that is not
 * aligned as SSE demands. */
_Noreturn void x86_raise_access(struct x86_cpu *cpu, const struct x86_op *op,
				uint64_t address);
_Noreturn void x86_raise_alignment(struct x86_cpu *cpu,
				   const struct x86_op *op);

#endif
