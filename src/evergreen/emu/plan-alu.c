/* Plans of ALU clauses: VLIW groups to lists of functions over rows. */
#include "evergreen/emu/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Where the result of a slot goes. */
struct result {
	bool issued;         /* has a result at all */
	bool wanted;         /* as PV, PS or PREV */
	bool writes, relative;
	uint32_t register_row; /* when written and not relative */
	uint32_t dest;       /* row that the operation writes, or EVG_NO_ROW */
	bool direct;         /* dest is the register itself */
};

/* One instruction, or several slots joined in one operation. */
struct unit {
	const struct evg_alu_body *body;
	const struct evg_alu_inst *inst; /* in the first slot */
	uint8_t slots[4];
	uint8_t slot_count;
	struct evg_operand source[12];
	uint32_t source_and[12], source_xor[12];
	uint8_t source_count;
	int previous;        /* slot whose result is the last source, or -1 */
	uint32_t queue_row[2];
	uint32_t lds_offset;
	bool done;
};

struct clause_builder {
	struct plan_builder *shared;
	const struct evg_code_cf *cf;
	struct evg_clause_plan *plan;
	uint32_t uop_capacity, uop_count;
	struct evg_uop *uops;
	uint32_t segment_capacity;
	struct evg_segment *segments;
	/* LDS output queues: in step for all lanes, or kept per lane. */
	bool lanes_apart;
	unsigned ring[2], pushed[2], popped[2];
	/* Rows of the previous group's results; EVG_NO_ROW: none. */
	uint32_t previous[EVG_SLOT_COUNT];
	/* The group in progress. */
	uint32_t index;
	const struct evg_code_group *code;
	const struct evg_alu_group *group;
	struct result results[EVG_SLOT_COUNT];
	struct unit units[EVG_SLOT_COUNT];
	unsigned unit_count, temp_count;
	const char *trap;
};

static void set_trap(struct clause_builder *clause, const char *text)
{
	if (!clause->trap)
		clause->trap = text;
}

static uint8_t predicate_mask(const struct evg_alu_inst *inst)
{
	return inst->predicate_select == 2   ? EVG_MASK_PREDICATE_0
	       : inst->predicate_select == 3 ? EVG_MASK_PREDICATE_1
					     : EVG_MASK_ACTIVE;
}

static struct evg_uop *add_uop(struct clause_builder *clause,
			       const struct evg_alu_inst *inst)
{
	struct evg_uop *uop;
	struct evg_operand zero = {0, EVG_BASE_POOL, 0};

	ARRAY_GROW(clause->uops, clause->uop_count, clause->uop_capacity);
	uop = &clause->uops[clause->uop_count++];
	memset(uop, 0, sizeof *uop);
	for (int k = 0; k < 3; k++)
		uop->source[k] = zero;
	uop->dest = EVG_NO_ROW;
	uop->mask = predicate_mask(inst);
	uop->group = (uint16_t)clause->index;
	return uop;
}

static void set_body(struct evg_uop *uop, evg_body *masked, evg_body *full)
{
	uop->body[0] = masked;
	uop->body[1] = full;
}

/* A group that cannot be executed is replaced by this. */
static void run_trap(struct evg_wavefront *wavefront,
		     const struct evg_uop *uop)
{
	uint64_t lanes = wavefront->mask[EVG_MASK_ACTIVE] & wavefront->valid;
	struct evg_fault *fault = &wavefront->fault;

	if (fault->kind || !lanes)
		return;
	fault->kind = EVG_FAULT_TRAP;
	fault->lane = (uint8_t)__builtin_ctzll(lanes);
	fault->group = uop->group;
	fault->text = uop->extra;
}

/* --- Sources ------------------------------------------------------------ */

static uint32_t temp_row(struct clause_builder *clause)
{
	if (clause->temp_count == EVG_TEMP_ROWS) {
		set_trap(clause, "too many relative operands in a group");
		return 0;
	}
	return plan_row(clause->shared,
			&clause->shared->temp_row[clause->temp_count++]);
}

static struct evg_operand literal(struct clause_builder *clause,
				  unsigned channel)
{
	const struct evg_kernel *kernel = clause->shared->kernel;
	const struct evg_program *program = kernel->program;
	uint32_t place = kernel->code_offset + 8 * clause->code->address +
			 8 * clause->group->inst_count + 4 * channel;
	uint32_t low = 0, high = program ? program->relocation_count : 0;

	if (channel >= clause->group->literal_count)
		set_trap(clause, "a literal that the group does not have");
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (program->relocations[middle] < place)
			low = middle + 1;
		else
			high = middle;
	}
	return plan_constant(clause->shared,
			     program && low < program->relocation_count &&
					     program->relocations[low] == place
				     ? EVG_CONSTANT_TEXT
				     : EVG_CONSTANT_VALUE,
			     clause->group->literal[channel]);
}

