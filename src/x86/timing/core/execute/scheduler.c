/* The scheduler: uops wait for their sources and their time. dispatch.c takes
 * the ready ones. */
#include "x86/timing/core/execute/limits.h"

void core_into_wheel(struct x86_core *core, unsigned index)
{
	struct core_uop *uop = &core->uop[index];
	uint32_t ahead = uop->ready_at - (uint32_t)core->now;
	unsigned bucket;

	/* A time further ahead is entered again when its turn comes. */
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
		core_set_ready(core, index);
	else
		core_into_wheel(core, index);
}

/* The consumers of a load that has missed have been dispatched when a hit's
 * data would have come, and lose their slot of the port. */
static void replay(struct x86_core *core, unsigned index)
{
	const struct core_uop *uop = &core->uop[index];
	unsigned link = uop->awaits ? uop->consumers : CORE_NONE;

	while (link != CORE_NONE) {
		const struct core_uop *consumer =
			&core->uop[link / CORE_EDGES];
		unsigned edge = link % CORE_EDGES;

		link = consumer->next[edge];
		if (edge >= X86_UOP_SOURCES || consumer->pending != 1 ||
		    core->ports->port_free[consumer->port] > core->now)
			continue;
		core_port_take(core, consumer->port, 1);
		core->counts.replays++;
		core->progress = true;
	}
}

void core_wheel_turn(struct x86_core *core)
{
	unsigned bucket = core->now % CORE_WHEEL;
	unsigned index = core->wheel[bucket];

	if (index == CORE_NONE)
		return;
	core->wheel[bucket] = CORE_NONE;
	core->wheel_used[bucket / 64] &= ~(UINT64_C(1) << bucket % 64);
	while (index != CORE_NONE) {
		unsigned next = core->uop[index].wheel_next;

		if (core->uop[index].state >= UOP_STARTED &&
		    core->load[index].held)
			core->begins[core->begin_count++] = (uint16_t)index;
		else if (core->uop[index].state >= UOP_STARTED)
			replay(core, index);
		else if (core_past(core, core->uop[index].ready_at))
			core_set_ready(core, index);
		else
			core_into_wheel(core, index);
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

/* Removes one edge of a consumer. */
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
	if (!--uop->forwards && uop->state == UOP_STARTED && !uop->blocked &&
	    !uop->awaits) {
		uop->state = UOP_KNOWN;
		core_wake(core, index);
	}
}

void core_wake_consumers(struct x86_core *core, unsigned index)
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
