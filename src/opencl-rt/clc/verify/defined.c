/* Registers that nobody wrote. Who reads one reads whatever it had before: no
 * address may come from there, and no stored value wholly.
 *
 * A register's channel has two marks: `whole`, that all that its value was
 * computed from may have been written, and `part`, that something of it may.
 * Only the first is good enough for addresses. Values may have undefined
 * parts, such as a vector's last element; and a register that is written on one
 * way is good on all, as lanes that did not go there may not use it. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/isa/action.h"
#include "opencl-rt/clc/verify/internal.h"
#include "opencl-rt/codegen/target.h"

enum {
	CHANNELS = 4,
	REGISTERS = EVG_REGISTERS,
	WORDS = REGISTERS * CHANNELS / 64,
};

struct marks {
	bool whole, part;
};

/* Of every register; `reached`: control comes here. */
struct state {
	uint64_t whole[WORDS], part[WORDS];
	bool reached;
};

struct definitions {
	const struct check *check;
	struct state now;
	struct state *pending; /* what arrives at each CF instruction */
	bool changed;          /* something new did */
	struct marks last[EVG_SLOT_COUNT]; /* PV and PS */
};

static const struct marks defined = { true, true };

static struct marks marks_of(const struct state *state, unsigned number,
			     unsigned channel)
{
	unsigned bit = number * CHANNELS + channel;

	return (struct marks){ state->whole[bit / 64] >> bit % 64 & 1,
			       state->part[bit / 64] >> bit % 64 & 1 };
}

static void set_bit(uint64_t *words, unsigned bit, bool on)
{
	uint64_t mask = UINT64_C(1) << bit % 64;

	words[bit / 64] = on ? words[bit / 64] | mask
			     : words[bit / 64] & ~mask;
}

static void set_marks(struct state *state, unsigned number, unsigned channel,
		      struct marks marks)
{
	unsigned bit = number * CHANNELS + channel;

	set_bit(state->whole, bit, marks.whole);
	set_bit(state->part, bit, marks.part);
}

/* --- ALU clauses -------------------------------------------------------- */

static struct marks source_marks(const struct definitions *definitions,
				 const struct evg_source *source)
{
	if (source->select == EVG_SELECT_PV)
		return definitions->last[source->channel];
	if (source->select == EVG_SELECT_PS)
		return definitions->last[EVG_T];
	/* Arrays in registers are not followed. */
	if (source->select >= REGISTERS || source->relative)
		return defined;
	return marks_of(&definitions->now, source->select, source->channel);
}

static bool is_constant(const struct evg_source *source)
{
	return source->select >= REGISTERS &&
	       source->select != EVG_SELECT_PV &&
	       source->select != EVG_SELECT_PS;
}

/* The slots of one operation read more than the result depends on. */
static bool is_spread(enum evg_alu_op op)
{
	return evg_alu_info[op].slots == EVG_SLOTS_PAIR ||
	       evg_alu_info[op].slots == EVG_SLOTS_FOUR;
}

static struct marks result_marks(const struct definitions *definitions,
				 const struct evg_alu_inst *inst)
{
	struct marks sources[3], result = { true, false };
	bool constant = true;

	if (is_spread(inst->op))
		return defined;
	for (unsigned i = 0; i < inst->source_count; i++) {
		sources[i] = source_marks(definitions, &inst->source[i]);
		result.whole &= sources[i].whole;
		if (is_constant(&inst->source[i]))
			continue;
		constant = false;
		result.part |= sources[i].part;
	}
	if (constant)
		return defined;
	if (evg_alu_info[inst->op].selects) {
		result.whole = sources[0].whole &&
			       (sources[1].whole || sources[2].whole);
		result.part = sources[1].part || sources[2].part;
	}
	return result;
}

/* An array in registers: any of them may be the one. */
static void write_array(struct state *state)
{
	memset(state->whole, 0xff, sizeof state->whole);
	memset(state->part, 0xff, sizeof state->part);
}

