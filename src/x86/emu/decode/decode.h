/* What the parts of the decoder share. Internal to the files of this folder.
 *
 * decode.c fetches guest bytes and builds blocks. decode-row.c finds the row of
 * the tables. decode-operand.c fills in an op's operands. decode-watch.c makes
 * the ops that look for watchpoints. describe.c makes descriptions. */
#ifndef M2S_X86_EMU_DECODE_DECODE_H
#define M2S_X86_EMU_DECODE_DECODE_H

#include "x86/emu/block.h"

/* ---- The tables ---- */

/* Operand columns: a class in the high byte, the width in bytes in the low
 * one. Vector, MMX, x87 and segment registers and immediates have none. */
enum operand_class {
	CLASS_NONE, CLASS_R, CLASS_M, CLASS_I, CLASS_J, CLASS_X, CLASS_Y,
	CLASS_N, CLASS_F, CLASS_S, CLASS_ANY, CLASS_P,
	CLASS_OTHER
};
enum {
	OPERAND__ = CLASS_NONE << 8,
	OPERAND_R8 = CLASS_R << 8 | 1,
	OPERAND_R16 = CLASS_R << 8 | 2,
	OPERAND_R32 = CLASS_R << 8 | 4,
	OPERAND_R64 = CLASS_R << 8 | 8,
	OPERAND_M = CLASS_M << 8,
	OPERAND_M8 = CLASS_M << 8 | 1,
	OPERAND_M16 = CLASS_M << 8 | 2,
	OPERAND_M32 = CLASS_M << 8 | 4,
	OPERAND_M48 = CLASS_M << 8 | 6,
	OPERAND_M64 = CLASS_M << 8 | 8,
	OPERAND_M80 = CLASS_M << 8 | 10,
	OPERAND_M128 = CLASS_M << 8 | 16,
	OPERAND_M256 = CLASS_M << 8 | 32,
	OPERAND_I = CLASS_I << 8,
	OPERAND_J = CLASS_J << 8,
	OPERAND_P = CLASS_P << 8,
	OPERAND_X = CLASS_X << 8,
	OPERAND_Y = CLASS_Y << 8,
	OPERAND_N = CLASS_N << 8,
	OPERAND_F = CLASS_F << 8,
	OPERAND_S = CLASS_S << 8,
	OPERAND_ANY = CLASS_ANY << 8,
};

struct x86_row {
	uint16_t mnemonic;
	uint16_t operand[4];
	uint16_t attributes;
	x86_handler *handler;
	x86_handler *observed; /* the handler under observation */
};

/* The decoder's knowledge of one instruction. */
struct x86_decoding {
	ZydisDecodedInstruction inst;
	ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
	unsigned visible; /* operands */
	/* Every segment register may have a base other than 0. */
	bool segmented;
	unsigned foreign; /* marker of another simulator, which became a NOP */
	uint16_t shape[4];
};

/* A block being built. */
struct x86_builder {
	struct x86_op op[X86_BLOCK_OPS];
	unsigned count;        /* ops */
	unsigned instructions;
	unsigned bytes;
	/* The kind of flags, X86_ROW_SUB, ..., or 0: not known. */
	unsigned flags;
	bool ended;            /* the last op ends the block */
	bool open;             /* the next bytes do not decode */
	uint64_t target;       /* target of a direct branch at the end */
	uint8_t branch;        /* the branch at the end: enum x86_branch */
	/* Of a block to be observed: room for X86_BLOCK_INSTRUCTIONS
	 * descriptions; else NULL. */
	struct x86_inst *inst;
};

static inline struct x86_op *x86_new_op(struct x86_builder *b,
					x86_handler *handler, unsigned length)
{
	struct x86_op *op = &b->op[b->count];

	*op = (struct x86_op){
		.handler = handler,
		.base = X86_ZERO * 8, .index = X86_ZERO * 8,
		.position = (uint8_t)b->count,
		.offset = (uint16_t)b->bytes,
		.length = (uint8_t)length,
		/* Observed instructions retire one by one. */
		.count = b->inst ? 0 : (uint8_t)b->instructions,
	};
	b->count++;
	return op;
}

/* Whether the instruction does nothing, so that no op is made. */
static inline bool x86_does_nothing(const struct x86_decoding *d)
{
	return (d->inst.mnemonic == ZYDIS_MNEMONIC_NOP ||
		d->inst.mnemonic == ZYDIS_MNEMONIC_ENDBR32 ||
		d->inst.mnemonic == ZYDIS_MNEMONIC_ENDBR64 ||
		d->inst.mnemonic == ZYDIS_MNEMONIC_PAUSE) &&
	       !(d->inst.attributes & ZYDIS_ATTRIB_HAS_LOCK);
}

/* ---- decode-row.c ---- */
/* Fills in `visible` and the shapes. */
void x86_set_shapes(struct x86_decoding *d);
/* The row for an instruction, or NULL. `flags` is the attribute of the known
 * kind of flags, or 0. */
const struct x86_row *x86_find_row(struct x86_decoder *decoder,
				   const struct x86_decoding *d,
				   unsigned flags);

/* The number of a row, as in struct x86_inst. */
uint16_t x86_row_number(const struct x86_row *row);

/* ---- describe.c ---- */
/* Fills in a description, except for row and op. */
void x86_describe(struct x86_inst *inst, const struct x86_decoding *d,
		  uint64_t rip, bool mode64);

/* ---- decode-operand.c ---- */
/* Fills in the operands of an instruction that ends at `next`. Returns the
 * number of ops used in front: 1 when an address op was needed; `op` is then
 * the address op. */
unsigned x86_set_operands(struct x86_op *op, const struct x86_decoding *d,
			  uint64_t next, bool mode64);

/* ---- decode-watch.c ---- */
/* Adds the op of x86_watch() in front of an instruction that touches memory. */
void x86_add_watch(const struct x86_emulator *emulator, struct x86_builder *b,
		   const struct x86_decoding *d, uint64_t rip);

#endif
