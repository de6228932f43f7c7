/* Text of ALU groups, in the style of AMD's listings. */
#include <string.h>

#include "evergreen/isa/inst.h"
#include "evergreen/isa/text.h"

static const char *index_name(unsigned mode)
{
	return mode == EVG_INDEX_LOOP ? "aL" : "AR";
}

static void add_register(struct evg_text *text, unsigned gpr, bool relative,
			 unsigned mode)
{
	if (relative && mode == EVG_INDEX_GLOBAL)
		evg_text_add(text, "G[%u]", gpr);
	else if (relative && mode == EVG_INDEX_GLOBAL_AR)
		evg_text_add(text, "G[%u+AR]", gpr);
	else if (relative)
		evg_text_add(text, "R[%u+%s]", gpr, index_name(mode));
	else if (gpr >= EVG_FIRST_TEMPORARY)
		evg_text_add(text, "T%u", EVG_REGISTERS - 1 - gpr);
	else
		evg_text_add(text, "R%u", gpr);
}

const struct evg_select_name evg_select_names[] = {
	{ "QA", EVG_SELECT_LDS_OQ_A },
	{ "QB", EVG_SELECT_LDS_OQ_B },
	{ "QA.pop", EVG_SELECT_LDS_OQ_A_POP },
	{ "QB.pop", EVG_SELECT_LDS_OQ_B_POP },
	{ "LDS_DIRECT_A", EVG_SELECT_LDS_DIRECT_A },
	{ "LDS_DIRECT_B", EVG_SELECT_LDS_DIRECT_B },
	{ "TIME_HI", EVG_SELECT_TIME_HI },
	{ "TIME_LO", EVG_SELECT_TIME_LO },
	{ "MASK_HI", EVG_SELECT_MASK_HI },
	{ "MASK_LO", EVG_SELECT_MASK_LO },
	{ "HW_WAVE_ID", EVG_SELECT_HW_WAVE_ID },
	{ "SIMD_ID", EVG_SELECT_SIMD_ID },
	{ "SE_ID", EVG_SELECT_SE_ID },
	{ "HW_THREADGRP_ID", EVG_SELECT_HW_THREADGRP_ID },
	{ "WAVE_ID_IN_GRP", EVG_SELECT_WAVE_ID_IN_GRP },
	{ "NUM_THREADGRP_WAVES", EVG_SELECT_NUM_THREADGRP_WAVES },
	{ "HW_ALU_ODD", EVG_SELECT_HW_ALU_ODD },
	{ "aL", EVG_SELECT_LOOP_INDEX },
	{ "PARAM_BASE_ADDR", EVG_SELECT_PARAM_BASE_ADDR },
	{ "NEW_PRIM_MASK", EVG_SELECT_NEW_PRIM_MASK },
	{ "PRIM_MASK_HI", EVG_SELECT_PRIM_MASK_HI },
	{ "PRIM_MASK_LO", EVG_SELECT_PRIM_MASK_LO },
	{ "1.0_LOW", EVG_SELECT_1_DOUBLE_LOW },
	{ "1.0_HIGH", EVG_SELECT_1_DOUBLE_HIGH },
	{ "0.5_LOW", EVG_SELECT_HALF_DOUBLE_LOW },
	{ "0.5_HIGH", EVG_SELECT_HALF_DOUBLE_HIGH },
	{ "0.0f", EVG_SELECT_0 },
	{ "1.0f", EVG_SELECT_1 },
	{ "1", EVG_SELECT_1_INT },
	{ "-1", EVG_SELECT_M1_INT },
	{ "0.5f", EVG_SELECT_HALF },
	{ NULL, 0 },
};

static const char *select_name(unsigned select)
{
	const struct evg_select_name *row = evg_select_names;

	while (row->name && row->select != select)
		row++;
	return row->name;
}

static void add_kcache(struct evg_text *text, unsigned cache, unsigned line,
		       const struct evg_source *source, unsigned mode)
{
	evg_text_add(text, "KC%u[%u", cache, line);
	if (source->relative)
		evg_text_add(text, "+%s", index_name(mode));
	evg_text_add(text, "].%c", evg_select_letter(source->channel));
}

/* The value of a single, also where the host reads denormals as zero, as it
 * does while kernels run. */
