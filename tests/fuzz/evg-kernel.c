#include "fuzz/evg-kernel.h"

#include <stdbool.h>
#include <string.h>

#include "evergreen/isa/inst.h"

enum { CF_MAX = 24, GROUPS_MAX = 12 };

struct maker {
	struct fuzz_bytes *bytes;
	unsigned registers;
	uint32_t *words;
	unsigned used;          /* units */
	struct evg_cf_inst cf[2 * CF_MAX + 2];
	unsigned count;         /* of cf */
	unsigned open[CF_MAX];  /* ifs and loops begun: their numbers */
	unsigned depth;
	unsigned issued;        /* slots of the group before */
};

static uint8_t byte(struct maker *maker)
{
	return fuzz_byte(maker->bytes);
}

/* --- ALU ----------------------------------------------------------------- */

static struct evg_source source(struct maker *maker, struct evg_alu_group *group)
{
	static const uint16_t some[] = {
		EVG_SELECT_0, EVG_SELECT_1, EVG_SELECT_1_INT, EVG_SELECT_M1_INT,
		EVG_SELECT_HALF, EVG_SELECT_LDS_OQ_A_POP,
		EVG_SELECT_LDS_OQ_B_POP, EVG_SELECT_LDS_OQ_A,
		EVG_SELECT_LOOP_INDEX, EVG_SELECT_TIME_LO, EVG_SELECT_MASK_LO,
		EVG_SELECT_MASK_HI, EVG_SELECT_1_DOUBLE_HIGH,
		EVG_SELECT_HALF_DOUBLE_HIGH, EVG_SELECT_LDS_DIRECT_A,
		EVG_SELECT_HW_WAVE_ID};
	uint8_t kind = byte(maker), which = byte(maker);
	struct evg_source s = {.channel = which >> 6};

	switch (kind % 16) {
	case 0:
	case 1: /* a literal */
		s.select = EVG_SELECT_LITERAL;
		s.channel &= 3;
		if (group->literal_count <= s.channel)
			group->literal_count = s.channel < 2 ? 2 : 4;
		break;
	case 2:
		s.select = some[which % (sizeof some / sizeof *some)];
		break;
	case 3:
		s.select = EVG_SELECT_KCACHE0 + which % 4;
		s.relative = kind >> 4 == 1;
		break;
	case 4:
	case 5:
		if (maker->issued >> s.channel & 1) {
			s.select = EVG_SELECT_PV;
			break;
		}
		/* fallthrough */
	case 6:
		if (maker->issued >> EVG_T & 1) {
			s.select = EVG_SELECT_PS;
			break;
		}
		/* fallthrough */
	default:
		s.select = which % maker->registers;
		s.relative = kind >> 4 == 1;
	}
	if (kind >> 4 == 2)
		s.negate = true;
	if (kind >> 4 == 3)
		s.absolute = true;
	return s;
}

static enum evg_alu_op alu_op(struct maker *maker, unsigned slot)
{
	unsigned wanted = byte(maker);

	for (unsigned i = 0; i < 2 * EVG_ALU_COUNT; i++) {
		unsigned op = (wanted + i) % EVG_ALU_COUNT;
		unsigned slots = evg_alu_info[op].slots;

		if (!evg_alu_info[op].compute)
			continue;
		if (slots == EVG_SLOTS_PAIR ? slot == 0 || slot == 2
		    : slots == EVG_SLOTS_FOUR ? slot == 0
					      : slots >> slot & 1)
			return (enum evg_alu_op)op;
	}
	return EVG_ALU_MOV;
}

