#include "base/optimize.h"

#include "x86/timing/core/core.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/timing/core/front/front.h"
#include "x86/timing/core/front/tracecache.h"
#include "x86/timing/core/loadstore/order.h"
#include "x86/timing/core/loadstore/pending.h"
#include "x86/timing/core/memo/memo.h"
#include "x86/timing/core/occupancy.h"
#include "x86/timing/core/run.h"

struct x86_core *x86_core_create(const struct x86_core_figures *figures,
				 const struct x86_core_memory *memory)
{
	struct x86_core *core = xcalloc_aligned(sizeof *core);

	core->figure = *figures;
	if (memory)
		core->memory = *memory;
	core->traces = core_traces_create(figures);
	if (figures->occupancy)
		core->occupancy = xcalloc(1, sizeof *core->occupancy);
	x86_core_reset(core);
	return core;
}

void x86_core_free(struct x86_core *core)
{
	if (!core)
		return;
	if (core->group && !core->thread)
		free(core->group);
	core_memo_free(core);
	free(core->traces);
	free(core->occupancy);
	free(core);
}

void x86_core_reset(struct x86_core *core)
{
	struct x86_core old = { .figure = core->figure,
				.memory = core->memory,
				.retired = core->retired,
				.owner = core->owner,
				.profile = core->profile,
				.tickets = core->tickets,
				.group = core->group,
				.traces = core->traces,
				.occupancy = core->occupancy,
				.memo = core->memo,
				.thread = core->thread,
				.busy = core->busy };
	/* Members that the numbers below declare empty need not be cleared. */
	size_t size = offsetof(struct x86_core, line);

	core_settle(core);
	core_memo_cannot(core);
	memset(core, 0, size);
	core->memo = old.memo;
	core->figure = old.figure;
	core->group = old.group;
	core->traces = old.traces;
	core->occupancy = old.occupancy;
	if (core->occupancy)
		*core->occupancy = (struct x86_occupancy){ 0 };
	if (core->traces)
		core_traces_clear(core);
	core->thread = old.thread;
	core->busy = old.busy;
	core->ports = core->group ? &core->group->ports : &core->own_ports;
	core->memory = old.memory;
	core->retired = old.retired;
	core->owner = old.owner;
	core->profile = old.profile;
	core->tickets = old.tickets;
	core->limited = core->figure.memory_queue ||
			core->figure.registers_general ||
			core->figure.registers_x87 ||
			core->figure.registers_vector;
	core->simple = !core->limited && !core->group &&
		       !core->figure.memory_renaming &&
		       !core->figure.pools.used && !core->figure.queue_ports_0;
	core->by_age = core->figure.pools.used || core->figure.dispatch_width;
	core->predecode_block = UINT64_MAX;
	core_cache_clear(core);
	core_order_reset(core);
	core_rename_reset(core);
	core_memory_reset(core);
	for (unsigned i = 0; i < X86_PLACE_COUNT; i++)
		core->names.map[i].sequence = VALUE_READY;
	for (unsigned i = 0; i < CORE_WHEEL; i++)
		core->wheel[i] = CORE_NONE;
}

void x86_core_memoize(struct x86_core *core, size_t bytes, bool check)
{
	if (!core->group && !core->figure.pools.used && !core->traces &&
	    core->memory.begin && !core->memo && !core->occupancy)
		core_memo_create(core, bytes, check);
}

uint64_t x86_core_remembered(const struct x86_core *core)
{
	return core->memo ? core->memo->played : 0;
}

void x86_core_observe(struct x86_core *core,
		      void (*retired)(void *owner,
				      const struct x86_core_retired *what),
		      void *owner)
{
	core_settle(core);
	core->retired = retired;
	core->owner = owner;
}

uint64_t x86_core_room(const struct x86_core *core)
{
	return CORE_FLOWS - (core->flow_pushed - core->flow_retired);
}

uint64_t x86_core_pushed(const struct x86_core *core)
{
	return core->flow_pushed;
}

const struct x86_core_counts *x86_core_counts(const struct x86_core *core)
{
	core_settle((struct x86_core *)(uintptr_t)core);
	return &core->counts;
}

uint64_t x86_core_cycle(const struct x86_core *core)
{
	return core->now;
}

uint64_t x86_core_instructions(const struct x86_core *core)
{
	return core->flow_retired;
}

uint64_t x86_core_oldest(const struct x86_core *core)
{
	/* It may have to simulate the path that it plays. */
	return core->memo && core->memo->mode == MEMO_PLAYS
		       ? core->memo->place.retired : core->flow_retired;
}

uint64_t x86_core_locked(const struct x86_core *core)
{
	return core->locked;
}

uint64_t x86_core_slots(const struct x86_core *core)
{
	core_settle((struct x86_core *)(uintptr_t)core);
	return core->slots_retired;
}

void x86_core_describe(const struct x86_core *core, FILE *stream)
{
	core_settle((struct x86_core *)(uintptr_t)core);
	fprintf(stream, "cycle %" PRIu64 ": instructions %" PRIu64
		" retired, %" PRIu64 " renamed, %" PRIu64 " decoded, %" PRIu64
		" predecoded, %" PRIu64 " known\n", core->now,
		core->flow_retired, core->flow_renamed, core->flow_decoded,
		core->flow_predecoded, core->flow_pushed);
	fprintf(stream, "reorder buffer %" PRIu64 ", scheduler %u, loads %u, "
		"stores %" PRIu64 ", queue of uops %u\n",
		core->entry_tail - core->entry_head, core->waiting,
		core->loads, core->store_tail - core->store_head,
		core->queue_used);
	for (uint64_t i = core->uop_head; i < core->uop_tail; i++) {
		const struct core_uop *uop = &core->uop[i % CORE_UOPS];

		if (uop->state != UOP_KNOWN)
			fprintf(stream, "uop %" PRIu64 " at %" PRIx64
				": port %u, state %u, waits for %u and %u\n",
				i, core->flow[uop->flow].address, uop->port,
				uop->state, uop->pending, uop->forwards);
	}
}
