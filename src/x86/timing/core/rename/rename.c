/* The renamer: moves a number of slots a cycle from the queue of uops to the
 * reorder buffer and the scheduler, and finds the values that uops wait for.
 * issue.c has what is done for each uop, move.c the elimination of moves, port.c
 * the choice of ports. */
#include "x86/timing/core/execute/limits.h"
#include "x86/timing/core/loadstore/loadstore.h"
#include "x86/timing/core/rename/issue.h"

void core_rename_reset(struct x86_core *core)
{
	core->sync_uop = (struct x86_uop){
		.ports = core->figure.simple_ports,
		.port_cycles = 1, .source_count = 1, .result_count = 1,
		.source = { X86_RSP }, .result = { { X86_RSP, 1 } },
	};
	for (unsigned r = 0; r < 4; r++)
		core->merge_uop[r] = (struct x86_uop){
			.ports = core->figure.merge_ports,
			.port_cycles = 1, .source_count = 2, .result_count = 1,
			.source = { (uint8_t)r, (uint8_t)(X86_PLACE_HIGH + r) },
			.result = { { (uint8_t)r, 1 } },
		};
}

static bool fits(const struct x86_core *core, unsigned uops, unsigned loads,
		 unsigned stores)
{
	const struct x86_core_figures *figure = &core->figure;

	return core->entry_tail - core->entry_head < figure->reorder_buffer &&
	       core->waiting + uops <= figure->scheduler &&
	       core->uop_tail - core->uop_head + uops <= CORE_UOPS &&
	       core->loads + loads <= figure->load_queue &&
	       core_stores_fit(core, stores) &&
	       (!core->group || core_group_fits(core, uops, loads, stores));
}

/* The end of the next slot's uops. The last slot takes all that are left. */
static unsigned slot_end(const struct core_flow *flow)
{
	const struct x86_template *form = flow->form;
	unsigned end = flow->next_uop;

	if (flow->next_slot + 1u >= flow->slots)
		return form->uop_count;
	while (end < form->uop_count && form->uop[end].slot <= flow->next_slot)
		end++;
	return end;
}

static bool slot_fits(const struct x86_core *core,
		      const struct core_flow *flow, unsigned end)
{
	unsigned uops = 0, loads = 0;
	bool store[2] = { false, false };

	for (unsigned i = flow->next_uop; i < end; i++) {
		const struct x86_uop *what = &flow->form->uop[i];
		unsigned which;

		uops += what->ports != 0 && core_is_scheduled(core, what);
		if (what->ports && core->figure.queue_ports_0 &&
		    !core_ports_with_room(core, what->ports))
			return false;
		loads += what->kind == X86_UOP_LOAD;
		if (what->kind < X86_UOP_STORE_ADDRESS)
			continue;
		/* Address and data have one entry of the queue. */
		which = core_store_which(flow, what->memory);
		if (!(flow->stores && flow->store_number[which]))
			store[which] = true;
	}
	if (core->limited &&
	    !core_limits_fit(core, flow, flow->next_uop, end,
			     loads + store[0] + store[1]))
		return false;
	return fits(core, uops, loads, (unsigned)store[0] + store[1]);
}

/* Issues the next slot of an instruction in slot `slot` of the cycle. False: no
 * room. */
static bool issue_slot(struct x86_core *core, struct core_flow *flow,
		       unsigned slot)
{
	const struct x86_template *form = flow->form;
	unsigned end = slot_end(flow);
	struct core_value value;
	struct core_entry *entry;

	if (!slot_fits(core, flow, end))
		return false;
	entry = core_new_entry(core, flow);
	entry->last = flow->next_slot + 1 == flow->slots;
	if (form->eliminable && core_move_eliminate(core, form, &value)) {
		core_set_value(core, flow, form->move_to, value);
		flow->next_uop = (uint8_t)end;
	}
	if (form->exchanges && !flow->next_slot)
		core_move_exchange(core, form);
	for (unsigned i = flow->next_uop; i < end; i++) {
		const struct x86_uop *what = &form->uop[i];
		unsigned ports = what->ports;

		if (flow->branch_ports && i + 1 == form->uop_count)
			ports = flow->branch_ports;
		core_issue_uop(core, flow, what, slot, entry, ports);
	}
	flow->next_uop = (uint8_t)end;
	flow->next_slot++;
	return true;
}

