#include "vector-case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct row rows[] = {
#define INST(mnemonic, a, b, c, d, handler, attr) \
	{ #handler, ZYDIS_MNEMONIC_##mnemonic, { #a, #b, #c, #d }, (attr) },
#include "x86/isa/x87.def"
#include "x86/isa/mmx.def"
#include "x86/isa/sse.def"
#include "x86/isa/avx.def"
};

const unsigned row_count = sizeof rows / sizeof rows[0];

bool row_is(const struct row *row, const char *name)
{
	return !strcmp(ZydisMnemonicGetString(row->mnemonic), name);
}

bool row_is_gather(const struct row *row)
{
	return strstr(row->name, "gather") != NULL;
}

/* Whether it stores through RDI without saying so. */
static bool stores_at_rdi(const struct row *row)
{
	return row_is(row, "maskmovq") || row_is(row, "maskmovdqu") ||
	       row_is(row, "vmaskmovdqu");
}

bool host_has_avx(void)
{
	return __builtin_cpu_supports("avx");
}

/* ---- Making an instruction ---- */

static unsigned memory_size(const struct row *row, int operand)
{
	unsigned bits = (unsigned)atoi(row->operand[operand] + 1);
	bool small = row->attributes & X86_ROW_STACK16;

	if (bits)
		return bits / 8;
	if (strstr(row->name, "env"))
		return small ? 14 : 28;
	if (strstr(row->name, "fx"))
		return 512;
	return small ? 94 : 108;
}

static void make_memory(ZydisEncoderOperand *operand, bool wide,
			uint64_t *seed)
{
	unsigned base = (unsigned)random_draw(seed) & (wide ? 15 : 7);
	unsigned index = (unsigned)random_draw(seed) & (wide ? 15 : 7);
	ZydisRegister first = wide ? ZYDIS_REGISTER_RAX : ZYDIS_REGISTER_EAX;

	operand->type = ZYDIS_OPERAND_TYPE_MEMORY;
	operand->mem.base = first + base;
	operand->mem.displacement = random_draw(seed) & 1 ? 0 :
				    (int8_t)random_draw(seed);
	if (index != X86_RSP && index != base && random_draw(seed) & 1) {
		operand->mem.index = first + index;
		operand->mem.scale = (ZyanU8)(1 << (random_draw(seed) & 3));
	}
}

/* A gather's three vector registers must differ. */
static void make_vsib(const struct row *row, ZydisEncoderRequest *request,
		      unsigned registers, uint64_t *seed)
{
	unsigned r = (unsigned)random_draw(seed);
	unsigned d = r & registers, index = (d + 1 + (r >> 8) % 6) & registers;
	unsigned mask = (index + 1 + (r >> 16 & 1)) & registers;
	bool ymm = row->operand[0][0] == 'Y';

	if (mask == d)
		mask = (mask + 1) & registers;
	request->operands[0].reg.value =
		(ymm ? ZYDIS_REGISTER_YMM0 : ZYDIS_REGISTER_XMM0) + d;
	request->operands[2].reg.value =
		(ymm ? ZYDIS_REGISTER_YMM0 : ZYDIS_REGISTER_XMM0) + mask;
	if (!strcmp(row->name, "gather_dq"))
		ymm = false;
	else if (!strcmp(row->name, "gather_qd"))
		ymm = r >> 24 & 1;
	request->operands[1].mem.index =
		(ymm ? ZYDIS_REGISTER_YMM0 : ZYDIS_REGISTER_XMM0) + index;
	request->operands[1].mem.scale = (ZyanU8)(1 << (r >> 28 & 3));
}

/* Blends with a fourth register in the immediate's place. */
static uint8_t blend_opcode(const struct row *row)
{
	return row_is(row, "vblendvps")	  ? 0x4a
	       : row_is(row, "vblendvpd") ? 0x4b
	       : row_is(row, "vpblendvb") ? 0x4c
					  : 0;
}

bool row_make(const struct row *row, bool wide, uint64_t *seed,
	      struct subject *s)
{
	ZydisEncoderRequest *request = &s->request;
	ZyanUSize size = ZYDIS_MAX_INSTRUCTION_LENGTH;
	unsigned registers = wide ? 15 : 7;
	ZydisDecoder decoder;
	uint8_t blend;

