/* The row of the tables for an instruction. */
#include <string.h>

#include "base/memory.h"
#include "x86/emu/decode/decode.h"

#define INST(mnemonic, a, b, c, d, handler, attr) \
	x86_handler x86_observed_##handler;
#include "x86/isa/tables.def"

static const struct x86_row rows[] = {
#define INST(mnemonic, a, b, c, d, handler, attr) \
	{ ZYDIS_MNEMONIC_##mnemonic, \
	  { OPERAND_##a, OPERAND_##b, OPERAND_##c, OPERAND_##d }, \
	  (attr), x86_op_##handler, x86_observed_##handler },
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

void x86_set_shapes(struct x86_decoding *d)
{
	d->visible = d->inst.operand_count_visible;
	memset(d->shape, 0, sizeof d->shape);
	for (unsigned i = 0; i < d->visible && i < 4; i++)
		d->shape[i] = operand_shape(&d->operand[i]);
	if (d->visible > 4)
		d->visible = 4;
}

static bool operands_fit(const struct x86_row *row,
			 const struct x86_decoding *d)
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

/* Whether prefixes, mode and known flags allow this row. `flags` is the
 * attribute of the known flags, or 0. */
static bool attributes_fit(const struct x86_row *row,
			   const struct x86_decoding *d, bool mode64,
			   unsigned flags)
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

static const struct x86_row *search_row(const struct x86_decoder *decoder,
					const struct x86_decoding *d,
					unsigned flags)
{
	bool mode64 = decoder->mode == X86_MODE_64;

	/* These share mnemonics with VEX-encoded instructions. */
	if (d->inst.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX ||
	    d->inst.encoding == ZYDIS_INSTRUCTION_ENCODING_MVEX)
		return NULL;
	for (unsigned at = decoder->first_row[d->inst.mnemonic]; at;
	     at = decoder->next_row[at - 1]) {
		const struct x86_row *row = &rows[at - 1];

		if (operands_fit(row, d) &&
		    attributes_fit(row, d, mode64, flags))
			return row;
	}
	return NULL;
}

/* Everything that search_row() reads, in one number that is never 0: mnemonic
 * 11 bits, shapes 4 times 10, the rest 13. */
static uint64_t row_key(const struct x86_decoding *d, unsigned flags)
{
	ZydisInstructionAttributes has = d->inst.attributes;
	uint64_t key = d->inst.mnemonic;

	_Static_assert(ZYDIS_MNEMONIC_MAX_VALUE < 1 << 11 &&
		       CLASS_OTHER < 16 && ZYDIS_INSTRUCTION_ENCODING_MAX_VALUE
		       < 8, "row_key() is too narrow");
	for (int i = 0; i < 4; i++) {
		unsigned bytes = d->shape[i] & 0xff;

		/* Rows need at most 32 bytes, or accept any size. */
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
	key = key << 1 | (d->inst.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR);
	return key << 3 | (flags / X86_ROW_SUB & 7);
}

const struct x86_row *x86_find_row(struct x86_decoder *decoder,
				   const struct x86_decoding *d, unsigned flags)
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

/* The name of a row, by its number. */
static const char *const row_names[] = {
#define INST(mnemonic, a, b, c, d, handler, attr) \
	#mnemonic " " #a " " #b " " #c " " #d,
#include "x86/isa/tables.def"
};

const char *x86_row_name(unsigned row)
{
	return row < ARRAY_SIZE(row_names) ? row_names[row] : NULL;
}

unsigned x86_rows(void)
{
	return ARRAY_SIZE(rows);
}

uint16_t x86_row_number(const struct x86_row *row)
{
	return (uint16_t)(row - rows);
}

x86_handler *x86_handler_of(const struct x86_decoder *decoder,
			    const ZydisDecodedInstruction *inst,
			    const ZydisDecodedOperand *operand)
{
	struct x86_decoding d = { .inst = *inst };
	const struct x86_row *row;

	if (x86_refused(decoder, inst))
		return x86_op_undefined;
	if (x86_does_nothing(&d))
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