/* A per-lane index by AR: into the registers or a constant window. */
static struct evg_operand relative_source(struct clause_builder *clause,
					  const struct evg_alu_inst *inst,
					  uint32_t index, uint32_t limit,
					  unsigned channel, bool constant)
{
	struct plan_builder *shared = clause->shared;
	struct evg_relative *relative =
		plan_allocate(shared->plan, sizeof *relative);
	uint32_t row = temp_row(clause);
	struct evg_uop *uop = add_uop(clause, inst);

	if (inst->index_mode)
		set_trap(clause, "an index mode other than AR.x");
	relative->index = index;
	relative->limit = limit;
	relative->channel = (uint8_t)channel;
	relative->constant = constant;
	relative->address_row = plan_row(shared, &shared->address_row);
	set_body(uop, shared->plan->simd->gather, shared->plan->simd->gather);
	uop->dest = row;
	uop->extra = relative;
	return plan_state(row);
}

/* KCACHE window `cache`, constant `index` of it. */
static struct evg_operand cached_constant(struct clause_builder *clause,
					  const struct evg_alu_inst *inst,
					  const struct evg_source *source,
					  unsigned cache, unsigned index)
{
	const struct evg_kcache *window = &clause->cf->inst.kcache[cache];
	unsigned size = window->mode == 1   ? 16
			: window->mode == 2 ? 32
					    : 0;
	uint32_t dword =
		4 * (16u * window->address + index) + source->channel;

	if (!size || index >= size)
		set_trap(clause, "a constant outside its locked cache window");
	else if (window->bank || window->bank_index_mode)
		set_trap(clause, "a constant buffer other than 0");
	else if (dword >= clause->shared->plan->buffer_dwords)
		set_trap(clause, "a constant beyond the kernel's arguments");
	if (source->relative)
		return relative_source(clause, inst,
				       16u * window->address + index,
				       16u * window->address + size,
				       source->channel, true);
	return plan_constant(clause->shared, EVG_CONSTANT_BUFFER, dword);
}

/* A read of LDS output queue `queue`, which takes its head or only looks. */
static struct evg_operand queue_source(struct clause_builder *clause,
				       const struct evg_alu_inst *inst,
				       unsigned queue, bool take)
{
	struct plan_builder *shared = clause->shared;
	struct evg_queue *lanes;
	struct evg_uop *uop;
	uint32_t row;

	if (!clause->lanes_apart) {
		if (clause->popped[queue] == clause->pushed[queue]) {
			set_trap(clause, "an LDS output queue that is empty");
			return plan_state(0);
		}
		row = plan_row(shared,
			       &shared->queue_row[queue]
						 [clause->popped[queue] %
						  clause->ring[queue]]);
		clause->popped[queue] += take;
		return plan_state(row);
	}
	if (!take) {
		set_trap(clause, "an LDS queue head looked at under a "
				 "predicate");
		return plan_state(0);
	}
	row = temp_row(clause);
	uop = add_uop(clause, inst);
	lanes = plan_allocate(shared->plan, sizeof *lanes);
	lanes->head_row = plan_row(shared, &shared->head_row[queue]);
	lanes->tail_row = plan_row(shared, &shared->tail_row[queue]);
	lanes->first_row = shared->lane_queue_row[queue];
	set_body(uop, shared->plan->simd->queue_pop,
		 shared->plan->simd->queue_pop);
	uop->dest = row;
	uop->extra = lanes;
	return plan_state(row);
}

static struct evg_operand mask_source(struct clause_builder *clause,
				      const struct evg_alu_inst *inst,
				      evg_body *body)
{
	uint32_t row = temp_row(clause);
	struct evg_uop *uop = add_uop(clause, inst);

	set_body(uop, body, body);
	uop->dest = row;
	return plan_state(row);
}

static struct evg_operand previous_result(struct clause_builder *clause,
					  unsigned slot)
{
	if (clause->previous[slot] == EVG_NO_ROW) {
		set_trap(clause, "PV or PS of a slot that the previous group "
				 "did not issue");
		return plan_state(0);
	}
	return plan_state(clause->previous[slot]);
}

