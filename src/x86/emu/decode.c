/* From guest bytes to ops: Zydis decodes, the tables choose the handler. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/emu/block.h"
#include "x86/emu/flags.h"

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

struct row {
	uint16_t mnemonic;
	uint16_t operand[4];
	uint16_t attributes;
	x86_handler *handler;
};

static const struct row rows[] = {
#define INST(mnemonic, a, b, c, d, handler, attr) \
	{ ZYDIS_MNEMONIC_##mnemonic, \
	  { OPERAND_##a, OPERAND_##b, OPERAND_##c, OPERAND_##d }, \
	  (attr), x86_op_##handler },
#include "x86/isa/tables.def"
};

int x86_decoder_init(struct x86_decoder *decoder, struct error *error)
{
	bool wide = decoder->mode == X86_MODE_64;
	ZyanStatus status = ZydisDecoderInit(
		&decoder->zydis,
		wide ? ZYDIS_MACHINE_MODE_LONG_64
		     : ZYDIS_MACHINE_MODE_LONG_COMPAT_32,
		wide ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);

	if (!ZYAN_SUCCESS(status))
		return error_set(error, "the Zydis library failed to start "
				 "(status 0x%x): is version 4.0 installed?",
				 (unsigned)status);
	x86_gates_init(decoder);
	decoder->fusions = x86_fusions_create();
	decoder->next_row = xcalloc(ARRAY_SIZE(rows),
				    sizeof *decoder->next_row);
	for (size_t i = ARRAY_SIZE(rows); i-- > 0;) {
		uint16_t *first = &decoder->first_row[rows[i].mnemonic];

		decoder->next_row[i] = *first;
		*first = (uint16_t)(i + 1);
	}
	return 0;
}

/* What the decoder knows about one instruction. */
struct decoding {
	ZydisDecodedInstruction inst;
	ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
	unsigned visible; /* operands */
	uint16_t shape[4];
};

static uint16_t operand_shape(const ZydisDecodedOperand *operand)
{
	unsigned bytes = operand->size / 8 < 256 ? operand->size / 8 : 0;

	switch (operand->type) {
	case ZYDIS_OPERAND_TYPE_MEMORY:
		return (uint16_t)(CLASS_M << 8 | bytes);
	case ZYDIS_OPERAND_TYPE_IMMEDIATE:
		return operand->imm.is_relative ? OPERAND_J : OPERAND_I;
	case ZYDIS_OPERAND_TYPE_POINTER:
		return OPERAND_P;
	case ZYDIS_OPERAND_TYPE_REGISTER:
		switch (ZydisRegisterGetClass(operand->reg.value)) {
		case ZYDIS_REGCLASS_GPR8:
		case ZYDIS_REGCLASS_GPR16:
		case ZYDIS_REGCLASS_GPR32:
		case ZYDIS_REGCLASS_GPR64:
			return (uint16_t)(CLASS_R << 8 | bytes);
		case ZYDIS_REGCLASS_XMM:
			return OPERAND_X;
		case ZYDIS_REGCLASS_YMM:
			return OPERAND_Y;
		case ZYDIS_REGCLASS_MMX:
			return OPERAND_N;
		case ZYDIS_REGCLASS_X87:
			return OPERAND_F;
		case ZYDIS_REGCLASS_SEGMENT:
			return OPERAND_S;
		default:
			return CLASS_OTHER << 8;
		}
	default:
		return CLASS_OTHER << 8;
	}
}

static bool operands_fit(const struct row *row, const struct decoding *d)
{
	for (unsigned i = 0; i < 4; i++) {
		uint16_t want = row->operand[i], is = d->shape[i];

		if (want != is && want != OPERAND_ANY &&
		    !(want == OPERAND_M && is >> 8 == CLASS_M))
			return false;
	}
	return true;
}

static bool has_w(const ZydisDecodedInstruction *inst)
{
	return inst->encoding == ZYDIS_INSTRUCTION_ENCODING_VEX ?
		inst->raw.vex.W : inst->raw.rex.W;
}

