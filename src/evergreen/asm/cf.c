/* Control-flow instructions. */
#include <string.h>

#include "evergreen/asm/asm.h"
#include "evergreen/asm/attribute.h"
#include "evergreen/asm/operand.h"
#include "evergreen/isa/table.h"

#define FLAG(name, field, value) { name, field, EVG_ATTRIBUTE_FLAG, value, NULL }
#define NUMBER(name, field) { name, field, EVG_ATTRIBUTE_NUMBER, 0, NULL }

static const struct evg_attribute attributes[] = {
	FLAG("NO_BARRIER", "BARRIER", 0),
	FLAG("VALID_PIX", "VALID_PIXEL_MODE", 1),
	FLAG("VPM", "VALID_PIXEL_MODE", 1),
	FLAG("WHOLE_QUAD", "WHOLE_QUAD_MODE", 1),
	FLAG("MARK", "MARK", 1),
	FLAG("ALT_CONST", "ALT_CONST", 1),
	NUMBER("POP_CNT", "POP_COUNT"),
	NUMBER("BRSTCNT", "BURST_COUNT"),
	NUMBER("SEL", "JUMPTABLE_SEL"),
	EVG_ATTRIBUTES_END
};

/* Words whose value is an address or a label. */
static const char *const address_words[] = {
	"ADDR", "FAIL_JUMP_ADDR", "PASS_JUMP_ADDR",
};

/* ---- The mnemonic ---- */

/* The rest of `word` behind `name` when it begins so, else NULL. */
static const char *behind(const char *word, const char *name)
{
	size_t length = strlen(name);

	return strncmp(word, name, length) ? NULL : word + length;
}

/* "_STORE_RAW", "_ADD_RTN_ACK". */
static bool parse_rat_op(const char *text, struct evg_cf_inst *inst)
{
	for (int op = 0; op < EVG_RAT_COUNT; op++) {
		const char *rest = *text == '_'
					   ? behind(text + 1,
						    evg_rat_info[op].name)
					   : NULL;

		if (!rest || (*rest && strcmp(rest, "_ACK")))
			continue;
		inst->rat_op = (enum evg_rat_op)op;
		inst->type |= *rest ? 2 : 0;
		return true;
	}
	return false;
}

static bool mnemonic_fits(const char *word, int op, struct evg_cf_inst *inst)
{
	const struct evg_cf_info *info = &evg_cf_info[op];
	const char *rest = behind(word, info->amd_text);

	if (!rest || op == EVG_CF_ALU_EXT)
		return false;
	if (info->format == EVG_CF_EXPORT_RAT)
		return parse_rat_op(rest, inst);
	if (info->format == EVG_CF_EXPORT_BUF && !strcmp(rest, "_ACK")) {
		inst->type |= 2;
		return true;
	}
	return !*rest;
}

static int parse_op(struct evg_scan *scan, struct evg_cf_inst *inst)
{
	char word[EVG_WORD_SIZE];

	if (!evg_scan_word(scan, word))
		return evg_scan_expected(scan, "a control-flow instruction");
	for (int op = 0; op < EVG_CF_COUNT; op++) {
		if (!mnemonic_fits(word, op, inst))
			continue;
		inst->op = (enum evg_cf_op)op;
		inst->format = evg_cf_info[op].format;
		inst->barrier = true;
		evg_scan_text(scan, ":");
		return 0;
	}
	return evg_scan_fail(scan, "%s is not a control-flow instruction",
			     word);
}

/* ---- Words behind it ---- */

/* "(12)" or "(@name)". */
static int parse_address(struct evg_scan *scan, struct evg_cf_inst *inst,
			 struct evg_label_use *label)
{
	uint32_t address;

	if (evg_scan_need(scan, "("))
		return -1;
	if (evg_scan_text(scan, "@")) {
		if (!evg_scan_word(scan, label->name))
			return evg_scan_expected(scan, "a label");
	} else if (evg_scan_need_number(scan, &address)) {
		return -1;
	} else {
		inst->address = address;
		label->has_address = true;
	}
	return evg_scan_need(scan, ")");
}