	memset(s, 0, sizeof *s);
	request->machine_mode = wide ? ZYDIS_MACHINE_MODE_LONG_64
				     : ZYDIS_MACHINE_MODE_LONG_COMPAT_32;
	request->mnemonic = row->mnemonic;
	request->allowed_encodings = ZYDIS_ENCODABLE_ENCODING_LEGACY |
				     ZYDIS_ENCODABLE_ENCODING_VEX;
	for (int i = 0; i < 4 && row->operand[i][0] != '_'; i++) {
		ZydisEncoderOperand *operand = &request->operands[i];
		unsigned n = (unsigned)random_draw(seed);
		ZydisRegister reg = ZYDIS_REGISTER_NONE;

		request->operand_count = (ZyanU8)(i + 1);
		switch (row->operand[i][0]) {
		case 'R':
			n &= registers;
			switch (atoi(row->operand[i] + 1)) {
			case 8:
				reg = (n < 4 ? ZYDIS_REGISTER_AL : wide ?
				       ZYDIS_REGISTER_SPL - 4 :
				       ZYDIS_REGISTER_AH - 4) + n;
				break;
			case 16:
				reg = row->mnemonic == ZYDIS_MNEMONIC_FNSTSW ?
				      ZYDIS_REGISTER_AX :
				      ZYDIS_REGISTER_AX + n;
				break;
			case 32:
				reg = ZYDIS_REGISTER_EAX + n;
				break;
			default:
				reg = ZYDIS_REGISTER_RAX + n;
			}
			break;
		case 'X':
			reg = ZYDIS_REGISTER_XMM0 + (n & registers);
			break;
		case 'Y':
			reg = ZYDIS_REGISTER_YMM0 + (n & registers);
			break;
		case 'N':
			reg = ZYDIS_REGISTER_MM0 + (n & 7);
			break;
		case 'F':
			/* Of two one is st(0). */
			if (row->operand[1][0] == 'F' &&
			    !!i == !!(*seed & 1))
				n = 0;
			reg = ZYDIS_REGISTER_ST0 + (n & 7);
			break;
		case 'I':
			operand->type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
			operand->imm.u = n & 3 ? n >> 8 & 0xff : n >> 8 & 0xf;
			continue;
		default:
			make_memory(operand, wide, seed);
			s->memory = true;
			s->memory_size = memory_size(row, i);
			operand->mem.size = (ZyanU16)s->memory_size;
			continue;
		}
		operand->type = ZYDIS_OPERAND_TYPE_REGISTER;
		operand->reg.value = reg;
	}
	blend = blend_opcode(row);
	if (blend) {
		/* The encoder cannot; but this differs in the opcode only. */
		unsigned n = (unsigned)random_draw(seed) & registers;

		request->mnemonic = ZYDIS_MNEMONIC_VBLENDPS;
		request->operands[3] = (ZydisEncoderOperand){
			.type = ZYDIS_OPERAND_TYPE_IMMEDIATE,
			.imm.u = n << 4,
		};
	}
	s->vsib = row_is_gather(row);
	if (s->vsib)
		make_vsib(row, request, registers, seed);
	if (!ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(request, s->code,
							&size)))
		return false;
	if (blend) {
		request->mnemonic = row->mnemonic;
		s->code[3] = blend;
	}
	/* The encoder never puts REX.W where assemblers do not: it goes between
	 * the 66 and the rest, or into the REX prefix there. */
	if (row->attributes & X86_ROW_REXW && s->code[0] == 0xc4) {
		s->code[2] |= 0x80; /* three-byte VEX prefix */
	} else if (row->attributes & X86_ROW_REXW) {
		if ((s->code[1] & 0xf0) != 0x40) {
			memmove(s->code + 2, s->code + 1, size - 1);
			s->code[1] = 0x40;
			size++;
		}
		s->code[1] |= 8;
	}
	if (wide && s->memory && (random_draw(seed) & 7) == 0) {
		s->narrow = true;
		memmove(s->code + 1, s->code, size++);
		s->code[0] = 0x67;
	}
	s->size = size;
	ZydisDecoderInit(&decoder, request->machine_mode,
			 wide ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, s->code, size,
						   &s->inst, s->operand));
}

