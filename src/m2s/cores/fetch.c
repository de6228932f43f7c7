#include "base/optimize.h"

#include "m2s/cores/fetch.h"

#include <string.h>

/* In place of a level of the cpu, for a path that is not executed. */
enum { DECODED_LEVEL = 1 << 16 };

void fetch_init(struct fetch *fetch, struct x86_core *core,
		struct x86_templates *templates,
		const struct predict_config *config,
		enum fetch_wrong_path wrong_path, uint64_t *left)
{
	memset(fetch, 0, sizeof *fetch);
	fetch->core = core;
	fetch->templates = templates;
	fetch->ring = x86_ring_create(FETCH_RECORDS);
	predict_unit_init(&fetch->unit, config, FETCH_FLOWS);
	fetch->wrong_path = wrong_path;
	fetch->ahead = (unsigned)x86_core_lookahead(core);
	fetch->left = left;
}

static void release_decoded(struct fetch *fetch)
{
	while (fetch->held_count)
		x86_inst_release(fetch->held[--fetch->held_count]);
}

void fetch_free(struct fetch *fetch)
{
	release_decoded(fetch);
	x86_ring_free(fetch->ring);
	predict_unit_free(&fetch->unit);
}

void fetch_enter(struct fetch *fetch, struct x86_cpu *cpu)
{
	fetch->cpu = cpu;
	fetch->stopped = fetch->ended = fetch->locks = fetch->alone = false;
	fetch->locked = 0;
	/* another cpu, or one after a system call: nothing is held */
	fetch->holds = false;
	fetch->store_head = fetch->store_tail;
	x86_stores_hold(cpu, false);
	if (fetch->check && x86_check_enter(fetch->check, cpu))
		fetch->differs = true;
}

/* ---- Branches ---- */

struct branch fetch_describe(const struct x86_inst *inst)
{
	static const enum branch_kind kinds[] = {
		[X86_BRANCH_CONDITIONAL] = BRANCH_CONDITIONAL,
		[X86_BRANCH_JUMP] = BRANCH_JUMP,
		[X86_BRANCH_CALL] = BRANCH_CALL,
		[X86_BRANCH_INDIRECT_JUMP] = BRANCH_INDIRECT_JUMP,
		[X86_BRANCH_INDIRECT_CALL] = BRANCH_INDIRECT_CALL,
		[X86_BRANCH_RETURN] = BRANCH_RETURN,
		[X86_BRANCH_FAR] = BRANCH_INDIRECT_JUMP,
	};
	enum branch_kind kind = kinds[inst->branch];

	return (struct branch){
		.address = inst->address,
		.target = kind < BRANCH_INDIRECT_JUMP ? inst->target : 0,
		.kind = kind,
	};
}

static enum x86_core_fetch fetch_cost(enum predict_source source)
{
	switch (source) {
	case PREDICT_FROM_BTB2:
		return X86_CORE_FETCH_LATE;
	case PREDICT_FROM_DECODE:
		return X86_CORE_FETCH_DECODED;
	case PREDICT_FROM_NOTHING:
		return X86_CORE_FETCH_EXECUTED;
	default:
		return X86_CORE_FETCH_ON;
	}
}

/* Predicts a branch that has been executed. When the prediction is wrong, the
 * cpu goes on at the predicted address, and the level of that path is returned;
 * else 0. */
static unsigned predict(struct fetch *fetch, const struct x86_record *record,
			struct x86_core_input *input, struct fetch_flow *flow)
{
	const struct x86_inst *inst = record->inst;
	struct branch branch = fetch_describe(inst);
	struct predict_answer answer;
	unsigned level = 0;

	flow->branch = true;
	flow->outcome = (struct predict_outcome){
		.next = record->next,
		.taken = branch.kind != BRANCH_CONDITIONAL || record->taken,
	};
	answer = predict_unit_predict(&fetch->unit, &branch,
				      inst->address + inst->length,
				      &flow->outcome);
	flow->checkpoint = answer.checkpoint;
	input->fetch = (uint8_t)fetch_cost(answer.source);
	if (answer.next == flow->outcome.next &&
	    answer.taken == flow->outcome.taken)
		return 0;
	flow->wrong = true;
	if (fetch->wrong_path == FETCH_EXECUTES && answer.next &&
	    fetch->wrong_count < X86_CORE_DIVERTING)
		level = x86_speculate_begin(fetch->cpu, answer.next);
	if (fetch->wrong_path == FETCH_DECODES && answer.next) {
		level = DECODED_LEVEL;
		fetch->decode_at = answer.next;
		fetch->decoded = NULL;
	}
	if (!level) {
		/* Fetch waits, so what comes next is the right path. */
		input->fetch = X86_CORE_FETCH_EXECUTED;
		predict_unit_resolve(&fetch->unit, answer.checkpoint,
				     &flow->outcome);
		flow->resolved = true;
		return 0;
	}
	input->next = answer.next;
	input->diverts = true;
	return level;
}

/* ---- Fetch ---- */

