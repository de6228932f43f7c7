#include "x86/timing/memory/latency.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/event.h"
#include "x86/emu/step.h"
#include "x86/timing/memory/memory.h"

enum {
	CODE = 0x10000,
	CHAIN = 64,          /* loads between two jumps */
	MEASURED = 20000,    /* loads, at least one turn of what is smaller */
	TURNS = 4,           /* through the buffer, before these */
	TOUCHED = 3000000,   /* loads of these turns, at most */
	WARM = 20000,        /* simulated before those that are measured, at most */
	PAGE = 4096,
};
#define BUFFER UINT64_C(0x40000000)

const char *const x86_latency_orders[LATENCY_ORDERS] = {
	"Linear_Forward", "Linear_Backward", "Page_Random", "Random_Full",
};

struct machine {
	struct space *space;
	struct x86_emulator *emulator;
	struct x86_templates *templates;
	struct event_queue *events;
	struct memsys *memsys;
	struct x86_caches *memory;
	struct x86_core *core;
	struct x86_core_figures figures;
	struct x86_memory_figures memory_figures;
	const struct x86_inst *inst[CHAIN + 1];
	const struct x86_template *form[CHAIN + 1];
	unsigned at;         /* the next of these */
	uint64_t *order;     /* addresses */
	uint64_t count, next;
};

/* mov rax, [rax] CHAIN times, and a jump back. */
static int load_code(struct machine *machine, struct error *error)
{
	uint8_t code[CHAIN * 3 + 5];
	int32_t back = -(int32_t)sizeof code;
	uint64_t address = CODE;

	for (unsigned i = 0; i < CHAIN; i++)
		memcpy(&code[3 * i], "\x48\x8b\x00", 3);
	code[CHAIN * 3] = 0xe9;
	memcpy(&code[CHAIN * 3 + 1], &back, 4);
	if (space_map(machine->space, CODE, PAGE,
		      SPACE_READ | SPACE_WRITE | SPACE_EXECUTE, false, -1, 0,
		      "") ||
	    space_write(machine->space, CODE, code, sizeof code))
		return error_set(error, "no memory for a loop of loads");
	for (unsigned i = 0; i <= CHAIN; i++) {
		machine->inst[i] = x86_inst_at(machine->emulator, address);
		if (!machine->inst[i])
			return error_set(error, "a load cannot be decoded");
		machine->form[i] = x86_template_of(machine->templates,
						   machine->inst[i]);
		address += machine->inst[i]->length;
	}
	return 0;
}

static int create_memory(struct machine *machine,
			 const struct x86_latency *latency, struct error *error)
{
	struct memsys_options options = { .x86_cores = 1, .x86_threads = 1,
					  .exact_clocks = true,
					  .text_name = latency->core };
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	x86_memory_write(stream, &machine->memory_figures, latency->core,
			 machine->figures.frequency,
			 machine->figures.load_chased, 1, false);
	fclose(stream);
	options.text = machine->memory_figures.classic ? NULL : text;
	machine->events = event_queue_create();
	machine->memsys = memsys_create(machine->events, &options, error);
	free(text);
	if (!machine->memsys)
		return -1;
	machine->memory = x86_caches_create(machine->memsys,
					    0, machine->figures.frequency,
					    &machine->memory_figures,
					    latency->page_shift, error);
	return machine->memory ? 0 : -1;
}

static int create(struct machine *machine, const struct x86_latency *latency,
		  struct error *error)
{
	struct x86_core_memory memory;
	struct x86_model model;

	x86_model_everything(&model);
	if (latency->core_figures)
		machine->figures = *latency->core_figures;
	if (latency->memory_figures)
		machine->memory_figures = *latency->memory_figures;
	if ((!latency->core_figures &&
	     x86_core_figures_find(latency->core, &machine->figures, error)) ||
	    (!latency->memory_figures &&
	     x86_memory_figures_find(latency->core, &machine->memory_figures,
				     error)))
		return -1;
	machine->space = space_create(1ull << 32, error);
	if (!machine->space)
		return -1;
	machine->emulator = x86_emulator_create(machine->space, X86_MODE_64,
						&model, error);
	machine->templates = machine->emulator
				     ? x86_templates_for(latency->core,
							 &machine->figures.pools,
							 error)
				     : NULL;
	if (!machine->templates || load_code(machine, error) ||
	    create_memory(machine, latency, error))
		return -1;
	memory = x86_caches_of(machine->memory);
	machine->core = x86_core_create(&machine->figures, &memory);
	x86_caches_serve(machine->memory, machine->core);
	return 0;
}

