#include "evergreen/emu/native/code.h"

#include <string.h>

static const struct vector_insn {
	uint8_t prefix, map, wide, opcode;
} vector_insns[] = {
#define NATIVE(id, prefix, map, wide, opcode) {prefix, map, wide, opcode},
#include "evergreen/emu/native/vector.def"
};

void native_code_begin(struct native_code *code, uint8_t *bytes, size_t size,
		       bool evex)
{
	*code = (struct native_code){
		.bytes = bytes,
		.used = NATIVE_CONSTANT_BYTES,
		.size = size,
		.evex = evex,
	};
}

unsigned native_vector_bytes(const struct native_code *code)
{
	return code->evex ? 64 : 32;
}

bool native_code_is_full(const struct native_code *code)
{
	return code->used == code->size;
}

void native_bytes(struct native_code *code, size_t count, const uint8_t *bytes)
{
	if (code->size - code->used <= count) {
		code->used = code->size;
		return;
	}
	memcpy(code->bytes + code->used, bytes, count);
	code->used += count;
}

static void byte(struct native_code *code, unsigned value)
{
	native_bytes(code, 1, &(uint8_t){(uint8_t)value});
}

void native_dword(struct native_code *code, uint32_t value)
{
	uint8_t bytes[4];

	memcpy(bytes, &value, sizeof bytes);
	native_bytes(code, sizeof bytes, bytes);
}

void native_quad(struct native_code *code, uint64_t value)
{
	uint8_t bytes[8];

	memcpy(bytes, &value, sizeof bytes);
	native_bytes(code, sizeof bytes, bytes);
}

size_t native_hole(struct native_code *code)
{
	size_t place = code->used;

	native_dword(code, 0);
	return place;
}

void native_fill(struct native_code *code, size_t hole, size_t target)
{
	int32_t distance = (int32_t)((int64_t)target - (int64_t)(hole + 4));

	if (!native_code_is_full(code))
		memcpy(code->bytes + hole, &distance, sizeof distance);
}

struct native_place native_constant(struct native_code *code, uint32_t value)
{
	unsigned i = 0;

	while (i < code->constant_count && code->constants[i] != value)
		i++;
	if (i == sizeof code->constants / sizeof code->constants[0]) {
		code->used = code->size;
		i = 0;
	} else if (i == code->constant_count) {
		code->constants[code->constant_count++] = value;
		for (unsigned k = 0; k < NATIVE_CONSTANT_SIZE; k += 4)
			memcpy(code->bytes + NATIVE_CONSTANT_SIZE * i + k,
			       &value, 4);
	}
	return native_memory(NATIVE_CONSTANT,
			     (int32_t)(NATIVE_CONSTANT_SIZE * i));
}

struct native_place native_reg(unsigned reg)
{
	return (struct native_place){false, (uint8_t)reg, 0};
}

struct native_place native_memory(unsigned base,
				  int32_t displacement)
{
	return (struct native_place){true, (uint8_t)base, displacement};
}

/* ModRM and what follows it. `scale`: of a short displacement; `after`: bytes
 * of the immediate. */
static void modrm(struct native_code *code, unsigned reg,
		  struct native_place rm, int scale, unsigned after)
{
	unsigned field = (reg & 7) << 3;

	if (!rm.in_memory) {
		byte(code, 0xc0 | field | (rm.reg & 7));
	} else if (rm.reg == NATIVE_CONSTANT) {
		byte(code, field | 5);
		native_dword(code, (uint32_t)rm.displacement -
					   (uint32_t)(code->used + 4 + after));
	} else if (rm.displacement % scale == 0 &&
		   rm.displacement / scale >= -128 &&
		   rm.displacement / scale <= 127) {
		byte(code, 0x40 | field | (rm.reg & 7));
		byte(code, (uint8_t)(int8_t)(rm.displacement / scale));
	} else {
		byte(code, 0x80 | field | (rm.reg & 7));
		native_dword(code, (uint32_t)rm.displacement);
	}
}

/* Bit `n` of a register's number, inverted. */
static unsigned not_bit(unsigned reg, unsigned n)
{
	return ~reg >> n & 1;
}

static void prefix_vex(struct native_code *code, unsigned prefix, unsigned map,
		       bool is_256, unsigned reg, unsigned first,
		       struct native_place rm)
{
	unsigned base = rm.in_memory && rm.reg == NATIVE_CONSTANT ? 0 : rm.reg;

	byte(code, 0xc4);
	byte(code, not_bit(reg, 3) << 7 | 1 << 6 | not_bit(base, 3) << 5 | map);
	byte(code, (~first & 15) << 3 | (unsigned)is_256 << 2 | prefix);
}

static void prefix_evex(struct native_code *code,
			const struct vector_insn *insn, unsigned reg,
			unsigned first, struct native_place rm, unsigned mask,
			bool zero)
{
	unsigned base = rm.in_memory && rm.reg == NATIVE_CONSTANT ? 0 : rm.reg;
	unsigned x = rm.in_memory ? 1 : not_bit(base, 4);

	byte(code, 0x62);
	byte(code, not_bit(reg, 3) << 7 | x << 6 | not_bit(base, 3) << 5 |
			   not_bit(reg, 4) << 4 | insn->map);
	byte(code, (unsigned)insn->wide << 7 | (~first & 15) << 3 | 1 << 2 |
			   insn->prefix);
	byte(code, (unsigned)zero << 7 | 2 << 5 | not_bit(first, 4) << 3 |
			   mask);
}

void native_vector(struct native_code *code, enum native_vector id,
		   unsigned reg, unsigned first, struct native_place rm,
		   int immediate, unsigned mask, bool zero)
{
	const struct vector_insn *insn = &vector_insns[id];

	if (code->evex)
		prefix_evex(code, insn, reg, first, rm, mask, zero);
	else
		prefix_vex(code, insn->prefix, insn->map, true, reg, first, rm);
	byte(code, insn->opcode);
	modrm(code, reg, rm, code->evex ? 64 : 1, immediate >= 0);
	if (immediate >= 0)
		byte(code, (unsigned)immediate);
}

void native_shift(struct native_code *code, enum native_vector insn,
		  unsigned digit, unsigned dest, unsigned source,
		  unsigned count)
{
	native_vector(code, insn, digit, dest, native_reg(source), (int)count,
		      0, false);
}

void native_mask(struct native_code *code, uint8_t opcode, bool wide,
		 unsigned reg, unsigned first, unsigned rm)
{
	prefix_vex(code, 0, 1, wide, reg, first, native_reg(rm));
	byte(code, opcode);
	modrm(code, reg, native_reg(rm), 1, 0);
}

void native_mask_load(struct native_code *code, unsigned reg,
		      struct native_place from)
{
	prefix_vex(code, 0, 1, false, reg, 0, from);
	byte(code, 0x90);
	modrm(code, reg, from, 1, 0);
}

void native_mask_store(struct native_code *code, unsigned reg,
		       struct native_place to)
{
	prefix_vex(code, 0, 1, false, reg, 0, to);
	byte(code, 0x91);
	modrm(code, reg, to, 1, 0);
}