static void write_result(struct definitions *definitions,
			 const struct evg_alu_inst *inst, struct marks result)
{
	struct marks before = marks_of(&definitions->now, inst->dest_gpr,
				       inst->dest_channel);

	if (!inst->write_mask && !evg_alu_info[inst->op].op3)
		return;
	if (inst->dest_relative) {
		write_array(&definitions->now);
		return;
	}
	if (inst->predicate_select) { /* not of every lane */
		result.whole |= before.whole;
		result.part |= before.part;
	}
	set_marks(&definitions->now, inst->dest_gpr, inst->dest_channel,
		  result);
}

/* All of a group read before any of it writes. */
static void follow_group(struct definitions *definitions,
			 const struct evg_alu_group *group)
{
	struct marks results[EVG_SLOT_COUNT];

	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++)
		if (group->slot_mask >> slot & 1)
			results[slot] = result_marks(definitions,
						     &group->inst[slot]);
	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++) {
		if (!(group->slot_mask >> slot & 1))
			continue;
		definitions->last[slot] = results[slot];
		write_result(definitions, &group->inst[slot], results[slot]);
	}
}

static int fail_address(const struct definitions *definitions,
			uint32_t address)
{
	return error_set(definitions->check->error, "the address of the "
			 "instruction at %u comes from a register that nothing "
			 "has written", address);
}

/* Indices of local memory and of arrays in registers. */
static int check_group(const struct definitions *definitions,
		       const struct evg_code_group *group)
{
	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++) {
		const struct evg_alu_inst *inst = &group->group.inst[slot];

		if (group->group.slot_mask >> slot & 1 &&
		    (inst->op == EVG_ALU_LDS_IDX_OP ||
		     inst->op == EVG_ALU_MOVA_INT) &&
		    !source_marks(definitions, &inst->source[0]).whole)
			return fail_address(definitions, group->address);
	}
	return 0;
}

static int follow_alu(struct definitions *definitions,
		      const struct evg_code_cf *cf, bool checks)
{
	const struct evg_code_group *groups =
		definitions->check->code->groups + cf->first;

	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++)
		definitions->last[slot] = defined;
	/* They keep nothing from one clause to another. */
	for (unsigned i = EVG_FIRST_TEMPORARY * CHANNELS;
	     i < REGISTERS * CHANNELS; i++)
		set_marks(&definitions->now, i / CHANNELS, i % CHANNELS,
			  (struct marks){ false, false });
	for (uint32_t i = 0; i < cf->count; i++) {
		if (checks && check_group(definitions, &groups[i]))
			return -1;
		follow_group(definitions, &groups[i].group);
	}
	return 0;
}

/* --- Memory ------------------------------------------------------------- */

static int follow_fetches(struct definitions *definitions,
			  const struct evg_code_cf *cf, bool checks)
{
	const struct evg_code_fetch *fetches =
		definitions->check->code->fetches + cf->first;

	for (uint32_t i = 0; i < cf->count; i++) {
		const struct evg_fetch_inst *inst = &fetches[i].inst;
		struct marks index = marks_of(&definitions->now,
					      inst->source_gpr,
					      inst->source_select[0] %
						      CHANNELS);

		if (checks && !index.whole &&
		    inst->resource_id != CLC_RESOURCE_RETURN &&
		    inst->source_select[0] < CHANNELS)
			return fail_address(definitions, fetches[i].address);
		for (unsigned c = 0; c < CHANNELS; c++)
			if (inst->dest_select[c] < 6)
				set_marks(&definitions->now, inst->dest_gpr, c,
					  defined);
	}
	return 0;
}

static int check_export(const struct definitions *definitions,
			const struct evg_code_cf *cf)
{
	const struct evg_cf_inst *inst = &cf->inst;
	bool some = false;

	if (!marks_of(&definitions->now, inst->index_gpr, 0).whole)
		return fail_address(definitions, cf->address);
	for (unsigned c = 0; c < CHANNELS; c++)
		some |= inst->component_mask >> c & 1 &&
			marks_of(&definitions->now, inst->rw_gpr, c).part;
	/* A value that is spilled may be needed on other ways only. */
	if (some || inst->format != EVG_CF_EXPORT_RAT)
		return 0;
	return error_set(definitions->check->error, "the instruction at %u "
						    "stores registers that "
						    "nothing has "
						    "written", cf->address);
}

