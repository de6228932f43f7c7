/* How threads of a core share it: turns at its stages, room in its queues. A
 * thread's cycle is simulated as a whole; who comes first in a cycle changes from
 * cycle to cycle, which the owner of the cores sees to. */
#include "x86/timing/core/threads.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/timing/core/front/front.h"

/* ---- Turns ---- */

static enum x86_core_turns turns_of(const struct core_group *group,
				    enum core_stage stage)
{
	const struct x86_core_sharing *sharing = &group->figure.sharing;

	switch (stage) {
	case STAGE_FETCH:
	case STAGE_DECODE:
		return (enum x86_core_turns)sharing->fetch;
	case STAGE_RENAME:
		return (enum x86_core_turns)sharing->dispatch;
	case STAGE_DISPATCH:
		return (enum x86_core_turns)sharing->issue;
	case STAGE_RETIRE:
		return (enum x86_core_turns)sharing->commit;
	default:
		/* One store a cycle. */
		return X86_CORE_TURNS_TIME;
	}
}

static unsigned room(const struct x86_core *core, enum core_stage stage,
		     unsigned width)
{
	const struct core_group *group = core->group;
	const struct core_use *use = &group->use[stage];
	bool front = stage == STAGE_FETCH || stage == STAGE_DECODE;
	unsigned used = use->cycle == core->now ? use->slots : 0;

	switch (turns_of(group, stage)) {
	case X86_CORE_TURNS_SHARED:
		/* Each thread fetches and decodes by itself. */
		if (front)
			return width;
		return used < width ? width - used : 0;
	case X86_CORE_TURNS_EVENT:
		return group->fetching == core->thread ? width : 0;
	case X86_CORE_TURNS_TIME:
		break;
	}
	return used ? 0 : width;
}

unsigned core_group_room(struct x86_core *core, enum core_stage stage,
			 unsigned width)
{
	unsigned left = room(core, stage, width);

	if (left < width)
		core->denied |= (uint8_t)(1u << stage);
	return left;
}

void core_group_use(struct x86_core *core, enum core_stage stage,
		    unsigned slots)
{
	struct core_use *use = &core->group->use[stage];

	if (use->cycle != core->now)
		*use = (struct core_use){ .cycle = core->now };
	use->slots += slots;
}

/* ---- Fetch that stays with a thread ---- */

/* The thread waits long: its oldest instruction is a load that neither of the
 * first two levels answers. */
static bool waits_long(const struct x86_core *core)
{
	switch (core->held) {
	case X86_CORE_MEMORY:
	case X86_CORE_L3:
	case X86_CORE_DRAM:
	case X86_CORE_TLB:
		return true;
	default:
		return false;
	}
}

/* Has simulated this cycle or the one before. */
static bool executes(const struct x86_core *core, uint64_t now)
{
	return core->busy && core->cycled + 1 >= now;
}

static void give_fetch(struct core_group *group, struct x86_core *to)
{
	uint64_t from = to->now + group->figure.sharing.penalty;

	group->fetching = to->thread;
	group->fetching_since = to->now;
	if (to->predecode_free < from)
		to->predecode_free = from;
	if (to->decode_free < from)
		to->decode_free = from;
}

/* Lets fetch come to this thread when the one that has it waits, has no thread or
 * has had its time. */
static void turn_fetch(struct x86_core *core)
{
	struct core_group *group = core->group;
	struct x86_core *other = group->thread[group->fetching];
	bool over;

	if (other == core)
		return;
	over = core->now - group->fetching_since >=
	       group->figure.sharing.quantum;
	if (!executes(other, core->now) || over ||
	    (waits_long(other) && !waits_long(core)))
		give_fetch(group, core);
}

void core_group_cycle(struct x86_core *core)
{
	struct core_group *group = core->group;
	struct core_ports *ports = &group->ports;

	core->cycled = core->now;
	if (group->port_cycle != core->now) {
		group->port_cycle = core->now;
		memcpy(ports->port_before, ports->port_count,
		       sizeof ports->port_before);
	}
	if (group->figure.sharing.fetch == X86_CORE_TURNS_EVENT)
		turn_fetch(core);
}

/* ---- Room ---- */

struct load {
	uint64_t entries, waiting, loads, stores;
};

static uint32_t least_of(uint64_t one, uint64_t other)
{
	return (uint32_t)(one < other ? one : other);
}

