/* Issue slots of micro-operations: micro-fusion. */
#include "x86/timing/uops/build.h"

#include <string.h>

/* Numbers the slots. Pairs are fused from the end, so that stores come
 * first. */
void x86_build_slots(struct x86_build *b, const struct x86_latencies *l)
{
	uint8_t partner[X86_BUILD_UOPS];
	struct x86_uop sorted[X86_BUILD_UOPS];
	bool done[X86_BUILD_UOPS] = {false};
	unsigned count = b->count, used = count, to = 0, slot = 0;

	memset(partner, 0xff, sizeof partner);
	for (unsigned i = 0; i < count && used > b->line->slots; i++) {
		if (b->uop[i].kind != X86_UOP_STORE_ADDRESS)
			continue;
		for (unsigned k = 0; k < count; k++)
			if (b->uop[k].kind == X86_UOP_STORE_DATA &&
			    partner[k] == 0xff) {
				partner[i] = (uint8_t)k;
				partner[k] = (uint8_t)i;
				used--;
				break;
			}
	}
	for (unsigned i = 0; i < count && used > b->line->slots; i++) {
		if (b->uop[i].kind != X86_UOP_LOAD)
			continue;
		for (unsigned k = i + 1; k < count; k++)
			if (b->uop[k].kind == X86_UOP_COMPUTE &&
			    partner[k] == 0xff &&
			    x86_uop_waits_for(&b->uop[k],
					      X86_INPUT_MEMORY +
						  b->uop[i].memory) &&
			    !x86_uop_waits_for(&b->uop[k],
					       X86_INPUT_MEMORY +
						   !b->uop[i].memory)) {
				partner[i] = (uint8_t)k;
				partner[k] = (uint8_t)i;
				used--;
				break;
			}
	}
	/* The first of a pair stands right before the second: a load waits for
	 * nothing in between. */
	for (unsigned i = 0; i < count; i++) {
		if (done[i] || (partner[i] != 0xff && partner[i] > i))
			continue;
		if (partner[i] != 0xff) {
			sorted[to] = b->uop[partner[i]];
			sorted[to++].slot = (uint8_t)slot;
			done[partner[i]] = true;
		}
		sorted[to] = b->uop[i];
		sorted[to++].slot = (uint8_t)slot++;
		done[i] = true;
	}
	memcpy(b->uop, sorted, count * sizeof sorted[0]);
	/* Slots without a uop that needs a port. */
	while (slot < b->line->slots && b->count < X86_BUILD_UOPS)
		x86_build_add_uop(b, X86_UOP_COMPUTE, 0)->slot =
		    (uint8_t)slot++;
	/* Zero idioms: outputs that no uop computes are ready at once. */
	if (!*b->line->ports && b->count)
		for (unsigned o = 0; o < l->outputs; o++)
			if (l->output[o] < X86_PLACE_INTERNAL)
				x86_build_add_result(&b->uop[0], l->output[o],
						     0);
	b->slots = slot;
}
