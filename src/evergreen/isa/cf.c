/* CF instructions: the layouts and their decoder and encoder. */
#include <string.h>

#include "base/memory.h"
#include "evergreen/isa/inst.h"
#include "evergreen/isa/layout.h"
#include "evergreen/isa/table.h"

#define F(...) EVG_FIELD(evg_cf_inst, __VA_ARGS__)
#define FL(...) EVG_FIELD_LEGAL(evg_cf_inst, __VA_ARGS__)
#define CODE EVG_FIELD_CODE

enum { LEGAL_JUMPTABLE = 0x3f, LEGAL_EXPORT_TYPE = 0x07 };

#define CF_WORD1_FIELDS                                                        \
	F(pop_count, "POP_COUNT", 1, 2, 0),                                    \
	F(cf_const, "CF_CONST", 1, 7, 3),                                      \
	F(condition, "COND", 1, 9, 8),                                         \
	F(count, "COUNT", 1, 15, 10),                                          \
	F(valid_pixel_mode, "VALID_PIXEL_MODE", 1, 20, 20),                    \
	F(end_of_program, "END_OF_PROGRAM", 1, 21, 21),                        \
	CODE("CF_INST", 1, 29, 22),                                            \
	F(whole_quad_mode, "WHOLE_QUAD_MODE", 1, 30, 30),                      \
	F(barrier, "BARRIER", 1, 31, 31)

static const struct evg_field cf_word[] = {
	F(address, "ADDR", 0, 23, 0),
	FL(jumptable_select, "JUMPTABLE_SEL", 0, 26, 24, LEGAL_JUMPTABLE),
	CF_WORD1_FIELDS,
};

static const struct evg_field gws[] = {
	F(gws_value, "VALUE", 0, 9, 0),
	F(gws_resource, "RESOURCE", 0, 20, 16),
	F(gws_sign, "SIGN", 0, 25, 25),
	FL(gws_value_index_mode, "VAL_INDEX_MODE", 0, 27, 26,
	   EVG_LEGAL_INDEX_MODE),
	FL(gws_resource_index_mode, "RSRC_INDEX_MODE", 0, 29, 28,
	   EVG_LEGAL_INDEX_MODE),
	F(gws_opcode, "GWS_OPCODE", 0, 31, 30),
	CF_WORD1_FIELDS,
};

static const struct evg_field alu_word[] = {
	F(address, "ADDR", 0, 21, 0),
	F(kcache[0].bank, "KCACHE_BANK0", 0, 25, 22),
	F(kcache[1].bank, "KCACHE_BANK1", 0, 29, 26),
	F(kcache[0].mode, "KCACHE_MODE0", 0, 31, 30),
	F(kcache[1].mode, "KCACHE_MODE1", 1, 1, 0),
	F(kcache[0].address, "KCACHE_ADDR0", 1, 9, 2),
	F(kcache[1].address, "KCACHE_ADDR1", 1, 17, 10),
	F(count, "COUNT", 1, 24, 18),
	F(alt_const, "ALT_CONST", 1, 25, 25),
	CODE("CF_INST", 1, 29, 26),
	F(whole_quad_mode, "WHOLE_QUAD_MODE", 1, 30, 30),
	F(barrier, "BARRIER", 1, 31, 31),
};

static const struct evg_field alu_extended[] = {
	FL(kcache[0].bank_index_mode, "KCACHE_BANK_INDEX_MODE0", 0, 5, 4,
	   EVG_LEGAL_INDEX_MODE),
	FL(kcache[1].bank_index_mode, "KCACHE_BANK_INDEX_MODE1", 0, 7, 6,
	   EVG_LEGAL_INDEX_MODE),
	FL(kcache[2].bank_index_mode, "KCACHE_BANK_INDEX_MODE2", 0, 9, 8,
	   EVG_LEGAL_INDEX_MODE),
	FL(kcache[3].bank_index_mode, "KCACHE_BANK_INDEX_MODE3", 0, 11, 10,
	   EVG_LEGAL_INDEX_MODE),
	F(kcache[2].bank, "KCACHE_BANK2", 0, 25, 22),
	F(kcache[3].bank, "KCACHE_BANK3", 0, 29, 26),
	F(kcache[2].mode, "KCACHE_MODE2", 0, 31, 30),
	F(kcache[3].mode, "KCACHE_MODE3", 1, 1, 0),
	F(kcache[2].address, "KCACHE_ADDR2", 1, 9, 2),
	F(kcache[3].address, "KCACHE_ADDR3", 1, 17, 10),
	CODE("CF_INST", 1, 29, 26),
	F(extended_barrier, "BARRIER", 1, 31, 31),
};

