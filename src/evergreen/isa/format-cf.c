/* Text of CF instructions, in the style of AMD's listings. */
#include <string.h>

#include "evergreen/isa/inst.h"
#include "evergreen/isa/table.h"
#include "evergreen/isa/text.h"

static void add_kcache(struct evg_text *text, const struct evg_cf_inst *inst)
{
	for (unsigned i = 0; i < 4; i++) {
		const struct evg_kcache *kcache = &inst->kcache[i];
		unsigned first = kcache->address * 16u;

		if (!kcache->mode)
			continue;
		evg_text_add(text, " KCACHE%u(CB%u%s:%s%u-%u)", i, kcache->bank,
			     evg_index_suffix(kcache->bank_index_mode),
			     kcache->mode == 3 ? "aL+" : "", first,
			     first + (kcache->mode >= 2 ? 31 : 15));
	}
}

/* Whether the kcaches say that the instruction is extended. */
static bool shows_extension(const struct evg_cf_inst *inst)
{
	const struct evg_kcache *kcache = inst->kcache;

	return kcache[2].mode || kcache[3].mode ||
	       (kcache[0].mode && kcache[0].bank_index_mode) ||
	       (kcache[1].mode && kcache[1].bank_index_mode);
}

static void add_condition(struct evg_text *text, const struct evg_cf_inst *inst)
{
	if (inst->condition == 1)
		evg_text_add(text, " COND(FALSE)");
	else if (inst->condition)
		evg_text_add(text, " COND(%sb%u)",
			     inst->condition == 3 ? "!" : "", inst->cf_const);
}

static void add_word(struct evg_text *text, const struct evg_cf_inst *inst)
{
	const char *name = evg_cf_info[inst->op].amd_text;

	switch (evg_cf_info[inst->op].operands) {
	case EVG_OPERANDS_CLAUSE:
	case EVG_OPERANDS_ACK_CLAUSE:
		evg_text_add(text, "%s: ADDR(%u) CNT(%u)", name, inst->address,
			     inst->count);
		break;
	case EVG_OPERANDS_LOOP:
		evg_text_add(text, "%s i%u FAIL_JUMP_ADDR(%u)", name,
			     inst->cf_const, inst->address);
		break;
	case EVG_OPERANDS_REPEAT:
		evg_text_add(text, "%s i%u PASS_JUMP_ADDR(%u)", name,
			     inst->cf_const, inst->address);
		break;
	case EVG_OPERANDS_LEAVE:
		evg_text_add(text, "%s", name);
		if (inst->pop_count)
			evg_text_add(text, " POP_CNT(%u)", inst->pop_count);
		evg_text_add(text, " ADDR(%u)", inst->address);
		break;
	case EVG_OPERANDS_BRANCH:
		evg_text_add(text, "%s%s POP_CNT(%u) ADDR(%u)", name,
			     inst->op == EVG_CF_JUMP ? " " : "",
			     inst->pop_count, inst->address);
		break;
	case EVG_OPERANDS_POP:
		evg_text_add(text, "%s (%u) ADDR(%u)", name, inst->pop_count,
			     inst->address);
		break;
	case EVG_OPERANDS_CALL:
		evg_text_add(text, "%s ADDR(%u)", name, inst->address);
		break;
	case EVG_OPERANDS_TABLE:
		evg_text_add(text, "%s SEL(%u) ADDR(%u)", name,
			     inst->jumptable_select, inst->address);
		break;
	case EVG_OPERANDS_ACKS:
		evg_text_add(text, "%s:  Outstanding_acks <= %u", name,
			     inst->address);
		break;
	default:
		evg_text_add(text, "%s", name);
		if (inst->address)
			evg_text_add(text, " ADDR(%u)", inst->address);
		break;
	}
	add_condition(text, inst);
}

static void add_gws(struct evg_text *text, const struct evg_cf_inst *inst)
{
	static const char *const operation[] = {"SEMA_V", "SEMA_P", "BARRIER",
						"INIT"};

	evg_text_add(text, "%s: %s RESOURCE(%u%s) VALUE(%s%u%s)",
		     evg_cf_info[inst->op].amd_text,
		     operation[inst->gws_opcode & 3], inst->gws_resource,
		     evg_index_suffix(inst->gws_resource_index_mode),
		     inst->gws_sign ? "-" : "", inst->gws_value,
		     evg_index_suffix(inst->gws_value_index_mode));
	add_condition(text, inst);
}

static void add_mask(struct evg_text *text, unsigned mask)
{
	char name[5] = "____";

	for (unsigned i = 0; i < 4; i++) {
		if (mask >> i & 1)
			name[i] = evg_select_letter(i);
	}
	evg_text_add(text, ".%s", name);
}

