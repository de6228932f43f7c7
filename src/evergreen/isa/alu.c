/* ALU instructions and groups: the layouts, their decoder and encoder, and
 * which slot issues what. */
#include <string.h>

#include "base/memory.h"
#include "evergreen/isa/inst.h"
#include "evergreen/isa/layout.h"
#include "evergreen/isa/table.h"

#define F(...) EVG_FIELD(evg_alu_inst, __VA_ARGS__)
#define FL(...) EVG_FIELD_LEGAL(evg_alu_inst, __VA_ARGS__)
#define CODE EVG_FIELD_CODE

enum {
	LEGAL_INDEX = 0x71,      /* AR.x, aL, global, global + AR.x */
	LEGAL_PREDICATE = 0x0d,  /* always, zero, one */
	LEGAL_SWIZZLE = 0x3f,    /* six orders; the t slot has four */
	T_SWIZZLE_COUNT = 4,
};

#define WORD0_SOURCES                                                          \
	F(source[0].select, "SRC0_SEL", 0, 8, 0),                              \
	F(source[0].relative, "SRC0_REL", 0, 9, 9),                            \
	F(source[0].channel, "SRC0_CHAN", 0, 11, 10),                          \
	F(source[1].select, "SRC1_SEL", 0, 21, 13),                            \
	F(source[1].relative, "SRC1_REL", 0, 22, 22),                          \
	F(source[1].channel, "SRC1_CHAN", 0, 24, 23),                          \
	FL(index_mode, "INDEX_MODE", 0, 28, 26, LEGAL_INDEX),                  \
	FL(predicate_select, "PRED_SEL", 0, 30, 29, LEGAL_PREDICATE),          \
	F(last, "LAST", 0, 31, 31)

#define WORD0_NEGATES                                                          \
	F(source[0].negate, "SRC0_NEG", 0, 12, 12),                            \
	F(source[1].negate, "SRC1_NEG", 0, 25, 25)

#define WORD1_SOURCE2                                                          \
	F(source[2].select, "SRC2_SEL", 1, 8, 0),                              \
	F(source[2].relative, "SRC2_REL", 1, 9, 9),                            \
	F(source[2].channel, "SRC2_CHAN", 1, 11, 10)

#define WORD1_DESTINATION                                                      \
	FL(bank_swizzle, "BANK_SWIZZLE", 1, 20, 18, LEGAL_SWIZZLE),            \
	F(dest_gpr, "DST_GPR", 1, 27, 21),                                     \
	F(dest_relative, "DST_REL", 1, 28, 28),                                \
	F(dest_channel, "DST_CHAN", 1, 30, 29),                                \
	F(clamp, "CLAMP", 1, 31, 31)

static const struct evg_field op2[] = {
	WORD0_SOURCES,
	WORD0_NEGATES,
	F(source[0].absolute, "SRC0_ABS", 1, 0, 0),
	F(source[1].absolute, "SRC1_ABS", 1, 1, 1),
	F(update_execute_mask, "UPDATE_EXECUTE_MASK", 1, 2, 2),
	F(update_predicate, "UPDATE_PRED", 1, 3, 3),
	F(write_mask, "WRITE_MASK", 1, 4, 4),
	F(output_modifier, "OMOD", 1, 6, 5),
	CODE("ALU_INST", 1, 17, 7),
	WORD1_DESTINATION,
};

static const struct evg_field op3[] = {
	WORD0_SOURCES,
	WORD0_NEGATES,
	WORD1_SOURCE2,
	F(source[2].negate, "SRC2_NEG", 1, 12, 12),
	CODE("ALU_INST", 1, 17, 13),
	WORD1_DESTINATION,
};

/* The six bits of IDX_OFFSET lie where other instructions have negates,
 * register and clamp. */