/* Whether the prefixes, the mode and what is known about the flags allow this
 * row. `flags` is the attribute for what the flags are known to be, or 0. */
static bool attributes_fit(const struct row *row, const struct decoding *d,
			   bool mode64, unsigned flags)
{
	ZydisInstructionAttributes has = d->inst.attributes;
	unsigned attributes = row->attributes;
	unsigned condition = attributes & (X86_ROW_IF_SUB | X86_ROW_IF_LOGIC |
					   X86_ROW_IF_RESULT);

	if (!(attributes & X86_ROW_LOCK) != !(has & ZYDIS_ATTRIB_HAS_LOCK))
		return false;
	if (!(attributes & X86_ROW_REP) !=
	    !(has & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE)))
		return false;
	if (!(attributes & X86_ROW_REPNE) != !(has & ZYDIS_ATTRIB_HAS_REPNE))
		return false;
	if (attributes & (mode64 ? X86_ROW_MODE32 : X86_ROW_MODE64))
		return false;
	if (!(attributes & X86_ROW_FAR) !=
	    (d->inst.meta.branch_type != ZYDIS_BRANCH_TYPE_FAR))
		return false;
	if ((attributes & X86_ROW_REXW) && !has_w(&d->inst))
		return false;
	if ((attributes & X86_ROW_STACK16) && d->inst.operand_width != 16)
		return false;
	return !condition ||
	       condition == flags * (X86_ROW_IF_SUB / X86_ROW_SUB);
}

static const struct row *search_row(const struct x86_decoder *decoder,
				    const struct decoding *d, unsigned flags)
{
	bool mode64 = decoder->mode == X86_MODE_64;

	/* These share mnemonics with VEX-encoded instructions. */
	if (d->inst.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX ||
	    d->inst.encoding == ZYDIS_INSTRUCTION_ENCODING_MVEX)
		return NULL;
	for (unsigned at = decoder->first_row[d->inst.mnemonic]; at;
	     at = decoder->next_row[at - 1]) {
		const struct row *row = &rows[at - 1];

		if (operands_fit(row, d) &&
		    attributes_fit(row, d, mode64, flags))
			return row;
	}
	return NULL;
}

/* All that search_row() looks at, in one number that is never 0: mnemonic 11
 * bits, shapes 4 times 10, the rest 12. */
static uint64_t row_key(const struct decoding *d, unsigned flags)
{
	ZydisInstructionAttributes has = d->inst.attributes;
	uint64_t key = d->inst.mnemonic;

	_Static_assert(ZYDIS_MNEMONIC_MAX_VALUE < 1 << 11 &&
		       CLASS_OTHER < 16 && ZYDIS_INSTRUCTION_ENCODING_MAX_VALUE
		       < 8, "row_key() is too narrow");
	for (int i = 0; i < 4; i++) {
		unsigned bytes = d->shape[i] & 0xff;

		/* No row asks for more than 32, except for any size. */
		key = key << 10 | (d->shape[i] >> 8 & 15) << 6 |
		      (bytes < 63 ? bytes : 63);
	}
	key = key << 3 | d->inst.encoding;
	key = key << 1 | !!(has & ZYDIS_ATTRIB_HAS_LOCK);
	key = key << 1 | !!(has & (ZYDIS_ATTRIB_HAS_REP |
				   ZYDIS_ATTRIB_HAS_REPE));
	key = key << 1 | !!(has & ZYDIS_ATTRIB_HAS_REPNE);
	key = key << 1 | has_w(&d->inst);
	key = key << 1 | (d->inst.operand_width == 16);
	return key << 3 | (flags / X86_ROW_SUB & 7);
}

static const struct row *find_row(struct x86_decoder *decoder,
				  const struct decoding *d, unsigned flags)
{
	uint64_t key = row_key(d, flags);
	struct x86_row_cache *cached = &decoder->row_cache[
		(key * 0x9e3779b97f4a7c15u >> 40) % X86_ROW_CACHE];

	if (cached->key != key) {
		cached->key = key;
		cached->row = search_row(decoder, d, flags);
	}
	return cached->row;
}

