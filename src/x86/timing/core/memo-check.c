/* Simulates what has been played, and compares: [ General ] Memoize = Check. */
#include "x86/timing/core/memo.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is known of a core while it plays. */
struct outcome {
	uint64_t retired, decoded, predecoded, uop_head, slots;
	uint64_t store_head, store_tail, store_ticket, fetch_ticket;
	struct x86_core_counts counts;
};

_Noreturn static void fail(const struct x86_core *core, const char *what)
{
	fprintf(stderr, "m2s: cycle %" PRIu64 ": an error of the model: %s "
		"([ General ] Memoize = No goes without it)\n", core->now, what);
	x86_core_describe(core, stderr);
	abort();
}

_Noreturn void core_memo_differs(const struct x86_core *core)
{
	fail(core, "a core that repeats what it has remembered comes to "
	     "something else");
}

static void observe(const struct x86_core *core, struct outcome *outcome)
{
	*outcome = (struct outcome){
		.retired = core->flow_retired,
		.decoded = core->flow_decoded,
		.predecoded = core->flow_predecoded,
		.uop_head = core->uop_head,
		.slots = core->slots_retired,
		.store_head = core->store_head,
		.store_tail = core->store_tail,
		.store_ticket = core->store_ticket,
		.fetch_ticket = core->fetch_ticket,
		.counts = core->counts,
	};
}

void core_memo_check(struct x86_core *core)
{
	struct core_memo *memo = core->memo;
	const struct memo_path *path = memo->path;
	struct outcome played, simulated;
	unsigned size;

	observe(core, &played);
	played.uop_head += path->uops_left;
	played.slots += path->slots;
	for (unsigned i = 0; i < path->counts; i++)
		((uint64_t *)&played.counts)[path->count[i].index] +=
			path->count[i].by;
	core_memo_leave(core);
	core_memo_repeated(core);
	core_memo_drop(core);
	observe(core, &simulated);
	if (memcmp(&played, &simulated, sizeof played))
		fail(core, "the figures of a core are not those that it has "
		     "remembered");
	if (core->diverting)
		core_resolve(core);
	size = core_memo_can_save(core) ? core_memo_save(core, memo->saved) : 0;
	if (size != path->end->size ||
	    memcmp(memo->saved, path->end->data, size))
		fail(core, "the state of a core is not the one that it has "
		     "remembered");
	memo->played += played.retired - memo->place.retired;
	/* The state is known, and is looked for at once. */
	memo->anew = true;
	memo->wait = 0;
	memo->gain = 0;
	memo->vain = 0;
}
