/* Every row of the x87, MMX, SSE and AVX tables against the host CPU.
 *
 * The code under test is FXRSTOR, loads of all YMM registers, the instruction
 * with random operands, FXSAVE, stores of all YMM registers: so the comparison
 * of memory after it compares all floating-point state, with every flag, tag
 * and pointer. On hosts without AVX the YMM part is left out. The states hold many NaNs,
 * denormals, infinities and unsupported formats, empty registers, all
 * rounding modes, and now and then unmasked or pending exceptions. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include "native.h"
#include "unit/harness.h"
#include "x86/emu/fxsave.h"
#include "x86/emu/op.h"
#include "x86/isa/disasm.h"

static const struct row {
	const char *name;
	ZydisMnemonic mnemonic;
	const char *operand[4]; /* as in the table: "X", "M64", ... */
	unsigned attributes;
} rows[] = {
#define INST(mnemonic, a, b, c, d, handler, attr) \
	{ #handler, ZYDIS_MNEMONIC_##mnemonic, { #a, #b, #c, #d }, (attr) },
#include "x86/isa/x87.def"
#include "x86/isa/mmx.def"
#include "x86/isa/sse.def"
#include "x86/isa/avx.def"
};

enum { ROWS = sizeof rows / sizeof rows[0] };

/* Where in the data area things are. */
enum {
	STATE_IN = 0,
	STATE_OUT = 0x200,
	YMM_IN = 0x400,         /* low halves as in STATE_IN */
	YMM_OUT = 0x600,
	OPERAND_FIRST = 0x800,  /* memory operands begin from here ... */
	OPERAND_ROOM = 0x1000,
	OPERAND_MAX = 512,
};

/* Offsets in a state, and in MXCSR and the control word. */
enum {
	STATE_CONTROL = 0, STATE_STATUS = 2, STATE_FULL = 4, STATE_OPCODE = 6,
	STATE_POINTERS = 8, STATE_MXCSR = 24, STATE_ST = 32, STATE_XMM = 160,
	MXCSR_MASKS = 0x1f80, CONTROL_MASKS = 0x3f,
};

static bool is(const struct row *row, const char *name)
{
	return !strcmp(ZydisMnemonicGetString(row->mnemonic), name);
}

static bool is_gather(const struct row *row)
{
	return strstr(row->name, "gather") != NULL;
}

/* Whether it stores through RDI without saying so. */
static bool stores_at_rdi(const struct row *row)
{
	return is(row, "maskmovq") || is(row, "maskmovdqu") ||
	       is(row, "vmaskmovdqu");
}

static bool host_has_avx(void)
{
	return __builtin_cpu_supports("avx");
}

/* ---- Numbers ---- */

static uint64_t corner_double(uint64_t *seed)
{
	static const uint64_t corners[] = {
		0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
		0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
		0xfff8000000000001, 0x7ff0000000000001, 0xfff4000000000000,
		1, 0x800fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff,
		0x3fe0000000000000, 0x4004000000000000, 0xc00c000000000000,
		0x41e0000000000000, 0xc1e0000000000000, 0x43e0000000000000,
		0x41dfffffffe00000, 0xc3e0000000000000, 0x3fefffffffffffff,
		0x47efffffe0000000, 0x3690000000000000, 0x3810000000000000,
	};
	uint64_t r = random_next(seed);

	if (r & 1)
		return corners[(r >> 1) % (sizeof corners / sizeof *corners)];
	if (r & 2) /* near 1, so that operations do not only overflow */
		return (random_next(seed) & 0x803fffffffffffff) |
		       (0x3fc0000000000000 + ((r >> 8 & 127) << 52));
	return random_next(seed);
}

static uint32_t corner_float(uint64_t *seed)
{
	static const uint32_t corners[] = {
		0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
		0x7fc00000, 0xffc00001, 0x7f800001, 0xffa00000, 1, 0x807fffff,
		0x00800000, 0x7f7fffff, 0x3f000000, 0x40200000, 0xc0600000,
		0x4f000000, 0xcf000000, 0x4effffff, 0x5f000000, 0xdf000000,
	};
	uint64_t r = random_next(seed);

	if (r & 1)
		return corners[(r >> 1) % (sizeof corners / sizeof *corners)];
	if (r & 2)
		return (uint32_t)((random_next(seed) & 0x807fffff) |
				  (0x3d800000 + (r >> 8 & 15) * 0x800000));
	return (uint32_t)random_next(seed);
}

static void corner_extended(uint64_t *seed, uint8_t to[10])
{
	static const struct {
		uint16_t sign_exponent;
		uint64_t mantissa;
	} corners[] = {
		{ 0, 0 }, { 0x8000, 0 }, { 0x3fff, 1ull << 63 },
		{ 0xbfff, 1ull << 63 }, { 0x7fff, 1ull << 63 },
		{ 0xffff, 1ull << 63 }, { 0x7fff, 3ull << 62 },
		{ 0xffff, 3ull << 62 | 1 }, { 0x7fff, 1ull << 63 | 1 },
		{ 0, 1 }, { 0x8000, 1ull << 62 }, { 0, 1ull << 63 }, /* pseudo- */
		{ 1, 1ull << 63 }, { 0x7ffe, UINT64_MAX }, /* denormal above */
		{ 0x7fff, 0 }, { 0x4000, 1 }, /* pseudo-infinity, unnormal */
		{ 0x4000, 0xc90fdaa22168c235 }, { 0x403e, UINT64_MAX },
		{ 0x3ffe, 1ull << 63 }, { 0xc01e, 1ull << 63 },
		{ 0x4001, 5ull << 61 }, { 0x403e, 1ull << 63 },
	};
	uint64_t r = random_next(seed);
	uint16_t sign_exponent = (uint16_t)(r >> 16);
	uint64_t mantissa = random_next(seed);

	if ((r & 7) < 3) {
		r = (r >> 8) % (sizeof corners / sizeof *corners);
		sign_exponent = corners[r].sign_exponent;
		mantissa = corners[r].mantissa;
	} else if (r & 1) {
		sign_exponent = (uint16_t)((sign_exponent & 0x8000) |
					   (0x3ff0 + (r >> 8 & 127) % 80));
		mantissa |= 1ull << 63;
		if (r & 2) /* few bits: exact results */
			mantissa &= 0xfff8000000000000;
	} else if (r & 2) {
		mantissa |= 1ull << 63;
	}
	memcpy(to, &mantissa, 8);
	memcpy(to + 8, &sign_exponent, 2);
}

/* ---- States ---- */

static void put16(uint8_t *at, unsigned value)
{
	at[0] = (uint8_t)value;
	at[1] = (uint8_t)(value >> 8);
}

static void corner_vector(uint64_t *seed, uint8_t to[16])
{
	uint64_t kind = random_next(seed) % 3;

	for (int i = 0; i < 2; i++) {
		uint64_t value = kind == 0 ? corner_double(seed) :
				 kind == 1 ? corner_float(seed) |
					(uint64_t)corner_float(seed) << 32 :
					random_corner(seed);

		memcpy(to + 8 * i, &value, 8);
	}
}

static void make_fp_state(uint64_t *seed, uint8_t state[512])
{
	uint64_t r = random_next(seed);
	uint32_t mxcsr = (uint32_t)random_next(seed) & 0xffff;
	unsigned control = (r & 0xf00) | 0x40 | CONTROL_MASKS;

	memset(state, 0, 512);
	if ((r >> 16 & 7) == 0)
		control &= (unsigned)(r >> 24) | ~(unsigned)CONTROL_MASKS;
	/* Precision control 01 is reserved. */
	if ((control & 0x300) == 0x100)
		control |= 0x200;
	put16(state + STATE_CONTROL, control);
	put16(state + STATE_STATUS, (unsigned)(r >> 32) & 0x7f7f);
	/* A pending exception must not be in every test with unmasked ones. */
	if (r >> 48 & 3)
		put16(state + STATE_STATUS, (unsigned)(r >> 32) & 0x7f40);
	state[STATE_FULL] = (r >> 51 & 3) ? 0xff : (uint8_t)(r >> 56);
	if ((r >> 51 & 3) == 1) /* room for one more */
		state[STATE_FULL] &= (uint8_t)~(1u << (((r >> 43) - 1) & 7));
	if ((r >> 51 & 3) == 2)
		state[STATE_FULL] = (uint8_t)(0x0f0fu >> (8 - (r >> 43 & 7)));
	for (int i = 0; i < 8; i++)
		corner_extended(seed, state + STATE_ST + 16 * i);
	for (int i = 0; i < 16; i++)
		corner_vector(seed, state + STATE_XMM + 16 * i);
	if (r >> 53 & 7)
		mxcsr |= MXCSR_MASKS;
	memcpy(state + STATE_MXCSR, &mxcsr, 4);
}

/* ---- Making an instruction ---- */

struct subject {
	uint8_t code[24];
	size_t size;
	bool memory;
	unsigned memory_size; /* bytes */
	bool vsib;            /* with a vector of indices */
	bool narrow;          /* 32-bit addresses in 64-bit mode */
	ZydisDecodedInstruction inst;
	ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
	ZydisEncoderRequest request;
};

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
	unsigned base = (unsigned)random_next(seed) & (wide ? 15 : 7);
	unsigned index = (unsigned)random_next(seed) & (wide ? 15 : 7);
	ZydisRegister first = wide ? ZYDIS_REGISTER_RAX : ZYDIS_REGISTER_EAX;

	operand->type = ZYDIS_OPERAND_TYPE_MEMORY;
	operand->mem.base = first + base;
	operand->mem.displacement = random_next(seed) & 1 ? 0 :
				    (int8_t)random_next(seed);
	if (index != X86_RSP && index != base && random_next(seed) & 1) {
		operand->mem.index = first + index;
		operand->mem.scale = (ZyanU8)(1 << (random_next(seed) & 3));
	}
}