static struct evg_operand source_operand(struct clause_builder *clause,
					 const struct evg_alu_inst *inst,
					 const struct evg_source *source)
{
	static const uint32_t inline_constant[] = {
		[EVG_SELECT_1_DOUBLE_LOW - 244] = 0,
		[EVG_SELECT_1_DOUBLE_HIGH - 244] = 0x3ff00000,
		[EVG_SELECT_HALF_DOUBLE_LOW - 244] = 0,
		[EVG_SELECT_HALF_DOUBLE_HIGH - 244] = 0x3fe00000,
		[EVG_SELECT_0 - 244] = 0,
		[EVG_SELECT_1 - 244] = 0x3f800000,
		[EVG_SELECT_1_INT - 244] = 1,
		[EVG_SELECT_M1_INT - 244] = 0xffffffff,
		[EVG_SELECT_HALF - 244] = 0x3f000000,
	};
	struct plan_builder *shared = clause->shared;
	unsigned select = source->select, channel = source->channel;
	uint32_t row;

	if (select < 128) {
		row = plan_register(shared, select, channel);
		if (row == EVG_NO_ROW)
			set_trap(clause, "a source beyond the kernel's "
					 "registers");
		if (source->relative)
			return relative_source(clause, inst, select,
					       shared->plan->register_count,
					       channel, false);
		return plan_state(row == EVG_NO_ROW ? 0 : row);
	}
	if (select < EVG_SELECT_KCACHE0 + 64)
		return cached_constant(clause, inst, source,
				       (select - EVG_SELECT_KCACHE0) / 32,
				       select % 32);
	if (select >= EVG_SELECT_KCACHE2 && select < EVG_SELECT_KCACHE3 + 32)
		return cached_constant(clause, inst, source,
				       2 + (select - EVG_SELECT_KCACHE2) / 32,
				       select % 32);
	if (source->relative)
		set_trap(clause, "a relative operand that is neither a "
				 "register nor a constant");
	if (select >= 244 && select <= EVG_SELECT_HALF)
		return plan_constant(shared, EVG_CONSTANT_VALUE,
				     inline_constant[select - 244]);
	switch (select) {
	case EVG_SELECT_LITERAL:
		return literal(clause, channel);
	case EVG_SELECT_PV:
		return previous_result(clause, channel);
	case EVG_SELECT_PS:
		return previous_result(clause, EVG_T);
	case EVG_SELECT_LDS_OQ_A:
	case EVG_SELECT_LDS_OQ_B:
		return queue_source(clause, inst,
				    select - EVG_SELECT_LDS_OQ_A, false);
	case EVG_SELECT_LDS_OQ_A_POP:
	case EVG_SELECT_LDS_OQ_B_POP:
		return queue_source(clause, inst,
				    select - EVG_SELECT_LDS_OQ_A_POP, true);
	case EVG_SELECT_MASK_LO:
		return mask_source(clause, inst, shared->plan->simd->mask_low);
	case EVG_SELECT_MASK_HI:
		return mask_source(clause, inst,
				   shared->plan->simd->mask_high);
	default:
		set_trap(clause,
			 plan_text(shared->plan,
				   "source selector %u is not supported by "
				   "the emulator",
				   select));
		return plan_state(0);
	}
}

/* --- Units -------------------------------------------------------------- */

static bool is_double(enum evg_alu_op op)
{
	switch (op) {
	case EVG_ALU_DOT4:
	case EVG_ALU_DOT4_IEEE:
	case EVG_ALU_FLT_TO_UINT4:
	case EVG_ALU_FLT32_TO_FLT64:
		return false;
	default:
		return true;
	}
}

/* Whether source `k` of joined slot `slot` is the low half of a double, on
 * which sign modifiers have no effect. */
static bool is_low_half(const struct unit *unit, unsigned slot, unsigned k)
{
	if (unit->body->shape != EVG_SHAPE_WIDE || !is_double(unit->inst->op))
		return false;
	if (unit->slot_count == 1)
		return k == 1;
	return slot == unit->slot_count - 1u;
}

static void add_source(struct clause_builder *clause, struct unit *unit,
		       const struct evg_alu_inst *inst, unsigned slot,
		       unsigned k)
{
	const struct evg_source *source = &inst->source[k];
	unsigned n = unit->source_count++;
	bool sign = !is_low_half(unit, slot, k);

	unit->source[n] = source_operand(clause, inst, source);
	unit->source_and[n] =
		sign && source->absolute ? 0x7fffffff : 0xffffffff;
	unit->source_xor[n] = sign && source->negate ? 0x80000000 : 0;
}

/* Slots that the operation in `slot` needs beside it, it included. */
static unsigned joined_slots(enum evg_alu_op op, unsigned slot)
{
	switch (evg_alu_info[op].slots) {
	case EVG_SLOTS_FOUR:
		return 0xf;
	case EVG_SLOTS_PAIR:
		return slot < EVG_Z ? 0x3 : 0xc;
	default:
		return op == EVG_ALU_FLT_TO_UINT4 ? 0xf : 1u << slot;
	}
}

static void add_lds(struct clause_builder *clause, struct unit *unit)
{
	struct plan_builder *shared = clause->shared;
	enum evg_lds_op op = unit->inst->lds_op;
	unsigned offset = unit->inst->lds_offset;

	for (unsigned k = 0; k < evg_lds_info[op].source_count; k++)
		add_source(clause, unit, unit->inst, 0, k);
	switch (op) {
	case EVG_LDS_WRITE_REL:
	case EVG_LDS_XCHG_REL_RET:
	case EVG_LDS_READ_REL_RET:
		unit->lds_offset = 4 * offset;
		break;
	case EVG_LDS_WRITE2:
	case EVG_LDS_XCHG2_RET:
		unit->lds_offset = 4 * 64 * offset;
		break;
	default:
		if (offset)
			set_trap(clause, "an LDS offset on an operation with "
					 "one address");
	}
	if (!shared->plan->simd->lds[op])
		set_trap(clause,
			 plan_text(shared->plan,
				   "LDS operation %s is not supported by the "
				   "emulator",
				   evg_lds_info[op].name));
	for (unsigned queue = 0; queue < evg_lds_info[op].returns; queue++)
		unit->queue_row[queue] =
			clause->lanes_apart
				? temp_row(clause)
				: plan_row(shared,
					   &shared->queue_row
						    [queue]
						    [clause->pushed[queue]++ %
						     clause->ring[queue]]);
}