static const struct evg_field lds[] = {
	WORD0_SOURCES,
	CODE("IDX_OFFSET_4", 0, 12, 12),
	CODE("IDX_OFFSET_5", 0, 25, 25),
	WORD1_SOURCE2,
	CODE("IDX_OFFSET_1", 1, 12, 12),
	CODE("ALU_INST", 1, 17, 13),
	FL(bank_swizzle, "BANK_SWIZZLE", 1, 20, 18, LEGAL_SWIZZLE),
	CODE("LDS_OP", 1, 26, 21),
	CODE("IDX_OFFSET_0", 1, 27, 27),
	CODE("IDX_OFFSET_2", 1, 28, 28),
	F(dest_channel, "DST_CHAN", 1, 30, 29),
	CODE("IDX_OFFSET_3", 1, 31, 31),
};

static const struct {
	uint8_t word, bit;
} idx_offset[6] = {{1, 27}, {1, 12}, {1, 28}, {1, 31}, {0, 12}, {0, 25}};

static const struct evg_layout op2_layout = {"ALU_WORD1_OP2", op2,
					     ARRAY_SIZE(op2), 2};
static const struct evg_layout op3_layout = {"ALU_WORD1_OP3", op3,
					     ARRAY_SIZE(op3), 2};
static const struct evg_layout lds_layout = {"ALU_WORD1_LDS_IDX_OP", lds,
					     ARRAY_SIZE(lds), 2};

const struct evg_layout *evg_alu_layout(enum evg_alu_op op)
{
	return op == EVG_ALU_LDS_IDX_OP	  ? &lds_layout
	       : evg_alu_info[op].op3 ? &op3_layout
				      : &op2_layout;
}

/* --- One instruction ---------------------------------------------------- */

static bool select_is_legal(unsigned select)
{
	return select < 192 ||                    /* registers, kcache 0, 1 */
	       (select >= EVG_SELECT_LDS_OQ_A &&
		select <= EVG_SELECT_LDS_DIRECT_B) ||
	       (select >= EVG_SELECT_TIME_HI &&
		select <= EVG_SELECT_LOOP_INDEX) ||
	       (select >= EVG_SELECT_PARAM_BASE_ADDR && select < 320) ||
	       select >= EVG_SELECT_PARAM;
}

static int inst_decode(struct evg_alu_inst *inst, const uint32_t *words,
		       struct error *error)
{
	bool is_op3 = evg_bits(words[1], 17, 15) != 0;
	unsigned code = is_op3 ? evg_bits(words[1], 17, 13)
			       : evg_bits(words[1], 17, 7);
	int op = evg_alu_find(is_op3, code);
	const struct evg_layout *layout = is_op3 ? &op3_layout : &op2_layout;

	if (op < 0)
		return evg_error_words(error, words, 2,
				       "field ALU_INST is %u, which is not an "
				       "%s instruction",
				       code, is_op3 ? "OP3" : "OP2");
	memset(inst, 0, sizeof(*inst));
	inst->op = (enum evg_alu_op)op;
	inst->source_count = evg_alu_info[op].source_count;
	inst->write_mask = is_op3;
	if (op == EVG_ALU_LDS_IDX_OP) {
		unsigned lds_code = evg_bits(words[1], 26, 21);
		int lds_op = evg_lds_find(lds_code);

		if (lds_op < 0)
			return evg_error_words(error, words, 2,
					       "field LDS_OP is %u, which is "
					       "not an LDS operation",
					       lds_code);
		layout = &lds_layout;
		inst->lds_op = (enum evg_lds_op)lds_op;
		inst->source_count = evg_lds_info[lds_op].source_count;
		inst->write_mask = false;
		for (unsigned i = 0; i < ARRAY_SIZE(idx_offset); i++)
			inst->lds_offset |= (words[idx_offset[i].word] >>
						     idx_offset[i].bit &
					     1)
					    << i;
	}
	if (evg_layout_read(layout, inst, words, error))
		return -1;
	memcpy(inst->word, words, sizeof(inst->word));
	for (unsigned i = 0; i < 2u + is_op3; i++) {
		if (!select_is_legal(inst->source[i].select))
			return evg_error_words(error, words, 2,
					       "field SRC%u_SEL is %u, which "
					       "is not defined",
					       i, inst->source[i].select);
	}
	return 0;
}

