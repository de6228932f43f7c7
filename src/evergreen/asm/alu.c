/* ALU instructions and their groups. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "evergreen/asm/asm.h"
#include "evergreen/asm/attribute.h"
#include "evergreen/asm/operand.h"

#define FLAG(name, field, value) { name, field, EVG_ATTRIBUTE_FLAG, value, NULL }

static const struct evg_attribute vector_attributes[] = {
	FLAG("UPDATE_EXEC_MASK", "UPDATE_EXECUTE_MASK", 1),
	FLAG("UPDATE_PRED", "UPDATE_PRED", 1),
	FLAG("VEC_021", "BANK_SWIZZLE", 1),
	FLAG("VEC_120", "BANK_SWIZZLE", 2),
	FLAG("VEC_102", "BANK_SWIZZLE", 3),
	FLAG("VEC_201", "BANK_SWIZZLE", 4),
	FLAG("VEC_210", "BANK_SWIZZLE", 5),
	FLAG("SCL_122", "BANK_SWIZZLE", 1),
	FLAG("SCL_212", "BANK_SWIZZLE", 2),
	FLAG("SCL_221", "BANK_SWIZZLE", 3),
	EVG_ATTRIBUTES_END
};

/* ---- The mnemonic ---- */

static bool find_op(const char *word, struct evg_alu_inst *inst)
{
	if (!strncmp(word, "LDS_", 4))
		for (int op = 0; op < EVG_LDS_COUNT; op++)
			if (!strcmp(word + 4, evg_lds_info[op].name)) {
				inst->op = EVG_ALU_LDS_IDX_OP;
				inst->lds_op = (enum evg_lds_op)op;
				return true;
			}
	for (int op = 0; op < EVG_ALU_COUNT; op++)
		if (!strcmp(word, evg_alu_info[op].amd_text) ||
		    !strcmp(word, evg_alu_info[op].name)) {
			inst->op = (enum evg_alu_op)op;
			return true;
		}
	return false;
}

/* Takes "_sat" off the end of a word. */
static bool take_clamp(char *word)
{
	size_t length = strlen(word);

	if (length < 5 || strcmp(word + length - 4, "_sat"))
		return false;
	word[length - 4] = '\0';
	return true;
}

/* "MUL_e*2_sat" and its like. */
static int parse_op(struct evg_scan *scan, struct evg_alu_inst *inst)
{
	static const char *const modifier[] = { "", "*2", "*4", "/2" };
	char word[EVG_WORD_SIZE];

	if (!evg_scan_word(scan, word))
		return evg_scan_expected(scan, "an ALU instruction");
	for (uint8_t i = 1; i < 4; i++) {
		if (strncmp(scan->at, modifier[i], 2))
			continue;
		scan->at += 2;
		inst->output_modifier = i;
		if (!strncmp(scan->at, "_sat", 4)) {
			scan->at += 4;
			inst->clamp = true;
		}
		break;
	}
	if (!find_op(word, inst)) {
		inst->clamp = take_clamp(word);
		if (!inst->clamp || !find_op(word, inst))
			return evg_scan_fail(scan, "%s is not an ALU "
					     "instruction", word);
	}
	inst->source_count = inst->op == EVG_ALU_LDS_IDX_OP
				     ? evg_lds_info[inst->lds_op].source_count
				     : evg_alu_info[inst->op].source_count;
	inst->write_mask = evg_alu_info[inst->op].op3 &&
			   inst->op != EVG_ALU_LDS_IDX_OP;
	return 0;
}

/* ---- Operands ---- */

static int use_index(struct evg_scan *scan, struct evg_alu_inst *inst,
		     bool *indexed, uint8_t mode)
{
	if (*indexed && inst->index_mode != mode)
		return evg_scan_fail(scan, "two index modes in one "
					   "instruction; expected one");
	inst->index_mode = mode;
	*indexed = true;
	return 0;
}

static int parse_channel(struct evg_scan *scan, uint8_t *channel)
{
	if (evg_scan_selects(scan, channel, 1))
		return -1;
	return *channel < 4 ? 0 : evg_scan_fail(scan, "expected .x .y .z .w");
}

/* "KC0[12+AR].x", behind KC. */
static int parse_kcache(struct evg_scan *scan, struct evg_alu_inst *inst,
			struct evg_source *source, bool *indexed)
{
	static const uint16_t first[] = {
		EVG_SELECT_KCACHE0, EVG_SELECT_KCACHE1, EVG_SELECT_KCACHE2,
		EVG_SELECT_KCACHE3
	};
	uint32_t cache, line;

	if (evg_scan_need_number(scan, &cache) || evg_scan_need(scan, "[") ||
	    evg_scan_need_number(scan, &line))
		return -1;
	if (cache > 3 || line > 31)
		return evg_scan_fail(scan, "KC%u[%u]: expected KC0 to KC3 and "
				     "0 to 31", cache, line);
	source->select = (uint16_t)(first[cache] + line);
	/* Every mode but that of aL is written +AR here. */
	if (evg_scan_text(scan, "+aL")) {
		source->relative = true;
		if (use_index(scan, inst, indexed, EVG_INDEX_LOOP))
			return -1;
	} else {
		source->relative = evg_scan_text(scan, "+AR");
	}
	return evg_scan_need(scan, "]") ||
	       parse_channel(scan, &source->channel);
}