#define EXPORT_WORD0_REGISTERS                                                 \
	F(rw_gpr, "RW_GPR", 0, 21, 15),                                        \
	F(rw_relative, "RW_REL", 0, 22, 22),                                   \
	F(index_gpr, "INDEX_GPR", 0, 29, 23),                                  \
	F(element_size, "ELEM_SIZE", 0, 31, 30)

#define EXPORT_WORD1_COMMON                                                    \
	F(burst_count, "BURST_COUNT", 1, 19, 16),                              \
	F(valid_pixel_mode, "VALID_PIXEL_MODE", 1, 20, 20),                    \
	F(end_of_program, "END_OF_PROGRAM", 1, 21, 21),                        \
	CODE("CF_INST", 1, 29, 22),                                            \
	F(mark, "MARK", 1, 30, 30),                                            \
	F(barrier, "BARRIER", 1, 31, 31)

#define EXPORT_WORD1_BUF                                                       \
	F(array_size, "ARRAY_SIZE", 1, 11, 0),                                 \
	F(component_mask, "COMP_MASK", 1, 15, 12)

static const struct evg_field export_buf[] = {
	F(array_base, "ARRAY_BASE", 0, 12, 0),
	F(type, "TYPE", 0, 14, 13),
	EXPORT_WORD0_REGISTERS,
	EXPORT_WORD1_BUF,
	EXPORT_WORD1_COMMON,
};

static const struct evg_field export_swiz[] = {
	F(array_base, "ARRAY_BASE", 0, 12, 0),
	FL(type, "TYPE", 0, 14, 13, LEGAL_EXPORT_TYPE),
	EXPORT_WORD0_REGISTERS,
	FL(select[0], "SEL_X", 1, 2, 0, EVG_LEGAL_SELECT),
	FL(select[1], "SEL_Y", 1, 5, 3, EVG_LEGAL_SELECT),
	FL(select[2], "SEL_Z", 1, 8, 6, EVG_LEGAL_SELECT),
	FL(select[3], "SEL_W", 1, 11, 9, EVG_LEGAL_SELECT),
	EXPORT_WORD1_COMMON,
};

static const struct evg_field export_rat[] = {
	F(rat_id, "RAT_ID", 0, 3, 0),
	CODE("RAT_INST", 0, 9, 4),
	FL(rat_index_mode, "RAT_INDEX_MODE", 0, 12, 11, EVG_LEGAL_INDEX_MODE),
	F(type, "TYPE", 0, 14, 13),
	EXPORT_WORD0_REGISTERS,
	EXPORT_WORD1_BUF,
	EXPORT_WORD1_COMMON,
};

#define LAYOUT(name, fields) {name, fields, ARRAY_SIZE(fields), 2}

static const struct evg_layout layouts[] = {
	[EVG_CF_WORD] = LAYOUT("CF_WORD", cf_word),
	[EVG_CF_GWS] = LAYOUT("CF_GWS_WORD", gws),
	[EVG_CF_ALU_WORD] = LAYOUT("CF_ALU_WORD", alu_word),
	[EVG_CF_ALU_EXTENDED_WORD] =
		LAYOUT("CF_ALU_EXTENDED_WORD", alu_extended),
	[EVG_CF_EXPORT_BUF] = LAYOUT("CF_ALLOC_EXPORT_WORD_BUF", export_buf),
	[EVG_CF_EXPORT_SWIZ] = LAYOUT("CF_ALLOC_EXPORT_WORD_SWIZ", export_swiz),
	[EVG_CF_EXPORT_RAT] = LAYOUT("CF_ALLOC_EXPORT_WORD_RAT", export_rat),
};

const struct evg_layout *evg_cf_layout(enum evg_cf_format format)
{
	return &layouts[format];
}