/* "KCACHE0(CB1+idx0:16-31)", behind KCACHE. */
static int parse_kcache(struct evg_scan *scan, struct evg_cf_inst *inst)
{
	uint32_t number, bank, first, last;
	struct evg_kcache *kcache;
	bool loop;

	if (evg_scan_need_number(scan, &number))
		return -1;
	if (number > 3)
		return evg_scan_fail(scan, "KCACHE%u: expected KCACHE0 to "
					   "KCACHE3", number);
	kcache = &inst->kcache[number];
	if (evg_scan_need(scan, "(CB") || evg_scan_need_number(scan, &bank))
		return -1;
	kcache->bank_index_mode = evg_scan_index(scan);
	if (evg_scan_need(scan, ":"))
		return -1;
	loop = evg_scan_text(scan, "aL+");
	if (evg_scan_need_number(scan, &first) || evg_scan_need(scan, "-") ||
	    evg_scan_need_number(scan, &last) || evg_scan_need(scan, ")"))
		return -1;
	if (bank > 15 || first % 16 || first > 255 * 16 ||
	    (last - first != 31 && (loop || last - first != 15)))
		return evg_scan_fail(scan, "KCACHE%u(CB%u:%u-%u): expected "
				     "CB0 to CB15 and 16 or 32 constants from "
				     "a multiple of 16", number, bank, first,
				     last);
	kcache->bank = (uint8_t)bank;
	kcache->address = (uint8_t)(first / 16);
	/* By aL, two lines are locked from that of constant aL on. */
	kcache->mode = loop ? 3 : last - first == 15 ? 1 : 2;
	if (number > 1 || kcache->bank_index_mode)
		inst->format = EVG_CF_ALU_EXTENDED_WORD;
	return 0;
}

/* "(FALSE)", "(b3)", "(!b3)". */
static int parse_condition(struct evg_scan *scan, struct evg_cf_inst *inst)
{
	uint32_t number = 0;

	if (evg_scan_need(scan, "("))
		return -1;
	if (evg_scan_text(scan, "FALSE")) {
		inst->condition = 1;
	} else {
		inst->condition = evg_scan_text(scan, "!") ? 3 : 2;
		if (evg_scan_need(scan, "b") ||
		    evg_scan_need_number(scan, &number))
			return -1;
		if (number > 31)
			return evg_scan_fail(scan, "b%u: expected b0 to b31",
					     number);
		inst->cf_const = (uint8_t)number;
	}
	return evg_scan_need(scan, ")");
}

/* The words that are not in the table: 1, 0 when none comes, or -1. */
static int parse_word(struct evg_scan *scan, struct evg_cf_inst *inst,
		      struct evg_label_use *label)
{
	uint32_t number;

	for (unsigned i = 0; i < 3; i++)
		if (evg_scan_keyword(scan, address_words[i]))
			return parse_address(scan, inst, label) ? -1 : 1;
	if (evg_scan_keyword(scan, "CNT")) {
		if (evg_scan_need(scan, "(") ||
		    evg_scan_need_number(scan, &number) ||
		    evg_scan_need(scan, ")"))
			return -1;
		if (number > EVG_CLAUSE_UNITS)
			return evg_scan_fail(scan, "CNT(%u): expected at most "
						   "%d",
					     number, EVG_CLAUSE_UNITS);
		inst->count = (uint16_t)number;
		label->has_count = true;
		return 1;
	}
	if (evg_scan_keyword(scan, "COND"))
		return parse_condition(scan, inst) ? -1 : 1;
	if (evg_scan_text(scan, "KCACHE")) {
		if (*scan->at == '_') { /* a field: KCACHE_BANK0=1 */
			scan->at -= strlen("KCACHE");
			return 0;
		}
		return parse_kcache(scan, inst) ? -1 : 1;
	}
	if (evg_scan_keyword(scan, "EXTENDED")) {
		inst->format = EVG_CF_ALU_EXTENDED_WORD;
		return 1;
	}
	return 0;
}

static int parse_rest(struct evg_scan *scan, struct evg_cf_inst *inst,
		      struct evg_label_use *label)
{
	while (!evg_scan_end(scan)) {
		int result = parse_word(scan, inst, label);

		if (!result && inst->format == EVG_CF_ALU_EXTENDED_WORD)
			result = evg_scan_attribute(
				scan, NULL,
				evg_cf_layout(EVG_CF_ALU_EXTENDED_WORD),
				"EXT.", inst);
		if (!result)
			result = evg_scan_attribute(
				scan, attributes,
				evg_cf_layout(evg_cf_info[inst->op].format),
				"", inst);
		if (result < 0)
			return -1;
		if (!result)
			return evg_scan_expected(scan, "an attribute of %s",
						 evg_cf_info[inst->op].name);
	}
	return 0;
}

