#include "x86/timing/blocks/blocks.h"

#include <stdlib.h>

#include "base/memory.h"
#include "x86/timing/blocks/machine.h"
#include "x86/timing/blocks/tlb.h"

enum {
	/* The copies of the block lie from here on: the start of a page. */
	LAYOUT = 0x10000000,
	/* The place of the one page for the core. */
	FRAME = 0x40000000,
	/* Cycles and slots before the measurement begins. By then the reorder
	 * buffer has been filled more than once. */
	WARM_CYCLES = 400,
	WARM_SLOTS = 800,
	/* The least length of the measurement. */
	MEASURED_CYCLES = 600,
	MEASURED_COPIES = 8,
	LIMIT_CYCLES = 2000000,
};

struct x86_throughput {
	struct block_machine machine;
	struct x86_templates *templates;
	struct x86_core *core;
	struct block_tlb tlb;
	uint64_t size;       /* of the block */
	uint64_t copies;     /* executed */
	unsigned issue_width, load_ports;
};

/* All pages of data are one. */
static uint64_t place(void *owner, uint64_t address)
{
	(void)owner;
	return FRAME + address % SPACE_PAGE;
}

struct x86_throughput *x86_throughput_create(const char *core, struct error *error)
{
	struct x86_throughput *blocks = xcalloc(1, sizeof *blocks);
	struct x86_core_figures figures;

	blocks->machine.page = -1;
	if (x86_core_figures_find(core, &figures, error) ||
	    x86_core_figures_check(&figures, error) ||
	    block_machine_open(&blocks->machine, error))
		goto failed;
	blocks->templates = x86_templates_for(core, &figures.pools, error);
	if (!blocks->templates)
		goto failed;
	block_tlb_init(&blocks->tlb, figures.tlb_entries, figures.tlb_ways,
		       figures.tlb_second);
	/* The harness executes all copies of a block again and again, so each
	 * load's counter has learned. */
	if (figures.disambiguation == X86_CORE_ORDER_PREDICTED)
		figures.disambiguation = X86_CORE_ORDER_PERFECT;
	blocks->issue_width = figures.issue_width;
	blocks->load_ports = (unsigned)__builtin_popcount(figures.load_ports);
	blocks->core = x86_core_create(&figures, &(struct x86_core_memory){
		.access = block_tlb_access,
		.place = place,
		.owner = &blocks->tlb,
	});
	return blocks;
failed:
	x86_throughput_free(blocks);
	return NULL;
}

void x86_throughput_free(struct x86_throughput *blocks)
{
	if (!blocks)
		return;
	x86_core_free(blocks->core);
	block_machine_close(&blocks->machine);
	if (blocks->templates)
		x86_templates_free(blocks->templates);
	free(blocks);
}

void x86_throughput_observe(struct x86_throughput *blocks,
			void (*retired)(void *owner,
					const struct x86_core_retired *what),
			void *owner)
{
	x86_core_observe(blocks->core, retired, owner);
}

/* Displaces a RIP-relative address for a copy of the block. */
static uint64_t in_copy(const struct x86_inst *inst, uint64_t address,
			uint64_t distance)
{
	for (unsigned i = 0; i < inst->memory_count; i++)
		if (inst->memory[i].relative &&
		    (uint64_t)inst->memory[i].displacement == address)
			return address + distance;
	return address;
}

static void feed(struct x86_throughput *blocks, const struct x86_record *record)
{
	const struct x86_ring *ring = blocks->machine.ring;
	uint64_t distance = blocks->copies * blocks->size;
	struct x86_reference reference[4];
	struct x86_core_input input = {
		.inst = record->inst,
		.form = x86_template_of(blocks->templates, record->inst),
		.address = LAYOUT + distance + record->inst->address -
			   blocks->machine.code,
		.reference = reference,
		.division = record->division,
		.dividend = record->dividend,
	};

	input.next = input.address + record->inst->length;
	for (unsigned i = 0; i < record->references && i < 4; i++) {
		reference[i] = ring->reference[record->first + i];
		reference[i].address = in_copy(
			record->inst, reference[i].address, distance);
		input.references++;
	}
	x86_core_push(blocks->core, &input);
}

/* Gives the executed instructions to the core, as far as it has room. Executes
 * the block once more when all have been given. */