/* A gather's three vector registers must differ. */
static void make_vsib(const struct row *row, ZydisEncoderRequest *request,
		      unsigned registers, uint64_t *seed)
{
	unsigned r = (unsigned)random_next(seed);
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
	return is(row, "vblendvps") ? 0x4a : is(row, "vblendvpd") ? 0x4b :
	       is(row, "vpblendvb") ? 0x4c : 0;
}

static bool make(const struct row *row, bool wide, uint64_t *seed,
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
		unsigned n = (unsigned)random_next(seed);
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
		unsigned n = (unsigned)random_next(seed) & registers;

		request->mnemonic = ZYDIS_MNEMONIC_VBLENDPS;
		request->operands[3] = (ZydisEncoderOperand){
			.type = ZYDIS_OPERAND_TYPE_IMMEDIATE,
			.imm.u = n << 4,
		};
	}
	s->vsib = is_gather(row);
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
	if (wide && s->memory && (random_next(seed) & 7) == 0) {
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
static size_t surround(const struct subject *s, bool wide, uint8_t *code)
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
	bool integer = random_next(seed) & 1 || row->name[1] == 'i';

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
		if (is(row, "fbld")) /* digits */
			for (int k = 0; k < 10; k++)
				at[k] = (uint8_t)(random_next(seed) % 10 |
						  random_next(seed) % 10 << 4);
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
	bool fault = (random_next(seed) & 7) == 0;

	m->reg[number(o->mem.base)] =
		(middle - (uint64_t)o->mem.displacement) & mask;
	for (unsigned i = 0; i < (narrow ? 8 : 4); i++) {
		uint64_t r = random_next(seed);
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

static void make_state(const struct row *row, const struct subject *s,
		       bool wide, uint64_t *seed, struct machine *m)
{
	const uint64_t mask = wide ? UINT64_MAX : UINT32_MAX;
	uint64_t r = random_next(seed), target;

	for (size_t i = 0; i < sizeof m->data; i += 8) {
		uint64_t value = random_next(seed);

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
	m->eflags = (uint32_t)((random_next(seed) & X86_ARITHMETIC) | 0x202);
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

/* ---- Comparing ---- */

struct tally {
	unsigned shown;  /* differences of this row */
	unsigned compared, signals, skipped;
};

static void dump_state(const char *title, const uint8_t *state)
{
	printf("#   %s: control %02x%02x status %02x%02x full %02x opcode "
	       "%02x%02x mxcsr %02x%02x\n", title, state[1], state[0],
	       state[3], state[2], state[4], state[7], state[6], state[25],
	       state[24]);
	for (int i = 0; i < 24; i++) {
		const uint8_t *at = state + (i < 8 ? STATE_ST + 16 * i :
						STATE_XMM + 16 * (i - 8));

		printf("%s%s%d ", i % 4 ? " " : "#     ", i < 8 ? "st" : "xmm",
		       i < 8 ? i : i - 8);
		for (int k = i < 8 ? 9 : 15; k >= 0; k--)
			printf("%02x", at[k]);
		if (i % 4 == 3)
			puts("");
	}
}

static void dump_vector(const char *title, const uint8_t *at)
{
	printf("   %s ", title);
	for (int k = 31; k >= 0; k--)
		printf("%02x", at[k]);
}

/* Those YMM registers that differ. */
static void dump_vectors(const void *before, const void *native,
			 const void *emulated)
{
	for (int i = 0; i < 16 * 32; i += 32) {
		const uint8_t *old = (const uint8_t *)before + i;
		const uint8_t *right = (const uint8_t *)native + i;
		const uint8_t *is = (const uint8_t *)emulated + i;

		if (!memcmp(right, is, 32))
			continue;
		printf("#   ymm%d:", i / 32);
		dump_vector("before", old);
		dump_vector("native", right);
		dump_vector("is", is);
		puts("");
	}
}

static bool same(const struct row *row, const struct subject *s, bool wide,
		 const struct machine *before, const struct machine *native,
		 const struct machine *emulated, struct tally *tally)
{
	/* Which byte of a saved state is touched first is nobody's business. */
	bool structure = strstr(row->name, "env") || s->memory_size > 32;
	const char *what = NULL;
	char text[200];
	int at = 0;

	if (native->signal != emulated->signal)
		what = "signal";
	else if (native->signal && native->code != emulated->code)
		what = "si_code";
	else if (native->signal &&
		 (structure ? native->address / SPACE_PAGE !=
				      emulated->address / SPACE_PAGE :
			      native->address != emulated->address))
		what = "si_addr";
	else if (native->signal && native->mxcsr != emulated->mxcsr)
		what = "MXCSR";
	else if (native->rip != emulated->rip)
		what = "rip";
	else if (memcmp(native->reg, emulated->reg, sizeof native->reg))
		what = "registers";
	else if ((native->eflags ^ emulated->eflags) & X86_ARITHMETIC)
		what = "flags";
	else if (memcmp(native->data, emulated->data, sizeof native->data))
		what = "memory";
	if (!what)
		return true;
	if (tally->shown++ >= 2)
		return false;
	x86_disasm_describe(wide, ARENA_CODE, s->code, s->size, text,
			    sizeof text);
	printf("# %s (%s): %s differ; signal %d, is %d; code %d, is %d; "
	       "address %llx, is %llx; mxcsr %x, is %x; rip %llx, is %llx; flags before %x, %x, is %x\n", row->name, text, what,
	       native->signal, emulated->signal, native->code, emulated->code,
	       (unsigned long long)native->address,
	       (unsigned long long)emulated->address, native->mxcsr,
	       emulated->mxcsr,
	       (unsigned long long)native->rip,
	       (unsigned long long)emulated->rip, before->eflags,
	       native->eflags, emulated->eflags);
	for (int i = 0; i < 16; i++)
		if (native->reg[i] != emulated->reg[i])
			printf("#   r%d: before %llx, native %llx, is %llx\n",
			       i, (unsigned long long)before->reg[i],
			       (unsigned long long)native->reg[i],
			       (unsigned long long)emulated->reg[i]);
	for (int i = 0; i < ARENA_DATA_SIZE && at < 24; i++)
		if (native->data[i] != emulated->data[i] && ++at)
			printf("#   data[%x]: before %02x, native %02x, is "
			       "%02x\n", i, before->data[i], native->data[i],
			       emulated->data[i]);
	dump_state("before", before->data + STATE_IN);
	dump_state("native", native->data + STATE_OUT);
	dump_state("is    ", emulated->data + STATE_OUT);
	dump_vectors(before->data + YMM_IN, native->data + YMM_OUT,
		     emulated->data + YMM_OUT);
	return false;
}

/* After a fault nothing may have changed, but MXCSR's flags; of a gather the
 * vector registers are as the host left them (how many elements are done is
 * up to the processor: Intel's are followed). */
static bool untouched(struct native *native, const struct row *row,
		      const struct machine *before,
		      const struct machine *after, bool wide)
{
	uint8_t state[X86_FXSAVE_SIZE];

	if (is_gather(row) && !__builtin_cpu_is("intel"))
		return true;
	if (host_has_avx() && memcmp(after->vector, native_cpu(native)->vector,
				     (wide ? 16 : 8) * 32))
		return false;
	memcpy(state, before->data + STATE_IN, sizeof state);
	x86_fxsave(native_cpu(native), true, state);
	return (host_has_avx() ||
		!memcmp(state + STATE_XMM, before->data + STATE_IN + STATE_XMM,
			X86_FXSAVE_WRITTEN - STATE_XMM)) &&
	       !memcmp(state + STATE_ST, before->data + STATE_IN + STATE_ST,
		       STATE_XMM - STATE_ST) &&
	       !memcmp(state, before->data + STATE_IN, 2) &&
	       state[STATE_FULL] == before->data[STATE_IN + STATE_FULL];
}

static void reset_host(void)
{
	static const uint32_t mxcsr = MXCSR_MASKS;

	__asm__ volatile("fninit\n\tldmxcsr %0" : : "m"(mxcsr));
}

static void compare_row(struct native *native, const struct row *row,
			bool wide, unsigned cases, uint64_t seed,
			struct tally *tally)
{
	struct machine *m = malloc(3 * sizeof *m);

	for (unsigned i = 0; i < 10 * cases && tally->compared < cases; i++) {
		struct subject s;
		uint8_t code[512];
		size_t size;

		if (!make(row, wide, &seed, &s))
			continue;
		make_state(row, &s, wide, &seed, &m[0]);
		size = surround(&s, wide, code);
		m[1] = m[2] = m[0];
		native_execute(native, &m[1], code, size);
		reset_host();
		if (m[1].signal == SIGILL) {
			tally->skipped++;
			break;
		}
		native_emulate(native, &m[2], code, size);
		if (same(row, &s, wide, &m[0], &m[1], &m[2], tally) &&
		    m[1].signal) {
			tally->signals++;
			if (!untouched(native, row, &m[0], &m[1], wide) &&
			    tally->shown++ < 2) {
				char text[200];

				x86_disasm_describe(wide, ARENA_CODE, s.code,
						    s.size, text, sizeof text);
				printf("# %s (%s): state after a fault "
				       "differs\n", row->name, text);
				dump_vectors(m[0].data + YMM_IN, m[1].vector,
					     m[2].vector);
			}
		}
		tally->compared++;
	}
	free(m);
}

static bool mode_fits(const struct row *row, bool wide)
{
	if (wide)
		return true;
	if (row->attributes & X86_ROW_REXW)
		return false;
	for (int i = 0; i < 4; i++)
		if (!strcmp(row->operand[i], "R64"))
			return false;
	return !strstr(row->name, "xm64") && strcmp(row->name, "movnti_m64") &&
	       !strstr(row->name, "pinsrq") && !strstr(row->name, "pextrq") &&
	       !strstr(row->name, "64_r64") &&
	       strcmp(row->name, "fxsave64") && strcmp(row->name, "fxrstor64");
}

/* Rows of a row's mnemonic in a mode. */
static unsigned family_rows(const struct row *row, bool wide)
{
	unsigned count = 0;

	for (unsigned i = 0; i < ROWS; i++)
		count += rows[i].mnemonic == row->mnemonic &&
			 mode_fits(&rows[i], wide);
	return count;
}

static void compare_all(bool wide)
{
	struct family *families = calloc(ZYDIS_MNEMONIC_MAX_VALUE + 1,
					 sizeof *families);
	const char *cases_text = getenv("M2S_TEST_CASES");
	const char *only = getenv("M2S_TEST_ROW");
	const char *seed_text = getenv("M2S_TEST_SEED");
	uint64_t first_seed = seed_text ? strtoull(seed_text, NULL, 0) : 1;
	unsigned cases = cases_text ? (unsigned)atoi(cases_text) : 50;
	struct native *native =
		native_create(wide ? X86_MODE_64 : X86_MODE_32);
	unsigned failed = 0, tested = 0, compared = 0, signals = 0;

	if (!native) {
		printf("# this host cannot run such code\n");
		free(families);
		return;
	}
	for (unsigned i = 0; i < ROWS; i++) {
		struct tally tally = { 0 };

		if (!mode_fits(&rows[i], wide) ||
		    (only && strcmp(only, rows[i].name)))
			continue;
		compare_row(native, &rows[i], wide,
			    family_cases(family_rows(&rows[i], wide),
					 family_rows(&rows[i], !wide), cases),
			    first_seed + i, &tally);
		if (tally.skipped)
			printf("# skipped: %s is not on this host\n",
			       rows[i].name);
		else if (!tally.compared) {
			printf("# %s could not be encoded\n", rows[i].name);
			failed++;
		}
		if (tally.shown)
			printf("# %s: %u of %u differ\n", rows[i].name,
			       tally.shown, tally.compared);
		families[rows[i].mnemonic].rows += tally.compared != 0;
		families[rows[i].mnemonic].cases += tally.compared;
		families[rows[i].mnemonic].faults += tally.signals;
		families[rows[i].mnemonic].differing += tally.shown;
		failed += tally.shown != 0;
		tested += tally.compared != 0;
		compared += tally.compared;
		signals += tally.signals;
	}
	for (int i = 0; i <= ZYDIS_MNEMONIC_MAX_VALUE; i++)
		if (families[i].rows)
			family_print(ZydisMnemonicGetString((ZydisMnemonic)i),
				     wide, &families[i]);
	free(families);
	printf("# %u rows, %u instructions compared, %u of them faulted, "
	       "%u rows failed\n", tested, compared, signals, failed);
	CU_ASSERT_EQUAL(failed, 0);
	CU_ASSERT(tested > 0);
	native_free(native);
}

static void test_64(void)
{
	compare_all(true);
}

static void test_32(void)
{
	compare_all(false);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "vector and x87 rows against the host, 64-bit", test_64 },
		{ "vector and x87 rows against the host, 32-bit", test_32 },
		CU_TEST_INFO_NULL
	};
	static CU_SuiteInfo suites[] = {
		{ "x86-vector", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL
	};

	return harness_run(suites);
}