/* An instruction with an absolute address. */
static uint8_t *emit_absolute(uint8_t *at, const char *opcode, bool wide,
			      unsigned reg, uint32_t address)
{
	for (; *opcode; opcode++)
		*at++ = (uint8_t)*opcode;
	*at++ = (uint8_t)((wide ? 4 : 5) | (reg & 7) << 3);
	if (wide)
		*at++ = 0x25;
	memcpy(at, &address, 4);
	return at + 4;
}

/* VMOVUPS between all registers and memory; \x10 loads, \x11 stores. */
static uint8_t *emit_vectors(uint8_t *at, char opcode, bool wide,
			     uint32_t address)
{
	for (unsigned i = 0; host_has_avx() && i < (wide ? 16 : 8); i++) {
		char code[] = { '\xc5', i < 8 ? '\xfc' : '\x7c', opcode, 0 };

		at = emit_absolute(at, code, wide, i, address + 32 * i);
	}
	return at;
}

/* Loads the state, executes the instruction, stores the state. */
size_t row_surround(const struct subject *s, bool wide, uint8_t *code)
{
	const char *opcode = wide ? "\x48\x0f\xae" : "\x0f\xae";
	uint8_t *at = code;

	at = emit_absolute(at, opcode, wide, 1, ARENA_DATA + STATE_IN);
	at = emit_vectors(at, '\x10', wide, ARENA_DATA + YMM_IN);
	memcpy(at, s->code, s->size);
	at += s->size;
	at = emit_absolute(at, opcode, wide, 0, ARENA_DATA + STATE_OUT);
	at = emit_vectors(at, '\x11', wide, ARENA_DATA + YMM_OUT);
	return (size_t)(at - code);
}

static unsigned number(ZydisRegister reg)
{
	return (unsigned)ZydisRegisterGetId(reg) & 15;
}

/* Something interesting at the memory operand. */
static void fill_operand(const struct row *row, const struct subject *s,
			 uint64_t *seed, uint8_t *at)
{
	uint64_t d = corner_double(seed), i = random_corner(seed);
	uint32_t f = corner_float(seed);
	bool integer = random_draw(seed) & 1 || row->name[1] == 'i';

	switch (s->memory_size) {
	case 4:
		if (strstr(row->name, "ldmxcsr"))
			f = (uint32_t)i & 0xffff;
		memcpy(at, integer ? (void *)&i : (void *)&f, 4);
		break;
	case 8:
		memcpy(at, integer ? (void *)&i : (void *)&d, 8);
		break;
	case 10:
		corner_extended(seed, at);
		if (row_is(row, "fbld")) /* digits */
			for (int k = 0; k < 10; k++)
				at[k] = (uint8_t)(random_draw(seed) % 10 |
						  random_draw(seed) % 10 << 4);
		break;
	case 32:
		corner_vector(seed, at + 16);
		/* fall through */
	case 16:
		corner_vector(seed, at);
		break;
	case 512:
		make_fp_state(seed, at);
		break;
	case 28:
	case 108:
	case 14:
	case 94: {
		/* Control, status and tag words that may occur. */
		unsigned step = s->memory_size == 28 || s->memory_size == 108 ?
				4 : 2;
		uint8_t state[512];

		make_fp_state(seed, state);
		memcpy(at, state + STATE_CONTROL, 2);
		memcpy(at + step, state + STATE_STATUS, 2);
		if (s->memory_size >= 94)
			for (int k = 0; k < 8; k++)
				corner_extended(seed, at + 7 * step + 10 * k);
		break;
	}
	default:
		break;
	}
}

/* Indices that lead into the data, but for a few; the base register points to
 * the middle of the operands' room. */