static const char *unsupported(struct clause_builder *clause,
			       enum evg_alu_op op)
{
	return plan_text(clause->shared->plan,
			 "%s is not supported by the emulator",
			 evg_alu_info[op].name);
}

static void add_special(struct clause_builder *clause, struct unit *unit)
{
	switch (unit->inst->op) {
	case EVG_ALU_ALU_NOP:
		unit->done = true;
		break;
	case EVG_ALU_GROUP_BARRIER:
		unit->done = true;
		if (clause->group->inst_count != 1)
			set_trap(clause, "GROUP_BARRIER does not stand alone");
		break;
	case EVG_ALU_LDS_IDX_OP:
		add_lds(clause, unit);
		break;
	case EVG_ALU_MOVA_INT:
		add_source(clause, unit, unit->inst, 0, 0);
		if (unit->inst->write_mask)
			set_trap(clause, "MOVA_INT with a register as its "
					 "destination");
		break;
	default:
		set_trap(clause, unsupported(clause, unit->inst->op));
	}
}

static void add_unit(struct clause_builder *clause, unsigned slot,
		     unsigned *taken)
{
	const struct evg_alu_group *group = clause->group;
	struct unit *unit = &clause->units[clause->unit_count++];
	const struct evg_alu_inst *inst = &group->inst[slot];
	unsigned joined = joined_slots(inst->op, slot);

	memset(unit, 0, sizeof *unit);
	unit->inst = inst;
	unit->previous = -1;
	unit->queue_row[0] = unit->queue_row[1] = EVG_NO_ROW;
	unit->body = clause->shared->plan->simd->alu[inst->op];
	*taken |= 1u << slot;
	if (inst->predicate_select == 1)
		set_trap(clause, "the reserved PRED_SEL 1");
	if (!unit->body) {
		set_trap(clause, unsupported(clause, inst->op));
		unit->done = true;
		return;
	}
	for (unsigned s = 0; s < EVG_SLOT_COUNT; s++) {
		if (!(joined >> s & 1))
			continue;
		if (!(group->slot_mask >> s & 1) ||
		    group->inst[s].op != inst->op ||
		    group->inst[s].predicate_select !=
			    inst->predicate_select) {
			set_trap(clause, "an operation over several slots "
					 "that does not fill them");
			unit->done = true;
			return;
		}
		*taken |= 1u << s;
		unit->slots[unit->slot_count++] = (uint8_t)s;
	}
	if (unit->body->shape == EVG_SHAPE_SPECIAL) {
		add_special(clause, unit);
		return;
	}
	for (unsigned k = 0; k < unit->slot_count; k++) {
		const struct evg_alu_inst *joint = &group->inst[unit->slots[k]];
		unsigned count = evg_alu_info[inst->op].source_count;

		for (unsigned n = 0; n < count; n++)
			add_source(clause, unit, joint, k, n);
	}
	if (!unit->body->previous)
		return;
	if (slot >= EVG_W || !(group->slot_mask >> (slot + 1) & 1))
		set_trap(clause, "no next lower slot to take a result from");
	else
		unit->previous = (int)slot + 1;
}

/* --- Results ------------------------------------------------------------ */

/* Whether group `next` reads PV or PS of a slot. */
static bool reads_previous(const struct evg_alu_group *next, unsigned slot)
{
	for (unsigned s = 0; s < EVG_SLOT_COUNT; s++) {
		const struct evg_alu_inst *inst = &next->inst[s];
		unsigned count = inst->op == EVG_ALU_LDS_IDX_OP
					 ? 3
					 : evg_alu_info[inst->op].source_count;

		if (!(next->slot_mask >> s & 1))
			continue;
		for (unsigned k = 0; k < count; k++) {
			const struct evg_source *source = &inst->source[k];

			if (slot == EVG_T
				    ? source->select == EVG_SELECT_PS
				    : source->select == EVG_SELECT_PV &&
					      source->channel == slot)
				return true;
		}
	}
	return false;
}

/* The row for a result that goes to no register, or not at once. */
static uint32_t side_row(struct clause_builder *clause, unsigned slot)
{
	return plan_row(clause->shared,
			&clause->shared->result_row[clause->index & 1][slot]);
}

static void plan_result(struct clause_builder *clause, unsigned slot,
			const struct evg_alu_group *next)
{
	const struct evg_alu_inst *inst = &clause->group->inst[slot];
	struct result *result = &clause->results[slot];

	memset(result, 0, sizeof *result);
	result->dest = EVG_NO_ROW;
	if (!(clause->group->slot_mask >> slot & 1) ||
	    !clause->shared->plan->simd->alu[inst->op] ||
	    clause->shared->plan->simd->alu[inst->op]->shape ==
		    EVG_SHAPE_SPECIAL)
		return;
	result->issued = true;
	result->writes = evg_alu_info[inst->op].op3 || inst->write_mask;
	result->relative = result->writes && inst->dest_relative;
	result->wanted = next && reads_previous(next, slot);
	for (unsigned k = 0; k < clause->unit_count; k++)
		result->wanted |= clause->units[k].previous == (int)slot;
	result->register_row = plan_register(
		clause->shared, inst->dest_gpr, inst->dest_channel);
	if (result->writes && result->register_row == EVG_NO_ROW)
		set_trap(clause, "a destination beyond the kernel's registers");
	if (result->relative && inst->index_mode)
		set_trap(clause, "an index mode other than AR.x");
}

