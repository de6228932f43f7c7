#include "opencl-rt/codegen/write/group.h"

#include <string.h>

#include "evergreen/isa/ports.h"

enum { OPERANDS = 3 }; /* of an operation on doubles */

static uint8_t place_literal(struct evg_alu_group *group, uint32_t literal)
{
	for (uint8_t c = 0; c < group->literal_count; c++)
		if (group->literal[c] == literal)
			return c;
	group->literal[group->literal_count] = literal;
	return group->literal_count++;
}

static struct evg_source source_of(const struct machine *machine,
				   const struct machine_source *from,
				   struct evg_alu_group *group)
{
	struct evg_source source = {
		.select = from->select, .channel = from->channel,
		.negate = from->negate, .absolute = from->absolute,
	};

	if (from->reg != MACHINE_NONE) {
		const struct machine_register *reg =
			&machine->registers[from->reg];

		source.select = reg->number;
		source.channel = (uint8_t)reg->channel;
	} else if (from->select == EVG_SELECT_LITERAL) {
		source.channel = place_literal(group, from->literal);
	}
	return source;
}

/* Where its result goes. What has three operands writes always. */
static void set_result(const struct machine *machine,
		       const struct machine_inst *from, unsigned result,
		       struct evg_alu_inst *inst)
{
	const struct machine_register *reg;

	if (result >= from->dest_count)
		return;
	reg = &machine->registers[from->dest[result]];
	inst->write_mask = !evg_alu_info[from->op].op3;
	inst->dest_gpr = reg->number;
	inst->dest_channel = (uint8_t)reg->channel;
}

static void put(struct evg_alu_group *group, unsigned slot,
		const struct evg_alu_inst *inst)
{
	group->inst[slot] = *inst;
	group->slot_mask |= (uint8_t)(1u << slot);
	group->order[group->inst_count++] = (uint8_t)slot;
}

static bool finish_group(struct evg_alu_group *group)
{
	group->inst[group->order[group->inst_count - 1]].last = true;
	group->literal_count = (uint8_t)((group->literal_count + 1) / 2 * 2);
	group->size = (uint8_t)(group->inst_count + group->literal_count / 2);
	return evg_ports_assign(group);
}

/* --- One slot ------------------------------------------------------------- */

static unsigned slot_of(const struct evg_alu_inst *inst)
{
	if (evg_alu_info[inst->op].slots == EVG_SLOTS_T)
		return EVG_T;
	return inst->op == EVG_ALU_LDS_IDX_OP ? EVG_X : inst->dest_channel;
}

static bool make_single(const struct machine *machine,
			const struct machine_inst *from, bool takes_lanes_out,
			struct evg_alu_group *group)
{
	struct evg_alu_inst inst = {
		.op = from->op, .lds_op = from->lds_op,
		.source_count = (uint8_t)from->source_count,
		.update_execute_mask = takes_lanes_out,
		.update_predicate = !takes_lanes_out &&
				    evg_alu_info[from->op].is_predicate,
		.predicate_select = from->predicate,
		.lds_offset = (uint8_t)from->offset,
	};

	for (unsigned k = 0; k < from->source_count; k++)
		inst.source[k] = source_of(machine, &from->source[k], group);
	set_result(machine, from, 0, &inst);
	put(group, slot_of(&inst), &inst);
	return finish_group(group);
}

/* --- Doubles -------------------------------------------------------------- */

/* The slots of an operation: of a pair the first names the high dwords of the
 * operands and the second the low ones; of four the last names the low ones. The
 * result's low dword comes in the first slot, the high one in the second. */
static bool make_double(const struct machine *machine,
			const struct machine_inst *from,
			struct evg_alu_group *group)
{
	const struct evg_alu_info *info = &evg_alu_info[from->op];
	unsigned first = (unsigned)machine->registers[from->dest[0]].channel;
	unsigned count = info->slots == EVG_SLOTS_PAIR ? 2 : 4;

	for (unsigned i = 0; i < count; i++) {
		bool is_high = i + 1 < count;
		struct evg_alu_inst inst = {
			.op = from->op,
			.source_count = info->source_count,
			.predicate_select = from->predicate,
			.dest_gpr = info->op3 ? EVG_REGISTERS - 1 : 0,
			.dest_channel = (uint8_t)(first + i),
		};

		for (unsigned k = 0; k < info->source_count; k++)
			inst.source[k] = source_of(
				machine, &from->source[2 * k + is_high],
				group);
		set_result(machine, from, i, &inst);
		put(group, first + i, &inst);
	}
	return finish_group(group);
}

/* A dword of an operand, copied to a place from which all can be read. */
static void copy_operand(const struct machine *machine,
			 const struct machine_source *from, unsigned operand,
			 bool is_high, struct codegen_group *made)
{
	struct machine_source plain = *from;
	struct evg_alu_inst inst = {
		.op = EVG_ALU_MOV, .source_count = 1, .write_mask = true,
		.dest_gpr = (uint8_t)(EVG_FIRST_TEMPORARY + operand),
		.dest_channel = is_high,
	};

	plain.negate = plain.absolute = false;
	inst.source[0] = source_of(machine, &plain, &made->group);
	put(&made->group, is_high, &inst);
	finish_group(&made->group);
}

/* The sources of the last group become the copies. */
static void name_copies(struct evg_alu_group *group, unsigned operands)
{
	for (unsigned i = 0; i < group->inst_count; i++) {
		struct evg_alu_inst *inst = &group->inst[group->order[i]];

		for (unsigned k = 0; k < operands; k++) {
			struct evg_source *source = &inst->source[k];

			if (source->select >= CODEGEN_REGISTERS)
				continue;
			source->select =
				(uint16_t)(EVG_FIRST_TEMPORARY + k);
			source->channel = i + 1u < group->inst_count;
		}
	}
}

/* Where the operands lie in the same channels there are too few ports: they are
 * copied first, low dwords to x and high ones to y. */
static unsigned make_with_copies(const struct machine *machine,
				 const struct machine_inst *from,
				 struct codegen_group *groups)
{
	unsigned operands = evg_alu_info[from->op].source_count, count = 0;
	struct evg_alu_group last = groups[0].group;

	memset(groups, 0, GROUP_MOST * sizeof *groups);
	for (unsigned k = 0; k < 2 * operands && k < 2 * OPERANDS; k++)
		if (from->source[k].reg != MACHINE_NONE)
			copy_operand(machine, &from->source[k], k / 2, k % 2,
				     &groups[count++]);
	name_copies(&last, operands);
	groups[count++].group = last;
	return evg_ports_assign(&groups[count - 1].group) ? count : 0;
}

unsigned machine_groups(const struct machine *machine,
		    const struct machine_inst *inst, bool takes_lanes_out,
		    struct codegen_group *groups)
{
	memset(groups, 0, GROUP_MOST * sizeof *groups);
	if (!machine_is_double(inst))
		return make_single(machine, inst, takes_lanes_out,
				   &groups[0].group);
	if (make_double(machine, inst, &groups[0].group))
		return 1;
	return make_with_copies(machine, inst, groups);
}
