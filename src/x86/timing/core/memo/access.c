#include "base/optimize.h"

/* Actions of a path that access memory, or that stores and loads have in their
 * queues. */
#include "x86/timing/core/memo/memo.h"

#include "x86/timing/core/loadstore/loadstore.h"
#include "x86/timing/core/loadstore/order.h"
#include "x86/timing/core/loadstore/pending.h"

static struct core_flow *flow_at(struct x86_core *core, unsigned place)
{
	return core_flow(core, core->memo->place.retired + place);
}

/* Asks the counter of a load. */
static bool asks(struct x86_core *core, const struct core_flow *flow)
{
	bool passes = core_order_passes(core, flow);

	core_memo_log(core, &(struct memo_event){
		.kind = MEMO_ALIAS, .cycle = core->now, .value = passes });
	return passes;
}

/* Whether a load does not wait for addresses of stores. */
static bool may_begin(struct x86_core *core, const struct core_flow *flow,
		      uint64_t word)
{
	if (!(word & MEMO_LOAD_ASKED))
		return !(word & MEMO_LOAD_HELD);
	return asks(core, flow);
}

uint64_t core_memo_play_load(struct x86_core *core, uint64_t word)
{
	struct core_memo *memo = core->memo;
	struct memo_load load = memo_load_of(word);
	unsigned index = (unsigned)(memo->place.uop_head + load.uop) %
			 CORE_UOPS;
	struct core_flow *flow = flow_at(core, load.flow);
	const struct core_access *access = core_load_of(flow, load.memory);
	struct x86_core_request request;
	unsigned answer;

	if (!access->size)
		return 0;
	if (!may_begin(core, flow, word)) {
		core->load[index].ticket = 0;
		core->uop[index].awaits = false;
		core->uop[index].part = 0;
		return memo_held_word(&load, access == &flow->load[1],
				      core_splits(core, access),
				      word & MEMO_LOAD_ASKED);
	}
	core_load_request(core, flow, access, index, &request);
	request.forwarded = load.forwarded;
	answer = core->memory.begin(core->memory.owner, &request);
	core->load[index].ticket = request.ticket;
	core->uop[index].awaits = answer >= X86_CORE_PENDING;
	core->uop[index].part = answer ? request.part : 0;
	if (answer == X86_CORE_PENDING || request.soon)
		core->memory_due = 0;
	core_memo_log(core, &(struct memo_event){
		.kind = MEMO_LOAD, .part = answer ? request.part : 0,
		.cycle = core->now, .value = answer });
	return memo_load_word(&load, access == &flow->load[1],
			      core_splits(core, access), answer) |
	       (word & MEMO_LOAD_ASKED);
}

uint64_t core_memo_play_store(struct x86_core *core)
{
	struct x86_core_request request;
	unsigned answer;

	core_store_request(core, &request);
	answer = core->memory.begin(core->memory.owner, &request);
	if (request.soon || answer >= X86_CORE_PENDING)
		core->memory_due = 0;
	if (answer == X86_CORE_PENDING)
		core->store_ticket = request.ticket;
	core_memo_log(core, &(struct memo_event){
		.kind = MEMO_STORE, .cycle = core->now, .value = answer });
	return memo_store_word(answer);
}

uint64_t core_memo_play_commit(struct x86_core *core)
{
	uint64_t word = core_commit_word(core);

	core_store_leaves(core);
	return word;
}

void core_memo_play_retired(struct x86_core *core, uint64_t word)
{
	unsigned place = word >> 8 & 0x7ff, what = word >> 4 & 15;

	if (what != MEMO_STORES) {
		core_order_learn(core, flow_at(core, place),
				 what == MEMO_FREE);
		core_memo_log(core, &(struct memo_event){
			.kind = MEMO_RETIRED, .cycle = core->now });
		return;
	}
	core_stores_retire(core, flow_at(core, place),
			   core->memo->place.retired + place);
}

uint64_t core_memo_play_alias(struct x86_core *core, uint64_t word)
{
	struct core_flow *flow = flow_at(core, word >> 8 & 0x7ff);
	const struct core_access *access = core_load_of(flow, word >> 4 & 15);
	struct core_dependence found = core_load_depends(core, flow, access);
	uint64_t asked = word & MEMO_ALIAS_ASKED;

	if (asked && asks(core, flow))
		asked |= MEMO_ALIAS_PASSES;
	return asked | core_dependence_word(core, word & 0x7ffff, flow, access,
					    &found);
}

uint64_t core_memo_play_new_store(struct x86_core *core, uint64_t word)
{
	struct core_flow *flow = flow_at(core, word >> 8 & 0x7ff);
	unsigned memory = word >> 4 & 15;

	core_store_of(core, flow, memory);
	return core_new_store_word(core, word & 0x7ffff);
}