static void add_register(struct evg_text *text, const struct evg_cf_inst *inst)
{
	if (inst->rw_relative)
		evg_text_add(text, ", R[%u+aL]", inst->rw_gpr);
	else
		evg_text_add(text, ", R%u", inst->rw_gpr);
}

static void add_array_size(struct evg_text *text,
			   const struct evg_cf_inst *inst)
{
	if (inst->element_size)
		evg_text_add(text, ", ARRAY_SIZE(%u,%u)", inst->array_size,
			     inst->element_size + 1);
	else
		evg_text_add(text, ", ARRAY_SIZE(%u)", inst->array_size);
}

static void add_rat(struct evg_text *text, const struct evg_cf_inst *inst)
{
	evg_text_add(text, "%s_%s%s: RAT(%u%s)", evg_cf_info[inst->op].amd_text,
		     evg_rat_info[inst->rat_op].name,
		     inst->type & 2 ? "_ACK" : "", inst->rat_id,
		     evg_index_suffix(inst->rat_index_mode));
	if (inst->type & 1)
		evg_text_add(text, "[R%u]", inst->index_gpr);
	if (inst->component_mask != 15)
		add_mask(text, inst->component_mask);
	add_register(text, inst);
	add_array_size(text, inst);
}

/* Scratch, rings, streams and scatter exports. */
static void add_memory(struct evg_text *text, const struct evg_cf_inst *inst)
{
	evg_text_add(text, "%s%s: DWORD_PTR[%u", evg_cf_info[inst->op].amd_text,
		     inst->type & 2 ? "_ACK" : "", inst->array_base);
	if (inst->type & 1)
		evg_text_add(text, "+R%u", inst->index_gpr);
	evg_text_add(text, "]");
	if (inst->component_mask != 15)
		add_mask(text, inst->component_mask);
	add_register(text, inst);
	add_array_size(text, inst);
}

static void add_export(struct evg_text *text, const struct evg_cf_inst *inst)
{
	static const char *const target[] = {"PIX", "POS", "PARAM", "?"};

	evg_text_add(text, "%s: %s%u", evg_cf_info[inst->op].amd_text,
		     target[inst->type & 3], inst->array_base);
	add_register(text, inst);
	if (inst->select[0] != 0 || inst->select[1] != 1 ||
	    inst->select[2] != 2 || inst->select[3] != 3)
		evg_text_add(text, ".%c%c%c%c", evg_select_letter(inst->select[0]),
			     evg_select_letter(inst->select[1]),
			     evg_select_letter(inst->select[2]),
			     evg_select_letter(inst->select[3]));
}

size_t evg_cf_format(char *buffer, size_t size, const struct evg_cf_inst *inst)
{
	struct evg_text text = {buffer, size, 0};
	bool is_export = false;

	switch (evg_cf_info[inst->op].format) {
	case EVG_CF_WORD:
		add_word(&text, inst);
		break;
	case EVG_CF_GWS:
		add_gws(&text, inst);
		break;
	case EVG_CF_ALU_WORD:
	case EVG_CF_ALU_EXTENDED_WORD:
		evg_text_add(&text, "%s: ADDR(%u) CNT(%u)",
			     evg_cf_info[inst->op].amd_text, inst->address,
			     inst->count);
		add_kcache(&text, inst);
		if (inst->format == EVG_CF_ALU_EXTENDED_WORD &&
		    !shows_extension(inst))
			evg_text_add(&text, " EXTENDED");
		if (inst->alt_const)
			evg_text_add(&text, " ALT_CONST");
		break;
	case EVG_CF_EXPORT_BUF:
		add_memory(&text, inst);
		is_export = true;
		break;
	case EVG_CF_EXPORT_SWIZ:
		add_export(&text, inst);
		is_export = true;
		break;
	case EVG_CF_EXPORT_RAT:
		add_rat(&text, inst);
		is_export = true;
		break;
	}
	if (is_export) {
		if (inst->burst_count)
			evg_text_add(&text, " BRSTCNT(%u)", inst->burst_count);
		if (inst->mark)
			evg_text_add(&text, " MARK");
		if (inst->valid_pixel_mode)
			evg_text_add(&text, " VPM");
	} else {
		if (inst->valid_pixel_mode)
			evg_text_add(&text, " VALID_PIX");
		if (inst->whole_quad_mode)
			evg_text_add(&text, " WHOLE_QUAD");
	}
	if (!inst->barrier)
		evg_text_add(&text, " NO_BARRIER");
	return text.length;
}
