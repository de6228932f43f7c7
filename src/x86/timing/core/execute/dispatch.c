/* Dispatch: each port takes its oldest ready uop. */
#include <string.h>

#include "x86/timing/core/execute/limits.h"
#include "x86/timing/core/loadstore/loadstore.h"
#include "x86/timing/core/loadstore/order.h"

static inline __attribute__((always_inline)) void
start(struct x86_core *core, unsigned index)
{
	struct core_uop *uop = &core->uop[index];
	const struct x86_uop *what = uop->what;
	unsigned port = uop->port;

	core_not_ready(core, index);
	core->ports->port_count[port]--;
	if (core->group)
		core->group->port_user[port] = (uint8_t)core->thread;
	core->waiting -= core_is_scheduled(core, what);
	core->progress = true;
	core->times[index].started = (uint32_t)core->now;
	core_port_take(core, port, what->port_cycles);
	if (uop->unit) {
		uint64_t until = core->now + uop->unit_cycles;

		core->ports->unit_free[uop->unit] = until;
		if (until > core->ports->units_free)
			core->ports->units_free = until;
	}
	if (what->kind == X86_UOP_LOAD) {
		core_load_started(core, index);
		return;
	}
	uop->value_at = (uint32_t)core->now;
	uop->state = UOP_KNOWN;
	core_wake(core, index);
	if (core->held_count && what->kind == X86_UOP_STORE_ADDRESS)
		core_order_addressed(core);
}

/* The oldest ready uop of a port whose ready uops lie in one word. */
static unsigned oldest_of_word(const struct x86_core *core, unsigned port,
			       unsigned word)
{
	unsigned first = core->uop_head % CORE_UOPS;
	uint64_t bits = core->ready[port][word];
	uint64_t older = bits & ~UINT64_C(0) << first % 64;

	/* The oldest uop's word has the youngest ones in its lower bits. */
	if (word == first / 64 && older)
		bits = older;
	return word * 64 + (unsigned)__builtin_ctzll(bits);
}

/* Whether an older ready uop of another port needs the same unit. */
static bool older_needs(const struct x86_core *core, unsigned index)
{
	enum { WORDS = CORE_UOPS / 64 };
	unsigned first = core->uop_head % CORE_UOPS;
	unsigned age = (index - first) % CORE_UOPS;
	unsigned port = core->uop[index].port, unit = core->uop[index].unit;

	for (uint32_t left = core->ready_ports & ~(1u << port); left;
	     left &= left - 1) {
		const uint64_t *ready =
			core->ready[(unsigned)__builtin_ctz(left)];

		for (unsigned i = 0; i < WORDS; i++)
			for (uint64_t bits = ready[i]; bits; bits &= bits - 1) {
				unsigned other = i * 64 +
					(unsigned)__builtin_ctzll(bits);

				if (core->uop[other].unit == unit &&
				    (other - first) % CORE_UOPS < age)
					return true;
			}
	}
	return false;
}

/* Whether the unit that a uop needs is free for it. Of several ready uops the
 * oldest gets it, whatever their ports. */
static bool unit_is_free(const struct x86_core *core, unsigned index)
{
	unsigned unit = core->uop[index].unit;

	return !unit || (core->now >= core->ports->unit_free[unit] &&
			 !older_needs(core, index));
}

/* The oldest ready uop of a port that has the unit that it needs, or CORE_NONE.
 * *any: whether there are more. */
static unsigned oldest(struct x86_core *core, unsigned port, bool *any)
{
	enum { WORDS = CORE_UOPS / 64 };
	const uint64_t *ready = core->ready[port];
	unsigned first = core->uop_head % CORE_UOPS;
	unsigned words = core->ready_words[port] * (1u + (1u << WORDS));

	*any = words != 0;
	if (core->ready_words[port] &&
	    !(core->ready_words[port] & (core->ready_words[port] - 1))) {
		unsigned index = oldest_of_word(
			core, port,
			(unsigned)__builtin_ctz(core->ready_words[port]));

		if (!core->uop[index].unit)
			return index;
	}
	/* From the word of the oldest uop on; its lower bits come last. */
	words = words >> first / 64 & ((1u << WORDS) - 1);
	words |= (words & 1) << WORDS;
	for (; words; words &= words - 1) {
		unsigned i = (unsigned)__builtin_ctz(words);
		unsigned word = (first / 64 + i) % WORDS;
		uint64_t bits = ready[word];

		if (!i)
			bits &= ~UINT64_C(0) << first % 64;
		else if (i == WORDS)
			bits &= ~(~UINT64_C(0) << first % 64);
		for (; bits; bits &= bits - 1) {
			unsigned index = word * 64 +
					 (unsigned)__builtin_ctzll(bits);

			if (unit_is_free(core, index))
				return index;
		}
	}
	return CORE_NONE;
}

