/* The caches of all cores, and the memory, which may be a GPU's, too. */
#include <stdlib.h>

#include "m2s/cores/internal.h"
#include "m2s/cores/windows.h"
#include "sim/island.h"

/* Translations of an address space are no longer true. */
static void lose(void *owner, uint32_t space, uint64_t start, uint64_t end)
{
	struct x86_machine *machine = owner;
	unsigned users = 0;

	for (unsigned i = 0; i < machine->count; i++) {
		struct machine_core *core = &machine->core[i];

		users += core->thread &&
			 x86_caches_space(core->caches) == space;
		x86_caches_forget(core->caches, space, start, end);
	}
	machine->shot |= users > 1;
}

/* Whether a module that a file gives to a thread of a core is the first one's. */
static bool is_common(const struct module *own, const struct module *first)
{
	return !own || own == first;
}

static bool has_common(const struct x86_machine *machine, unsigned core,
		       unsigned thread)
{
	struct memsys *memsys = machine->memsys;

	return is_common(memsys_entry(memsys, MEMSYS_X86, core, thread),
			 memsys_entry(memsys, MEMSYS_X86, core, 0)) &&
	       is_common(memsys_instruction_entry(memsys, MEMSYS_X86, core,
						  thread),
			 memsys_instruction_entry(memsys, MEMSYS_X86, core, 0));
}

/* Frames beside the memory of a GPU, which has all addresses of 32 bits; the size
 * of its memory more, so that programs and buffers begin in different rows of the
 * devices. */
enum { FRAMES_BESIDE_GPU = (1 << 20) + (512 << 20 >> X86_PAGE_BITS) };

/* Cycles of the GPU between two atomics to one word, as in its own memory. */
enum { ATOMIC_CYCLES = 16 };

static void write_gpu(FILE *stream, const struct x86_machine *machine,
		      const struct x86_machine_files *files)
{
	const struct memsys_common common = {
		.network = "net-memory", .module = "memory",
		.nanoseconds = machine->config->caches.memory_ns,
	};

	fprintf(stream, "AtomicLatency = %.0f\n",
		ATOMIC_CYCLES * machine->frequency / files->gpu->frequency);
	memsys_write_gpu_above(stream, files->gpu, files->compute_units,
			       &common);
}

/* One thread simulates all cores when they have only one, or a GPU in their memory,
 * which works in its own events. */
static bool may_be_apart(const struct x86_machine *machine,
			 const struct x86_machine_files *files)
{
	return machine->count > machine->threads && !files->compute_units;
}

static int create_caches(struct x86_machine *machine, struct error *error)
{
	for (unsigned i = 0; i < machine->count; i++) {
		struct machine_core *core = &machine->core[i];
		unsigned thread = i % machine->threads;

		core->caches = x86_caches_create(
			machine->memsys, i / machine->threads,
			machine->frequency, &machine->config->caches,
			X86_PAGE_BITS, error);
		if (!core->caches)
			return -1;
		if (!thread)
			continue;
		if (!has_common(machine, i / machine->threads, thread))
			return error_set(error, "the memory configuration gives "
					 "thread %u of core %u modules of its "
					 "own: threads of a core have the same "
					 "ones", thread, i / machine->threads);
		x86_caches_share(core->caches, machine->core[i - thread].caches);
	}
	return 0;
}

static void free_caches(struct x86_machine *machine)
{
	for (unsigned i = 0; i < machine->count; i++) {
		x86_caches_free(machine->core[i].caches);
		machine->core[i].caches = NULL;
	}
	memsys_free(machine->memsys);
	machine->memsys = NULL;
}

/* Whether code and data of each core are in one island. */
static bool are_whole(const struct x86_machine *machine)
{
	for (unsigned i = 0; i < machine->count; i++)
		if (module_events(memsys_instruction_entry(
			    machine->memsys, MEMSYS_X86, i / machine->threads,
			    0)) != x86_caches_events(machine->core[i].caches))
			return false;
	return true;
}

/* The hierarchy over islands. -1 and *error when the configuration has a mistake; 0,
 * and there is none, when it does not divide the cores. */
static int create_apart(struct x86_machine *machine,
			struct memsys_options *options, struct error *error)
{
	struct islands *islands = islands_create(machine->events);
	int status = -1;

	options->islands = islands;
	options->window = UINT64_MAX;
	options->least_latency = X86_MEMORY_WIRE;
	machine->memsys = memsys_create(machine->events, options, error);
	options->islands = NULL;
	if (machine->memsys && !create_caches(machine, error)) {
		status = 0;
		if (are_whole(machine))
			machine->windows = machine_windows_create(machine,
								  islands);
	}
	if (machine->windows)
		return 0;
	free_caches(machine);
	islands_free(islands);
	event_queue_free(machine->events);
	machine->events = event_queue_create();
	return status;
}

int machine_memory_create(struct x86_machine *machine,
			 const struct x86_machine_files *files,
			 struct error *error)
{
	struct memsys_options options = {
		.x86_cores = machine->count / machine->threads,
		.x86_threads = files->mem_config ? machine->threads : 1,
		.text_name = machine->name, .exact_clocks = true,
		.mem_config = files->mem_config,
		.net_config = files->net_config,
		.settings = files->settings,
		.compute_units = files->compute_units,
		.rounded_clock = files->compute_units ? files->gpu->frequency
						      : 0,
	};
	const struct x86_memory_figures *figures = &machine->config->caches;
	bool apart = may_be_apart(machine, files);
	char *text = NULL;
	size_t size = 0;
	FILE *stream;
	int status = 0;

	stream = open_memstream(&text, &size);
	x86_memory_write(stream, figures, machine->name, machine->frequency,
			 machine->figures.load_chased,
			 machine->count / machine->threads, apart);
	if (files->compute_units)
		write_gpu(stream, machine, files);
	fclose(stream);
	options.text = figures->classic ? NULL : text;
	machine->frames = x86_frames_create(lose, machine);
	if (files->compute_units)
		x86_frames_begin(machine->frames, FRAMES_BESIDE_GPU);
	if (machine->config->large_pages)
		x86_frames_give_large(machine->frames);
	x86_frames_follow(machine->frames, machine_note_written);
	machine->events = event_queue_create();
	if (apart)
		status = create_apart(machine, &options, error);
	if (!status && !machine->windows) {
		machine->memsys = memsys_create(machine->events, &options,
						error);
		status = machine->memsys ? create_caches(machine, error) : -1;
	}
	free(text);
	return status;
}
