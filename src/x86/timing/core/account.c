/* The account of cycles: parts.def. */
#include "x86/timing/core/loadstore/loadstore.h"
#include "x86/timing/core/memo/memo.h"

static bool is_complete(const struct x86_core *core,
			const struct core_uop *uop)
{
	return uop->state == UOP_KNOWN &&
	       core_past(core, uop->value_at + uop->longest);
}

/* The reason why the oldest slot of the reorder buffer does not retire. *load
 * becomes the uop if it is a load. */
static enum x86_core_part held_by(struct x86_core *core, unsigned *load)
{
	const struct core_entry *entry =
		&core->entry[core->entry_head % CORE_ENTRIES];
	const struct x86_template *form = core->flow[entry->flow].form;

	if (form->serializing || form->locked)
		return X86_CORE_SERIAL;
	for (unsigned i = 0; i < entry->uops; i++) {
		const struct core_uop *uop = core_uop(core, entry->first + i);

		if (is_complete(core, uop))
			continue;
		if (uop->what->kind != X86_UOP_LOAD ||
		    uop->state < UOP_STARTED)
			return X86_CORE_EXECUTE;
		/* It has not asked for its line yet. */
		if (core->load[(entry->first + i) % CORE_UOPS].held)
			return X86_CORE_LOAD;
		/* One without an access is never anywhere else. */
		if (core_load_access(&core->flow[uop->flow], uop)->size)
			*load = (entry->first + i) % CORE_UOPS;
		return uop->part ? (enum x86_core_part)uop->part
				 : X86_CORE_LOAD;
	}
	return X86_CORE_EXECUTE;
}

/* The reason why the reorder buffer is empty. */
static enum x86_core_part empty_because(const struct x86_core *core)
{
	if (core->serialize ||
	    (core->last && core->flow_renamed == core->flow_pushed))
		return X86_CORE_SERIAL;
	if (core->fetch_ticket)
		return X86_CORE_FETCH;
	/* Without an instruction in flight the load queue is not full. */
	if (core->stall == X86_CORE_STALL_MEMORY)
		return X86_CORE_STORES;
	if (core->refill)
		return (enum x86_core_part)core->refill_part;
	return X86_CORE_FRONT_END;
}

void core_account(struct x86_core *core, unsigned retired, uint64_t cycles)
{
	unsigned width = core->figure.retire_width, load = CORE_NONE;
	enum x86_core_part part;

	core->counts.part[X86_CORE_BASE] += retired * cycles;
	core->held = X86_CORE_BASE;
	if (retired == width || !cycles)
		return;
	part = core->entry_head == core->entry_tail ? empty_because(core)
						    : held_by(core, &load);
	core->held = (uint8_t)part;
	if (core->group)
		part = core_group_part(core, part);
	core->counts.part[part] += (width - retired) * cycles;
	if (core->tapes && load != CORE_NONE)
		core_memo_note_charge(core, load, part,
				      (width - retired) * cycles);
	if (core->profile)
		core_charge_lost(core, part, (width - retired) * cycles);
}