static int inst_encode(uint32_t *words, const struct evg_alu_inst *inst,
		       struct error *error)
{
	const struct evg_alu_info *info;

	if ((unsigned)inst->op >= EVG_ALU_COUNT)
		return error_set(error, "%d is not an ALU instruction",
				 (int)inst->op);
	info = &evg_alu_info[inst->op];
	words[0] = 0;
	words[1] = (uint32_t)info->code << (info->op3 ? 13 : 7);
	if (inst->op != EVG_ALU_LDS_IDX_OP)
		return evg_layout_write(evg_alu_layout(inst->op), inst, words,
					error);
	if ((unsigned)inst->lds_op >= EVG_LDS_COUNT || inst->lds_offset > 63)
		return error_set(error, "LDS_IDX_OP: no operation %d with "
					"offset %u",
				 (int)inst->lds_op, inst->lds_offset);
	words[1] |= (uint32_t)evg_lds_info[inst->lds_op].code << 21;
	for (unsigned i = 0; i < ARRAY_SIZE(idx_offset); i++)
		words[idx_offset[i].word] |=
			(uint32_t)(inst->lds_offset >> i & 1)
			<< idx_offset[i].bit;
	return evg_layout_write(&lds_layout, inst, words, error);
}

/* --- Groups ------------------------------------------------------------- */

static const char slot_letter[] = "xyzwt";

/* In program order: a t-only instruction goes to t, LDS accesses go to x, any
 * other to the vector slot of its destination channel, or to t when that is
 * taken. */
static int slot_choose(const struct evg_alu_group *group,
		       const struct evg_alu_inst *inst, struct error *error)
{
	unsigned slots = evg_alu_info[inst->op].slots;
	unsigned slot = slots == EVG_SLOTS_T   ? EVG_T
			: slots == EVG_SLOTS_X ? EVG_X
					       : inst->dest_channel;

	if (group->slot_mask >> slot & 1 && slots == EVG_SLOTS_ANY)
		slot = EVG_T;
	if (group->slot_mask >> slot & 1)
		return evg_error_words(error, inst->word, 2,
				       "slot %c, which %s needs, is already "
				       "taken in its group",
				       slot_letter[slot],
				       evg_alu_info[inst->op].name);
	if (slot == EVG_T && inst->bank_swizzle >= T_SWIZZLE_COUNT)
		return evg_error_words(error, inst->word, 2,
				       "field BANK_SWIZZLE is %u, which is not "
				       "defined in the t slot",
				       inst->bank_swizzle);
	return (int)slot;
}

/* What only a complete group shows. */
static int group_check(const struct evg_alu_group *group, struct error *error)
{
	unsigned predicates = 0;

	for (unsigned i = 0; i < group->inst_count; i++) {
		unsigned slot = group->order[i];
		const struct evg_alu_inst *inst = &group->inst[slot];
		const struct evg_alu_info *info = &evg_alu_info[inst->op];
		unsigned first = slot, last = slot;

		if (inst->op == EVG_ALU_GROUP_BARRIER && group->inst_count > 1)
			return evg_error_words(error, inst->word, 2,
					       "GROUP_BARRIER shares its "
					       "group; expected a group of its "
					       "own");
		if (info->slots == EVG_SLOTS_FOUR)
			first = EVG_X, last = EVG_W;
		else if (info->slots == EVG_SLOTS_PAIR)
			first = slot & ~1u, last = slot | 1;
		for (unsigned s = first; s <= last; s++) {
			if (group->slot_mask >> s & 1 &&
			    group->inst[s].op == inst->op)
				continue;
			return evg_error_words(error, inst->word, 2,
					       "%s in slot %c needs the same "
					       "instruction in slot %c",
					       info->name, slot_letter[slot],
					       slot_letter[s]);
		}
		predicates += info->is_predicate && slot == first;
	}
	if (predicates > 1)
		return error_set(error, "%u instructions of the group set the "
					"predicate",
				 predicates);
	return 0;
}