static void plan_results(struct clause_builder *clause,
			 const struct evg_alu_group *next)
{
	bool scattered = false;

	for (unsigned s = 0; s < EVG_SLOT_COUNT; s++) {
		plan_result(clause, s, next);
		scattered |= clause->results[s].relative;
	}
	for (unsigned s = 0; s < EVG_SLOT_COUNT; s++) {
		struct result *r = &clause->results[s];
		bool twice = false;

		for (unsigned o = 0; o < EVG_SLOT_COUNT; o++)
			twice |= o != s && r->writes &&
				 clause->results[o].writes &&
				 clause->results[o].register_row ==
					 r->register_row;
		if (!r->issued || (!r->writes && !r->wanted))
			continue;
		/* PV keeps what a predicate kept out of the register, or what
		 * another slot overwrote there. */
		r->direct = r->writes && !r->relative &&
			    !(r->wanted &&
			      (twice || scattered ||
			       clause->group->inst[s].predicate_select));
		r->dest = r->direct ? r->register_row : side_row(clause, s);
	}
}

/* --- Emission ----------------------------------------------------------- */

static bool reads_row(const struct unit *unit, uint32_t row)
{
	for (unsigned k = 0; k < unit->source_count; k++)
		if (unit->source[k].base == EVG_BASE_STATE &&
		    unit->source[k].offset == row)
			return true;
	return false;
}

/* Whether writing this slot's result now would destroy an operand of a unit
 * still to come. */
static bool is_needed(const struct clause_builder *clause,
		      const struct unit *unit, unsigned slot)
{
	const struct result *result = &clause->results[slot];

	if (!result->direct)
		return false;
	for (unsigned k = 0; k < clause->unit_count; k++)
		if (&clause->units[k] != unit && !clause->units[k].done &&
		    reads_row(&clause->units[k], result->dest))
			return true;
	return false;
}

static bool is_ready(const struct clause_builder *clause,
		     const struct unit *unit)
{
	if (unit->previous < 0)
		return true;
	for (unsigned k = 0; k < clause->unit_count; k++) {
		const struct unit *other = &clause->units[k];

		for (unsigned s = 0; s < other->slot_count; s++)
			if (other->slots[s] == unit->previous)
				return other->done;
	}
	return true;
}

static bool is_modified(const struct unit *unit)
{
	for (unsigned k = 0; k < unit->source_count; k++)
		if (unit->source_and[k] != 0xffffffff || unit->source_xor[k])
			return true;
	return unit->inst->output_modifier || unit->inst->clamp;
}

static void check_output(struct clause_builder *clause,
			 const struct unit *unit,
			 const struct evg_alu_inst *inst)
{
	bool allowed = evg_alu_info[inst->op].is_float;

	if (unit->body->shape == EVG_SHAPE_WIDE && is_double(inst->op) &&
	    inst->op != EVG_ALU_FLT64_TO_FLT32)
		allowed = false;
	if (inst->op == EVG_ALU_FLT32_TO_FLT64)
		allowed = false;
	if ((inst->output_modifier || inst->clamp) && !allowed)
		set_trap(clause, "an output modifier on a result that is not "
				 "single precision");
}

static void emit_wide(struct clause_builder *clause, const struct unit *unit)
{
	struct evg_plan *plan = clause->shared->plan;
	struct evg_wide *wide = plan_allocate(plan, sizeof *wide);
	struct evg_uop *uop = add_uop(clause, unit->inst);

	wide->source_count = unit->source_count;
	wide->odd = unit->inst->dest_channel & 1;
	for (unsigned k = 0; k < unit->source_count; k++) {
		wide->source[k] = unit->source[k];
		wide->source_and[k] = unit->source_and[k];
		wide->source_xor[k] = unit->source_xor[k];
	}
	for (unsigned k = 0; k < 4; k++)
		wide->dest[k] = EVG_NO_ROW;
	for (unsigned k = 0; k < unit->slot_count; k++) {
		const struct evg_alu_inst *inst =
			&clause->group->inst[unit->slots[k]];

		check_output(clause, unit, inst);
		wide->dest[k] = clause->results[unit->slots[k]].dest;
		wide->output_modifier[k] = inst->output_modifier;
		wide->clamp[k] = inst->clamp;
	}
	set_body(uop, unit->body->body[0][0], unit->body->body[0][1]);
	uop->extra = wide;
}

