#include "base/optimize.h"

#include "x86/timing/predict/unit.h"

#include <stdlib.h>

#include "base/memory.h"

/* A branch in flight. The records of the predictors of direction and target
 * follow. */
struct slot {
	struct branch branch;
	struct predict_answer answer;
	struct predict_outcome outcome;
	struct return_record stacked;
	bool way;      /* the direction predictor's answer */
	bool resolved;
	uint64_t direction[];
};

static size_t round_up(size_t bytes)
{
	return (bytes + 7) / 8 * 8;
}

void predict_unit_init(struct predict_unit *unit,
		       const struct predict_config *config, uint32_t in_flight)
{
	uint64_t slots = 1;

	*unit = (struct predict_unit){ .config = config };
	direction_init(&unit->direction, config);
	target_init(&unit->target, config);
	btb_init(&unit->btb, config);
	return_stack_init(&unit->stack, config);
	while (slots < in_flight)
		slots *= 2;
	unit->mask = slots - 1;
	unit->target_offset =
		sizeof(struct slot) +
		round_up(direction_record_bytes(&unit->direction));
	unit->slot_bytes = unit->target_offset +
			   round_up(unit->target.kind->record_bytes);
	unit->slots = xcalloc_aligned(slots * unit->slot_bytes);
	unit->squashed = xcalloc(slots, sizeof *unit->squashed);
}

void predict_unit_free(struct predict_unit *unit)
{
	direction_free(&unit->direction);
	target_free(&unit->target);
	btb_free(&unit->btb);
	return_stack_free(&unit->stack);
	free(unit->slots);
	free(unit->squashed);
	*unit = (struct predict_unit){ 0 };
}

uint64_t predict_unit_storage_bits(const struct predict_config *config)
{
	struct direction direction;
	struct target target;

	if (config->kind == DIRECTION_perfect)
		return 0;
	direction_choose(&direction, config);
	target_choose(&target, config);
	return direction_storage_bits(&direction) +
	       target_storage_bits(&target) + btb_storage_bits(config) +
	       return_stack_bits(config);
}

size_t predict_unit_bytes(const struct predict_config *config)
{
	struct direction direction;
	struct target target;

	direction_choose(&direction, config);
	target_choose(&target, config);
	return direction_state_bytes(&direction) + target_state_bytes(&target) +
	       btb_state_bytes(config) + return_stack_bytes(config);
}

static struct slot *slot_of(const struct predict_unit *unit,
			    uint64_t checkpoint)
{
	return (struct slot *)(unit->slots +
			       (checkpoint & unit->mask) * unit->slot_bytes);
}

static void *target_record(const struct predict_unit *unit, struct slot *slot)
{
	return (char *)slot + unit->target_offset;
}

/* Finds the predicted target of a taken branch. */
static void find_target(struct predict_unit *unit, struct slot *slot,
			uint64_t returned)
{
	const struct branch *branch = &slot->branch;
	struct predict_answer *answer = &slot->answer;
	struct btb_answer known = btb_look(&unit->btb, branch->address);
	uint64_t special = returned;

	if (branch_is_indirect(branch))
		special = target_predict(&unit->target,
					 target_record(unit, slot),
					 branch->address);
	if (!known.level &&
	    unit->config->btb_miss == PREDICT_MISS_FALL_THROUGH)
		return;
	answer->next = branch->target ? branch->target
		       : special      ? special
		       : known.level  ? known.target
				      : 0;
	if (!answer->next)
		answer->source = PREDICT_FROM_NOTHING;
	else if (!known.level ||
		 (branch->target && known.target != branch->target))
		answer->source = PREDICT_FROM_DECODE;
	else
		answer->source = known.level == 1 ? PREDICT_FROM_BTB
						  : PREDICT_FROM_BTB2;
	answer->taken = true;
}

/* Enters a branch into the histories: with the direction that fetch follows, or
 * later with its outcome. */
static void enter_histories(struct predict_unit *unit, struct slot *slot,
			    bool taken, uint64_t next)
{
	struct branch branch = slot->branch;

	if (!branch.target && taken)
		branch.target = next;
	direction_history(&unit->direction, slot->direction, &branch, slot->way,
			  taken);
	target_history(&unit->target, target_record(unit, slot), &branch,
		       taken);
}

static void leave_histories(struct predict_unit *unit, struct slot *slot)
{
	direction_undo(&unit->direction, slot->direction, &slot->branch);
	target_undo(&unit->target, target_record(unit, slot));
}

