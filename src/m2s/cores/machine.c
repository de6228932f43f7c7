#include "m2s/cores/machine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/settings.h"
#include "m2s/cores/internal.h"
#include "m2s/cores/windows.h"

/* Cycles after which timers, host descriptors and the caller's wishes are looked
 * at, when nothing else asks for it. */
enum { LOOK_CYCLES = 100000 };

/* How far a core may be ahead of another one while nothing is simulated, and
 * while the caches see what it does. */
enum { FORWARD_CYCLES = 10000, WARM_CYCLES = 1000 };

/* Of the host's memory, for what all cores remember together. */
enum { MEMOIZED_BYTES = 128 << 20 };

/* ---- Creation ---- */

/* Threads of the core that begins with `first`. */
static void join(struct machine_core *first, unsigned threads)
{
	struct x86_core *all[X86_CORE_THREADS];

	for (unsigned i = 0; i < threads; i++)
		all[i] = first[i].core;
	x86_core_join(all, threads);
}

static void create_core(struct machine_core *core)
{
	struct x86_core_memory memory;

	if (!core->caches) {
		core->core = x86_core_create(&core->machine->figures, NULL);
		return;
	}
	memory = x86_caches_of(core->caches);
	core->core = x86_core_create(&core->machine->figures, &memory);
	x86_caches_serve(core->caches, core->core);
	if (core->machine->config->memoize != X86_MEMOIZE_NO)
		x86_core_memoize(core->core,
				 MEMOIZED_BYTES / core->machine->count,
				 core->machine->config->memoize ==
					 X86_MEMOIZE_CHECK);
}

struct x86_machine *x86_machine_create(const struct x86_config *config,
				       const struct x86_machine_device *device,
				       const struct x86_machine_files *files,
				       struct error *error)
{
	const struct x86_core_figures *figures;
	struct x86_machine *machine =
		xcalloc(1, sizeof *machine +
				   (size_t)config->cores * config->threads *
					   sizeof machine->core[0]);

	machine->config = config;
	machine->name = config->preset;
	machine->figures = config->core;
	if (device)
		machine->device = *device;
	figures = &machine->figures;
	machine->templates = x86_templates_for(machine->name, &figures->pools,
					       error);
	if (!machine->templates) {
		error_prefix(error, "--x86-preset");
		x86_machine_free(machine);
		return NULL;
	}
	machine->frequency = config->frequency ? config->frequency
					       : figures->frequency;
	machine->count = config->cores * config->threads;
	machine->threads = config->threads;
	if (config->memory && files->mem_config) {
		error_set(error, "--mem-config %s: with Memory = FirstLevel "
			  "cores have no caches", files->mem_config);
		x86_machine_free(machine);
		return NULL;
	}
	if (!config->memory && machine_memory_create(machine, files, error)) {
		x86_machine_free(machine);
		return NULL;
	}
	for (unsigned i = 0; i < machine->count; i++) {
		struct machine_core *core = &machine->core[i];

		core->machine = machine;
		core->id = i;
		create_core(core);
		if (machine->threads > 1 && i % machine->threads ==
						    machine->threads - 1)
			join(core - i % machine->threads, machine->threads);
		fetch_init(&core->fetch, core->core, machine->templates,
			   &config->predict,
			   (enum fetch_wrong_path)config->wrong_path,
			   &machine->left);
		if (!core->caches)
			continue;
		core->fetch.committed = machine_core_committed;
		core->fetch.owner = core;
	}
	return machine;
}

void x86_machine_check(struct x86_machine *machine)
{
	machine->check = xcalloc(machine->count, sizeof(struct x86_check *));
	for (unsigned i = 0; i < machine->count; i++) {
		machine->check[i] = x86_check_create();
		machine->core[i].fetch.check = machine->check[i];
	}
	for (unsigned i = 0; i < machine->count; i++)
		x86_check_join(machine->check[i], machine->check,
			       machine->count);
}

void x86_machine_profile(struct x86_machine *machine)
{
	if (machine->profile)
		return;
	machine->profile = machine_profile_create(machine->figures.retire_width);
	for (unsigned i = 0; i < machine->count; i++)
		machine_core_charge(&machine->core[i], NULL);
}

void x86_machine_report_branches(struct x86_machine *machine,
				 struct stats *stats, uint64_t most)
{
	machine_profile_report_branches(machine->profile, stats, most);
}

int x86_machine_write_profile(struct x86_machine *machine,
			      struct output *output, bool csv,
			      const char *partial, struct error *error)
{
	return machine_profile_write(machine->profile, output, csv, partial,
				     error);
}

