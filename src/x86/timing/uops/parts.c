/* The ports and micro-operations of an instruction in the making. */
#include "x86/timing/uops/build.h"

#include <string.h>

uint16_t x86_build_take_ports(struct x86_build_ports *pool, unsigned at)
{
	uint16_t ports = pool->ports[at];

	memmove(&pool->ports[at], &pool->ports[at + 1],
		(pool->count - at - 1) * sizeof pool->ports[0]);
	pool->count--;
	return ports;
}

struct x86_uop *x86_build_add_uop(struct x86_build *b, enum x86_uop_kind kind,
				  uint32_t ports)
{
	struct x86_uop *uop;

	if (b->count == X86_BUILD_UOPS)
		b->count--;
	uop = &b->uop[b->count++];
	*uop = (struct x86_uop){
	    .kind = (uint8_t)kind,
	    .ports = ports,
	    .port_cycles = 1,
	};
	return uop;
}

void x86_build_add_source(struct x86_uop *uop, unsigned place)
{
	for (unsigned i = 0; i < uop->source_count; i++)
		if (uop->source[i] == place)
			return;
	if (uop->source_count < X86_UOP_SOURCES)
		uop->source[uop->source_count++] = (uint8_t)place;
}

void x86_build_add_result(struct x86_uop *uop, unsigned place, int latency)
{
	if (uop->result_count < X86_UOP_RESULTS)
		uop->result[uop->result_count++] = (struct x86_result){
		    (uint8_t)place,
		    (uint8_t)latency,
		};
}

bool x86_uop_waits_for(const struct x86_uop *uop, unsigned place)
{
	for (unsigned i = 0; i < uop->source_count; i++)
		if (uop->source[i] == place)
			return true;
	return false;
}