static void add(struct maker *maker, struct evg_alu_group *group,
		unsigned slot, const struct evg_alu_inst *like)
{
	struct evg_alu_inst *inst = &group->inst[slot];
	const struct evg_alu_info *info = &evg_alu_info[like->op];
	uint8_t flags = byte(maker);

	*inst = *like;
	inst->source_count = like->op == EVG_ALU_LDS_IDX_OP
				     ? evg_lds_info[like->lds_op].source_count
				     : info->source_count;
	for (unsigned k = 0; k < inst->source_count; k++) {
		inst->source[k] = source(maker, group);
		if (info->op3)
			inst->source[k].absolute = false;
		else if (k == 2)
			inst->source[k].negate = false;
	}
	if (like->op == EVG_ALU_LDS_IDX_OP) {
		/* Most often where something is. */
		if (flags % 8)
			inst->source[0] =
				(struct evg_source){.select = 2, .channel = 1};
		inst->lds_offset = flags >> 6;
		for (unsigned k = 0; k < 3; k++)
			inst->source[k].negate = false;
	} else {
		inst->dest_gpr = byte(maker) % maker->registers;
		if (inst->dest_gpr < 4 && flags % 8)
			inst->dest_gpr = 4 + (inst->dest_gpr & 1);
		inst->dest_channel = slot == 4 ? flags >> 6 : slot;
		inst->write_mask = info->op3 || flags >> 4 & 3;
		switch (like->op) {
		case EVG_ALU_MOVA_INT:
		case EVG_ALU_SET_MODE:
		case EVG_ALU_SET_LDS_SIZE:
		case EVG_ALU_SET_CF_IDX0:
		case EVG_ALU_SET_CF_IDX1:
			inst->write_mask = false;
			break;
		default:
			break;
		}
		if (info->is_float && !info->op3 && flags % 16 == 9)
			inst->output_modifier = flags >> 6;
		if (info->is_float && flags % 16 == 10)
			inst->clamp = true;
	}
	inst->last = true;
	if (group->inst_count)
		group->inst[group->order[group->inst_count - 1]].last = false;
	group->order[group->inst_count++] = (uint8_t)slot;
	group->slot_mask |= (uint8_t)(1u << slot);
}

static void alu_group(struct maker *maker)
{
	struct evg_alu_group group = {.inst_count = 0};
	uint8_t slots = byte(maker), flags = byte(maker);
	struct error error;
	int units;

	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++) {
		struct evg_alu_inst like = {.op = EVG_ALU_MOV};
		unsigned count = 1;

		if (!(slots >> slot & 1) || group.slot_mask >> slot & 1)
			continue;
		like.op = alu_op(maker, slot);
		if (flags % 4 == 3)
			like.predicate_select = flags >> 2 & 1 ? 2 : 3;
		if (like.op == EVG_ALU_LDS_IDX_OP)
			like.lds_op = byte(maker) % EVG_LDS_COUNT;
		if (evg_alu_info[like.op].is_predicate) {
			like.update_execute_mask = flags >> 3 & 1;
			like.update_predicate = flags >> 4 & 1;
		}
		if (like.op == EVG_ALU_GROUP_BARRIER && group.inst_count)
			continue;
		if (evg_alu_info[like.op].slots == EVG_SLOTS_PAIR)
			count = 2;
		if (evg_alu_info[like.op].slots == EVG_SLOTS_FOUR)
			count = 4;
		for (unsigned k = 0; k < count; k++)
			add(maker, &group, slot + k, &like);
		if (like.op == EVG_ALU_GROUP_BARRIER)
			break;
	}
	for (unsigned k = 0; k < group.literal_count; k++)
		group.literal[k] = fuzz_word(maker->bytes);
	if (!group.inst_count || maker->used + 8 > FUZZ_KERNEL_UNITS)
		return;
	/* Count the literals as the encoder does. */
	group.literal_count = 0;
	for (unsigned i = 0; i < group.inst_count; i++)
		for (unsigned k = 0; k < group.inst[group.order[i]].source_count;
		     k++) {
			const struct evg_source *s =
				&group.inst[group.order[i]].source[k];

			if (s->select == EVG_SELECT_LITERAL &&
			    s->channel >= group.literal_count)
				group.literal_count = s->channel < 2 ? 2 : 4;
		}
	units = evg_alu_group_encode(maker->words + 2 * maker->used, &group,
				     &error);
	if (units <= 0)
		return;
	maker->used += (unsigned)units;
	maker->issued = group.slot_mask;
	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++)
		switch (group.inst[slot].op) {
		case EVG_ALU_LDS_IDX_OP:
		case EVG_ALU_MOVA_INT:
		case EVG_ALU_ALU_NOP:
		case EVG_ALU_GROUP_BARRIER:
		case EVG_ALU_SET_MODE:
		case EVG_ALU_SET_LDS_SIZE:
		case EVG_ALU_SET_CF_IDX0:
		case EVG_ALU_SET_CF_IDX1:
			maker->issued &= ~(1u << slot);
			break;
		default:
			break;
		}
}

/* --- Fetches ------------------------------------------------------------- */