/* ---- Operands in front of them ---- */

static int parse_cf_const(struct evg_scan *scan, struct evg_cf_inst *inst)
{
	uint32_t number;

	if (evg_scan_need(scan, "i") || evg_scan_need_number(scan, &number))
		return -1;
	if (number > 31)
		return evg_scan_fail(scan, "i%u: expected i0 to i31", number);
	inst->cf_const = (uint8_t)number;
	return 0;
}

static int parse_word_operands(struct evg_scan *scan, struct evg_cf_inst *inst,
			       struct evg_label_use *label)
{
	uint32_t number;

	switch (evg_cf_info[inst->op].operands) {
	case EVG_OPERANDS_LOOP:
	case EVG_OPERANDS_REPEAT:
		return parse_cf_const(scan, inst);
	case EVG_OPERANDS_POP:
		if (evg_scan_need(scan, "(") ||
		    evg_scan_need_number(scan, &number) ||
		    evg_scan_need(scan, ")"))
			return -1;
		if (number > 7)
			return evg_scan_fail(scan, "POP (%u): expected at most "
						   "7",
					     number);
		inst->pop_count = (uint8_t)number;
		return 0;
	case EVG_OPERANDS_ACKS:
		if (evg_scan_need(scan, "Outstanding_acks") ||
		    evg_scan_need(scan, "<="))
			return -1;
		label->has_address = true;
		return evg_scan_need_number(scan, &inst->address);
	default:
		return 0;
	}
}

/* "3", "-3", with "+idx0" behind it. */
static int parse_gws_number(struct evg_scan *scan, uint32_t limit,
			    uint32_t *number, uint8_t *mode)
{
	if (evg_scan_need_number(scan, number))
		return -1;
	if (*number > limit)
		return evg_scan_fail(scan, "%u: expected at most "
					   "%u", *number, limit);
	*mode = evg_scan_index(scan);
	return evg_scan_need(scan, ")");
}

static int parse_gws(struct evg_scan *scan, struct evg_cf_inst *inst)
{
	static const char *const operation[] = { "SEMA_V", "SEMA_P", "BARRIER",
						 "INIT" };
	uint32_t resource, value;
	uint8_t i = 0;

	while (i < 4 && !evg_scan_keyword(scan, operation[i]))
		i++;
	if (i == 4)
		return evg_scan_expected(scan, "SEMA_V, SEMA_P, BARRIER or "
					 "INIT");
	inst->gws_opcode = i;
	if (evg_scan_need(scan, "RESOURCE(") ||
	    parse_gws_number(scan, 31, &resource,
			     &inst->gws_resource_index_mode) ||
	    evg_scan_need(scan, "VALUE("))
		return -1;
	inst->gws_sign = evg_scan_text(scan, "-");
	if (parse_gws_number(scan, 1023, &value, &inst->gws_value_index_mode))
		return -1;
	inst->gws_resource = (uint8_t)resource;
	inst->gws_value = (uint16_t)value;
	return 0;
}

/* ".xy__" of the components written. */
static int parse_mask(struct evg_scan *scan, uint8_t *mask)
{
	uint8_t select[4];

	if (evg_scan_selects(scan, select, 4))
		return -1;
	*mask = 0;
	for (unsigned i = 0; i < 4; i++)
		*mask |= (uint8_t)((select[i] != 7) << i);
	return 0;
}

static int parse_stored(struct evg_scan *scan, struct evg_cf_inst *inst)
{
	struct evg_register reg;

	if (evg_scan_need(scan, ",") || evg_scan_register(scan, &reg))
		return -1;
	if (reg.relative && reg.mode != EVG_INDEX_LOOP)
		return evg_scan_fail(scan, "the register of an export has "
					   "another index than aL; expected "
					   "R[n+aL]");
	inst->rw_gpr = reg.number;
	inst->rw_relative = reg.relative;
	return 0;
}

