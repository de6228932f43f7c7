/* The port of a uop, chosen when the uop is issued (doc/x86-timing.md,
 * "Ports"). */
#include "x86/timing/core/rename/rename.h"

static unsigned smaller(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Of two ports or more the one with the fewest uops; the highest of several. In
 * odd slots the next one after that order, unless it has three uops more.
 * Without branches, as the host could not predict them. */
static unsigned fewest(const struct x86_core *core, unsigned ports,
		       unsigned slot)
{
	unsigned first = ~0u, second = ~0u;

	for (; ports; ports &= ports - 1) {
		unsigned port = (unsigned)__builtin_ctz(ports);
		/* in the order of choice: uops, then the port downwards */
		unsigned rank = core->ports->port_before[port] * CORE_PORTS +
				(CORE_PORTS - 1 - port);

		second = smaller(second, first > rank ? first : rank);
		first = smaller(first, rank);
	}
	if (slot % 2 && second / CORE_PORTS < first / CORE_PORTS + 3)
		first = second;
	return CORE_PORTS - 1 - first % CORE_PORTS;
}

/* The same with the uops of this cycle counted; the lowest of several. */
static unsigned least_now(const struct x86_core *core, unsigned ports)
{
	unsigned best = (unsigned)__builtin_ctz(ports);

	for (; ports; ports &= ports - 1) {
		unsigned port = (unsigned)__builtin_ctz(ports);

		if (core->ports->port_count[port] < core->ports->port_count[best])
			best = port;
	}
	return best;
}

/* The next of the load ports in turn. */
static unsigned in_turn(struct x86_core *core, unsigned ports)
{
	unsigned turn = core->load_turn;

	while (turn--)
		ports &= ports - 1;
	core->load_turn = ports & (ports - 1) ? core->load_turn + 1 : 0;
	return (unsigned)__builtin_ctz(ports);
}

unsigned core_choose_of_several(struct x86_core *core, unsigned ports,
				unsigned slot)
{
	if (core->figure.queue_ports_0) {
		/* Of several uops of a slot the last may go over the size. */
		unsigned room = core_ports_with_room(core, ports);

		ports = room ? room : ports;
	}
	if (!(ports & (ports - 1)))
		return (unsigned)__builtin_ctz(ports);
	if (ports == core->figure.load_ports)
		return in_turn(core, ports);
	if (core->figure.port_choice)
		return least_now(core, ports);
	return fewest(core, ports, slot);
}

unsigned core_ports_with_room(const struct x86_core *core, unsigned ports)
{
	const uint32_t *queue = &core->figure.queue_ports_0;

	for (unsigned i = 0; i < CORE_QUEUES && queue[2 * i]; i++) {
		unsigned used = 0;

		if (!(queue[2 * i] & ports))
			continue;
		for (unsigned left = queue[2 * i]; left; left &= left - 1)
			used += core->ports->port_count[__builtin_ctz(left)];
		if (used >= queue[2 * i + 1])
			ports &= ~queue[2 * i];
	}
	return ports;
}

void core_unit_give(struct core_uop *uop, const struct core_flow *flow,
		    const struct x86_uop *what)
{
	unsigned least = flow->form->minimum_cycles;

	uop->unit = uop->unit_cycles = 0;
	if (what->divider_cycles) {
		uop->unit = UNIT_DIVIDER;
		if (what->divider_cycles > least)
			least = what->divider_cycles;
		uop->unit_cycles = (uint8_t)((int)least + flow->division_busy);
	} else if (least && !flow->uops) {
		uop->unit = (uint8_t)(2 + flow->form->form % (CORE_UNITS - 2));
		uop->unit_cycles = (uint8_t)least;
	}
}