/* Bit 29 of word 1 tells the 4-bit codes of CF_ALU from the 8-bit ones. */
static int decode_op(const uint32_t *words, struct error *error)
{
	bool is_alu = words[1] >> 29 & 1;
	unsigned code = is_alu ? evg_bits(words[1], 29, 26)
			       : evg_bits(words[1], 29, 22);
	int op = evg_cf_find(is_alu, code);

	if (op < 0)
		return evg_error_words(error, words, 2,
				       "field CF_INST is %u, which is not a "
				       "control-flow instruction",
				       code);
	return op;
}

int evg_cf_decode(struct evg_cf_inst *inst, const uint32_t *words,
		  size_t units, struct error *error)
{
	int taken = 1, op;

	memset(inst, 0, sizeof(*inst));
	if (!units)
		return error_set(error, "the program ends before this "
					"control-flow instruction");
	op = decode_op(words, error);
	if (op < 0)
		return -1;

	if (op == EVG_CF_ALU_EXT) {
		if (evg_layout_read(&layouts[EVG_CF_ALU_EXTENDED_WORD], inst,
				    words, error))
			return -1;
		memcpy(inst->extended_word, words, sizeof(inst->extended_word));
		if (units < 2)
			return evg_error_words(error, words, 2,
					       "ALU_EXTENDED is the last word "
					       "of the program");
		words += 2;
		taken = 2;
		op = decode_op(words, error);
		if (op < 0)
			return -1;
		if (!evg_cf_has_alu_clause((enum evg_cf_op)op))
			return evg_error_words(error, words, 2,
					       "%s follows ALU_EXTENDED, which "
					       "needs an ALU instruction",
					       evg_cf_info[op].name);
	}

	inst->op = (enum evg_cf_op)op;
	inst->format = evg_cf_info[op].format;
	if (evg_layout_read(&layouts[inst->format], inst, words, error))
		return -1;
	memcpy(inst->word, words, sizeof(inst->word));
	if (evg_cf_has_alu_clause(inst->op) || evg_cf_has_fetch_clause(inst->op))
		inst->count++;
	if (inst->format == EVG_CF_EXPORT_RAT) {
		int rat_op = evg_rat_find(evg_bits(words[0], 9, 4));

		if (rat_op < 0)
			return evg_error_words(error, words, 2,
					       "field RAT_INST is %u, which is "
					       "not a memory operation",
					       evg_bits(words[0], 9, 4));
		inst->rat_op = (enum evg_rat_op)rat_op;
	}
	if (taken == 2)
		inst->format = EVG_CF_ALU_EXTENDED_WORD;
	return taken;
}

int evg_cf_encode(uint32_t *words, const struct evg_cf_inst *inst,
		  struct error *error)
{
	struct evg_cf_inst copy = *inst;
	const struct evg_cf_info *info;
	int taken = 0;

	if ((unsigned)inst->op >= EVG_CF_COUNT || inst->op == EVG_CF_ALU_EXT)
		return error_set(error, "%d is not a control-flow instruction "
					"that stands alone",
				 (int)inst->op);
	info = &evg_cf_info[inst->op];
	if (inst->format == EVG_CF_ALU_EXTENDED_WORD) {
		if (info->format != EVG_CF_ALU_WORD)
			return error_set(error, "%s cannot be extended",
					 info->name);
		words[0] = 0;
		words[1] = (uint32_t)evg_cf_info[EVG_CF_ALU_EXT].code << 26;
		if (evg_layout_write(&layouts[EVG_CF_ALU_EXTENDED_WORD], inst,
				     words, error))
			return -1;
		words += 2;
		taken = 1;
	}

	words[0] = 0;
	words[1] = (uint32_t)info->code
		   << (info->format == EVG_CF_ALU_WORD ? 26 : 22);
	if (evg_cf_has_alu_clause(inst->op) ||
	    evg_cf_has_fetch_clause(inst->op)) {
		if (!inst->count)
			return error_set(error, "%s: the clause is empty",
					 info->name);
		copy.count--;
	}
	if (info->format == EVG_CF_EXPORT_RAT) {
		if ((unsigned)inst->rat_op >= EVG_RAT_COUNT)
			return error_set(error, "%s: no operation %d",
					 info->name, (int)inst->rat_op);
		words[0] |= (uint32_t)evg_rat_info[inst->rat_op].code << 4;
	}
	if (evg_layout_write(&layouts[info->format], &copy, words, error))
		return -1;
	return taken + 1;
}
