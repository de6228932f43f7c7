#include "opencl-rt/clc/verify/rules.h"

enum { CYCLES = 3, CHANNELS = 4, FREE = -1 };

/* The cycle of each source, for each number in BANK_SWIZZLE. */
static const char *const vector_orders[] = {"012", "021", "120",
					    "102", "201", "210"};
static const char *const t_orders[] = {"210", "122", "212", "221"};

enum { VECTOR_ORDERS = 6, T_ORDERS = 4 };

/* The register that each port delivers. */
struct table {
	long port[CYCLES][CHANNELS];
};

static bool same_read(const struct read *a, const struct read *b)
{
	return a->kind == b->kind && a->number == b->number &&
	       a->channel == b->channel;
}

static bool is_constant(const struct read *read)
{
	return read->kind == READ_FILE || read->kind == READ_LITERAL ||
	       read->kind == READ_INLINE;
}

/* Reserves the ports of a slot whose sources come in an order of cycles. */
static bool reserve(struct table *table, const struct read *reads,
		    unsigned slot, const char *order)
{
	int constants = 0;

	for (unsigned k = 0; k < 3 && slot == EVG_T; k++)
		constants += is_constant(&reads[k]);
	if (constants > 2)
		return false;
	for (unsigned k = 0; k < 3; k++) {
		int cycle = order[k] - '0';
		long *port = &table->port[cycle][reads[k].channel];

		/* In t the constants come first. */
		if ((reads[k].kind == READ_REGISTER ||
		     reads[k].kind == READ_FORWARDED) &&
		    cycle < constants)
			return false;
		if (reads[k].kind != READ_REGISTER ||
		    (slot != EVG_T && k == 1 &&
		     same_read(&reads[0], &reads[1])))
			continue;
		if (*port != FREE && *port != (long)reads[k].number)
			return false;
		*port = (long)reads[k].number;
	}
	return true;
}

static bool is_idle(const struct read reads[3])
{
	return !reads[0].kind && !reads[1].kind && !reads[2].kind;
}

static bool serve_from(const struct group_reads *reads, unsigned slot,
		       const struct table *before)
{
	unsigned orders = slot == EVG_T ? T_ORDERS : VECTOR_ORDERS;

	if (slot == EVG_SLOT_COUNT)
		return true;
	if (is_idle(reads->slot[slot]))
		return serve_from(reads, slot + 1, before);
	for (unsigned i = 0; i < orders; i++) {
		struct table table = *before;

		if (reserve(&table, reads->slot[slot], slot,
			    slot == EVG_T ? t_orders[i] : vector_orders[i]) &&
		    serve_from(reads, slot + 1, &table))
			return true;
	}
	return false;
}

/* At most `most` different ones among the reads of a kind. */
static bool few(const struct group_reads *reads, enum read_kind kind,
		unsigned most)
{
	uint32_t known[3 * EVG_SLOT_COUNT];
	unsigned count = 0;

	for (unsigned i = 0; i < 3 * EVG_SLOT_COUNT; i++) {
		const struct read *read = &reads->slot[i / 3][i % 3];
		uint32_t what = kind == READ_FILE
				    ? 2 * read->number + read->channel / 2
				    : read->number;
		unsigned n = 0;

		if (read->kind != kind)
			continue;
		while (n < count && known[n] != what)
			n++;
		known[n] = what;
		count += n == count;
	}
	return count <= most;
}

static bool constants_few(const struct group_reads *reads)
{
	return few(reads, READ_FILE, 2) && few(reads, READ_LITERAL, 4);
}

static struct table empty_table(void)
{
	struct table table;

	for (unsigned i = 0; i < CYCLES * CHANNELS; i++)
		table.port[i / CHANNELS][i % CHANNELS] = FREE;
	return table;
}

bool rules_serve(const struct group_reads *reads)
{
	struct table table = empty_table();

	return constants_few(reads) && serve_from(reads, 0, &table);
}

