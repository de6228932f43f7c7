/* Divides the ports of a row of measurements: those of loads, of computing, and
 * of stores. */
#include "x86/timing/uops/build.h"

#include <string.h>

/* "2*p0156+p23" */
static void parse_ports(struct x86_build_ports *pool, const char *text)
{
	pool->count = 0;
	while (*text) {
		unsigned times = 1;
		uint16_t ports = 0;

		if (*text != 'p') {
			times = 0;
			while (*text >= '0' && *text <= '9')
				times = times * 10 + (unsigned)(*text++ - '0');
			text++; /* * */
		}
		for (text++; strchr("0123456789abcdef", *text) && *text; text++)
			ports |= (uint16_t)(1u << (*text <= '9' ?
						   *text - '0' :
						   *text - 'a' + 10));
		while (times-- && pool->count < X86_BUILD_UOPS)
			pool->ports[pool->count++] = ports;
		text += *text == '+';
	}
}

void x86_build_roles_of(struct x86_build *b, struct x86_build_roles *roles)
{
	const struct x86_uop_core *core = b->core;
	unsigned reads = 0, writes = 0, stores;
	struct x86_build_ports all, agu = {.count = 0};

	memset(roles, 0, sizeof *roles);
	parse_ports(&all, b->line->ports);
	for (unsigned i = 0; i < b->inst->memory_count; i++) {
		reads += b->inst->memory[i].read;
		writes += b->inst->memory[i].write;
	}
	for (unsigned i = 0; i < all.count; i++) {
		uint16_t ports = all.ports[i];
		struct x86_build_ports *to = &roles->compute;

		if (writes && ports == core->data_ports)
			to = &roles->data;
		else if ((reads || writes || b->inst->memory_count) &&
			 !(ports &
			   ~(core->address_ports | core->store_address_ports)))
			to = &agu;
		to->ports[to->count++] = ports;
	}
	/* Addresses of stores: first the ports that only these can use. */
	stores = roles->data.count;
	for (unsigned i = 0; i < agu.count && stores;)
		if (agu.ports[i] & core->store_address_ports) {
			roles->address.ports[roles->address.count++] =
			    x86_build_take_ports(&agu, i);
			stores--;
		} else {
			i++;
		}
	while (stores && agu.count > (reads ? 1 : 0)) {
		roles->address.ports[roles->address.count++] =
		    x86_build_take_ports(&agu, agu.count - 1);
		stores--;
	}
	roles->load = agu;
}