/* ---- Operands ---- */

static uint8_t register_number(ZydisRegister reg)
{
	return (uint8_t)ZydisRegisterGetId(reg);
}

/* Byte offset of a general register in struct x86_cpu. */
static uint8_t register_field(ZydisRegister reg)
{
	if (reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH)
		return (uint8_t)((reg - ZYDIS_REGISTER_AH) * 8 + 1);
	if (ZydisRegisterGetClass(reg) == ZYDIS_REGCLASS_GPR8) {
		/* AL CL DL BL AH CH DH BH SPL BPL SIL DIL R8B ... */
		unsigned id = reg - ZYDIS_REGISTER_AL;

		return (uint8_t)((id < 4 ? id : id - 4) * 8);
	}
	return (uint8_t)(register_number(reg) * 8);
}

static int segment_of(ZydisRegister reg)
{
	switch (reg) {
	case ZYDIS_REGISTER_ES:
		return X86_ES;
	case ZYDIS_REGISTER_CS:
		return X86_CS;
	case ZYDIS_REGISTER_SS:
		return X86_SS;
	case ZYDIS_REGISTER_FS:
		return X86_FS;
	case ZYDIS_REGISTER_GS:
		return X86_GS;
	default:
		return X86_DS;
	}
}

static uint8_t log2_scale(unsigned scale)
{
	return (uint8_t)(scale > 1 ? __builtin_ctz(scale) : 0);
}

/* Fills in the memory operand. Returns the number of ops used: 1 when an
 * address op had to go in front (op then points behind it). */
static unsigned set_memory(struct x86_op *op, const struct decoding *d,
			   const ZydisDecodedOperand *operand, uint64_t next,
			   bool mode64)
{
	const ZydisDecodedOperandMem *mem = &operand->mem;
	int segment = segment_of(mem->segment);
	bool agen = mem->type == ZYDIS_MEMOP_TYPE_AGEN;
	bool segmented = !agen && (segment == X86_FS || segment == X86_GS);
	unsigned natural = mode64 ? 64 : 32;
	struct x86_op address = {
		.base = X86_ZERO * 8, .index = X86_ZERO * 8,
		.scale = log2_scale(mem->scale), .disp = mem->disp.value,
	};

	if (mem->base == ZYDIS_REGISTER_RIP)
		address.disp += (int64_t)next;
	else if (mem->base == ZYDIS_REGISTER_EIP)
		address.disp = (uint32_t)(address.disp + (int64_t)next);
	else if (mem->base != ZYDIS_REGISTER_NONE)
		address.base = register_field(mem->base);
	if (mem->type == ZYDIS_MEMOP_TYPE_VSIB) {
		/* A gather makes its addresses by itself. */
		op->base = address.base;
		op->scale = address.scale;
		op->disp = address.disp;
		op->src = register_number(mem->index);
		op->src3 = (uint8_t)(segmented ? segment : X86_DS);
		op->imm = d->inst.address_width |
			  (d->inst.raw.vex.L ? X86_GATHER_YMM : 0);
		return 0;
	}
	if (mem->index != ZYDIS_REGISTER_NONE)
		address.index = register_field(mem->index);
	if (!segmented && d->inst.address_width == natural) {
		op->base = address.base;
		op->index = address.index;
		op->scale = address.scale;
		op->disp = address.disp;
		return 0;
	}
	/* The address op: imm = address width, src2 = segment. */
	address.handler = x86_op_address;
	address.imm = d->inst.address_width;
	address.src2 = segmented ? (uint8_t)segment : X86_DS;
	address.offset = op->offset;
	address.position = op->position;
	address.length = op->length;
	address.count = op->count;
	op[1] = op[0];
	op[0] = address;
	op[1].position++;
	op[1].base = X86_ADDRESS * 8;
	op[1].index = X86_ZERO * 8;
	op[1].scale = 0;
	op[1].disp = 0;
	return 1;
}