void x86_machine_free(struct x86_machine *machine)
{
	if (!machine)
		return;
	for (unsigned i = 0; i < machine->count; i++) {
		/* Creation may have failed before. */
		if (machine->core[i].core) {
			fetch_free(&machine->core[i].fetch);
			x86_ring_free(machine->core[i].stretches);
			x86_core_free(machine->core[i].core);
		}
		x86_caches_free(machine->core[i].caches);
		if (machine->check)
			x86_check_free(machine->check[i]);
	}
	free(machine->check);
	free(machine->written.range);
	sampling_plan_clear(&machine->plan);
	machine_profile_free(machine->profile);
	machine_window_free(machine->window);
	timeline_buffer_free(machine->trace);
	memsys_free(machine->memsys);
	machine_windows_free(machine->windows);
	x86_frames_free(machine->frames);
	if (machine->events)
		event_queue_free(machine->events);
	if (machine->templates)
		x86_templates_free(machine->templates);
	free(machine);
}

int x86_machine_plan(struct x86_machine *machine,
		     const struct sampling_plan *plan, struct error *error)
{
	machine->plan = *plan;
	for (unsigned i = 0; plan->warm && i < machine->count; i++)
		if (machine->core[i].caches &&
		    !x86_caches_can_warm(machine->core[i].caches))
			return error_set(error, "--x86-warm, --x86-sample, --x86-phases: a "
					 "cache of core %u writes through: "
					 "only caches that write back can be "
					 "warmed", i);
	return 0;
}

/* ---- Time ---- */

picoseconds x86_machine_now(const struct x86_machine *machine)
{
	return clock_cycle_start(machine->now, machine->frequency);
}

picoseconds x86_machine_elapsed(const struct x86_machine *machine)
{
	return x86_machine_now(machine) -
	       clock_cycle_start(machine->origin, machine->frequency);
}

static int64_t guest_now(void *owner)
{
	return (int64_t)(x86_machine_elapsed(owner) / 1000);
}

static uint64_t time_stamp(void *owner, const struct x86_cpu *cpu)
{
	(void)cpu;
	return ((const struct x86_machine *)owner)->stamp +
	       ((const struct x86_machine *)owner)->now -
	       ((const struct x86_machine *)owner)->origin;
}

void x86_machine_clock(struct x86_machine *machine,
		       struct linux_options *options)
{
	options->clock = LINUX_CLOCK_MODEL;
	options->now = guest_now;
	options->time_stamp = time_stamp;
	options->now_owner = machine;
}

static uint64_t cycle_at(const struct x86_machine *machine, int64_t nanoseconds)
{
	if (nanoseconds >= INT64_MAX / 1000)
		return UINT64_MAX;
	return clock_cycle_at((picoseconds)nanoseconds * 1000 +
				      clock_cycle_start(machine->origin,
							machine->frequency),
			      machine->frequency);
}

/* ---- A run ---- */

/* The next thread in turn, by its id, of those that can run; NULL: none. */
static struct context *thread_in_turn(struct x86_machine *machine)
{
	struct context *first = linux_next(machine->system, NULL), *next;

	for (next = first; next; next = linux_next(machine->system, next))
		if (linux_thread_id(next) > machine->last_thread)
			return next;
	return first;
}

/* First the first threads of all cores: two programs on one core are slower. */
static unsigned in_turn(const struct x86_machine *machine, unsigned i)
{
	unsigned cores = machine->count / machine->threads;

	return i % cores * machine->threads + i / cores;
}

/* Gives threads to idle cores. Whether there are threads is looked at when the
 * kernel has worked, and now and then. */
static void assign(struct x86_machine *machine)
{
	struct context *thread = NULL;
	bool first = true;
	uint64_t timer;

	if (machine->now < machine->look)
		return;
	for (unsigned i = 0; i < machine->count; i++) {
		struct machine_core *core = &machine->core[in_turn(machine, i)];

		if (core->state != CORE_IDLE && !first)
			continue;
		thread = thread_in_turn(machine);
		first = false;
		if (!thread)
			break;
		if (core->state != CORE_IDLE)
			continue;
		machine->last_thread = linux_thread_id(thread);
		/* The window in which the kernel has worked is over. */
		if (machine->windows &&
		    machine->now < machine_windows_end(machine->windows))
			machine->now = machine_windows_end(machine->windows);
		machine_core_start(core, thread);
	}
	if (linux_is_over(machine->system))
		return;
	/* A timer may have sent a signal to a thread that runs. */
	machine_look_at_threads(machine);
	timer = cycle_at(machine, linux_next_time(machine->system));
	machine->look = machine->now + LOOK_CYCLES;
	if (timer < machine->look)
		machine->look = timer > machine->now ? timer
						     : machine->now + 1;
}