/* ".xy__, R0, ARRAY_SIZE(4095,4)". */
static int parse_array(struct evg_scan *scan, struct evg_cf_inst *inst)
{
	uint32_t size, element = 1;

	inst->component_mask = 15;
	if (*scan->at == '.' && parse_mask(scan, &inst->component_mask))
		return -1;
	if (parse_stored(scan, inst) || evg_scan_need(scan, ",") ||
	    evg_scan_need(scan, "ARRAY_SIZE(") ||
	    evg_scan_need_number(scan, &size) ||
	    (evg_scan_text(scan, ",") && evg_scan_need_number(scan, &element)) ||
	    evg_scan_need(scan, ")"))
		return -1;
	if (size >= 1 << 12 || element < 1 || element > 4)
		return evg_scan_fail(scan, "ARRAY_SIZE(%u,%u): expected less "
				     "than 4096, and 1 to 4", size, element);
	inst->array_size = (uint16_t)size;
	inst->element_size = (uint8_t)(element - 1);
	return 0;
}

static int parse_index(struct evg_scan *scan, struct evg_cf_inst *inst)
{
	struct evg_register reg;

	if (evg_scan_register(scan, &reg))
		return -1;
	inst->index_gpr = reg.number;
	inst->type |= 1;
	return evg_scan_need(scan, "]");
}

static int parse_rat(struct evg_scan *scan, struct evg_cf_inst *inst)
{
	uint32_t id;

	if (evg_scan_need(scan, "RAT(") || evg_scan_need_number(scan, &id))
		return -1;
	if (id > 15)
		return evg_scan_fail(scan, "RAT(%u): expected RAT(0) to "
					   "RAT(15)", id);
	inst->rat_id = (uint8_t)id;
	inst->rat_index_mode = evg_scan_index(scan);
	if (evg_scan_need(scan, ")") ||
	    (evg_scan_text(scan, "[") && parse_index(scan, inst)))
		return -1;
	return parse_array(scan, inst);
}

static int parse_memory(struct evg_scan *scan, struct evg_cf_inst *inst)
{
	uint32_t base;

	if (evg_scan_need(scan, "DWORD_PTR[") ||
	    evg_scan_need_number(scan, &base))
		return -1;
	if (base >= 1 << 13)
		return evg_scan_fail(scan, "DWORD_PTR[%u]: expected less than "
				     "8192", base);
	inst->array_base = (uint16_t)base;
	if (evg_scan_text(scan, "+")) {
		if (parse_index(scan, inst))
			return -1;
	} else if (evg_scan_need(scan, "]")) {
		return -1;
	}
	return parse_array(scan, inst);
}

static int parse_export(struct evg_scan *scan, struct evg_cf_inst *inst)
{
	static const char *const target[] = { "PIX", "POS", "PARAM" };
	uint32_t base;
	uint8_t type = 0;

	while (type < 3 && !evg_scan_text(scan, target[type]))
		type++;
	if (type == 3)
		return evg_scan_expected(scan, "PIX, POS or PARAM");
	inst->type = type;
	if (evg_scan_need_number(scan, &base) || parse_stored(scan, inst))
		return -1;
	inst->array_base = (uint16_t)base;
	for (uint8_t i = 0; i < 4; i++)
		inst->select[i] = i;
	return *scan->at == '.' ? evg_scan_selects(scan, inst->select, 4) : 0;
}

int evg_cf_parse(struct evg_scan *scan, struct evg_cf_inst *inst,
		 struct evg_label_use *label)
{
	int result = 0;

	memset(inst, 0, sizeof *inst);
	memset(label, 0, sizeof *label);
	if (parse_op(scan, inst))
		return -1;
	switch (evg_cf_info[inst->op].format) {
	case EVG_CF_WORD:
		result = parse_word_operands(scan, inst, label);
		break;
	case EVG_CF_GWS:
		result = parse_gws(scan, inst);
		break;
	case EVG_CF_EXPORT_RAT:
		result = parse_rat(scan, inst);
		break;
	case EVG_CF_EXPORT_BUF:
		result = parse_memory(scan, inst);
		break;
	case EVG_CF_EXPORT_SWIZ:
		result = parse_export(scan, inst);
		break;
	case EVG_CF_ALU_WORD:
	case EVG_CF_ALU_EXTENDED_WORD:
		break;
	}
	return result ? result : parse_rest(scan, inst, label);
}