static unsigned literals_used(const struct evg_alu_group *group)
{
	unsigned used = 0;

	for (unsigned i = 0; i < group->inst_count; i++) {
		const struct evg_alu_inst *inst =
			&group->inst[group->order[i]];

		for (unsigned j = 0; j < inst->source_count; j++) {
			unsigned select = inst->source[j].select;

			if (select == EVG_SELECT_LITERAL &&
			    inst->source[j].channel >= used)
				used = inst->source[j].channel + 1u;
			/* Their places are in the first two literals. */
			if ((select == EVG_SELECT_LDS_DIRECT_A ||
			     select == EVG_SELECT_LDS_DIRECT_B) &&
			    used < 2)
				used = 2;
		}
	}
	return (used + 1) & ~1u;
}

int evg_alu_group_decode(struct evg_alu_group *group, const uint32_t *words,
			 size_t units, struct error *error)
{
	bool last = false;

	memset(group, 0, sizeof(*group));
	while (!last) {
		struct evg_alu_inst inst;
		int slot;

		if (group->inst_count == units)
			return error_set(error, "the clause ends inside a "
						"group: no instruction has "
						"LAST set");
		if (group->inst_count == EVG_SLOT_COUNT)
			return evg_error_words(error, words, 4,
					       "the group has more than five "
					       "instructions");
		if (inst_decode(&inst, words + 2 * group->inst_count, error))
			return -1;
		slot = slot_choose(group, &inst, error);
		if (slot < 0)
			return -1;
		group->inst[slot] = inst;
		group->slot_mask |= (uint8_t)(1u << slot);
		group->order[group->inst_count++] = (uint8_t)slot;
		last = inst.last;
	}
	if (group_check(group, error))
		return -1;
	group->literal_count = (uint8_t)literals_used(group);
	group->size = group->inst_count + group->literal_count / 2;
	if (group->size > units)
		return error_set(error, "the clause ends before the group's "
					"%u literals",
				 group->literal_count);
	memcpy(group->literal, words + 2 * group->inst_count,
	       group->literal_count * sizeof(uint32_t));
	return group->size;
}

int evg_alu_group_encode(uint32_t *words, const struct evg_alu_group *group,
			 struct error *error)
{
	struct evg_alu_group again;
	unsigned count = group->inst_count;

	if (!count || count > EVG_SLOT_COUNT || group->literal_count > 4 ||
	    group->literal_count % 2)
		return error_set(error, "a group of %u instructions and %u "
					"literals cannot be encoded",
				 count, group->literal_count);
	for (unsigned i = 0; i < count; i++) {
		const struct evg_alu_inst *inst;

		if (group->order[i] >= EVG_SLOT_COUNT)
			return error_set(error, "slot %u: expected 0 to 4",
					 group->order[i]);
		inst = &group->inst[group->order[i]];
		if (inst->last != (i == count - 1))
			return error_set(error, "LAST must be set in the last "
						"instruction alone");
		if (inst_encode(words + 2 * i, inst, error))
			return -1;
	}
	memcpy(words + 2 * count, group->literal,
	       group->literal_count * sizeof(uint32_t));
	/* The slots follow from the words: they must come out as wanted. */
	if (evg_alu_group_decode(&again, words,
				 count + group->literal_count / 2, error) < 0)
		return -1;
	for (unsigned i = 0; i < count; i++) {
		unsigned slot = group->order[i], other = again.order[i];

		if (slot != other)
			return error_set(error, "%s in slot %c would be issued "
						"in slot %c, which is free",
					 evg_alu_info[group->inst[slot].op].name,
					 slot_letter[slot], slot_letter[other]);
	}
	if (again.literal_count != group->literal_count)
		return error_set(error, "the group has %u literals, but its "
					"instructions need %u",
				 group->literal_count, again.literal_count);
	return again.size;
}