static void fetch(struct maker *maker, bool gds)
{
	struct evg_fetch_inst inst = {.word = {0}};
	unsigned wanted = byte(maker);
	uint8_t flags = byte(maker);
	struct error error;

	for (unsigned i = 0; i < EVG_FETCH_COUNT; i++) {
		unsigned op = (wanted + i) % EVG_FETCH_COUNT;

		if (!evg_fetch_info[op].compute ||
		    (evg_fetch_info[op].layout == EVG_LAYOUT_GDS) != gds)
			continue;
		inst.op = (enum evg_fetch_op)op;
		break;
	}
	if (!gds && flags % 2)
		inst.op = EVG_FETCH_VFETCH;
	inst.is_vertex = evg_fetch_info[inst.op].layout == EVG_LAYOUT_VTX;
	inst.dest_gpr = byte(maker) % maker->registers;
	for (unsigned c = 0; c < 4; c++) {
		static const uint8_t selects[] = {0, 1, 2, 3, 4, 5, 7, 7};

		inst.dest_select[c] = selects[byte(maker) % 8];
		inst.source_select[c] = c;
	}
	inst.source_gpr = flags & 2 ? 2 : byte(maker) % maker->registers;
	inst.data_format = byte(maker) % 64;
	if (flags & 4)
		inst.data_format = 13;
	inst.num_format = (flags >> 3) % 3;
	inst.format_signed = flags >> 5 & 1;
	inst.resource_id = flags & 64 ? byte(maker) : 1;
	inst.sampler_id = byte(maker) % 18;
	inst.offset = flags & 128 ? fuzz_byte(maker->bytes) * 4u : 0;
	if (!inst.is_vertex && !gds)
		for (unsigned c = 0; c < 4; c++)
			inst.normalized[c] = flags >> c & 1;
	inst.broadcast_first = gds && flags & 8;
	inst.alloc_consume = gds && flags & 16;
	inst.uav_id = gds ? flags >> 4 & 15 : 0;
	if (gds)
		inst.source_select[0] = 1; /* 4 * item */
	if (evg_fetch_info[inst.op].layout == EVG_LAYOUT_MEM_RD) {
		inst.array_size = byte(maker);
		inst.array_base = byte(maker) & 15;
		inst.indexed = flags >> 6 & 1;
		inst.element_size = flags >> 4 & 3;
	}
	if (maker->used + 2 > FUZZ_KERNEL_UNITS)
		return;
	if (evg_fetch_encode(maker->words + 2 * maker->used, &inst, &error) > 0)
		maker->used += 2;
}

/* --- Control flow -------------------------------------------------------- */

static void store(struct maker *maker, struct evg_cf_inst *cf)
{
	uint8_t flags = byte(maker);

	cf->op = flags & 1 ? EVG_CF_MEM_RAT_NOCACHE : EVG_CF_MEM_RAT;
	cf->rat_op = flags & 2 ? EVG_RAT_STORE_RAW
			       : (enum evg_rat_op)(byte(maker) % EVG_RAT_COUNT);
	cf->type = flags >> 2 & 3;
	cf->rw_gpr = byte(maker) % maker->registers;
	cf->index_gpr = flags & 16 ? 3 : byte(maker) % maker->registers;
	cf->component_mask = flags & 32 ? 1 : byte(maker) & 15;
	cf->element_size = flags & 64 ? byte(maker) & 3 : 0;
	cf->rat_id = flags & 128 ? byte(maker) % 16 : 0;
	cf->mark = flags >> 3 & 1;
}

static void clause(struct maker *maker, struct evg_cf_inst *cf)
{
	uint8_t count = byte(maker) % GROUPS_MAX + 1;
	unsigned start;

	if (cf->format != EVG_CF_ALU_WORD && maker->used & 1)
		maker->used++;
	start = maker->used;
	maker->issued = 0;
	for (unsigned i = 0; i < count && maker->used - start < 100; i++)
		if (cf->format == EVG_CF_ALU_WORD)
			alu_group(maker);
		else
			fetch(maker, cf->op == EVG_CF_GDS);
	cf->address = start;
	cf->count = (uint16_t)(maker->used - start);
	if (cf->format != EVG_CF_ALU_WORD)
		cf->count /= 2;
	else
		cf->kcache[0].mode = 2;
}

static bool is_loop(enum evg_cf_op op)
{
	return op == EVG_CF_LOOP_START || op == EVG_CF_LOOP_START_DX10 ||
	       op == EVG_CF_LOOP_START_NO_AL;
}

static bool top_is_loop(const struct maker *maker)
{
	return is_loop(maker->cf[maker->open[maker->depth - 1]].op);
}

static bool in_loop(const struct maker *maker)
{
	for (unsigned i = 0; i < maker->depth; i++)
		if (is_loop(maker->cf[maker->open[i]].op))
			return true;
	return false;
}

