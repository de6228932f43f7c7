/* Dispatch: each port takes its oldest ready uop. */
#include "x86/timing/core/state.h"

static void start(struct x86_core *core, unsigned index)
{
	struct core_uop *uop = &core->uop[index];
	const struct x86_uop *what = uop->what;
	unsigned port = uop->port;

	core->ready[port][index / 64] &= ~(UINT64_C(1) << index % 64);
	core->port_count[port]--;
	core->waiting--;
	core->progress = true;
	core->times[index].started = (uint32_t)core->now;
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

/* The oldest ready uop of a port that no busy unit holds up, or CORE_NONE.
 * *any: whether there are more. */
static unsigned oldest(struct x86_core *core, unsigned port, bool *any)
{
	enum { WORDS = CORE_UOPS / 64 };
	unsigned in_use;
	const uint64_t *ready = core->ready[port];
	unsigned first = core->uop_head % CORE_UOPS;
	bool busy = core->now < core->units_free;

	*any = false;
	/* Most words have no uop in flight. */
	in_use = (unsigned)(core->uop_tail - core->uop_head) + first % 64;
	for (unsigned i = 0; i * 64 < in_use; i++) {
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

	core_wheel_turn(core);
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
