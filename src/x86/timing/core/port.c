/* The port of a uop, chosen when the uop is issued (doc/x86-timing.md,
 * "Ports"). */
#include "x86/timing/core/rename.h"

/* The port with the fewest uops of those in `ports`; the highest of several. */
static unsigned fewest(const struct x86_core *core, unsigned ports)
{
	unsigned best = 31u - (unsigned)__builtin_clz(ports);

	for (; ports; ports &= ports - 1) {
		unsigned port = (unsigned)__builtin_ctz(ports);

		if (core->port_before[port] < core->port_before[best] ||
		    (core->port_before[port] == core->port_before[best] &&
		     port > best))
			best = port;
	}
	return best;
}

/* The next of the load ports in turn. */
static unsigned in_turn(struct x86_core *core, unsigned ports)
{
	unsigned turn = core->load_turn++ %
			(unsigned)__builtin_popcount(ports);

	while (turn--)
		ports &= ports - 1;
	return (unsigned)__builtin_ctz(ports);
}

unsigned core_choose_port(struct x86_core *core, unsigned ports, unsigned slot)
{
	unsigned first, second;

	if (!(ports & (ports - 1)))
		return (unsigned)__builtin_ctz(ports);
	if (ports == core->figure.load_ports)
		return in_turn(core, ports);
	first = fewest(core, ports);
	if (slot % 2 == 0)
		return first;
	second = fewest(core, ports & ~(1u << first));
	return core->port_before[second] >= core->port_before[first] + 3 ?
		       first : second;
}