static void destroy(struct machine *machine)
{
	if (machine->core)
		x86_core_free(machine->core);
	x86_caches_free(machine->memory);
	memsys_free(machine->memsys);
	if (machine->events)
		event_queue_free(machine->events);
	for (unsigned i = 0; i <= CHAIN; i++)
		if (machine->inst[i])
			x86_inst_release(machine->inst[i]);
	if (machine->templates)
		x86_templates_free(machine->templates);
	if (machine->emulator)
		x86_emulator_free(machine->emulator);
	if (machine->space)
		space_free(machine->space);
	free(machine->order);
}

/* --- Orders --------------------------------------------------------------- */

static uint64_t draw(uint64_t *state, uint64_t below)
{
	*state = *state * UINT64_C(6364136223846793005) +
		 UINT64_C(1442695040888963407);
	return (*state >> 33) % below;
}

static void shuffle(uint64_t *first, uint64_t count, uint64_t *state)
{
	for (uint64_t i = count; i > 1; i--) {
		uint64_t other = draw(state, i), kept = first[i - 1];

		first[i - 1] = first[other];
		first[other] = kept;
	}
}

static void arrange(struct machine *machine, const struct x86_latency *latency)
{
	uint64_t state = 1, in_page = PAGE / latency->stride;

	machine->count = latency->size / latency->stride;
	machine->order = xcalloc(machine->count, sizeof *machine->order);
	for (uint64_t i = 0; i < machine->count; i++)
		machine->order[i] = BUFFER + latency->stride *
			(latency->order == LATENCY_BACKWARD
				 ? machine->count - 1 - i : i);
	if (latency->order == LATENCY_RANDOM)
		shuffle(machine->order, machine->count, &state);
	if (latency->order != LATENCY_PAGE || in_page < 2)
		return;
	for (uint64_t i = 0; i < machine->count; i += in_page)
		shuffle(&machine->order[i],
			machine->count - i < in_page ? machine->count - i
						     : in_page, &state);
}

/* --- The loop ------------------------------------------------------------- */

static void push(struct machine *machine)
{
	const struct x86_inst *inst = machine->inst[machine->at];
	struct x86_reference reference = {
		machine->order[machine->next], 1, 8, X86_LOAD };
	struct x86_core_input input = {
		.inst = inst, .form = machine->form[machine->at],
		.address = inst->address,
		.next = inst->address + inst->length,
		.reference = &reference,
	};

	if (machine->at == CHAIN) {
		input.next = CODE;
		machine->at = 0;
	} else {
		input.references = 1;
		machine->next = (machine->next + 1) % machine->count;
		machine->at++;
	}
	x86_core_push(machine->core, &input);
}

/* Simulates until so many instructions have retired. */
static int reach(struct machine *machine, uint64_t instructions,
		 struct error *error)
{
	for (;;) {
		while (x86_core_room(machine->core))
			push(machine);
		switch (x86_core_run(machine->core, instructions, false)) {
		case X86_CORE_DONE:
			return 0;
		case X86_CORE_HUNGRY:
			continue;
		default:
			return error_set(error, "the core makes no progress");
		}
	}
}

/* Some turns through the buffer that take no time: what the caches keep of one
 * that is larger shows after several. */
static void touch(struct machine *machine)
{
	uint64_t loads = machine->count * TURNS;

	if (loads > TOUCHED)
		loads = TOUCHED;
	for (uint64_t i = 0; i < loads; i++) {
		x86_caches_warm(machine->memory,
				machine->inst[i % CHAIN]->address,
				machine->order[machine->next], false, false);
		machine->next = (machine->next + 1) % machine->count;
	}
}

int x86_latency_measure(struct x86_latency *latency, struct error *error)
{
	struct machine machine = { .at = 0 };
	uint64_t warm, measured, begin;
	int status = -1;

	if (latency->stride < 8 || latency->size < 2 * latency->stride ||
	    latency->size > UINT64_C(1) << 31)
		return error_set(error, "expected a stride of at least 8 bytes, "
				 "and a size of at least two strides and at "
				 "most 2 GB");
	if (create(&machine, latency, error))
		goto end;
	arrange(&machine, latency);
	touch(&machine);
	warm = machine.count < WARM ? machine.count : WARM;
	warm += warm / CHAIN + CHAIN;
	measured = machine.count < MEASURED
			   ? MEASURED / machine.count * machine.count
			   : MEASURED;
	if (reach(&machine, warm, error))
		goto end;
	begin = x86_core_cycle(machine.core);
	warm = x86_core_instructions(machine.core);
	measured = measured / CHAIN * (CHAIN + 1);
	if (reach(&machine, warm + measured, error))
		goto end;
	measured = x86_core_instructions(machine.core) - warm;
	latency->cycles = (double)(x86_core_cycle(machine.core) - begin) /
			  ((double)measured * CHAIN / (CHAIN + 1));
	status = 0;
end:
	destroy(&machine);
	return status;
}