/* `number`: how many have been pushed. */
static void push(struct fetch *fetch, uint64_t number)
{
	const struct x86_ring *ring = fetch->ring;
	const struct x86_record *record =
		&ring->record[fetch->next_record & ring->mask];
	const struct x86_inst *inst = record->inst;
	struct fetch_flow *flow = &fetch->flow[number % FETCH_FLOWS];
	bool held = fetch->holds && !fetch->wrong_count;
	struct x86_core_input input;
	unsigned level = 0;

	/* Not cleared as a whole beforehand: that takes longer. */
	input.inst = inst;
	input.form = x86_template_of(fetch->templates, inst);
	input.address = inst->address;
	input.next = record->next;
	input.reference = ring->reference + record->first;
	input.references = record->references;
	input.division = record->division;
	input.dividend = record->dividend;
	input.accessed = held && fetch->accessed == fetch->next_record + 1;
	input.fetch = X86_CORE_FETCH_ON;
	input.diverts = input.decoded_only = false;
	/* The other members have a meaning only with `branch` or `loads`. */
	flow->record = fetch->next_record++;
	flow->flags = 0;
	flow->unfinished = record->unfinished;
	if (inst->branch != X86_BRANCH_NONE)
		level = predict(fetch, record, &input, flow);
	x86_core_push(fetch->core, &input);
	if (held && record->references)
		fetch_note_memory(fetch, record, number, flow);
	if (!level)
		return;
	fetch->counts.wrong_paths++;
	fetch->wrong[fetch->wrong_count++] = (struct fetch_wrong){
		.flow = number,
		.checkpoint = flow->checkpoint,
		.level = level,
		.outcome = flow->outcome,
	};
}

/* The same for what comes in front of the next branch, at most `most`
 * instructions, while no stores are held. Returns how many there were. */
static unsigned push_plain(struct fetch *fetch, uint64_t number, uint64_t most)
{
	const struct x86_ring *ring = fetch->ring;
	uint64_t from = fetch->next_record, there = ring->head - from;
	unsigned count = x86_core_push_plain(
		fetch->core, fetch->templates, ring, from,
		(unsigned)(there < most ? there : most));

	for (unsigned i = 0; i < count; i++) {
		struct fetch_flow *flow =
			&fetch->flow[(number + i) % FETCH_FLOWS];

		flow->record = from + i;
		flow->flags = 0;
		flow->unfinished =
			ring->record[(from + i) & ring->mask].unfinished;
	}
	fetch->next_record += count;
	return count;
}

/* The next instruction of a wrong path that is not executed; NULL: the path
 * ends. */
static const struct x86_inst *decode_next(struct fetch *fetch)
{
	const struct x86_inst *last = fetch->decoded, *inst;

	if (last && !(last->traits & X86_LAST) &&
	    last->address + last->length == fetch->decode_at)
		return last + 1;
	inst = x86_inst_at(fetch->cpu->emulator, fetch->decode_at);
	if (inst)
		fetch->held[fetch->held_count++] = inst;
	return inst;
}

static bool push_decoded(struct fetch *fetch)
{
	const struct x86_inst *inst = NULL;
	struct x86_core_input input;
	struct fetch_flow flow = { 0 };

	if (fetch->held_count < FETCH_FLOWS && fetch->decode_at)
		inst = decode_next(fetch);
	if (!inst || inst->traits & X86_SYSTEM_CALL) {
		fetch->ended = true;
		fetch->counts.wrong_ends++;
		return false;
	}
	input = (struct x86_core_input){
		.inst = inst,
		.form = x86_template_of(fetch->templates, inst),
		.address = inst->address,
		.next = inst->address + inst->length,
		.decoded_only = true,
	};
	if (inst->branch != X86_BRANCH_NONE) {
		struct branch branch = fetch_describe(inst);
		struct predict_answer answer = predict_unit_predict(
			&fetch->unit, &branch, input.next, NULL);

		input.fetch = (uint8_t)fetch_cost(answer.source);
		input.next = answer.next;
	}
	fetch->decoded = inst;
	fetch->decode_at = input.next;
	fetch->flow[x86_core_push(fetch->core, &input) % FETCH_FLOWS] = flow;
	fetch->counts.wrong_fetched++;
	return true;
}

/* How many instructions the core wants and has room for. */
static uint64_t wanted_now(const struct fetch *fetch)
{
	uint64_t ahead = x86_core_ahead(fetch->core);
	uint64_t wanted = fetch_wanted_ahead(fetch);
	uint64_t room = x86_core_room(fetch->core);

	wanted = ahead < wanted ? wanted - ahead : 0;
	return wanted < room ? wanted : room;
}