/* The core that acts next, and up to which cycle. */
static struct machine_core *next_core(struct x86_machine *machine,
				      uint64_t *until)
{
	struct machine_core *next = machine_core_behind(machine, ALL_GROUPS,
							until);
	uint64_t least = next ? x86_core_cycle(next->core) : 0;

	machine->several = *until != UINT64_MAX;
	if (machine->several && !machine_is_detailed(machine))
		*until += machine->phase.kind == SAMPLING_WARM ? WARM_CYCLES
							       : FORWARD_CYCLES;
	if (machine->look < *until)
		*until = machine->look > least ? machine->look : least + 1;
	if (next && machine_device_cycle(machine) < *until)
		*until = machine_device_cycle(machine);
	return next;
}

/* No thread can run. */
static void idle(struct x86_machine *machine)
{
	uint64_t until, due = machine_device_cycle(machine);

	if (due != UINT64_MAX) {
		/* The GPU works: something will happen. */
		until = cycle_at(machine, linux_next_time(machine->system));
		if (due < until)
			until = due;
	} else {
		until = cycle_at(machine, linux_idle(machine->system));
	}
	if (until > machine->now && until != UINT64_MAX)
		machine->now = until;
	machine->look = 0;
}

static bool is_over(const struct x86_machine *machine)
{
	return machine->failed || linux_is_over(machine->system);
}

static void run(struct x86_machine *machine)
{
	machine_phases_begin(machine);
	while (!is_over(machine)) {
		struct machine_core *core;
		uint64_t until;

		assign(machine);
		if (is_over(machine))
			break;
		core = next_core(machine, &until);
		if (machine_device_look(machine, core ? x86_core_cycle(core->core)
						      : machine->now))
			continue;
		if (!core) {
			if (!machine_phase_next(machine))
				idle(machine);
			continue;
		}
		if (machine->windows && machine_is_detailed(machine)) {
			machine_window_run(machine, core);
			continue;
		}
		machine_core_run(core, until);
		if (x86_core_cycle(core->core) > machine->now)
			machine->now = x86_core_cycle(core->core);
	}
}

void x86_machine_release(struct x86_machine *machine)
{
	machine->releases = true;
}

/* Takes the threads off their cores. A call that has begun takes effect, when all
 * threads have stored what they have executed. */
static void release_threads(struct x86_machine *machine)
{
	for (unsigned calls = 0; calls < 2; calls++) {
		for (unsigned i = 0; i < machine->count; i++) {
			struct machine_core *core = &machine->core[i];

			if (!core->thread || core->calls != calls)
				continue;
			if (calls)
				linux_complete(machine->system, core->thread);
			else
				linux_stop(machine->system, core->thread,
					   X86_STOP_QUANTUM);
			core->thread = NULL;
		}
	}
}

/* What has been checked is told, as no report has it. */
static void tell_remembered(const struct x86_machine *machine)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < machine->count; i++)
		count += x86_core_remembered(machine->core[i].core);
	fprintf(stderr, "m2s: Memoize = Check: %" PRIu64 " instructions were "
		"remembered and simulated\n", count);
}

/* All cores come to the end of time; threads leave their wrong paths. */
static void end(struct x86_machine *machine)
{
	for (unsigned i = 0; i < machine->count; i++) {
		struct machine_core *core = &machine->core[i];

		if (core->thread)
			fetch_clear(&core->fetch,
				    !linux_has_ended(core->thread));
	}
	if (machine->releases && !machine->failed)
		release_threads(machine);
	for (unsigned i = 0; i < machine->count; i++)
		machine_core_charge(&machine->core[i], NULL);
	machine_phase_end(machine);
	machine_trace_end(machine);
	if (machine->windows)
		memsys_balance(machine->memsys);
	if (machine->config->memoize == X86_MEMOIZE_CHECK)
		tell_remembered(machine);
	x86_machine_count(machine);
}

/* In a run from the program's start what was not simulated takes a cycle for each step.
 * After a microsecond the clocks of all parts, which are given in MHz, are as at its
 * beginning. */
static void begin_behind_checkpoint(struct x86_machine *machine)
{
	uint64_t steps = linux_loaded_steps(machine->system);

	if (machine->now || !steps)
		return;
	machine->origin = steps % machine->frequency;
	machine->now = machine->forwarded = machine->origin;
	for (unsigned i = 0; i < machine->count; i++)
		x86_core_move(machine->core[i].core, machine->origin);
}

int x86_machine_run(struct x86_machine *machine, struct linux_system *system,
		    struct linux_result *result, struct error *error)
{
	int status;

	machine->system = system;
	machine->error = error;
	if (linux_open(system, error))
		return -1;
	machine->stamp = cycle_at(machine, linux_loaded_time(system));
	begin_behind_checkpoint(machine);
	run(machine);
	end(machine);
	status = linux_close(system, result);
	return machine->failed ? -1 : status;
}