/* Whether an instruction reads more of a register than its lowest byte. */
static bool reads_whole(const struct x86_inst *inst, unsigned place)
{
	bool seen = false;

	for (unsigned i = 0; i < inst->memory_count; i++)
		if (inst->memory[i].base == place ||
		    inst->memory[i].index == place)
			return true;
	if (!(inst->read & X86_AT(place)))
		return false;
	for (unsigned i = 0; i < inst->operand_count; i++) {
		const struct x86_operand *o = &inst->operand[i];

		if (o->kind != X86_OPERAND_REGISTER || o->location != place ||
		    !o->read)
			continue;
		if (o->size != 1)
			return true;
		seen = true;
	}
	return !seen;
}

/* The uop to be issued before an instruction: the place of its result, or
 * -1. */
static int before(const struct x86_core *core, const struct core_flow *flow)
{
	if (core->names.high_apart)
		for (unsigned r = 0; r < 4; r++)
			if (core->names.high_apart >> r & 1 &&
			    reads_whole(flow->inst, r))
				return (int)r;
	if (flow->form->stack_explicit && core->names.stack_offset)
		return X86_RSP;
	return -1;
}

/* Issues a uop of the renamer itself. Returns whether it was issued. *slots
 * counts the used slots of the cycle. */
static bool issue_own(struct x86_core *core, struct core_flow *flow,
		      unsigned place, unsigned *slots)
{
	bool stack = place == X86_RSP;
	struct core_entry *entry;
	uint64_t written;

	if (!stack && core->figure.merge_alone && *slots)
		return false;
	if (!fits(core, 1, 0, 0))
		return false;
	entry = core_new_entry(core, flow);
	written = core->names.written[X86_RSP];
	core_issue_uop(core, flow, stack ? &core->sync_uop : &core->merge_uop[place],
		  *slots, entry,
		  stack ? core->figure.simple_ports : core->figure.merge_ports);
	++*slots;
	if (stack) {
		/* For memory renaming rsp is what it was. */
		core->names.written[X86_RSP] = written;
		core->names.stack_offset = 0;
		return true;
	}
	core->names.high_apart &= (uint8_t)~(1u << place);
	if (core->figure.merge_alone)
		*slots = core->figure.issue_width;
	return true;
}

/* The slots of the queue that `slots` issued slots free: an unlaminated pair
 * has one. */
static unsigned queue_part(const struct core_flow *flow, unsigned slots)
{
	unsigned pairs = flow->slots - flow->slots_fused;
	unsigned part = slots <= 2 * pairs ? slots / 2 : slots - pairs;

	/* More than two may come from one. */
	return part < flow->slots_fused && slots < flow->slots
		       ? part
		       : flow->slots_fused;
}

/* A fence behind a flush waits until the line has gone. */
static bool is_serial(const struct x86_core *core,
		      const struct x86_template *form)
{
	return form->serializing || (form->drains && core->flushing);
}

static void finish(struct x86_core *core, struct core_flow *flow)
{
	const struct x86_template *form = flow->form;

	core->names.stack_offset += form->stack_change;
	core->names.stack_depth += form->stack_change;
	core->names.x87_top -= (unsigned)flow->inst->x87_push;
	core->serialize = is_serial(core, form);
	core->flushing = form->flushes ||
			 (core->flushing && !core->serialize);
	core->flow_renamed++;
	if (flow->fuses)
		core_flow(core, core->flow_renamed++)->issued_at =
			flow->issued_at;
	if (core->flow_renamed > core->refill_for)
		core->refill = false;
	core_divert_renamed(core, core->flow_renamed - 1);
}