/* The address that an instruction's memory operand names, with segments and
 * address sizes other than the mode's. Segments other than FS and GS are
 * flat. */
X86_OP(address)
{
	uint64_t address = X86_REG64(cpu, op->base) +
			   (X86_REG64(cpu, op->index) << op->scale) +
			   (uint64_t)op->disp;

	if (op->imm == 32)
		address = (uint32_t)address;
	else if (op->imm == 16)
		address = (uint16_t)address;
	cpu->reg[X86_ADDRESS] = address + cpu->segment[op->src2].base;
	X86_NEXT;
}

/* Fills in the operands; returns the ops used in front, as set_memory(). */
static unsigned set_operands(struct x86_op *op, const struct decoding *d,
			     uint64_t next, bool mode64)
{
	uint8_t field[4] = { 0 };
	const ZydisDecodedOperand *memory = NULL;
	unsigned immediates = 0;

	for (unsigned i = 0; i < d->visible; i++) {
		const ZydisDecodedOperand *operand = &d->operand[i];

		switch (operand->type) {
		case ZYDIS_OPERAND_TYPE_REGISTER:
			field[i] = d->shape[i] >> 8 == CLASS_R ?
				register_field(operand->reg.value) :
				d->shape[i] == OPERAND_S ?
				(uint8_t)segment_of(operand->reg.value) :
				register_number(operand->reg.value);
			break;
		case ZYDIS_OPERAND_TYPE_MEMORY:
			memory = operand;
			break;
		case ZYDIS_OPERAND_TYPE_IMMEDIATE:
			if (operand->imm.is_relative) {
				field[2] = d->inst.address_width;
				break;
			}
			if (immediates++)
				op->imm |= (int32_t)
					((uint32_t)operand->imm.value.u << 16);
			else
				op->imm = (int32_t)operand->imm.value.s;
			/* All 64 bits; a memory operand would use disp. */
			op->disp = operand->imm.value.s;
			break;
		case ZYDIS_OPERAND_TYPE_POINTER:
			op->imm = operand->ptr.segment;
			op->disp = operand->ptr.offset;
			break;
		default:
			break;
		}
	}
	if (d->inst.mnemonic == ZYDIS_MNEMONIC_MASKMOVQ ||
	    d->inst.mnemonic == ZYDIS_MNEMONIC_MASKMOVDQU ||
	    d->inst.mnemonic == ZYDIS_MNEMONIC_VMASKMOVDQU)
		memory = &d->operand[2]; /* hidden: [rDI] */
	op->dst = field[0];
	op->src = field[1];
	op->src2 = field[2];
	op->src3 = field[3];
	if (!d->visible) {
		ZydisInstructionAttributes has = d->inst.attributes;

		op->imm = d->inst.address_width;
		op->src2 = has & ZYDIS_ATTRIB_HAS_SEGMENT_FS ? X86_FS :
			   has & ZYDIS_ATTRIB_HAS_SEGMENT_GS ? X86_GS : X86_DS;
	}
	return memory ? set_memory(op, d, memory, next, mode64) : 0;
}

/* ---- Blocks ---- */

/* A block in the making. */
struct builder {
	struct x86_op op[X86_BLOCK_OPS];
	unsigned count;        /* ops */
	unsigned instructions;
	unsigned bytes;
	unsigned flags;        /* X86_ROW_SUB, ... while known, or 0 */
	bool ended;            /* the last op ends the block */
	bool open;             /* what follows does not decode */
	uint64_t target;       /* of a direct branch at the end */
};

static struct x86_op *new_op(struct builder *b, x86_handler *handler,
			     unsigned length)
{
	struct x86_op *op = &b->op[b->count];

	*op = (struct x86_op){
		.handler = handler,
		.base = X86_ZERO * 8, .index = X86_ZERO * 8,
		.position = (uint8_t)b->count,
		.offset = (uint16_t)b->bytes,
		.length = (uint8_t)length,
		.count = (uint8_t)b->instructions,
	};
	b->count++;
	return op;
}