/* What a thread takes of a queue from the view of `core`: its entries or, if it is
 * another one that executes, at least the few that stay free for it. Without these
 * a thread that fills a queue and takes what it frees in the same cycle would keep
 * the others out for ever. Eight: what an instruction outside of microcode needs. */
static uint64_t taken(const struct x86_core *core, const struct x86_core *of,
		      uint64_t entries, uint64_t size)
{
	bool keeps = of != core && of->busy;
	uint32_t kept = keeps ? least_of(8, size / core->group->count) : 0;

	return entries > kept ? entries : kept;
}

/* What is taken of the shared queues when `core` asks. */
static struct load load_of(const struct x86_core *core)
{
	const struct core_group *group = core->group;
	const struct x86_core_figures *size = &group->figure;
	struct load all = { 0 };

	for (unsigned i = 0; i < group->count; i++) {
		const struct x86_core *of = group->thread[i];

		all.entries += taken(core, of, of->entry_tail - of->entry_head,
				     size->reorder_buffer);
		all.waiting += taken(core, of, of->waiting, size->scheduler);
		all.loads += taken(core, of, of->loads, size->load_queue);
		all.stores += taken(core, of, of->store_tail - of->store_head,
				    size->store_queue);
	}
	return all;
}

/* Multi2Sim gives sizes for a thread, and shares the sum. */
static unsigned times(const struct core_group *group)
{
	return group->figure.pools.used ? group->count : 1;
}

bool core_group_fits(const struct x86_core *core, unsigned uops, unsigned loads,
		     unsigned stores)
{
	const struct core_group *group = core->group;
	const struct x86_core_figures *figure = &group->figure;
	struct load all = load_of(core);
	unsigned more = times(group);

	if (figure->sharing.rob &&
	    all.entries >= (uint64_t)figure->reorder_buffer * more)
		return false;
	if (figure->sharing.iq &&
	    all.waiting + uops > (uint64_t)figure->scheduler * more)
		return false;
	return !figure->sharing.lsq ||
	       (all.loads + loads <= (uint64_t)figure->load_queue * more &&
		all.stores + stores <= (uint64_t)figure->store_queue * more);
}

/* Of a file of `size` registers `state` hold what the programs see. */
static bool registers_fit(const struct x86_core *core, unsigned file,
			  unsigned registers, uint64_t size, uint64_t state)
{
	const struct core_group *group = core->group;
	uint64_t spare = size > state ? size - state : 0;
	uint64_t sum = registers;

	for (unsigned i = 0; i < group->count; i++)
		sum += taken(core, group->thread[i],
			     group->thread[i]->registers[file], spare);
	return sum <= spare;
}

bool core_group_limits_fit(const struct x86_core *core, unsigned accesses,
			   const unsigned *registers, const unsigned *kept)
{
	const struct core_group *group = core->group;
	const struct x86_core_figures *figure = &group->figure;
	const uint32_t size[CORE_FILES] = {
		figure->registers_general, figure->registers_x87,
		figure->registers_vector,
	};
	struct load all = load_of(core);
	unsigned more = times(group);

	if (figure->sharing.lsq && figure->memory_queue &&
	    all.loads + all.stores + accesses >
		    (uint64_t)figure->memory_queue * more)
		return false;
	for (unsigned f = 0; figure->sharing.rf && f < CORE_FILES; f++)
		if (size[f] && registers[f] &&
		    !registers_fit(core, f, registers[f],
				   (uint64_t)size[f] * more,
				   (uint64_t)kept[f] * group->count))
			return false;
	return true;
}

enum x86_core_stall core_group_full(const struct x86_core *core)
{
	const struct x86_core_figures *figure = &core->group->figure;
	struct load all = load_of(core);
	unsigned more = times(core->group);

	if (figure->sharing.rob &&
	    all.entries >= (uint64_t)figure->reorder_buffer * more)
		return X86_CORE_STALL_REORDER;
	if (figure->sharing.lsq &&
	    (all.loads >= (uint64_t)figure->load_queue * more ||
	     all.stores >= (uint64_t)figure->store_queue * more))
		return X86_CORE_STALL_MEMORY;
	if (figure->sharing.iq &&
	    all.waiting >= (uint64_t)figure->scheduler * more)
		return X86_CORE_STALL_SCHEDULER;
	return X86_CORE_STALLS;
}