static double float_value(uint32_t bits)
{
	float value;

	if (!(bits & 0x7f800000))
		return (bits >> 31 ? -0x1p-149 : 0x1p-149) *
		       (bits & 0x7fffff);
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static void add_source(struct evg_text *text, const struct evg_alu_group *group,
		       const struct evg_source *source, unsigned mode,
		       unsigned number)
{
	unsigned select = source->select, channel = source->channel & 3;
	const char *name = select_name(select);

	if (source->negate)
		evg_text_add(text, "-");
	if (source->absolute)
		evg_text_add(text, "|");
	if (name) {
		evg_text_add(text, "%s", name);
	} else if (select < EVG_SELECT_KCACHE0) {
		add_register(text, select, source->relative, mode);
		evg_text_add(text, ".%c", evg_select_letter(channel));
	} else if (select < EVG_SELECT_KCACHE1) {
		add_kcache(text, 0, select - EVG_SELECT_KCACHE0, source, mode);
	} else if (select < EVG_SELECT_KCACHE1 + 32) {
		add_kcache(text, 1, select - EVG_SELECT_KCACHE1, source, mode);
	} else if (select == EVG_SELECT_LITERAL) {
		uint32_t bits = group->literal[channel];

		evg_text_add(text, "(0x%08x, %.9ef).%c", bits,
			     float_value(bits), evg_select_letter(channel));
	} else if (select == EVG_SELECT_PV || select == EVG_SELECT_PS) {
		evg_text_add(text, select == EVG_SELECT_PV ? "PV" : "PS");
		if (number)
			evg_text_add(text, "%u", number - 1);
		if (select == EVG_SELECT_PV)
			evg_text_add(text, ".%c", evg_select_letter(channel));
	} else if (select < EVG_SELECT_KCACHE3) {
		add_kcache(text, 2, select - EVG_SELECT_KCACHE2, source, mode);
	} else if (select < EVG_SELECT_KCACHE3 + 32) {
		add_kcache(text, 3, select - EVG_SELECT_KCACHE3, source, mode);
	} else {
		evg_text_add(text, "PARAM%u.%c", select - EVG_SELECT_PARAM,
			     evg_select_letter(channel));
	}
	if (source->absolute)
		evg_text_add(text, "|");
}

/* The mnemonic with predicate and output modifiers, padded when operands
 * follow. */
static void add_mnemonic(struct evg_text *text, const struct evg_alu_inst *inst,
			 bool padded)
{
	static const char *const predicate[] = {"", "", "(!p) ", "(p) "};
	static const char *const modifier[] = {"", "*2", "*4", "/2"};
	const struct evg_alu_info *info = &evg_alu_info[inst->op];
	char name[64];

	snprintf(name, sizeof(name), "%s%s%s%s%s",
		 predicate[inst->predicate_select & 3],
		 inst->op == EVG_ALU_LDS_IDX_OP ? "LDS_" : info->amd_text,
		 inst->op == EVG_ALU_LDS_IDX_OP
			 ? evg_lds_info[inst->lds_op].name
			 : "",
		 modifier[inst->output_modifier & 3],
		 inst->clamp ? "_sat" : "");
	evg_text_add(text, padded ? "%-11s " : "%s", name);
}

static void add_operands(struct evg_text *text,
			 const struct evg_alu_group *group,
			 const struct evg_alu_inst *inst, unsigned number)
{
	static const char *const queue[] = {"", "QA", "QAB"};
	const char *separator = "";

	if (inst->op == EVG_ALU_LDS_IDX_OP) {
		unsigned returns = evg_lds_info[inst->lds_op].returns;

		if (returns) {
			evg_text_add(text, "%s", queue[returns]);
			separator = ",  ";
		}
	} else if (evg_alu_info[inst->op].has_result) {
		/* There is no write mask beside three sources. */
		if (inst->write_mask || evg_alu_info[inst->op].op3) {
			add_register(text, inst->dest_gpr, inst->dest_relative,
				     inst->index_mode);
			evg_text_add(text, ".%c",
				     evg_select_letter(inst->dest_channel));
		} else {
			evg_text_add(text, "____");
		}
		separator = ",  ";
	}
	for (unsigned i = 0; i < inst->source_count; i++) {
		evg_text_add(text, "%s", separator);
		add_source(text, group, &inst->source[i], inst->index_mode,
			   number);
		separator = ",  ";
	}
}

static void add_flags(struct evg_text *text, const struct evg_alu_inst *inst,
		      unsigned slot)
{
	static const char *const vector_order[] = {
		"", "VEC_021", "VEC_120", "VEC_102", "VEC_201", "VEC_210",
		"", ""};
	static const char *const t_order[] = {"", "SCL_122", "SCL_212",
					      "SCL_221", "", "", "", ""};
	const char *order = (slot == EVG_T ? t_order : vector_order)
		[inst->bank_swizzle & 7];

	if (inst->op == EVG_ALU_LDS_IDX_OP && inst->lds_offset)
		evg_text_add(text, "  OFFSET(%u)", inst->lds_offset);
	if (inst->update_execute_mask || inst->update_predicate)
		evg_text_add(text, "      %s%s%s",
			     inst->update_execute_mask ? "UPDATE_EXEC_MASK"
						       : "",
			     inst->update_execute_mask && inst->update_predicate
				     ? " "
				     : "",
			     inst->update_predicate ? "UPDATE_PRED" : "");
	if (*order)
		evg_text_add(text, "      %s", order);
}

size_t evg_alu_group_format(char *buffer, size_t size,
			    const struct evg_alu_group *group, unsigned number)
{
	struct evg_text text = {buffer, size, 0};

	for (unsigned i = 0; i < group->inst_count; i++) {
		unsigned slot = group->order[i];
		const struct evg_alu_inst *inst = &group->inst[slot];

		if (i)
			evg_text_add(&text, "         %c: ", "xyzwt"[slot]);
		else
			evg_text_add(&text, "%7u  %c: ", number, "xyzwt"[slot]);
		add_mnemonic(&text, inst,
			     inst->source_count || evg_alu_info[inst->op].has_result);
		add_operands(&text, group, inst, number);
		add_flags(&text, inst, slot);
		evg_text_add(&text, "\n");
	}
	return text.length;
}
