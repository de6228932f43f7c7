/* ALU groups: which slots their instructions take, and their exact text. */
#include <stdio.h>
#include <string.h>

#include "evergreen/asm/asm.h"
#include "evergreen/asm/attribute.h"
#include "evergreen/isa/layout.h"
#include "evergreen/isa/text.h"

/* Whether the machine can issue the instruction in the slot. */
static bool fits_slot(enum evg_alu_op op, unsigned slot)
{
	switch (evg_alu_info[op].slots) {
	case EVG_SLOTS_ANY:
		return true;
	case EVG_SLOTS_T:
		return slot == EVG_T;
	case EVG_SLOTS_X:
		return slot == EVG_X;
	default:
		return slot != EVG_T;
	}
}

static const char *slots_text(enum evg_alu_op op)
{
	switch (evg_alu_info[op].slots) {
	case EVG_SLOTS_T:
		return "t";
	case EVG_SLOTS_X:
		return "x";
	default:
		return "x, y, z or w";
	}
}

int evg_group_add(struct evg_scan *scan, struct evg_alu_group *group,
		  const struct evg_alu_inst *inst, unsigned slot)
{
	if (!fits_slot(inst->op, slot))
		return evg_scan_fail(scan, "%s in slot %c: it is issued in %s",
				     evg_alu_info[inst->op].name, "xyzwt"[slot],
				     slots_text(inst->op));
	if (group->slot_mask >> slot & 1)
		return evg_scan_fail(scan,
				     "slot %c is taken in this group "
				     "(a number in front starts a new one)",
				     "xyzwt"[slot]);
	if (slot < EVG_T && inst->op != EVG_ALU_LDS_IDX_OP &&
	    inst->dest_channel != slot)
		return evg_scan_fail(scan, "slot %c writes component %c only",
				     "xyzwt"[slot], "xyzwt"[slot]);
	group->inst[slot] = *inst;
	group->slot_mask |= (uint8_t)(1u << slot);
	group->order[group->inst_count++] = (uint8_t)slot;
	return 0;
}

/* The first two literals say what LDS_DIRECT_A and _B are. */
static bool reads_local_directly(const struct evg_alu_group *group)
{
	for (unsigned i = 0; i < group->inst_count; i++) {
		const struct evg_alu_inst *inst = &group->inst[group->order[i]];

		for (unsigned k = 0; k < inst->source_count; k++)
			if (inst->source[k].select == EVG_SELECT_LDS_DIRECT_A ||
			    inst->source[k].select == EVG_SELECT_LDS_DIRECT_B)
				return true;
	}
	return false;
}

void evg_group_end(struct evg_alu_group *group,
		   const struct evg_literals *literals)
{
	unsigned used = 0;

	for (unsigned c = 0; c < 4; c++)
		if (literals->taken >> c & 1)
			used = c + 1;
	if (used < 2 && reads_local_directly(group))
		used = 2;
	group->literal_count = (uint8_t)((used + 1) & ~1u);
	memcpy(group->literal, literals->value, sizeof group->literal);
	if (group->inst_count)
		group->inst[group->order[group->inst_count - 1]].last = true;
}