static bool does_nothing(const struct decoding *d)
{
	return (d->inst.mnemonic == ZYDIS_MNEMONIC_NOP ||
		d->inst.mnemonic == ZYDIS_MNEMONIC_ENDBR32 ||
		d->inst.mnemonic == ZYDIS_MNEMONIC_ENDBR64 ||
		d->inst.mnemonic == ZYDIS_MNEMONIC_PAUSE) &&
	       !(d->inst.attributes & ZYDIS_ATTRIB_HAS_LOCK);
}

/* The marker of m2s.h: nopl disp32(%rax) (in 32-bit code %eax), without
 * prefixes, whose displacement is the letters m2s and a code. */
static bool is_marker(const struct decoding *d)
{
	return d->inst.mnemonic == ZYDIS_MNEMONIC_NOP && d->inst.length == 7 &&
	       d->inst.opcode == 0x1f && d->inst.raw.modrm.mod == 2 &&
	       d->inst.raw.modrm.reg == 0 && d->inst.raw.modrm.rm == 0 &&
	       (d->inst.raw.disp.value & 0xffffff) ==
		       ('m' | '2' << 8 | 's' << 16);
}

static void track_flags(struct builder *b, const struct decoding *d,
			const struct row *row)
{
	const ZydisAccessedFlags *flags = d->inst.cpu_flags;
	unsigned known = row->attributes &
			 (X86_ROW_SUB | X86_ROW_LOGIC | X86_ROW_RESULT);

	if (known)
		b->flags = known;
	else if (flags && ((flags->modified | flags->set_0 | flags->set_1 |
			    flags->undefined) & X86_ARITHMETIC))
		b->flags = 0;
}

static void add_instruction(const struct x86_emulator *emulator,
			    struct builder *b, struct decoding *d,
			    uint64_t rip)
{
	uint64_t next = rip + d->inst.length;
	bool mode64 = emulator->mode == X86_MODE_64;
	const struct row *row;
	struct x86_op *op;

	d->visible = d->inst.operand_count_visible;
	memset(d->shape, 0, sizeof d->shape);
	for (unsigned i = 0; i < d->visible && i < 4; i++)
		d->shape[i] = operand_shape(&d->operand[i]);
	if (d->visible > 4)
		d->visible = 4;
	if (x86_refused(emulator->decoder, &d->inst)) {
		new_op(b, x86_op_undefined, d->inst.length);
		b->bytes += d->inst.length;
		b->instructions++;
		b->ended = true;
		return;
	}
	if (does_nothing(d)) {
		if (is_marker(d)) {
			op = new_op(b, x86_op_marker, d->inst.length);
			op->imm = (int32_t)(d->inst.raw.disp.value >> 24 &
					    0xff);
			b->ended = true;
		}
		b->bytes += d->inst.length;
		b->instructions++;
		return;
	}
	row = find_row(emulator->decoder, d, b->flags);
	if (!row) {
		new_op(b, x86_op_unsupported, d->inst.length);
		b->ended = true;
	} else {
		op = new_op(b, row->handler, d->inst.length);
		b->count += set_operands(op, d, next, mode64);
		b->ended = row->attributes & X86_ROW_END;
		track_flags(b, d, row);
	}
	for (unsigned i = 0; i < d->visible; i++)
		if (d->shape[i] == OPERAND_J) {
			b->target = next + d->operand[i].imm.value.u;
			if (!mode64)
				b->target = (uint32_t)b->target;
			/* A 16-bit branch in 32-bit code drops the rest. */
			if (!mode64 && d->inst.operand_width == 16)
				b->target = (uint16_t)b->target;
		}
	b->bytes += d->inst.length;
	b->instructions++;
}

x86_handler *x86_handler_of(const struct x86_decoder *decoder,
			    const ZydisDecodedInstruction *inst,
			    const ZydisDecodedOperand *operand)
{
	struct decoding d = { .inst = *inst };
	const struct row *row;

	if (x86_refused(decoder, inst))
		return x86_op_undefined;
	if (does_nothing(&d))
		return x86_op_nop;
	for (unsigned i = 0; i < inst->operand_count_visible && i < 4; i++)
		d.shape[i] = operand_shape(&operand[i]);
	row = search_row(decoder, &d, 0);
	return row ? row->handler : x86_op_unsupported;
}