/* Ends the innermost if or loop: the instruction that does. */
static enum evg_cf_op close_one(struct maker *maker, struct evg_cf_inst *cf)
{
	unsigned start = maker->open[--maker->depth];

	if (!is_loop(maker->cf[start].op)) {
		cf->pop_count = 1;
		cf->address = maker->count + 1;
		return EVG_CF_POP;
	}
	maker->cf[start].address = maker->count + 1;
	cf->address = start + 1;
	return EVG_CF_LOOP_END;
}

/* Makes control flow whole: what ends something needs it begun. */
static void structure(struct maker *maker, struct evg_cf_inst *cf)
{
	switch (cf->op) {
	case EVG_CF_ALU_PUSH_BEFORE:
	case EVG_CF_PUSH:
	case EVG_CF_LOOP_START:
	case EVG_CF_LOOP_START_DX10:
	case EVG_CF_LOOP_START_NO_AL:
		if (maker->depth == CF_MAX)
			cf->op = EVG_CF_NOP;
		else
			maker->open[maker->depth++] = maker->count;
		if (cf->op == EVG_CF_ALU_PUSH_BEFORE)
			break;
		cf->address = maker->count + 1;
		cf->pop_count = 0;
		break;
	case EVG_CF_POP:
	case EVG_CF_LOOP_END:
		cf->op = maker->depth ? close_one(maker, cf) : EVG_CF_NOP;
		break;
	case EVG_CF_ALU_POP_AFTER:
		if (maker->depth && !top_is_loop(maker))
			maker->depth--;
		else
			cf->op = EVG_CF_ALU;
		break;
	case EVG_CF_ALU_ELSE_AFTER:
		if (!maker->depth || top_is_loop(maker))
			cf->op = EVG_CF_ALU;
		break;
	case EVG_CF_ELSE:
	case EVG_CF_JUMP:
		if (cf->op == EVG_CF_ELSE &&
		    (!maker->depth || top_is_loop(maker)))
			cf->op = EVG_CF_NOP;
		cf->pop_count = 0;
		cf->address = maker->count + 1;
		break;
	case EVG_CF_ALU_BREAK:
	case EVG_CF_ALU_CONTINUE:
		if (!in_loop(maker))
			cf->op = EVG_CF_ALU;
		break;
	case EVG_CF_LOOP_BREAK:
	case EVG_CF_LOOP_CONTINUE:
		if (!in_loop(maker))
			cf->op = EVG_CF_NOP;
		cf->address = maker->count + 1;
		break;
	default:
		break;
	}
}

static void control(struct maker *maker, struct evg_cf_inst *cf,
		    unsigned count)
{
	static const uint8_t ops[] = {
		EVG_CF_ALU, EVG_CF_ALU, EVG_CF_ALU, EVG_CF_ALU,
		EVG_CF_ALU_PUSH_BEFORE, EVG_CF_ALU_PUSH_BEFORE,
		EVG_CF_ALU_POP_AFTER, EVG_CF_ALU_BREAK, EVG_CF_ALU_CONTINUE,
		EVG_CF_ALU_ELSE_AFTER, EVG_CF_TEX, EVG_CF_TEX, EVG_CF_GDS,
		EVG_CF_JUMP, EVG_CF_ELSE, EVG_CF_POP, EVG_CF_LOOP_START_NO_AL,
		EVG_CF_LOOP_START_NO_AL, EVG_CF_LOOP_END, EVG_CF_LOOP_BREAK,
		EVG_CF_LOOP_START_DX10, EVG_CF_LOOP_START, EVG_CF_PUSH,
		EVG_CF_MEM_RAT, EVG_CF_MEM_RAT, EVG_CF_MEM_RAT,
		EVG_CF_WAIT_ACK, EVG_CF_LOOP_CONTINUE, EVG_CF_MEM_SCRATCH,
		/* Seldom whole: */
		EVG_CF_CALL, EVG_CF_RET, EVG_CF_JUMPTABLE,
		EVG_CF_ALU_POP2_AFTER};
	uint8_t which = byte(maker);

	cf->op = ops[which % sizeof ops];
	cf->format = evg_cf_info[cf->op].format;
	if (cf->op == EVG_CF_MEM_RAT) {
		store(maker, cf);
	} else if (cf->format == EVG_CF_ALU_WORD || cf->op == EVG_CF_TEX ||
		   cf->op == EVG_CF_GDS) {
		clause(maker, cf);
		if (!cf->count)
			cf->op = EVG_CF_NOP;
	} else if (cf->format == EVG_CF_WORD) {
		cf->address = byte(maker) % count;
		cf->pop_count = byte(maker) % 3;
		cf->cf_const = byte(maker) % 4;
	} else {
		cf->rw_gpr = byte(maker) % maker->registers;
		cf->index_gpr = byte(maker) % maker->registers;
		cf->component_mask = byte(maker) & 15;
		cf->array_size = byte(maker);
		cf->type = byte(maker) & 3;
	}
	if (which < 240)
		structure(maker, cf);
	cf->format = evg_cf_info[cf->op].format;
}