/* A place for a literal: a channel that has the value, or a free one. */
static int place_literal(struct evg_scan *scan, struct evg_source *source,
			 struct evg_literals *literals, uint32_t value)
{
	source->select = EVG_SELECT_LITERAL;
	for (uint8_t pass = 0; pass < 2; pass++)
		for (uint8_t c = 0; c < 4; c++) {
			bool taken = literals->taken >> c & 1;

			if (pass ? taken : !taken || literals->value[c] != value)
				continue;
			literals->value[c] = value;
			literals->taken |= (uint8_t)(1u << c);
			source->channel = c;
			return 0;
		}
	return evg_scan_fail(scan, "the group has more than four literals");
}

/* "(0x40000000, 2.0f).x", behind the parenthesis. */
static int parse_placed_literal(struct evg_scan *scan,
				struct evg_source *source,
				struct evg_literals *literals)
{
	uint32_t value;
	unsigned c;

	if (evg_scan_need_number(scan, &value))
		return -1;
	scan->at += strcspn(scan->at, ")");
	if (evg_scan_need(scan, ")") || parse_channel(scan, &source->channel))
		return -1;
	c = source->channel;
	if (literals->taken >> c & 1 && literals->value[c] != value)
		return evg_scan_fail(scan, "the group has two literals in "
					   "channel %c; expected one",
				     "xyzw"[c]);
	source->select = EVG_SELECT_LITERAL;
	literals->value[c] = value;
	literals->taken |= (uint8_t)(1u << c);
	return 0;
}

/* "17", "0x3f800000", "2.5f", "2.5": a literal without a place. */
static int parse_literal(struct evg_scan *scan, struct evg_source *source,
			 struct evg_literals *literals)
{
	const char *at = scan->at;
	uint32_t value;
	float real;
	char *end;

	if (at[0] == '0' && at[1] == 'x')
		return evg_scan_need_number(scan, &value) ||
		       place_literal(scan, source, literals, value);
	if (!at[strspn(at, "0123456789")] ||
	    !strchr(".ef", at[strspn(at, "0123456789")]))
		return evg_scan_need_number(scan, &value) ||
		       place_literal(scan, source, literals, value);
	real = strtof(at, &end);
	scan->at = end + (*end == 'f');
	memcpy(&value, &real, sizeof value);
	return place_literal(scan, source, literals, value);
}

/* Selects with a name of their own. The name must end where it ends here. */
static bool parse_constant(struct evg_scan *scan, struct evg_source *source)
{
	bool found = false;
	size_t best = 0;

	for (const struct evg_select_name *row = evg_select_names; row->name;
	     row++) {
		size_t length;

		if (*scan->at != *row->name)
			continue;
		length = strlen(row->name);
		if (length <= best || strncmp(scan->at, row->name, length) ||
		    isalnum((unsigned char)scan->at[length]) ||
		    scan->at[length] == '_' || scan->at[length] == '.')
			continue;
		source->select = row->select;
		best = length;
		found = true;
	}
	scan->at += best;
	return found;
}

/* A source without its sign and bars. */
static int parse_value(struct evg_scan *scan, struct evg_alu_inst *inst,
		       struct evg_source *source, bool *indexed,
		       struct evg_literals *literals)
{
	struct evg_register reg;
	uint32_t number;

	if (parse_constant(scan, source))
		return 0;
	if (evg_scan_text(scan, "("))
		return parse_placed_literal(scan, source, literals);
	if (isdigit((unsigned char)*scan->at))
		return parse_literal(scan, source, literals);
	if (evg_scan_text(scan, "KC"))
		return parse_kcache(scan, inst, source, indexed);
	if (evg_scan_text(scan, "PARAM")) {
		if (evg_scan_need_number(scan, &number))
			return -1;
		if (number >= 64)
			return evg_scan_fail(scan, "PARAM%u: expected PARAM0 "
						   "to PARAM63",
					     number);
		source->select = (uint16_t)(EVG_SELECT_PARAM + number);
		return parse_channel(scan, &source->channel);
	}
	if (evg_scan_text(scan, "PV")) {
		evg_scan_number(scan, &number); /* the group meant */
		source->select = EVG_SELECT_PV;
		return parse_channel(scan, &source->channel);
	}
	if (evg_scan_text(scan, "PS")) {
		evg_scan_number(scan, &number);
		source->select = EVG_SELECT_PS;
		return 0;
	}
	if (evg_scan_register(scan, &reg) ||
	    (reg.relative && use_index(scan, inst, indexed, reg.mode)))
		return -1;
	source->select = reg.number;
	source->relative = reg.relative;
	return parse_channel(scan, &source->channel);
}

