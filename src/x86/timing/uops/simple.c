/* Templates that the renamer issues without a look at each detail. */
#include "x86/timing/uops/uop.h"

static bool is_plain(unsigned place)
{
	return place - X86_AT_ST >= 8u && place - X86_PLACE_HIGH >= 4u;
}

/* Whether a uop is, and what its results take at most. */
static bool complete(struct x86_uop *uop)
{
	bool plain = !uop->divider_cycles &&
		     (uop->ports || !uop->source_count);

	for (unsigned i = 0; i < uop->source_count; i++)
		plain &= is_plain(uop->source[i]);
	uop->longest = uop->kind != X86_UOP_LOAD;
	for (unsigned i = 0; i < uop->result_count; i++) {
		plain &= is_plain(uop->result[i].place);
		if (uop->result[i].latency > uop->longest)
			uop->longest = uop->result[i].latency;
	}
	return plain;
}

void x86_template_complete(struct x86_template *template, struct x86_uop *uop)
{
	unsigned slots = template->slots ? template->slots : 1;
	unsigned fused = template->slots_fused;
	int stored = -1;

	template->course = (uint16_t)(
		slots | (fused && fused <= slots ? fused : slots) << 8);
	template->simple = template->slots <= 1 && !template->serializing &&
			   !template->exchanges && !template->divide &&
			   !template->minimum_cycles;
	template->scheduled = template->loads = template->stores = 0;
	for (unsigned i = 0; i < template->uop_count; i++) {
		template->simple &= complete(&uop[i]);
		template->scheduled += uop[i].ports != 0;
		template->loads += uop[i].kind == X86_UOP_LOAD;
		if (uop[i].kind < X86_UOP_STORE_ADDRESS)
			continue;
		/* Address and data have one entry of the queue. */
		template->simple &= stored < 0 || stored == uop[i].memory;
		stored = uop[i].memory;
		template->stores = 1;
	}
}