/* --- Kernels ------------------------------------------------------------- */

/* One instruction of the preamble, encoded. */
static void simple(struct maker *maker, enum evg_alu_op op, unsigned slot,
		   unsigned dest, struct evg_source a, struct evg_source b,
		   struct evg_source c)
{
	struct evg_alu_group group = {.inst_count = 1, .slot_mask = 1u << slot};
	struct evg_alu_inst *inst = &group.inst[slot];
	struct error error;
	int units;

	group.order[0] = (uint8_t)slot;
	*inst = (struct evg_alu_inst){.op = op, .source = {a, b, c}};
	inst->source_count = evg_alu_info[op].source_count;
	inst->dest_gpr = (uint8_t)dest;
	inst->dest_channel = slot % 4;
	inst->write_mask = inst->last = true;
	for (unsigned k = 0; k < inst->source_count; k++)
		if (inst->source[k].select == EVG_SELECT_LITERAL) {
			group.literal_count = 2;
			group.literal[0] = 2;
			group.literal[1] = 63;
		}
	units = evg_alu_group_encode(maker->words + 2 * maker->used, &group,
				     &error);
	if (units > 0)
		maker->used += (unsigned)units;
}

static void preamble(struct maker *maker, struct evg_cf_inst *cf)
{
	struct evg_source none = {.select = EVG_SELECT_0};
	struct evg_source item = {.select = 0}, two, buffer, y2, x2;

	two = (struct evg_source){.select = EVG_SELECT_LITERAL};
	buffer = (struct evg_source){.select = EVG_SELECT_KCACHE0 + 2,
				     .channel = 1};
	y2 = (struct evg_source){.select = 2, .channel = 1};
	x2 = (struct evg_source){.select = 2, .channel = 0};
	*cf = (struct evg_cf_inst){.op = EVG_CF_ALU,
				   .format = EVG_CF_ALU_WORD,
				   .barrier = true,
				   .address = maker->used};
	cf->kcache[0].mode = 2;
	simple(maker, EVG_ALU_LSHL_INT, 1, 2, item, two, none);
	simple(maker, EVG_ALU_ADD_INT, 0, 2, y2, buffer, none);
	simple(maker, EVG_ALU_LSHR_INT, 0, 3, x2, two, none);
	cf->count = (uint16_t)(maker->used - cf->address);
}

/* The control-flow instructions, from the start. */
static void place(struct maker *maker, unsigned count)
{
	struct error error;

	for (unsigned i = 0; i < count; i++) {
		struct evg_cf_inst *cf = &maker->cf[i];

		cf->barrier = true;
		cf->end_of_program = i + 1 == count;
		if (evg_cf_encode(maker->words + 2 * i, cf, &error) == 1)
			continue;
		*cf = (struct evg_cf_inst){.op = EVG_CF_NOP};
		evg_cf_encode(maker->words + 2 * i, cf, &error);
	}
}

unsigned fuzz_kernel_make(struct fuzz_bytes *bytes, unsigned registers,
			  uint32_t *words)
{
	unsigned count = fuzz_byte(bytes) % CF_MAX + 1;
	unsigned all = 2 * count + 2; /* and what ends all that was begun */
	struct maker maker = {.bytes = bytes, .registers = registers,
			      .words = words, .used = all};

	memset(words, 0, 8 * FUZZ_KERNEL_UNITS);
	for (unsigned i = 0; i < all; i++)
		maker.cf[i] = (struct evg_cf_inst){.op = EVG_CF_NOP};
	preamble(&maker, &maker.cf[maker.count++]);
	while (maker.count <= count) {
		control(&maker, &maker.cf[maker.count], count);
		maker.count++;
	}
	while (maker.depth) {
		struct evg_cf_inst *cf = &maker.cf[maker.count];

		cf->op = close_one(&maker, cf);
		maker.count++;
	}
	place(&maker, all);
	return maker.used;
}