static int parse_source(struct evg_scan *scan, struct evg_alu_inst *inst,
			struct evg_source *source, bool *indexed,
			struct evg_literals *literals)
{
	/* "-1" is a select of its own. */
	while (*scan->at == ' ')
		scan->at++;
	if (parse_constant(scan, source))
		return 0;
	source->negate = evg_scan_text(scan, "-");
	source->absolute = evg_scan_text(scan, "|");
	if (parse_value(scan, inst, source, indexed, literals))
		return -1;
	return source->absolute ? evg_scan_need(scan, "|") : 0;
}

static int parse_destination(struct evg_scan *scan, struct evg_alu_inst *inst,
			     bool *indexed)
{
	struct evg_register reg;

	/* With three sources there is no write mask: the result is always
	 * written, unwanted ones to a clause temporary. */
	if (evg_alu_info[inst->op].source_count == 3) {
		if (!strncmp(scan->at, "____", 4))
			return evg_scan_expected(
			    scan, "a register, as with three sources there is "
				  "no write mask");
	} else if (evg_scan_text(scan, "____")) {
		inst->write_mask = false;
		return 0;
	}
	if (evg_scan_register(scan, &reg) ||
	    (reg.relative && use_index(scan, inst, indexed, reg.mode)) ||
	    parse_channel(scan, &inst->dest_channel))
		return -1;
	inst->dest_gpr = reg.number;
	inst->dest_relative = reg.relative;
	inst->write_mask = true;
	return 0;
}

static int parse_operands(struct evg_scan *scan, struct evg_alu_inst *inst,
			  struct evg_literals *literals)
{
	bool indexed = false, first = true;

	if (inst->op == EVG_ALU_LDS_IDX_OP) {
		first = !evg_lds_info[inst->lds_op].returns;
		if (!first && !evg_scan_keyword(scan, "QAB") &&
		    !evg_scan_keyword(scan, "QA"))
			return evg_scan_expected(scan, "QA or QAB");
	} else if (evg_alu_info[inst->op].has_result) {
		if (parse_destination(scan, inst, &indexed))
			return -1;
		first = false;
	}
	for (unsigned i = 0; i < inst->source_count; i++) {
		if ((!first && evg_scan_need(scan, ",")) ||
		    parse_source(scan, inst, &inst->source[i], &indexed,
				 literals))
			return -1;
		first = false;
	}
	return 0;
}

/* ---- One line ---- */

static int parse_slot(struct evg_scan *scan, unsigned *slot)
{
	static const char *const name[] = { "x:", "y:", "z:", "w:", "t:" };

	for (*slot = 0; *slot < EVG_SLOT_COUNT; ++*slot)
		if (evg_scan_text(scan, name[*slot]))
			return 0;
	return evg_scan_expected(scan, "a slot: x: y: z: w: or t:");
}

/* "OFFSET(4)" of an LDS operation, and what says one of the literals. */
static int parse_special(struct evg_scan *scan, struct evg_alu_inst *inst,
			 struct evg_literals *literals)
{
	uint32_t number;

	if (inst->op == EVG_ALU_LDS_IDX_OP && evg_scan_keyword(scan, "OFFSET")) {
		if (evg_scan_need(scan, "(") ||
		    evg_scan_need_number(scan, &number) ||
		    evg_scan_need(scan, ")"))
			return -1;
		if (number > 63)
			return evg_scan_fail(scan, "OFFSET(%u): expected at "
						   "most 63",
					     number);
		inst->lds_offset = (uint8_t)number;
		return 1;
	}
	for (unsigned c = 0; c < 4; c++) {
		static const char *const name[] = { "LITERAL.x=", "LITERAL.y=",
						    "LITERAL.z=", "LITERAL.w=" };

		if (!evg_scan_text(scan, name[c]))
			continue;
		if (evg_scan_need_number(scan, &literals->value[c]))
			return -1;
		return 1;
	}
	return 0;
}

int evg_alu_parse(struct evg_scan *scan, struct evg_alu_inst *inst,
		  unsigned *slot, struct evg_literals *literals)
{
	memset(inst, 0, sizeof *inst);
	if (parse_slot(scan, slot))
		return -1;
	if (evg_scan_text(scan, "(!p)"))
		inst->predicate_select = 2;
	else if (evg_scan_text(scan, "(p)"))
		inst->predicate_select = 3;
	if (parse_op(scan, inst))
		return -1;
	if (*slot < EVG_T && evg_alu_info[inst->op].slots != EVG_SLOTS_X)
		inst->dest_channel = (uint8_t)*slot;
	evg_scan_end(scan); /* skips blanks */
	if (parse_operands(scan, inst, literals))
		return -1;
	while (!evg_scan_end(scan)) {
		int result = parse_special(scan, inst, literals);

		if (!result)
			result = evg_scan_attribute(
				scan, vector_attributes,
				evg_alu_layout(inst->op), "", inst);
		if (result < 0)
			return -1;
		if (!result)
			return evg_scan_expected(scan, "an attribute of %s",
						 evg_alu_info[inst->op].name);
	}
	return 0;
}
