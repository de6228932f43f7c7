#include "x86/timing/core/front/tracecache.h"

#include <string.h>

#include "base/memory.h"
#include "x86/timing/core/front/front.h"

static const struct x86_trace_figures *figures_of(const struct x86_core *core)
{
	return &core->figure.trace;
}

struct core_traces *core_traces_create(const struct x86_core_figures *figures)
{
	const struct x86_trace_figures *trace = &figures->trace;

	if (!trace->present)
		return NULL;
	return xcalloc(1, sizeof(struct core_traces) +
				  (size_t)trace->sets * trace->ways *
					  sizeof(struct core_trace));
}

void core_traces_clear(struct x86_core *core)
{
	const struct x86_trace_figures *figure = figures_of(core);
	struct core_traces *traces = core->traces;

	traces->clock = 0;
	traces->fill.count = 0;
	for (unsigned i = 0; i < figure->sets * figure->ways; i++)
		traces->trace[i].used = 0;
}

static struct core_trace *set_of(struct x86_core *core, uint64_t address)
{
	return &core->traces->trace[address % figures_of(core)->sets *
				    figures_of(core)->ways];
}

/* ---- Traces of what retires ---- */

static bool is_same(const struct core_trace *a, const struct core_trace *b)
{
	return a->used && a->count == b->count &&
	       !memcmp(a->address, b->address, a->count * sizeof a->address[0]);
}

/* Enters the trace: traces of other ways behind the same address stay. */
static void enter(struct x86_core *core)
{
	struct core_trace *fill = &core->traces->fill;
	struct core_trace *set = set_of(core, fill->address[0]), *place = set;
	unsigned ways = figures_of(core)->ways;

	for (unsigned i = 0; i < ways; i++) {
		if (is_same(&set[i], fill)) {
			set[i].used = ++core->traces->clock;
			return;
		}
		if (set[i].used < place->used)
			place = &set[i];
	}
	*place = *fill;
	place->used = ++core->traces->clock;
	core->counts.traces++;
	core->counts.trace_length += fill->uops;
}

static void end(struct x86_core *core)
{
	struct core_trace *fill = &core->traces->fill;

	if (fill->count)
		enter(core);
	fill->count = fill->uops = fill->branches = 0;
}

static bool is_indirect(const struct x86_inst *inst)
{
	return inst->branch == X86_BRANCH_INDIRECT_JUMP ||
	       inst->branch == X86_BRANCH_INDIRECT_CALL ||
	       inst->branch == X86_BRANCH_RETURN ||
	       inst->branch == X86_BRANCH_FAR;
}

void core_trace_retired(struct x86_core *core, const struct core_flow *flow)
{
	const struct x86_trace_figures *figure = figures_of(core);
	struct core_trace *fill = &core->traces->fill;

	if (flow->traced)
		core->counts.trace_committed += flow->slots_fused;
	if (fill->count && fill->uops + flow->slots_fused > figure->uops)
		end(core);
	if (flow->slots_fused > figure->uops ||
	    fill->count == X86_TRACE_UOPS) {
		end(core);
		return;
	}
	fill->address[fill->count++] = flow->address;
	fill->uops += flow->slots_fused;
	fill->branches += flow->inst->branch != X86_BRANCH_NONE;
	if (fill->uops == figure->uops || fill->branches == figure->branches ||
	    is_indirect(flow->inst))
		end(core);
}

/* ---- Fetch ---- */

/* The uops of traces that wait for the decoders. */
static unsigned queued(struct x86_core *core)
{
	unsigned uops = 0;

	for (uint64_t i = core->flow_decoded; i < core->flow_predecoded; i++)
		if (core_flow(core, i)->traced)
			uops += core_flow(core, i)->slots_fused;
	return uops;
}

/* Whether fetch is going to follow the trace. */
static bool follows(struct x86_core *core, const struct core_trace *trace)
{
	if (core->flow_pushed - core->flow_predecoded < trace->count)
		return false;
	for (unsigned i = 0; i < trace->count; i++)
		if (core_flow(core, core->flow_predecoded + i)->address !=
		    trace->address[i])
			return false;
	return true;
}

static struct core_trace *find(struct x86_core *core, uint64_t address)
{
	struct core_trace *set = set_of(core, address), *best = NULL;

	for (unsigned i = 0; i < figures_of(core)->ways; i++)
		if (set[i].used && set[i].address[0] == address &&
		    (!best || set[i].count > best->count) &&
		    follows(core, &set[i]))
			best = &set[i];
	return best;
}

bool core_trace_fetch(struct x86_core *core)
{
	uint64_t address = core_flow(core, core->flow_predecoded)->address;
	unsigned waiting = queued(core);
	struct core_trace *trace;

	if (waiting >= figures_of(core)->queue ||
	    core->flow_predecoded - core->flow_decoded >=
		    core->figure.instruction_queue)
		return false;
	core->counts.trace_accesses++;
	trace = find(core, address);
	if (!trace || waiting + trace->uops > figures_of(core)->queue)
		return false;
	core->counts.trace_hits++;
	trace->used = ++core->traces->clock;
	core->predecode_free = core->now + 1;
	core->predecode_block = UINT64_MAX;
	for (unsigned i = 0; i < trace->count; i++) {
		struct core_flow *flow = core_flow(core, core->flow_predecoded++);

		flow->traced = true;
		flow->predecoded_at = (uint32_t)core->now;
		core->counts.trace_fetched += flow->slots_fused;
		if (flow->fetch) {
			core_fetch_wait(core, flow);
			break;
		}
	}
	return true;
}

void core_trace_deliver(struct x86_core *core)
{
	while (core->flow_decoded < core->flow_predecoded) {
		struct core_flow *flow = core_flow(core, core->flow_decoded);
		const struct core_flow *next = NULL;
		unsigned left = flow->slots_fused - flow->delivered;
		unsigned room = core->queue_used < core->figure.uop_queue
					? core->figure.uop_queue -
						  core->queue_used : 0;

		if (!flow->traced ||
		    !core_past(core, flow->predecoded_at +
					     core->figure.predecode_delay))
			return;
		if (left > room) {
			if (room)
				core_deliver(core, flow, room);
			return;
		}
		core_deliver(core, flow, left);
		if (core->flow_decoded + 1 < core->flow_predecoded &&
		    core_flow(core, core->flow_decoded + 1)->traced)
			next = core_flow(core, core->flow_decoded + 1);
		core_deliver_end(core, flow, core_fused_with_next(flow, next));
	}
}