static void emit_value(struct clause_builder *clause, const struct unit *unit)
{
	const struct result *result = &clause->results[unit->slots[0]];
	bool modified = is_modified(unit);
	evg_body *const *body = unit->body->body[modified];
	struct evg_uop *uop;

	check_output(clause, unit, unit->inst);
	if (result->dest == EVG_NO_ROW &&
	    unit->body->shape == EVG_SHAPE_VALUE)
		return; /* nobody looks at the result */
	uop = add_uop(clause, unit->inst);
	uop->dest = result->dest;
	for (unsigned k = 0; k < unit->source_count; k++)
		uop->source[k] = unit->source[k];
	/* Lanes that are not active may be overwritten in a side row. */
	set_body(uop, result->direct ? body[0] : body[1], body[1]);
	if (modified) {
		struct evg_modifiers *m =
			plan_allocate(clause->shared->plan, sizeof *m);

		for (unsigned k = 0; k < 3; k++)
			m->source_and[k] = 0xffffffff;
		for (unsigned k = 0; k < unit->source_count && k < 3; k++) {
			m->source_and[k] = unit->source_and[k];
			m->source_xor[k] = unit->source_xor[k];
		}
		m->output_modifier = unit->inst->output_modifier;
		m->clamp = unit->inst->clamp;
		uop->extra = m;
	}
}

static void emit_lds(struct clause_builder *clause, const struct unit *unit)
{
	struct plan_builder *shared = clause->shared;
	const struct evg_simd *simd = shared->plan->simd;
	struct evg_lds_plan *lds = plan_allocate(shared->plan, sizeof *lds);
	struct evg_uop *uop = add_uop(clause, unit->inst);

	for (unsigned k = 0; k < unit->source_count; k++)
		uop->source[k] = unit->source[k];
	lds->offset = unit->lds_offset;
	lds->queue_row[0] = unit->queue_row[0];
	lds->queue_row[1] = unit->queue_row[1];
	uop->extra = lds;
	set_body(uop, simd->lds[unit->inst->lds_op],
		 simd->lds[unit->inst->lds_op]);
	for (unsigned queue = 0; clause->lanes_apart && queue < 2; queue++) {
		struct evg_queue *lanes;

		if (unit->queue_row[queue] == EVG_NO_ROW)
			continue;
		lanes = plan_allocate(shared->plan, sizeof *lanes);
		lanes->tail_row = plan_row(shared, &shared->tail_row[queue]);
		lanes->first_row = shared->lane_queue_row[queue];
		uop = add_uop(clause, unit->inst);
		uop->source[0] = plan_state(unit->queue_row[queue]);
		uop->extra = lanes;
		set_body(uop, simd->queue_push, simd->queue_push);
	}
}

static void emit_mova(struct clause_builder *clause, const struct unit *unit)
{
	struct plan_builder *shared = clause->shared;
	const struct evg_alu_body *mov = shared->plan->simd->alu[EVG_ALU_MOV];
	struct evg_uop *uop = add_uop(clause, unit->inst);

	uop->source[0] = unit->source[0];
	uop->dest = plan_row(shared, &shared->address_row);
	set_body(uop, mov->body[0][0], mov->body[0][1]);
}

static void emit_unit(struct clause_builder *clause, struct unit *unit)
{
	unit->done = true;
	if (unit->previous >= 0) {
		uint32_t row = clause->results[unit->previous].dest;

		unit->source_and[unit->source_count] = 0xffffffff;
		unit->source_xor[unit->source_count] = 0;
		unit->source[unit->source_count++] = plan_state(row);
	}
	switch (unit->body->shape) {
	case EVG_SHAPE_VALUE:
	case EVG_SHAPE_PREDICATE:
		emit_value(clause, unit);
		break;
	case EVG_SHAPE_WIDE:
		emit_wide(clause, unit);
		break;
	case EVG_SHAPE_SPECIAL:
		if (unit->inst->op == EVG_ALU_LDS_IDX_OP)
			emit_lds(clause, unit);
		else
			emit_mova(clause, unit);
		break;
	}
}

/* The next unit that destroys nobody's operand; if there is none, the first
 * one, with its result put aside. */
static void emit_next(struct clause_builder *clause)
{
	struct unit *fallback = NULL;

	for (unsigned k = 0; k < clause->unit_count; k++) {
		struct unit *unit = &clause->units[k];
		bool needed = false;

		if (unit->done || !is_ready(clause, unit))
			continue;
		for (unsigned s = 0; s < unit->slot_count; s++)
			needed |= is_needed(clause, unit, unit->slots[s]);
		if (!needed) {
			emit_unit(clause, unit);
			return;
		}
		if (!fallback)
			fallback = unit;
	}
	for (unsigned s = 0; s < fallback->slot_count; s++) {
		unsigned slot = fallback->slots[s];

		if (!is_needed(clause, fallback, slot))
			continue;
		clause->results[slot].direct = false;
		clause->results[slot].dest = side_row(clause, slot);
	}
	emit_unit(clause, fallback);
}

/* Results that were put aside go to their registers. */
static void emit_commits(struct clause_builder *clause)
{
	struct plan_builder *shared = clause->shared;
	const struct evg_simd *simd = shared->plan->simd;
	const struct evg_alu_body *mov = simd->alu[EVG_ALU_MOV];

	for (unsigned s = 0; s < EVG_SLOT_COUNT; s++) {
		const struct result *result = &clause->results[s];
		const struct evg_alu_inst *inst = &clause->group->inst[s];
		struct evg_uop *uop;

		if (!result->issued || !result->writes || result->direct)
			continue;
		uop = add_uop(clause, inst);
		uop->source[0] = plan_state(result->dest);
		if (result->relative) {
			struct evg_relative *relative = plan_allocate(
				shared->plan, sizeof *relative);

			relative->index = inst->dest_gpr;
			relative->limit = shared->plan->register_count;
			relative->channel = inst->dest_channel;
			relative->address_row =
				plan_row(shared, &shared->address_row);
			uop->extra = relative;
			set_body(uop, simd->scatter, simd->scatter);
		} else {
			uop->dest = result->register_row;
			set_body(uop, mov->body[0][0], mov->body[0][1]);
		}
	}
}