void fetch_supply(struct fetch *fetch, bool more)
{
	bool decodes = fetch->wrong_path == FETCH_DECODES;
	uint64_t wanted = wanted_now(fetch);
	uint64_t number = x86_core_pushed(fetch->core);

	while (wanted && !predict_unit_full(&fetch->unit)) {
		unsigned wrong = fetch->wrong_count, plain;

		if (decodes && wrong) {
			if (fetch->ended || !push_decoded(fetch))
				return;
			wanted--;
			number++;
			continue;
		}
		if (fetch->next_record == fetch->ring->head &&
		    (!more || fetch->stopped || fetch->ended || fetch->alone ||
		     !fetch_execute(fetch)))
			return;
		plain = fetch->holds ? 0 : push_plain(fetch, number, wanted);
		number += plain;
		wanted -= plain;
		if (!wanted || fetch->next_record == fetch->ring->head)
			continue;
		wanted--;
		push(fetch, number++);
		/* On a wrong path fewer are wanted. */
		if (fetch->wrong_count != wrong)
			wanted = wanted_now(fetch);
	}
}

bool fetch_is_alone(const struct fetch *fetch)
{
	return fetch->alone && fetch->next_record == fetch->ring->head &&
	       wanted_now(fetch) && !predict_unit_full(&fetch->unit);
}

bool fetch_is_blocked(const struct fetch *fetch)
{
	return x86_core_ahead(fetch->core) < fetch->ahead;
}

/* ---- What the core has done ---- */

static void note_branch(struct fetch *fetch, const struct fetch_flow *flow)
{
	const struct x86_inst *inst =
		fetch->ring->record[flow->record & fetch->ring->mask].inst;
	bool indirect = inst->branch == X86_BRANCH_INDIRECT_JUMP ||
			inst->branch == X86_BRANCH_INDIRECT_CALL;

	x86_profile_branch(fetch->profile, inst->address, flow->outcome.next,
			   flow->outcome.taken, flow->wrong, indirect);
}

void fetch_retire(struct fetch *fetch)
{
	uint64_t retired = x86_core_instructions(fetch->core);
	uint64_t now = x86_core_cycle(fetch->core);

	uint64_t seen = retired - fetch->retired, parts = 0, oldest, tail;
	bool checks = fetch->check;

	if (!seen)
		return;
	for (; fetch->retired < retired; fetch->retired++) {
		const struct fetch_flow *flow =
			&fetch->flow[fetch->retired % FETCH_FLOWS];

		if (!flow->flags && !checks)
			continue;
		if (flow->branch) {
			if (!flow->resolved)
				predict_unit_resolve(&fetch->unit,
						     flow->checkpoint,
						     &flow->outcome);
			predict_unit_commit(&fetch->unit);
			if (fetch->profile)
				note_branch(fetch, flow);
		}
		if (fetch->check && !fetch->differs)
			fetch->differs = !x86_check_retired(
				fetch->check, fetch->ring,
				&fetch->ring->record[flow->record &
						     fetch->ring->mask]);
		if (flow->loads) {
			uint64_t cycles = now - flow->executed_at;

			fetch->counts.loads++;
			fetch->counts.load_cycles += cycles;
			if (cycles > fetch->counts.load_cycles_max)
				fetch->counts.load_cycles_max = cycles;
		}
		parts += flow->unfinished;
	}
	fetch->counts.parts += parts;
	fetch->counts.instructions += seen - parts;
	oldest = x86_core_oldest(fetch->core);
	tail = fetch->flow[(oldest - 1) % FETCH_FLOWS].record + 1;
	/* A core that remembers may go back to before fetch_clear(). */
	if (oldest && tail > fetch->ring->tail)
		fetch->ring->tail = tail;
}

void fetch_resolved(struct fetch *fetch)
{
	uint64_t number = x86_core_resolved(fetch->core);
	const struct fetch_wrong *wrong;

	while (fetch->wrong[fetch->wrong_count - 1].flow != number)
		fetch->wrong_count--;
	wrong = &fetch->wrong[--fetch->wrong_count];
	if (wrong->level != DECODED_LEVEL) {
		x86_speculate_end(fetch->cpu, wrong->level);
		x86_ring_rewind(fetch->ring,
				fetch->flow[number % FETCH_FLOWS].record + 1);
	}
	predict_unit_resolve(&fetch->unit, wrong->checkpoint, &wrong->outcome);
	fetch->flow[number % FETCH_FLOWS].resolved = true;
	x86_core_squash(fetch->core);
	release_decoded(fetch);
	fetch->next_record = fetch->ring->head;
	fetch->ended = fetch->alone = false;
}

uint64_t fetch_clear(struct fetch *fetch, bool alive)
{
	uint64_t dropped = fetch->executed - fetch->counts.instructions;

	if (alive && x86_speculating(fetch->cpu))
		x86_speculate_end(fetch->cpu, 1);
	x86_core_clear(fetch->core);
	release_decoded(fetch);
	if (fetch->unit.oldest < fetch->unit.next)
		predict_unit_squash(&fetch->unit, fetch->unit.oldest);
	fetch->wrong_count = 0;
	fetch->ring->tail = fetch->next_record = fetch->ring->head;
	fetch->stopped = fetch->ended = fetch->locks = fetch->alone = false;
	fetch->locked = 0;
	fetch->executed -= dropped;
	return dropped;
}