struct predict_answer predict_unit_predict(struct predict_unit *unit,
					   const struct branch *branch,
					   uint64_t behind,
					   const struct predict_outcome *outcome)
{
	struct slot *slot = slot_of(unit, unit->next);
	struct predict_answer *answer = &slot->answer;
	uint64_t returned = return_stack_fetch(&unit->stack, &slot->stacked,
					       branch->kind, behind);

	slot->branch = *branch;
	slot->resolved = false;
	*answer = (struct predict_answer){
		.next = behind,
		.checkpoint = unit->next++,
		.source = PREDICT_FROM_FALL_THROUGH,
	};
	slot->way = branch->kind != BRANCH_CONDITIONAL ||
		    direction_predict(&unit->direction, slot->direction, branch,
				      outcome && outcome->taken);
	if (slot->way)
		find_target(unit, slot, returned);
	if (unit->config->kind == DIRECTION_perfect && outcome) {
		answer->next = outcome->next;
		answer->taken = outcome->taken;
		answer->source = outcome->taken ? PREDICT_FROM_BTB
						: PREDICT_FROM_FALL_THROUGH;
	}
	enter_histories(unit, slot, answer->taken, answer->next);
	return *answer;
}

/* Drops this branch and all younger ones, the youngest first. */
static void forget(struct predict_unit *unit, uint64_t from)
{
	size_t count = unit->next - from;

	while (unit->next > from) {
		struct slot *slot = slot_of(unit, --unit->next);

		leave_histories(unit, slot);
		unit->squashed[unit->next - from] = slot->stacked;
	}
	return_stack_repair(&unit->stack, unit->squashed, count);
}

static void train(struct predict_unit *unit, struct slot *slot)
{
	struct branch branch = slot->branch;

	direction_update(&unit->direction, slot->direction, &branch,
			 slot->outcome.taken);
	if (branch_is_indirect(&branch))
		target_update(&unit->target, target_record(unit, slot),
			      branch.address, slot->outcome.next);
	branch.target = slot->outcome.next;
	if (slot->outcome.taken)
		btb_update(&unit->btb, &branch);
}

bool predict_unit_resolve(struct predict_unit *unit, uint64_t checkpoint,
			  const struct predict_outcome *outcome)
{
	struct slot *slot = slot_of(unit, checkpoint);
	bool right = slot->answer.next == outcome->next &&
		     slot->answer.taken == outcome->taken;

	slot->outcome = *outcome;
	slot->resolved = true;
	if (!right) {
		forget(unit, checkpoint + 1);
		leave_histories(unit, slot);
		enter_histories(unit, slot, outcome->taken, outcome->next);
	}
	if (unit->config->train == PREDICT_TRAIN_RESOLVE)
		train(unit, slot);
	return right;
}

void predict_unit_commit(struct predict_unit *unit)
{
	struct slot *slot = slot_of(unit, unit->oldest++);
	struct predict_counts *counts = &unit->counts[slot->branch.kind];

	if (unit->config->train == PREDICT_TRAIN_COMMIT)
		train(unit, slot);
	counts->branches++;
	counts->taken += slot->outcome.taken;
	counts->wrong += slot->answer.next != slot->outcome.next ||
			 slot->answer.taken != slot->outcome.taken;
	counts->wrong_way += slot->answer.taken != slot->outcome.taken;
	counts->sources[slot->answer.source]++;
}

void predict_unit_squash(struct predict_unit *unit, uint64_t checkpoint)
{
	forget(unit, checkpoint);
}

/* Histories get the outcome at once: what a wrong prediction does to them is undone
 * anyhow. To look into the branch target buffer would change nothing. */
void predict_unit_pass(struct predict_unit *unit, const struct branch *branch,
		       uint64_t behind, const struct predict_outcome *outcome)
{
	struct slot *slot = slot_of(unit, unit->next);
	struct branch actual = *branch;
	bool taken = outcome->taken;

	return_stack_fetch(&unit->stack, &slot->stacked, branch->kind, behind);
	if (!actual.target && taken)
		actual.target = outcome->next;
	direction_pass(&unit->direction, slot->direction, branch,
		       actual.target, taken);
	target_pass(&unit->target, target_record(unit, slot), &actual, taken);
	if (!taken)
		return;
	actual.target = outcome->next;
	btb_update(&unit->btb, &actual);
}