static bool is_relative(const struct evg_alu_group *group)
{
	for (unsigned s = 0; s < EVG_SLOT_COUNT; s++) {
		const struct evg_alu_inst *inst = &group->inst[s];

		if (!(group->slot_mask >> s & 1))
			continue;
		for (unsigned k = 0; k < 3; k++)
			if (inst->source[k].relative)
				return true;
		if (inst->dest_relative)
			return true;
	}
	return false;
}

/* --- Groups and segments ------------------------------------------------ */

static void close_segment(struct clause_builder *clause)
{
	struct evg_segment *segment =
		&clause->segments[clause->plan->segment_count - 1];

	segment->uop_count = clause->uop_count - segment->first_uop;
	segment->group_count = clause->index + 1 - segment->first_group;
}

static void open_segment(struct clause_builder *clause)
{
	struct evg_segment *segment;

	ARRAY_GROW(clause->segments, clause->plan->segment_count,
		   clause->segment_capacity);
	segment = &clause->segments[clause->plan->segment_count++];
	memset(segment, 0, sizeof *segment);
	segment->first_uop = clause->uop_count;
	segment->first_group = clause->index;
	segment->counter = clause->shared->plan->counter_count++;
}

static void finish_group(struct clause_builder *clause)
{
	struct evg_segment *segment =
		&clause->segments[clause->plan->segment_count - 1];
	struct evg_group_plan *group =
		&clause->plan->groups[clause->index];
	unsigned predicates = 0;

	for (unsigned s = 0; s < EVG_SLOT_COUNT; s++) {
		const struct evg_alu_inst *inst = &clause->group->inst[s];

		if (!(clause->group->slot_mask >> s & 1))
			continue;
		clause->plan->slot_count++;
		group->lds_count += inst->op == EVG_ALU_LDS_IDX_OP;
		if (inst->op == EVG_ALU_GROUP_BARRIER) {
			segment->barrier = true;
			clause->plan->has_barrier = true;
		}
		if (inst->predicate_select)
			clause->plan->uses_predicate = true;
		if (!evg_alu_info[inst->op].is_predicate)
			continue;
		predicates++;
		segment->update_execute_mask |= inst->update_execute_mask;
		segment->update_predicate |= inst->update_predicate;
		segment->predicate_mask = predicate_mask(inst);
	}
	/* A pair or all four slots of a 64-bit one count as one. */
	if (predicates > 1 &&
	    (segment->update_execute_mask || segment->update_predicate) &&
	    !(clause->unit_count == 1))
		set_trap(clause, "more than one predicate in a group");
}

static void plan_group(struct clause_builder *clause,
		       const struct evg_alu_group *next)
{
	struct evg_group_plan *plan = &clause->plan->groups[clause->index];
	unsigned taken = 0;
	bool moves_address = false;

	clause->unit_count = clause->temp_count = 0;
	clause->trap = NULL;
	plan->code = clause->code;
	plan->first_uop = clause->uop_count;
	plan->segment = clause->plan->segment_count - 1;
	for (unsigned s = 0; s < EVG_SLOT_COUNT; s++)
		if ((clause->group->slot_mask & ~taken) >> s & 1)
			add_unit(clause, s, &taken);
	plan_results(clause, next);
	finish_group(clause);
	for (unsigned k = 0; k < clause->unit_count; k++)
		moves_address |= clause->units[k].inst->op == EVG_ALU_MOVA_INT;
	if (moves_address && is_relative(clause->group))
		set_trap(clause, "MOVA_INT beside a reader of AR");
	if (!clause->trap) {
		for (;;) {
			unsigned left = 0;

			for (unsigned k = 0; k < clause->unit_count; k++)
				left += !clause->units[k].done;
			if (!left)
				break;
			emit_next(clause);
		}
		emit_commits(clause);
	}
	if (clause->trap) {
		struct evg_uop *uop;

		clause->uop_count = plan->first_uop;
		uop = add_uop(clause, &clause->group->inst[0]);
		uop->mask = EVG_MASK_ACTIVE;
		uop->extra = clause->trap;
		set_body(uop, run_trap, run_trap);
	}
	plan->uop_count = clause->uop_count - plan->first_uop;
	for (unsigned s = 0; s < EVG_SLOT_COUNT; s++)
		clause->previous[s] = clause->results[s].wanted
					      ? clause->results[s].dest
					      : EVG_NO_ROW;
}

/* --- LDS output queues -------------------------------------------------- */

static unsigned queue_reads(const struct evg_alu_inst *inst, unsigned queue)
{
	unsigned count = 0;

	for (unsigned k = 0; k < inst->source_count; k++)
		count += inst->source[k].select ==
			 EVG_SELECT_LDS_OQ_A_POP + queue;
	return count;
}

