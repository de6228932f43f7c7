/* Simulates what has been played, and compares: [ General ] Memoize = Check. */
#include "x86/timing/core/memo/memo.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn static void fail(const struct x86_core *core, const char *what)
{
	fprintf(stderr, "m2s: cycle %" PRIu64 ": an error of the model: %s "
		"([ General ] Memoize = No goes without it)\n", core->now, what);
	abort();
}

static void observe(const struct x86_core *core, struct memo_figures *figures)
{
	*figures = (struct memo_figures){
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

void core_memo_check_begin(struct x86_core *core)
{
	struct core_memo *memo = core->memo;
	const struct memo_path *path = memo->path;

	observe(core, &memo->expected);
	memo->expected.uop_head += path->uops_left;
	memo->expected.slots += path->slots;
	core_memo_count(core, path, &memo->expected.counts);
	memo->played += core->flow_retired - memo->place.retired;
}

void core_memo_check_end(struct x86_core *core)
{
	struct core_memo *memo = core->memo;
	const struct memo_state *end = memo->path->end;
	struct memo_figures simulated;
	unsigned size;

	observe(core, &simulated);
	if (memcmp(&memo->expected, &simulated, sizeof simulated))
		fail(core, "the figures of a core are not those that it has "
		     "remembered");
	if (core->diverting)
		core_resolve(core);
	size = core_memo_can_save(core) ? core_memo_save(core, memo->saved) : 0;
	if (size != end->size || memcmp(memo->saved, end->data, size))
		fail(core, "the state of a core is not the one that it has "
		     "remembered");
	/* The state is known, and is looked for at once. */
	memo->anew = true;
	memo->wait = 0;
	memo->gain = 0;
	memo->vain = 0;
}