void x86_core_figures_divide(struct x86_core_figures *own,
			     const struct x86_core_figures *whole,
			     unsigned busy, unsigned count)
{
	const struct x86_core_sharing *sharing = &whole->sharing;
	unsigned by = whole->pools.used ? 1 : busy;
	unsigned most = whole->pools.used ? count : 1;
	/* A thread can have all that is shared, as far as its own tables go. */
#define OWN(field, shared, limit)                                              \
	own->field = (shared) ? least_of((uint64_t)whole->field * most, limit) \
			      : whole->field / by

	OWN(reorder_buffer, sharing->rob, 256);
	OWN(scheduler, sharing->iq, 256);
	OWN(load_queue, sharing->lsq, 256);
	OWN(store_queue, sharing->lsq, 128);
	OWN(memory_queue, sharing->lsq, 512);
	OWN(registers_general, sharing->rf, 4096);
	OWN(registers_x87, sharing->rf, 4096);
	OWN(registers_vector, sharing->rf, 4096);
#undef OWN
	own->uop_queue = whole->uop_queue / (whole->queue_divided ? by : 1);
	own->loop_slots = whole->loop_slots / (whole->queue_divided ? by : 1);
	own->cache_sets = whole->cache_sets / by;
}

/* Each thread that executes gets its share: a core with one has all. */
static void divide(struct core_group *group)
{
	unsigned busy = 0;

	for (unsigned i = 0; i < group->count; i++)
		busy += group->thread[i]->busy;
	for (unsigned i = 0; i < group->count; i++) {
		struct x86_core *core = group->thread[i];
		unsigned sets = core->figure.cache_sets;

		x86_core_figures_divide(&core->figure, &group->figure,
					busy ? busy : 1, group->count);
		if (core->figure.cache_sets != sets)
			core_cache_clear(core);
	}
}

/* ---- The group ---- */

void x86_core_join(struct x86_core *const *thread, unsigned count)
{
	struct core_group *group = xcalloc(1, sizeof *group);

	group->count = count;
	group->figure = thread[0]->figure;
	group->port_cycle = UINT64_MAX;
	for (unsigned i = 0; i < CORE_STAGES; i++)
		group->use[i].cycle = UINT64_MAX;
	for (unsigned i = 0; i < count; i++) {
		group->thread[i] = thread[i];
		thread[i]->group = group;
		thread[i]->thread = i;
		thread[i]->ports = &group->ports;
		thread[i]->simple = false;
	}
	divide(group);
}

void x86_core_busy(struct x86_core *core, bool busy)
{
	if (!core->group || core->busy == busy)
		return;
	core->busy = busy;
	divide(core->group);
}

bool core_group_others(const struct x86_core *core)
{
	for (unsigned i = 0; i < core->group->count; i++)
		if (i != core->thread && core->group->thread[i]->busy)
			return true;
	return false;
}

/* ---- Whose fault it is ---- */

/* The oldest instruction, or its first uop that is not complete, could go on, and
 * another thread is in its way. */
static bool is_in_way(const struct x86_core *core)
{
	const struct core_entry *entry =
		&core->entry[core->entry_head % CORE_ENTRIES];

	for (unsigned i = 0; i < entry->uops; i++) {
		const struct core_uop *uop =
			&core->uop[(entry->first + i) % CORE_UOPS];

		if (uop->state == UOP_KNOWN &&
		    core_past(core, uop->value_at + uop->longest))
			continue;
		if (uop->state != UOP_READY ||
		    !core_past(core, uop->ready_at))
			return false;
		return core->denied >> STAGE_DISPATCH & 1 ||
		       (core->ports->port_free[uop->port] > core->now &&
			core->group->port_user[uop->port] != core->thread);
	}
	return core->denied >> STAGE_RETIRE & 1;
}

enum x86_core_part core_group_part(const struct x86_core *core,
				   enum x86_core_part part)
{
	enum { FRONT = 1 << STAGE_FETCH | 1 << STAGE_DECODE |
		       1 << STAGE_RENAME };
	enum x86_core_stall full;

	if (core->entry_head < core->entry_tail)
		return is_in_way(core) ? X86_CORE_SIBLING : part;
	/* Without an instruction in flight only another thread can have filled
	 * these. */
	full = core_group_full(core);
	if (full == X86_CORE_STALL_REORDER || full == X86_CORE_STALL_SCHEDULER)
		return X86_CORE_SIBLING;
	return part == X86_CORE_FRONT_END && core->denied & FRONT
		       ? X86_CORE_SIBLING : part;
}