bool rules_serve_with(const struct group_reads *reads,
		      const uint8_t swizzles[EVG_SLOT_COUNT])
{
	struct table table = empty_table();

	if (!constants_few(reads))
		return false;
	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++) {
		unsigned orders = slot == EVG_T ? T_ORDERS : VECTOR_ORDERS;

		if (is_idle(reads->slot[slot]))
			continue;
		if (swizzles[slot] >= orders ||
		    !reserve(&table, reads->slot[slot], slot,
			     slot == EVG_T ? t_orders[swizzles[slot]]
					   : vector_orders[swizzles[slot]]))
			return false;
	}
	return true;
}

unsigned rules_slots(enum evg_alu_op op)
{
	unsigned code = evg_alu_info[op].code;

	if (op == EVG_ALU_LDS_IDX_OP)
		return 1u << EVG_X;
	if (evg_alu_info[op].op3)
		return code == 31 ? 0x10 : code < 20 ? 0x0f : 0x1f;
	return code < 128 ? 0x1f : code < 160 ? 0x10 : 0x0f;
}

/* --- Clauses -------------------------------------------------------------- */

static struct read read_of(const struct evg_alu_group *group,
			   const struct evg_source *source)
{
	struct read read = {.number = source->select,
			    .channel = source->channel};

	if (source->select < 128)
		read.kind = READ_REGISTER;
	else if (source->select < 192)
		read.kind = READ_FILE;
	else if (source->select == EVG_SELECT_LITERAL)
		read = (struct read){.kind = READ_LITERAL,
				     .number = group->literal[source->channel]};
	else if (source->select >= 244 && source->select <= 252)
		read = (struct read){.kind = READ_INLINE};
	else
		read = (struct read){.kind = READ_FORWARDED};
	return read;
}

static const char *check_reads(const struct evg_alu_group *group)
{
	struct group_reads reads = {0};
	uint8_t swizzles[EVG_SLOT_COUNT] = {0};

	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++) {
		const struct evg_alu_inst *inst = &group->inst[slot];

		if (!(group->slot_mask >> slot & 1))
			continue;
		swizzles[slot] = inst->bank_swizzle;
		for (unsigned k = 0; k < inst->source_count; k++)
			reads.slot[slot][k] = read_of(group, &inst->source[k]);
	}
	return rules_serve_with(&reads, swizzles) ? NULL : "ports or constants";
}

static bool is_written(const struct evg_alu_inst *inst)
{
	return inst->op != EVG_ALU_LDS_IDX_OP &&
	       (inst->write_mask || evg_alu_info[inst->op].op3);
}

static bool writes_same(const struct evg_alu_inst *a,
			const struct evg_alu_inst *b)
{
	return is_written(a) && is_written(b) &&
	       a->dest_gpr == b->dest_gpr &&
	       a->dest_channel == b->dest_channel &&
	       a->dest_relative == b->dest_relative;
}

static const char *check_slots(const struct evg_alu_group *group)
{
	unsigned tests = 0;

	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++) {
		const struct evg_alu_inst *inst = &group->inst[slot];
		unsigned slots = rules_slots(inst->op);

		if (!(group->slot_mask >> slot & 1))
			continue;
		tests += inst->update_predicate || inst->update_execute_mask;
		if (!(slots >> slot & 1))
			return "a slot that the instruction does not have";
		if (inst->op == EVG_ALU_LDS_IDX_OP)
			continue;
		if (slot != EVG_T
			? slot != inst->dest_channel
			: slots != 1u << EVG_T &&
			      !(group->slot_mask >> inst->dest_channel & 1))
			return "a slot that the hardware would not choose";
		for (unsigned i = 0; i < slot; i++)
			if (group->slot_mask >> i & 1 &&
			    writes_same(&group->inst[i], inst))
				return "two results in one register";
	}
	return tests > 1 ? "two tests in a group" : NULL;
}

