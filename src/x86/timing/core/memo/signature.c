#include "base/optimize.h"

/* Short forms of a core's state, which are cheap, and the same for equal states: how
 * full it is, and that with what its uops are and when they have results. Most
 * states of a program without much repetition are told apart by them, and are never
 * saved. */
#include "x86/timing/core/memo/state.h"

#include <string.h>

static uint64_t mixed(uint64_t sum, uint64_t value)
{
	return (sum ^ value) * UINT64_C(0x9e3779b97f4a7c15);
}

/* What is saved of a uop, as far as it differs often: when its results are there
 * is the same for all that have been there for some time, and then its port has no
 * meaning any more (save.c). */
static uint64_t word_of(const struct core_uop *uop, uint32_t now)
{
	bool known = uop->state == UOP_KNOWN;
	int32_t time = (int32_t)(uop->value_at - now) +
		       (known ? uop->longest : 1);
	uint64_t bytes = uop->bytes & (known ? UINT64_C(0xff) << 16
					     : UINT64_C(0xffffffff));

	return ((uint64_t)(uint32_t)(time < 0 ? 0 : time) << 32 | bytes) *
		       UINT64_C(0x9fb21c651e98df25) ^
	       (uintptr_t)uop->what;
}

static uint64_t near_by(const struct x86_core *core, uint64_t time)
{
	return time > core->now ? time - core->now : 0;
}

uint64_t core_memo_outline(const struct x86_core *core)
{
	const struct core_flow *next =
		&core->flow[core->flow_renamed % CORE_FLOWS];
	uint64_t flows = (core->flow_predecoded - core->flow_retired) |
			 (core->flow_decoded - core->flow_retired) << 16 |
			 (core->flow_renamed - core->flow_retired) << 32 |
			 (core->uop_tail - core->uop_head) << 48;
	uint64_t queues = (core->entry_tail - core->entry_head) |
			  (core->store_tail - core->store_head) << 12 |
			  (uint64_t)core->waiting << 24 |
			  (uint64_t)core->loads << 36 |
			  (uint64_t)core->queue_used << 48 |
			  (uint64_t)core->source << 62;
	uint64_t stages = core->load_turn | (uint64_t)core->stall << 8 |
			  near_by(core, core->rename_free) << 16 |
			  near_by(core, core->decode_free) << 32;
	uint64_t sum = mixed(mixed(mixed(0, flows), queues), stages);

	uint64_t ports[sizeof core->ports->port_count / sizeof(uint64_t)];

	memcpy(ports, core->ports->port_count, sizeof ports);
	for (unsigned i = 0; i < sizeof ports / sizeof ports[0]; i++)
		sum = mixed(sum, ports[i]);
	if (core->source == SOURCE_LOOP && !core->body_long)
		sum = mixed(sum, core->loop_at | (uint64_t)core->loop_turn << 32);
	if (core->flow_renamed < core->flow_predecoded)
		sum = mixed(sum, next->address);
	return sum ^ sum >> 32;
}

uint64_t core_memo_signature(const struct x86_core *core, uint64_t outline)
{
	unsigned uops = (unsigned)(core->uop_tail - core->uop_head);
	unsigned head = (unsigned)core->uop_head;
	uint32_t now = (uint32_t)core->now;
	uint64_t sum[2] = { outline, 0 };

	/* Two sums, so that the host need not wait for each product. */
	for (unsigned i = 0; i < uops; i++)
		sum[i % 2] = mixed(
			sum[i % 2],
			word_of(&core->uop[(head + i) % CORE_UOPS], now));
	sum[0] = mixed(sum[0], sum[1] ^ sum[1] >> 32);
	return sum[0] ^ sum[0] >> 29;
}