/* Whether all lanes push and pop together, and how many values a queue holds
 * at most. */
static void plan_queues(struct clause_builder *clause)
{
	const struct evg_code_group *groups =
		&clause->shared->code->groups[clause->cf->first];
	unsigned pushed[2] = {0}, popped[2] = {0}, most[2] = {0};
	bool changed = false;

	for (uint32_t i = 0; i < clause->cf->count; i++) {
		const struct evg_alu_group *group = &groups[i].group;

		for (unsigned s = 0; s < EVG_SLOT_COUNT; s++) {
			const struct evg_alu_inst *inst = &group->inst[s];
			unsigned uses = 0;

			if (!(group->slot_mask >> s & 1))
				continue;
			for (unsigned q = 0; q < 2; q++) {
				unsigned pushes =
					inst->op == EVG_ALU_LDS_IDX_OP &&
					evg_lds_info[inst->lds_op].returns > q;
				unsigned pops = queue_reads(inst, q);

				pushed[q] += pushes;
				if (pushed[q] - popped[q] > most[q] &&
				    pushed[q] > popped[q])
					most[q] = pushed[q] - popped[q];
				popped[q] += pops;
				uses += pushes + pops;
			}
			if (uses && (changed || inst->predicate_select))
				clause->lanes_apart = true;
		}
		for (unsigned s = 0; s < EVG_SLOT_COUNT; s++)
			if (group->slot_mask >> s & 1 &&
			    group->inst[s].update_execute_mask &&
			    (pushed[0] || pushed[1]))
				changed = true;
	}
	for (unsigned q = 0; q < 2; q++)
		clause->ring[q] = most[q] + 1 < EVG_QUEUE_ROWS
					  ? most[q] + 1
					  : EVG_QUEUE_ROWS;
	for (unsigned q = 0; clause->lanes_apart && q < 2; q++) {
		struct plan_builder *shared = clause->shared;

		if (pushed[q] <= shared->lane_queue_depth[q])
			continue;
		shared->lane_queue_depth[q] = pushed[q];
		shared->lane_queue_row[q] = plan_rows(shared, pushed[q]);
	}
}

static void reset_queues(struct clause_builder *clause)
{
	struct plan_builder *shared = clause->shared;
	static const struct evg_alu_inst always;

	for (unsigned q = 0; q < 2; q++) {
		struct evg_queue *lanes =
			plan_allocate(shared->plan, sizeof *lanes);
		struct evg_uop *uop = add_uop(clause, &always);

		lanes->head_row = plan_row(shared, &shared->head_row[q]);
		lanes->tail_row = plan_row(shared, &shared->tail_row[q]);
		uop->extra = lanes;
		set_body(uop, shared->plan->simd->queue_reset,
			 shared->plan->simd->queue_reset);
	}
}

/* --- Clauses ------------------------------------------------------------ */

static void copy_out(struct clause_builder *clause)
{
	struct evg_plan *plan = clause->shared->plan;
	size_t uops = clause->uop_count * sizeof *clause->uops;
	size_t segments =
		clause->plan->segment_count * sizeof *clause->segments;

	clause->plan->uops = plan_allocate(plan, uops);
	clause->plan->segments = plan_allocate(plan, segments);
	if (uops)
		memcpy(clause->plan->uops, clause->uops, uops);
	if (segments)
		memcpy(clause->plan->segments, clause->segments, segments);
	free(clause->uops);
	free(clause->segments);
}

struct evg_clause_plan *plan_alu_clause(struct plan_builder *builder,
					const struct evg_code_cf *cf)
{
	struct clause_builder clause = {.shared = builder, .cf = cf};
	const struct evg_code_group *groups = &builder->code->groups[cf->first];
	bool open = false;

	clause.plan = plan_allocate(builder->plan, sizeof *clause.plan);
	clause.plan->group_count = cf->count;
	clause.plan->groups =
		plan_allocate(builder->plan,
			      cf->count * sizeof *clause.plan->groups);
	for (unsigned s = 0; s < EVG_SLOT_COUNT; s++)
		clause.previous[s] = EVG_NO_ROW;
	plan_queues(&clause);
	for (uint32_t i = 0; i < cf->count; i++) {
		struct evg_segment *segment;

		clause.index = i;
		clause.code = &groups[i];
		clause.group = &groups[i].group;
		if (!open)
			open_segment(&clause);
		if (i == 0 && clause.lanes_apart)
			reset_queues(&clause);
		plan_group(&clause,
			   i + 1 < cf->count ? &groups[i + 1].group : NULL);
		if (i == 0 && clause.lanes_apart) {
			/* The reset belongs to the first group. */
			clause.plan->groups[0].uop_count +=
				clause.plan->groups[0].first_uop;
			clause.plan->groups[0].first_uop = 0;
		}
		segment = &clause.segments[clause.plan->segment_count - 1];
		open = !(segment->update_execute_mask ||
			 segment->update_predicate || segment->barrier);
		if (!open || i + 1 == cf->count)
			close_segment(&clause);
	}
	copy_out(&clause);
	return clause.plan;
}