unsigned x86_row_count(ZydisMnemonic mnemonic)
{
	const unsigned shortcut = X86_ROW_IF_SUB | X86_ROW_IF_LOGIC |
				  X86_ROW_IF_RESULT;
	unsigned count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		count += rows[i].mnemonic == mnemonic &&
			 !(rows[i].attributes & shortcut);
	return count;
}

static bool writes_memory(const struct decoding *d)
{
	for (unsigned i = 0; i < d->inst.operand_count; i++)
		if (d->operand[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    d->operand[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			return true;
	return false;
}

static void fetch_fault(const struct x86_emulator *emulator, uint64_t address,
			struct x86_fault *fault)
{
	const struct space_region *mapped =
		space_region_at(emulator->space, address);
	/* Linux shows its own half as if something were there. */
	bool present = (mapped && mapped->protection) || address >> 47;

	*fault = (struct x86_fault){
		.signal = SIGSEGV, .address = address, .vector = 14,
		.code = mapped ? SEGV_ACCERR : SEGV_MAPERR,
		.error_code = (uint16_t)(4 | 16 | (present ? 1 : 0)),
	};
	/* A non-canonical address is a general protection fault. */
	if ((address + (1ull << 47)) >> 48) {
		fault->code = SI_KERNEL;
		fault->address = 0;
		fault->vector = 13;
		fault->error_code = 0;
	}
}

/* Copies executable bytes from rip on, at most `size` and into the next page
 * at most as far as one instruction reaches. */
static size_t fetch(const struct x86_emulator *emulator, uint64_t rip,
		    uint8_t *code, size_t size, struct x86_fault *fault)
{
	size_t here = SPACE_PAGE - rip % SPACE_PAGE, length;

	if (!space_check(emulator->space, rip, 1, SPACE_EXECUTE)) {
		fetch_fault(emulator, rip, fault);
		return 0;
	}
	length = here < size ? here : size;
	if (length == here && here + 15 <= size &&
	    space_check(emulator->space, rip + here, 1, SPACE_EXECUTE))
		length += 15;
	if (space_read(emulator->space, rip, code, length) == 0)
		return length;
	/* A file that ends before its mapping does. */
	if (length > here &&
	    space_read(emulator->space, rip, code, here) == 0)
		return here;
	*fault = (struct x86_fault){
		.signal = SIGBUS, .code = BUS_ADRERR, .address = rip,
		.vector = 14, .error_code = 4 | 16,
	};
	return 0;
}

static struct x86_block *finish(const struct x86_emulator *emulator,
				struct x86_block_memory *memory,
				struct builder *b, uint64_t rip,
				const uint8_t *code, bool checked)
{
	struct x86_block *block;
	struct x86_exit *exit;

	if (!b->ended) {
		struct x86_op *op = new_op(b, x86_op_fallthrough, 0);

		/* It is no instruction: let its count not count it. */
		op->count = (uint8_t)(b->instructions - 1);
	}
	block = x86_block_allocate(memory, sizeof *block +
				   (b->count + 1) * sizeof block->op[0]);
	*block = (struct x86_block){ .rip = rip };
	memcpy(block->op, b->op, b->count * sizeof block->op[0]);
	x86_fuse(emulator->decoder->fusions, block->op, b->count);
	exit = (void *)(block->op + b->count);
	*exit = (struct x86_exit){
		.address = { b->target, rip + b->bytes },
	};
	block->open = b->open;
	block->bytes = (uint16_t)b->bytes;
	block->op_count = (uint16_t)(b->count + 1);
	block->instructions = (uint16_t)b->instructions;
	block->pages = b->bytes && (rip + b->bytes - 1) / SPACE_PAGE !=
					   rip / SPACE_PAGE ? 2 : 1;
	if (checked) {
		block->code = x86_block_allocate(memory, b->bytes);
		memcpy(block->code, code, b->bytes);
	}
	return block;
}

/* The offset in a cpu of a register in an address; false when it is none of
 * the full width. */
static bool address_register(ZydisRegister reg, bool mode64, uint8_t *field)
{
	ZydisRegisterClass class = ZydisRegisterGetClass(reg);

	*field = X86_ZERO * 8;
	if (reg == ZYDIS_REGISTER_NONE)
		return true;
	*field = (uint8_t)(ZydisRegisterGetId(reg) * 8);
	return class == (mode64 ? ZYDIS_REGCLASS_GPR64 : ZYDIS_REGCLASS_GPR32);
}

/* Fills in a watch op's operand: false when it is not so simple. */
static bool set_watched(struct x86_op *op, const struct decoding *d,
			const ZydisDecodedOperand *operand, uint64_t next,
			bool mode64)
{
	const ZydisDecodedOperandMem *memory = &operand->mem;

	if (memory->segment == ZYDIS_REGISTER_FS ||
	    memory->segment == ZYDIS_REGISTER_GS ||
	    memory->type != ZYDIS_MEMOP_TYPE_MEM ||
	    d->inst.address_width != (mode64 ? 64 : 32) ||
	    d->inst.attributes & (ZYDIS_ATTRIB_HAS_REP |
				  ZYDIS_ATTRIB_HAS_REPE |
				  ZYDIS_ATTRIB_HAS_REPNE) ||
	    !address_register(memory->index, mode64, &op->index))
		return false;
	op->imm = operand->size / 8;
	op->disp = memory->disp.value;
	for (unsigned scale = memory->scale; scale > 1; scale /= 2)
		op->scale++;
	if (memory->base == ZYDIS_REGISTER_RIP) {
		op->disp += (int64_t)next;
		return true;
	}
	if (!address_register(memory->base, mode64, &op->base))
		return false;
	/* What is pushed lies below the stack pointer. */
	if (operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
	    op->base == X86_RSP * 8 &&
	    operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
		op->disp -= op->imm;
	return true;
}

/* For x86_watch(): an op in front of an instruction that touches memory. */
static void add_watch(const struct x86_emulator *emulator, struct builder *b,
		      const struct decoding *d, uint64_t rip)
{
	const ZydisDecodedOperand *operand = NULL;
	unsigned count = 0;
	struct x86_op *op, simple;

	for (unsigned i = 0; i < d->inst.operand_count; i++)
		if (d->operand[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    d->operand[i].mem.type != ZYDIS_MEMOP_TYPE_AGEN) {
			operand = &d->operand[i];
			count++;
		}
	if (!count || does_nothing(d))
		return;
	op = new_op(b, x86_op_watch_instruction, 0);
	simple = *op;
	if (count == 1 && set_watched(&simple, d, operand,
				      rip + d->inst.length,
				      emulator->mode == X86_MODE_64)) {
		simple.handler = x86_op_watch_operand;
		*op = simple;
	}
}

/* A block that only stops the run. */
static void add_stop(struct builder *b, x86_handler *handler)
{
	new_op(b, handler, 0);
	b->bytes = 1;
	b->ended = true;
}

static bool is_last(const struct x86_emulator *emulator, const uint8_t *code,
		    size_t size)
{
	return emulator->last_size == size && size &&
	       !memcmp(emulator->last, code, size);
}

static ZyanStatus decode_one(const struct x86_emulator *emulator,
			     const uint8_t *code, size_t size, bool hidden,
			     struct decoding *d)
{
	const ZydisDecoder *zydis = &emulator->decoder->zydis;
	ZydisDecoderContext context;
	ZyanStatus status = ZydisDecoderDecodeInstruction(
		zydis, &context, code, size, &d->inst);

	if (!ZYAN_SUCCESS(status))
		return status;
	/* The hidden operands take as long as the others, and hardly anybody
	 * asks for them. */
	hidden = hidden || d->inst.mnemonic == ZYDIS_MNEMONIC_MASKMOVQ ||
		 d->inst.mnemonic == ZYDIS_MNEMONIC_MASKMOVDQU ||
		 d->inst.mnemonic == ZYDIS_MNEMONIC_VMASKMOVDQU;
	return ZydisDecoderDecodeOperands(
		zydis, &context, &d->inst, d->operand,
		hidden ? d->inst.operand_count :
			 d->inst.operand_count_visible);
}

struct x86_block *x86_decode(struct x86_emulator *emulator,
			     struct x86_block_memory *memory, uint64_t rip,
			     unsigned limit, bool checked,
			     struct x86_fault *fault)
{
	/* What most blocks need, and what the longest needs. */
	enum { SOME = 96, ALL = X86_BLOCK_INSTRUCTIONS * 15 + 15 };
	uint8_t code[ALL];
	size_t wanted = limit == 1 ? 15 : SOME;
	size_t available = fetch(emulator, rip, code, wanted, fault);
	size_t in_page = SPACE_PAGE - rip % SPACE_PAGE;
	bool watching = limit > 1 &&
			emulator->watch_start != emulator->watch_end;
	struct builder b;
	struct decoding d;

	/* An instruction that runs by itself is looked at by who runs it. */
	if (watching)
		limit /= 2; /* their ops need room */
	b.count = b.instructions = b.bytes = b.flags = 0;
	b.ended = b.open = false;
	b.target = 0;
	if (!available)
		return NULL;
	if (checked)
		new_op(&b, x86_op_check, 0);
	while (!b.ended && b.instructions < limit && b.bytes < in_page &&
	       b.bytes < available) {
		ZyanStatus status;

		if (limit > 1 && emulator->breakpoint_count &&
		    x86_breakpoint_at(emulator, rip + b.bytes)) {
			if (!b.instructions)
				add_stop(&b, x86_op_breakpoint);
			break;
		}
		if (available - b.bytes < 15 && wanted != ALL) {
			wanted = ALL;
			available = fetch(emulator, rip, code, ALL, fault);
			if (available <= b.bytes)
				return NULL;
		}
		status = decode_one(emulator, code + b.bytes,
				    available - b.bytes, checked || watching,
				    &d);
		if (ZYAN_SUCCESS(status)) {
			if (is_last(emulator, code + b.bytes, d.inst.length)) {
				if (!b.instructions)
					add_stop(&b, x86_op_last_instruction);
				break;
			}
			if (watching)
				add_watch(emulator, &b, &d, rip + b.bytes);
			add_instruction(emulator, &b, &d, rip + b.bytes);
			if (checked && writes_memory(&d))
				break;
			continue;
		}
		b.open = true;
		if (b.instructions) /* met again as a first instruction */
			break;
		if (status == ZYDIS_STATUS_NO_MORE_DATA && available < 15) {
			fetch_fault(emulator, rip + available, fault);
			return NULL;
		}
		new_op(&b, status == ZYDIS_STATUS_INSTRUCTION_TOO_LONG ?
			   x86_op_too_long : x86_op_undefined, 1);
		b.bytes = 1;
		b.instructions = 1;
		b.ended = true;
	}
	return finish(emulator, memory, &b, rip, code, checked);
}

/* ---- Ops without a table row ---- */

X86_OP(fallthrough)
{
	X86_EXIT(1);
}

/* First in a block whose page is often overwritten. */
X86_OP(check)
{
	const struct x86_block *block = x86_op_block(op);

	cpu->op = op;
	if (memcmp(cpu->base + block->rip, block->code, block->bytes) != 0)
		return X86_LEAVE_CODE_CHANGED;
	X86_NEXT;
}

X86_OP(unsupported)
{
	cpu->op = op;
	return X86_LEAVE_UNSUPPORTED;
}

X86_OP(undefined)
{
	return x86_raise(cpu, op, SIGILL, ILL_ILLOPN, x86_op_rip(op), 6);
}

X86_OP(too_long)
{
	return x86_raise(cpu, op, SIGSEGV, SI_KERNEL, 0, 13);
}