/* The ready uops of all ports. */
static void collect(struct x86_core *core, uint64_t *all)
{
	enum { WORDS = CORE_UOPS / 64 };

	memset(all, 0, WORDS * sizeof all[0]);
	for (uint32_t ports = core->ready_ports; ports; ports &= ports - 1) {
		unsigned port = (unsigned)__builtin_ctz(ports);
		uint64_t any = 0;

		for (unsigned i = 0; i < WORDS; i++) {
			all[i] |= core->ready[port][i];
			any |= core->ready[port][i];
		}
		if (!any)
			core->ready_ports &= ~(1u << port);
	}
}

static bool may_start(const struct x86_core *core, const struct core_uop *uop)
{
	return core->now >= core->ports->port_free[uop->port] &&
	       (core->now >= core->ports->units_free ||
		core->now >= core->ports->unit_free[uop->unit]);
}

/* The use of a pool by a uop that starts. */
static void count_pool(struct x86_core *core, const struct core_uop *uop)
{
	uint32_t waited = (uint32_t)core->now - uop->ready_at;
	struct x86_pool_counts *count;

	if (!core->figure.pools.used || uop->port >= X86_POOLS)
		return;
	count = &core->counts.pool[uop->port];
	count->accesses++;
	count->denied += waited != 0;
	count->waiting += waited;
}

/* Where ports alone do not say what starts: pools, or a limit of uops in a cycle.
 * The oldest ready uop is first. Returns how many uops started. */
static unsigned dispatch_by_age(struct x86_core *core, unsigned most)
{
	enum { WORDS = CORE_UOPS / 64 };
	unsigned first = core->uop_head % CORE_UOPS;
	unsigned left = most;
	uint64_t all[WORDS];

	collect(core, all);
	for (unsigned i = 0; i <= WORDS; i++) {
		unsigned word = (first / 64 + i) % WORDS;
		uint64_t bits = all[word];

		if (!i)
			bits &= ~UINT64_C(0) << first % 64;
		else if (i == WORDS)
			bits &= ~(~UINT64_C(0) << first % 64);
		for (; bits; bits &= bits - 1) {
			unsigned index = word * 64 +
					 (unsigned)__builtin_ctzll(bits);

			if (!may_start(core, &core->uop[index]))
				continue;
			count_pool(core, &core->uop[index]);
			start(core, index);
			if (!--left)
				return most;
		}
	}
	return most - left;
}

void core_dispatch(struct x86_core *core)
{
	unsigned most = core->figure.dispatch_width
				? core->figure.dispatch_width : CORE_UOPS;
	unsigned started = 0;
	uint32_t ports;

	core_wheel_turn(core);
	if (core->begin_count)
		core_loads_held(core);
	if (!core->ready_ports)
		return;
	most = core_room(core, STAGE_DISPATCH, most);
	if (!most)
		return;
	if (core->by_age) {
		core_use(core, STAGE_DISPATCH, dispatch_by_age(core, most));
		return;
	}
	for (ports = core->ready_ports; ports; ports &= ports - 1) {
		unsigned port = (unsigned)__builtin_ctz(ports), index;
		bool any;

		if (core->now < core->ports->port_free[port])
			continue;
		index = oldest(core, port, &any);
		if (index != CORE_NONE) {
			start(core, index);
			started++;
		} else if (!any) {
			core->ready_ports &= ~(1u << port);
		}
	}
	core_use(core, STAGE_DISPATCH, started);
}