/* The instruction at the head of the queue, and whether the queue has all of
 * it. NULL: nothing to issue. */
static struct core_flow *head(struct x86_core *core, bool *whole)
{
	struct core_flow *flow;

	if (core->flow_renamed > core->flow_decoded ||
	    core->flow_renamed == core->flow_pushed)
		return 0;
	*whole = core->flow_renamed < core->flow_decoded;
	flow = core_flow(core, core->flow_renamed);
	if (flow->decoded_only)
		return 0;
	if (!*whole && queue_part(flow, flow->next_slot) >= flow->delivered)
		return 0;
	return flow;
}

/* The reason why the next slot of an instruction has no room. */
static enum x86_core_stall full(const struct x86_core *core)
{
	const struct x86_core_figures *figure = &core->figure;

	if (core->group && core_group_full(core) != X86_CORE_STALLS)
		return core_group_full(core);
	if (core->entry_tail - core->entry_head >= figure->reorder_buffer)
		return X86_CORE_STALL_REORDER;
	return core->loads >= figure->load_queue || !core_stores_fit(core, 1)
		       ? X86_CORE_STALL_MEMORY
		       : X86_CORE_STALL_SCHEDULER;
}

/* Returns the used slots. core->stall becomes the reason why there are no
 * more. */
static unsigned rename_slots(struct x86_core *core)
{
	unsigned slots = 0, width;
	bool whole;

	core->stall = X86_CORE_STALL_RENAME;
	if (core->now < core->rename_free)
		return 0;
	if (core->serialize) {
		if (core->entry_head < core->entry_tail)
			return 0;
		core->serialize = false;
	}
	width = core->figure.issue_width;
	if (core->group && head(core, &whole)) {
		width = core_room(core, STAGE_RENAME, width);
		core->stall = X86_CORE_STALL_SIBLING;
	}
	while (slots < width) {
		struct core_flow *flow;
		unsigned pairs, done;
		int own;

		flow = head(core, &whole);
		if (!flow) {
			core->stall = X86_CORE_STALL_QUEUE;
			return slots;
		}
		if (flow->form->simple && core->simple && whole &&
		    !core->names.high_apart &&
		    !(flow->form->stack_explicit && core->names.stack_offset)) {
			if (!core_issue_simple(core, flow, slots)) {
				core->stall = (uint8_t)full(core);
				return slots;
			}
			slots++;
			finish(core, flow);
			if (flow->ends_group)
				return slots;
			continue;
		}
		if (!flow->next_slot) {
			if (is_serial(core, flow->form) && !flow->entered &&
			    core->entry_head < core->entry_tail)
				return slots;
			own = before(core, flow);
			if (own >= 0) {
				if (!issue_own(core, flow, (unsigned)own,
					       &slots)) {
					core->stall = (uint8_t)full(core);
					return slots;
				}
				continue;
			}
		}
		/* An unlaminated pair of Intel's is issued in one cycle. */
		pairs = flow->slots - flow->slots_fused;
		done = flow->next_slot;
		if (done < 2 * pairs && done % 2 == 0 && slots + 1 == width &&
		    width > 1 && !core->figure.pair_splits)
			return slots;
		if (!issue_slot(core, flow, slots)) {
			core->stall = (uint8_t)full(core);
			return slots;
		}
		slots++;
		core->queue_used -= queue_part(flow, done + 1) -
				    queue_part(flow, done);
		if (flow->next_slot == flow->slots && whole) {
			finish(core, flow);
			if (flow->ends_group)
				return slots;
		}
	}
	return width;
}

void core_rename(struct x86_core *core)
{
	bool wrong = core->diverting > 0;
	uint64_t *stall = core->counts.stall;
	unsigned slots = rename_slots(core);

	core_use(core, STAGE_RENAME, slots);
	stall[wrong ? X86_CORE_STALL_WRONG : X86_CORE_STALL_USED] += slots;
	stall[core->stall] += core->figure.issue_width - slots;
}
