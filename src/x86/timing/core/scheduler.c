/* The scheduler: uops wait for their sources; each port takes the oldest that
 * is ready. */
#include <string.h>

#include "x86/timing/core/state.h"

static void set_ready(struct x86_core *core, unsigned index)
{
	unsigned port = core->uop[index].port;

	core->ready[port][index / 64] |= UINT64_C(1) << index % 64;
	core->ready_ports |= 1u << port;
}

static void into_wheel(struct x86_core *core, unsigned index)
{
	struct core_uop *uop = &core->uop[index];
	uint32_t ahead = uop->ready_at - (uint32_t)core->now;
	unsigned bucket;

	/* What lies further ahead is put in again when its turn comes. */
	if (ahead > CORE_WHEEL - 1)
		ahead = CORE_WHEEL - 1;
	bucket = (unsigned)((core->now + ahead) % CORE_WHEEL);
	uop->wheel_next = core->wheel[bucket];
	core->wheel[bucket] = (uint16_t)index;
	core->wheel_used[bucket / 64] |= UINT64_C(1) << bucket % 64;
}

void core_schedule(struct x86_core *core, unsigned index)
{
	struct core_uop *uop = &core->uop[index];

	if (uop->pending)
		return;
	uop->state = UOP_READY;
	if (core_past(core, uop->ready_at))
		set_ready(core, index);
	else
		into_wheel(core, index);
}

static void turn_wheel(struct x86_core *core)
{
	unsigned bucket = core->now % CORE_WHEEL;
	unsigned index = core->wheel[bucket];

	if (index == CORE_NONE)
		return;
	core->wheel[bucket] = CORE_NONE;
	core->wheel_used[bucket / 64] &= ~(UINT64_C(1) << bucket % 64);
	while (index != CORE_NONE) {
		unsigned next = core->uop[index].wheel_next;

		if (core_past(core, core->uop[index].ready_at))
			set_ready(core, index);
		else
			into_wheel(core, index);
		index = next;
	}
}

uint64_t core_wheel_next(const struct x86_core *core)
{
	unsigned first = (core->now + 1) % CORE_WHEEL;

	for (unsigned i = 0; i <= CORE_WHEEL / 64; i++) {
		unsigned word = (first / 64 + i) % (CORE_WHEEL / 64);
		uint64_t bits = core->wheel_used[word];
		unsigned at;

		if (!i)
			bits &= ~UINT64_C(0) << first % 64;
		if (!bits)
			continue;
		at = word * 64 + (unsigned)__builtin_ctzll(bits);
		return core->now + 1 + (at - first + CORE_WHEEL) % CORE_WHEEL;
	}
	return UINT64_MAX;
}

/* One edge less for a consumer. */
static void hear(struct x86_core *core, unsigned index, unsigned edge,
		 uint32_t time)
{
	struct core_uop *uop = &core->uop[index];

	time += uop->latency[edge];
	if (edge < X86_UOP_SOURCES) {
		uop->ready_at = core_later(uop->ready_at, time);
		if (!--uop->pending)
			core_schedule(core, index);
		return;
	}
	uop->value_at = core_later(uop->value_at, time);
	if (!--uop->forwards && uop->state == UOP_STARTED && !uop->blocked) {
		uop->state = UOP_KNOWN;
		core_wake(core, index);
	}
}

void core_wake(struct x86_core *core, unsigned index)
{
	struct core_uop *uop = &core->uop[index];
	unsigned link = uop->consumers;

	uop->consumers = CORE_NONE;
	while (link != CORE_NONE) {
		unsigned consumer = link / CORE_EDGES, edge = link % CORE_EDGES;

		link = core->uop[consumer].next[edge];
		hear(core, consumer, edge, uop->value_at);
	}
}

static void start(struct x86_core *core, unsigned index)
{
	struct core_uop *uop = &core->uop[index];
	const struct x86_uop *what = uop->what;
	unsigned port = uop->port;

	core->ready[port][index / 64] &= ~(UINT64_C(1) << index % 64);
	core->port_count[port]--;
	core->waiting--;
	core->progress = true;
	uop->started_at = (uint32_t)core->now;
	core->port_free[port] = core->now + what->port_cycles;
	if (uop->unit) {
		uint64_t until = core->now + uop->unit_cycles;

		core->unit_free[uop->unit] = until;
		if (until > core->units_free)
			core->units_free = until;
	}
	if (what->kind == X86_UOP_LOAD) {
		core_load_started(core, index);
		return;
	}
	uop->value_at = (uint32_t)core->now;
	uop->state = UOP_KNOWN;
	core_wake(core, index);
}

/* The oldest uop that is ready for a port and not held up by a busy unit;
 * CORE_NONE. *any: whether there are more. */
static unsigned oldest(struct x86_core *core, unsigned port, bool *any)
{
	enum { WORDS = CORE_UOPS / 64 };
	const uint64_t *ready = core->ready[port];
	unsigned first = core->uop_head % CORE_UOPS;
	bool busy = core->now < core->units_free;

	*any = false;
	for (unsigned i = 0; i <= WORDS; i++) {
		unsigned word = (first / 64 + i) % WORDS;
		uint64_t bits = ready[word];

		if (!i)
			bits &= ~UINT64_C(0) << first % 64;
		else if (i == WORDS)
			bits &= ~(~UINT64_C(0) << first % 64);
		for (; bits; bits &= bits - 1) {
			unsigned index = word * 64 +
					 (unsigned)__builtin_ctzll(bits);

			*any = true;
			if (!busy ||
			    core->now >= core->unit_free[
						core->uop[index].unit])
				return index;
		}
	}
	return CORE_NONE;
}

void core_dispatch(struct x86_core *core)
{
	uint32_t ports;

	turn_wheel(core);
	for (ports = core->ready_ports; ports; ports &= ports - 1) {
		unsigned port = (unsigned)__builtin_ctz(ports), index;
		bool any;

		if (core->now < core->port_free[port])
			continue;
		index = oldest(core, port, &any);
		if (index != CORE_NONE)
			start(core, index);
		else if (!any)
			core->ready_ports &= ~(1u << port);
	}
}