static const char *check_forwarded(struct rules_walk *walk,
				   const struct evg_alu_group *group)
{
	unsigned taken[2] = {0}, put[2] = {0}, readable = 0;

	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++) {
		const struct evg_alu_inst *inst = &group->inst[slot];

		if (!(group->slot_mask >> slot & 1))
			continue;
		for (unsigned k = 0; k < inst->source_count; k++) {
			const struct evg_source *source = &inst->source[k];

			if ((source->select == EVG_SELECT_PV &&
			     !(walk->readable >> source->channel & 1)) ||
			    (source->select == EVG_SELECT_PS &&
			     !(walk->readable >> EVG_T & 1)))
				return "a PV or PS that there is not";
			if (source->select == EVG_SELECT_LDS_OQ_A_POP ||
			    source->select == EVG_SELECT_LDS_OQ_B_POP)
				taken[source->select -
				      EVG_SELECT_LDS_OQ_A_POP]++;
		}
		if (inst->op == EVG_ALU_LDS_IDX_OP) {
			put[0] += evg_lds_info[inst->lds_op].returns > 0;
			put[1] += evg_lds_info[inst->lds_op].returns > 1;
		} else if (!inst->predicate_select) {
			readable |= 1u << slot;
		}
	}
	for (unsigned queue = 0; queue < 2; queue++) {
		if (taken[queue] > 1)
			return "a queue taken from twice";
		if (taken[queue] > walk->queued[queue])
			return "an empty queue";
		walk->queued[queue] += put[queue] - taken[queue];
	}
	walk->readable = readable;
	return NULL;
}

static bool takes_lanes_out(const struct evg_alu_group *group)
{
	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++)
		if (group->slot_mask >> slot & 1 &&
		    group->inst[slot].update_execute_mask)
			return true;
	return false;
}

/* Doubles and dot products take slots that work together; the others of the
 * slots must be there, with the same operation. */
static const char *check_together(const struct evg_alu_group *group)
{
	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++) {
		const struct evg_alu_inst *inst = &group->inst[slot];
		unsigned slots = evg_alu_info[inst->op].slots;

		if (!(group->slot_mask >> slot & 1))
			continue;
		if (inst->op == EVG_ALU_GROUP_BARRIER && group->inst_count > 1)
			return "a barrier with others";
		for (unsigned i = EVG_X; i <= EVG_W; i++) {
			bool other = slots == EVG_SLOTS_FOUR ||
				     (slots == EVG_SLOTS_PAIR &&
				      i / 2 == slot / 2);

			if (other && (!(group->slot_mask >> i & 1) ||
				      group->inst[i].op != inst->op))
				return "an operation without all its slots";
		}
	}
	return NULL;
}

static bool uses_index(const struct evg_alu_inst *inst)
{
	bool uses = inst->op != EVG_ALU_LDS_IDX_OP && inst->dest_relative;

	for (unsigned k = 0; k < inst->source_count; k++)
		uses |= inst->source[k].relative;
	return uses;
}

static const char *check_index(const struct evg_alu_group *group)
{
	bool sets = false, uses = false;

	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++)
		if (group->slot_mask >> slot & 1) {
			sets |= group->inst[slot].op == EVG_ALU_MOVA_INT;
			uses |= uses_index(&group->inst[slot]);
		}
	return sets && uses ? "AR set and used in a group" : NULL;
}

const char *rules_step(struct rules_walk *walk,
		       const struct evg_alu_group *group)
{
	const char *why = NULL;

	if (walk->ended)
		return "a group behind the test of a branch";
	walk->ended = takes_lanes_out(group);
	why = check_slots(group);
	if (!why)
		why = check_together(group);
	if (!why)
		why = check_index(group);
	if (!why)
		why = check_reads(group);
	return why ? why : check_forwarded(walk, group);
}

const char *rules_end(const struct rules_walk *walk)
{
	return walk->queued[0] || walk->queued[1]
		       ? "a value that is left in a queue"
		       : NULL;
}
