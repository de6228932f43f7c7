/* x86-64 machine code with vector instructions, as AVX2 (VEX, 16 registers of
 * 32 bytes) or AVX-512 (EVEX, 32 registers of 64 bytes): encoding only.
 * Source: Intel 64 and IA-32 Architectures Software Developer's Manual,
 * volume 2, chapters 2 (prefixes) and 3 to 5 (instructions). */
#ifndef M2S_EVERGREEN_EMU_NATIVE_CODE_H
#define M2S_EVERGREEN_EMU_NATIVE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* General registers by their numbers. rsp and r12 cannot be a base here. */
enum native_general {
	NATIVE_RAX = 0,
	NATIVE_RCX = 1,
	NATIVE_RDX = 2,
	NATIVE_RBX = 3,
	NATIVE_RBP = 5,
	NATIVE_RSI = 6,
	NATIVE_RDI = 7,
	NATIVE_R8 = 8,
	NATIVE_R9 = 9,
	NATIVE_R12 = 12,
	NATIVE_R13 = 13,
	NATIVE_R14 = 14,
	NATIVE_R15 = 15,
	NATIVE_CONSTANT, /* as a base: the table of constants */
};

/* A vector register, or a vector in memory. */
struct native_place {
	bool in_memory;
	uint8_t reg;  /* or the base register */
	int32_t displacement;
};

/* NATIVE(id, prefix, map, W with EVEX, opcode): W is 0 with VEX. */
enum native_vector {
#define NATIVE(id, ...) NATIVE_##id,
#include "evergreen/emu/native/vector.def"
};

struct native_code {
	uint8_t *bytes;
	size_t used, size;    /* used == size: there is no more room */
	bool evex;
	/* The constants are in front, each as a whole vector of one value. */
	uint32_t constants[64];
	unsigned constant_count;
};

enum {
	NATIVE_CONSTANT_SIZE = 64, /* of one constant */
	NATIVE_CONSTANT_BYTES = 64 * NATIVE_CONSTANT_SIZE,
};

/* Begins code behind the room for the constants in `bytes`. */
void native_code_begin(struct native_code *code, uint8_t *bytes, size_t size,
		       bool evex);
unsigned native_vector_bytes(const struct native_code *code);
bool native_code_is_full(const struct native_code *code);

void native_bytes(struct native_code *code, size_t count,
		  const uint8_t *bytes);
#define NATIVE_BYTES(code, ...)                                                \
	native_bytes(code, sizeof((uint8_t[]){__VA_ARGS__}),                   \
		     (uint8_t[]){__VA_ARGS__})
void native_dword(struct native_code *code, uint32_t value);
void native_quad(struct native_code *code, uint64_t value);

/* The place of a displacement of a jump or branch that is not known yet. */
size_t native_hole(struct native_code *code);
/* Sets such a displacement, to the next byte or to an earlier one. */
void native_fill(struct native_code *code, size_t hole, size_t target);

/* An operand with the constant in all lanes. The table holds 64 constants. */
struct native_place native_constant(struct native_code *code, uint32_t value);

struct native_place native_reg(unsigned reg);
struct native_place native_memory(unsigned base,
				  int32_t displacement);

/* Emits insn reg, first, rm [, imm]. `immediate` is -1 for none; `first` is 0
 * for an instruction without a first source. `mask` is the k register that
 * masks the destination (EVEX only), 0 for none. */
void native_vector(struct native_code *code, enum native_vector insn,
		   unsigned reg, unsigned first, struct native_place rm,
		   int immediate, unsigned mask, bool zero);
/* Emits a shift by an immediate: opcode extension `digit`. */
void native_shift(struct native_code *code, enum native_vector insn,
		  unsigned digit, unsigned dest, unsigned source,
		  unsigned count);

/* Emits a k register instruction: VEX.0F.W0 `opcode` reg, first, rm. */
void native_mask(struct native_code *code, uint8_t opcode, bool wide,
		 unsigned reg, unsigned first, unsigned rm);
/* Emit kmovw between a k register and memory. */
void native_mask_load(struct native_code *code, unsigned reg,
		      struct native_place from);
void native_mask_store(struct native_code *code, unsigned reg,
		       struct native_place to);

#endif