static int supply(struct x86_throughput *blocks, struct error *error)
{
	struct x86_ring *ring = blocks->machine.ring;

	do {
		if (ring->tail == ring->head) {
			if (block_machine_execute(&blocks->machine, error))
				return -1;
		}
		while (ring->tail != ring->head && x86_core_room(blocks->core)) {
			feed(blocks, &ring->record[ring->tail & ring->mask]);
			ring->tail++;
		}
		if (ring->tail == ring->head)
			blocks->copies++;
	} while (ring->tail == ring->head && blocks->copies < 2);
	return 0;
}

/* Simulates until this number of copies has retired. */
static int reach(struct x86_throughput *blocks, uint64_t copies,
		 struct error *error)
{
	for (;;) {
		uint64_t wanted = copies * blocks->machine.instructions;

		switch (x86_core_run(blocks->core, wanted ? wanted : 1,
				     false)) {
		case X86_CORE_DONE:
			return 0;
		case X86_CORE_STUCK:
			return error_set(error, "the core makes no progress in "
					 "cycle %llu",
					 (unsigned long long)
					 x86_core_cycle(blocks->core));
		case X86_CORE_HUNGRY:
		case X86_CORE_RESOLVED: /* no instruction diverts */
			break;
		}
		if (x86_core_cycle(blocks->core) > LIMIT_CYCLES)
			return error_set(error, "the block takes more than %d "
						"cycles",
					 LIMIT_CYCLES);
		if (supply(blocks, error))
			return -1;
	}
}

/* The number of copies after which the block lies in the predecoder's blocks as
 * at first. */
static uint64_t period(uint64_t size)
{
	uint64_t copies = 1;

	while (copies * size % 16)
		copies *= 2;
	return copies;
}

/* The cycles that the slots, loads and stores since `counts` and `slots` take at
 * least. */
static double bound(const struct x86_throughput *blocks,
		    const struct x86_core_counts *counts, uint64_t slots)
{
	const struct x86_core_counts *now = x86_core_counts(blocks->core);
	double most = (double)(x86_core_slots(blocks->core) - slots) /
		      blocks->issue_width;
	double loads = (double)(now->loads - counts->loads) /
		       blocks->load_ports;
	double stores = (double)(now->stores - counts->stores);

	most = loads > most ? loads : most;
	return stores > most ? stores : most;
}

int x86_throughput_measure(struct x86_throughput *blocks,
			   const struct x86_block *block,
			   struct x86_block_time *time, struct error *error)
{
	uint64_t step = period(block->size), copies = 0, first, begin, end;
	struct x86_core_counts counts;
	uint64_t slots;

	if (block_machine_load(&blocks->machine, block->code, block->size,
			       block->setup, block->setup_size, error))
		return -1;
	x86_core_reset(blocks->core);
	block_tlb_clear(&blocks->tlb);
	blocks->size = block->size;
	blocks->copies = 0;
	if (supply(blocks, error))
		return -1;
	do {
		copies += step;
		if (reach(blocks, copies, error))
			return -1;
		begin = x86_core_cycle(blocks->core);
	} while (begin < WARM_CYCLES ||
		 x86_core_slots(blocks->core) < WARM_SLOTS);
	first = copies;
	counts = *x86_core_counts(blocks->core);
	slots = x86_core_slots(blocks->core);
	do {
		copies += step;
		if (reach(blocks, copies, error))
			return -1;
		end = x86_core_cycle(blocks->core);
	} while (end - begin < MEASURED_CYCLES ||
		 copies - first < MEASURED_COPIES);
	time->cycles = (double)(end - begin) / (double)(copies - first);
	time->bound = bound(blocks, &counts, slots) / (double)(copies - first);
	time->instructions = blocks->machine.instructions;
	time->from = first * time->instructions;
	time->until = copies * time->instructions;
	time->slots = (double)(x86_core_slots(blocks->core) - slots) /
		      (double)(copies - first);
	time->width = blocks->issue_width;
	time->starved =
		(double)(x86_core_counts(blocks->core)
				 ->stall[X86_CORE_STALL_QUEUE] -
			 counts.stall[X86_CORE_STALL_QUEUE]) /
		((double)(end - begin) * time->width);
	time->simulated = end;
	time->executed = x86_core_instructions(blocks->core);
	return 0;
}