static void make_indices(const struct row *row, const struct subject *s,
			 uint64_t mask, uint64_t *seed, struct machine *m)
{
	const ZydisEncoderOperand *o = &s->request.operands[1];
	bool narrow = row->name[7] == 'd'; /* gather_dq: 32-bit indices */
	uint64_t middle = ARENA_DATA + OPERAND_FIRST + OPERAND_ROOM / 2;
	uint8_t *at = m->data + YMM_IN + 32 * number(o->mem.index);
	bool fault = (random_draw(seed) & 7) == 0;

	m->reg[number(o->mem.base)] =
		(middle - (uint64_t)o->mem.displacement) & mask;
	for (unsigned i = 0; i < (narrow ? 8 : 4); i++) {
		uint64_t r = random_draw(seed);
		int64_t index = (int64_t)(r % (OPERAND_ROOM - 16)) -
				OPERAND_ROOM / 2;
		int32_t low;

		index /= o->mem.scale;
		if (fault && (r >> 32 & 3) == 0) /* behind the data */
			index = 0x1c00 / o->mem.scale;
		if (fault && (r >> 32 & 63) == 1 && !narrow)
			index = 1ll << (52 + (r >> 40) % 8);
		low = (int32_t)index;
		if (narrow)
			memcpy(at + 4 * i, &low, 4);
		else
			memcpy(at + 8 * i, &index, 8);
	}
	memcpy(m->data + STATE_IN + STATE_XMM + 16 * number(o->mem.index), at,
	       16);
}

void row_make_state(const struct row *row, const struct subject *s, bool wide,
		    uint64_t *seed, struct machine *m)
{
	const uint64_t mask = wide ? UINT64_MAX : UINT32_MAX;
	uint64_t r = random_draw(seed), target;

	for (size_t i = 0; i < sizeof m->data; i += 8) {
		uint64_t value = random_draw(seed);

		memcpy(m->data + i, &value, 8);
	}
	memset(m->stack, 0, sizeof m->stack);
	make_fp_state(seed, m->data + STATE_IN);
	for (int i = 0; i < 16; i++) {
		uint8_t *at = m->data + YMM_IN + 32 * i;

		memcpy(at, m->data + STATE_IN + STATE_XMM + 16 * i, 16);
		corner_vector(seed, at + 16);
	}
	for (int i = 0; i < 16; i++)
		m->reg[i] = i >= 8 && !wide ? 0 : random_corner(seed) & mask;
	m->eflags = (uint32_t)((random_draw(seed) & X86_ARITHMETIC) | 0x202);
	if (strstr(row->name, "pcmpestr")) {
		m->reg[X86_RAX] = (r & 63) - 32ull;
		if (r >> 20 & 1)
			m->reg[X86_RAX] += r & 0xff00000000;
		m->reg[X86_RDX] = (r >> 6 & 31) - 4ull;
		if (!wide) {
			m->reg[X86_RAX] &= UINT32_MAX;
			m->reg[X86_RDX] &= UINT32_MAX;
		}
	}
	target = OPERAND_FIRST + r % OPERAND_ROOM;
	if (s->memory_size >= 16 && r >> 32 & 7)
		target &= ~(s->memory_size >= 32 ? 31ull : 15ull);
	/* Across the end of what is mapped. Processors differ in whether bytes
	 * that a masked store leaves out must be mapped, and may write the
	 * first 8 bytes of 10 before they fault. */
	if ((r >> 40 & 63) == 0 && !stores_at_rdi(row) &&
	    s->memory_size != 10)
		target = ARENA_DATA_SIZE - (r >> 48 & 31) - 1;
	if (stores_at_rdi(row))
		m->reg[X86_RDI] = ARENA_DATA + target;
	if (!s->memory)
		return;
	if (target + OPERAND_MAX <= ARENA_DATA_SIZE)
		fill_operand(row, s, seed, m->data + target);
	if (s->vsib)
		make_indices(row, s, mask, seed, m);
	for (int i = 0; i < 4; i++) {
		const ZydisEncoderOperand *o = &s->request.operands[i];

		if (o->type != ZYDIS_OPERAND_TYPE_MEMORY)
			continue;
		if (!s->vsib)
			m->reg[number(o->mem.base)] =
				(ARENA_DATA + target -
				 (uint64_t)o->mem.displacement -
				 (o->mem.index ?
					  m->reg[number(o->mem.index)] *
						  o->mem.scale : 0)) & mask;
		if (s->narrow) /* the upper half does not count */
			m->reg[number(o->mem.base)] ^= r << 32;
	}
}