/* --- Control flow, as verify-flow.c found it to be ------------------------ */

/* The state now arrives at an instruction as well. */
static void arrive(struct definitions *definitions, uint32_t address)
{
	struct state *state = &definitions->pending[address];
	const struct state *now = &definitions->now;

	if (!now->reached)
		return;
	for (unsigned i = 0; i < WORDS; i++) {
		definitions->changed |= !state->reached ||
					(now->whole[i] & ~state->whole[i]) ||
					(now->part[i] & ~state->part[i]);
		state->whole[i] |= now->whole[i];
		state->part[i] |= now->part[i];
	}
	state->reached = true;
}

static void join_states(struct state *now, const struct state *other)
{
	for (unsigned i = 0; i < WORDS; i++) {
		now->whole[i] |= other->whole[i];
		now->part[i] |= other->part[i];
	}
	now->reached |= other->reached;
}

static void forget_state(struct definitions *definitions)
{
	memset(&definitions->now, 0, sizeof definitions->now);
}

/* Where control goes besides the next instruction. */
static void follow_flow(struct definitions *definitions,
			const struct evg_code_cf *cf)
{
	const uint8_t *effect =
		evg_action_info[evg_control[cf->inst.op].action].effects;
	uint32_t target = cf->inst.address;

	for (; cf->clause != EVG_CLAUSE_ALU && *effect; effect++)
		switch (*effect) {
		case EVG_EFFECT_JUMP:
		case EVG_EFFECT_SKIP:
		case EVG_EFFECT_AGAIN:
			arrive(definitions, target);
			break;
		case EVG_EFFECT_LEAVE: /* behind the loop, unless they wait */
			arrive(definitions, target);
			if (!evg_cf_does(cf->inst.op, EVG_EFFECT_WAIT))
				arrive(definitions, target + 1);
			break;
		case EVG_EFFECT_SWAP: /* for the other lanes */
			arrive(definitions, target);
			definitions->now = definitions->pending[cf->address];
			break;
		default:
			break;
		}
	if (cf->inst.end_of_program)
		forget_state(definitions);
}

static int follow_instruction(struct definitions *definitions,
			      const struct evg_code_cf *cf, bool checks)
{
	int status = 0;

	join_states(&definitions->now, &definitions->pending[cf->address]);
	checks &= definitions->now.reached;
	if (cf->clause == EVG_CLAUSE_ALU)
		status = follow_alu(definitions, cf, checks);
	else if (cf->clause == EVG_CLAUSE_FETCH)
		status = follow_fetches(definitions, cf, checks);
	else if (checks && (cf->inst.format == EVG_CF_EXPORT_RAT ||
			    cf->inst.op == EVG_CF_MEM_SCRATCH))
		status = check_export(definitions, cf);
	if (!status)
		follow_flow(definitions, cf);
	return status;
}

/* Local ids and group ids are there from the start. */
static void begin(struct definitions *definitions)
{
	forget_state(definitions);
	for (unsigned i = 0; i < 2 * CHANNELS; i++)
		if (i % CHANNELS < 3)
			set_marks(&definitions->now, i / CHANNELS,
				  i % CHANNELS, defined);
	definitions->now.reached = true;
}

static int pass(struct definitions *definitions, bool checks)
{
	const struct evg_code *code = definitions->check->code;
	int status = 0;

	begin(definitions);
	definitions->changed = false;
	for (uint32_t i = 0; !status && i < code->cf_count; i++)
		if (code->cf[i].size)
			status = follow_instruction(definitions, &code->cf[i],
						    checks);
	return status;
}

int check_defined(const struct check *check)
{
	/* Room behind the last instruction, for a BREAK. */
	struct definitions definitions = {
		.check = check,
		.pending = xcalloc(check->code->cf_count + 2,
				   sizeof *definitions.pending),
	};
	int status;

	do {
		status = pass(&definitions, false);
	} while (!status && definitions.changed);
	if (!status)
		status = pass(&definitions, true);
	free(definitions.pending);
	return status;
}
