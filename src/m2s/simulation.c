/* Everything wired together. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/settings.h"
#include "base/wall/wall.h"
#include "m2s/gpu/from-options.h"
#include "m2s/run/checkpoints.h"
#include "m2s/run/deadline.h"
#include "m2s/sampling/parts.h"
#include "m2s/simulation-internal.h"
#include "opencl-rt/driver/calls/account.h"

static int serve_request(void *owner, int process, uint64_t address,
			 struct error *error)
{
	return opencl_request(((struct simulation *)owner)->opencl, process,
			      address, error);
}

static void released(void *owner, int process)
{
	opencl_released(((struct simulation *)owner)->opencl, process);
}

static char *redirect(void *owner, const char *path, bool abi32)
{
	struct simulation *s = owner;
	const char *missing = paths_missing(&s->paths, path, abi32);

	if (missing)
		log_warning_once(s->files.log, missing,
				 "the program finds no OpenCL platform: %s "
				 "does not exist: install all of m2s%s",
				 missing,
				 abi32 ? " (with gcc-multilib on the machine "
					 "that builds it)"
				       : "");
	return paths_redirect(&s->paths, path, abi32);
}

static int choose_clock(const char *text, bool detailed,
			enum linux_clock *clock, struct error *error)
{
	*clock = detailed ? LINUX_CLOCK_SIMULATED : LINUX_CLOCK_HOST;
	if (!text)
		return 0;
	if (!strcmp(text, "simulated"))
		*clock = LINUX_CLOCK_SIMULATED;
	else if (!strcmp(text, "host"))
		*clock = LINUX_CLOCK_HOST;
	else
		return error_set(error,
				 "--x86-clock %s: expected host or "
				 "simulated",
				 text);
	return 0;
}

static int create_gpu(struct simulation *s, bool detailed, struct error *error)
{
	struct gpu_options gpu;

	gpu_options_read(s->options, &s->files, detailed, &gpu);
	gpu.stop = simulation_kernel_stop;
	gpu.stop_owner = s;
	gpu.timeline = s->timeline;
	gpu.stats = s->stats;
	if (s->mem_owner == MEM_OF_CORES) {
		gpu.mem_config = gpu.net_config = NULL;
		gpu.built_in_memory = true;
	}
	if (s->mem_owner == MEM_OF_BOTH) {
		gpu.memsys = x86_machine_memory(s->machine, &gpu.events);
		gpu.place = x86_machine_place;
		gpu.place_owner = s->machine;
	}
	s->gpu = gpu_create(&gpu, error);
	return s->gpu ? 0 : -1;
}

static void create_opencl(struct simulation *s)
{
	struct opencl_driver_options options;

	if (s->options->cl_report || s->options->document)
		s->account = xcalloc(1, sizeof *s->account);

	opencl_options_read(s->options, &s->files, &s->paths, s->gpu,
			    &options);
	options.stop = simulation_guest_stop;
	options.stop_owner = s;
	options.account = s->account;
	options.failures = &s->failures;
	s->opencl = opencl_create(s->gpu, &options);
}

/* Adds the programs of the command line and of --ctx-config. */
static int read_programs(struct simulation *s, struct error *error)
{
	const struct options *options = s->options;

	if (programs_environment(&s->programs, options->x86_env,
				 options->environment,
				 options->environment_count, error))
		return -1;
	if (s->argv[options->program_index])
		programs_add(&s->programs, s->argv + options->program_index);
	if (options->ctx_config &&
	    programs_read(&s->programs, options->ctx_config,
			  outputs_rules(s->files.outputs), error))
		return -1;
	return 0;
}

static int load_programs(struct simulation *s, struct error *error)
{
	for (size_t i = 0; i < s->programs.count; i++) {
		struct linux_program *program = &s->programs.list[i].load;
		int file = -1;

		program->opened = &file;
		if (linux_load(s->guest, program, error) < 0)
			return -1;
		if (file >= 0) {
			inputs_add_file(&s->files.inputs, "Program", file);
			close(file);
		}
	}
	return 0;
}

static int configure_x86(struct simulation *s, struct error *error)
{
	if (x86_config_read(&s->x86, s->options->x86_config,
			    s->options->x86_preset,
			    s->options->x86_cpu, s->options->settings, error))
		return -1;
	x86_config_model(&s->x86, false, &s->model_x86_64);
	x86_config_model(&s->x86, true, &s->model_i386);
	x86_config_register(&s->x86, s->stats);
	return 0;
}

static picoseconds device_now(void *owner)
{
	return gpu_now(((struct simulation *)owner)->gpu);
}

static void device_reach(void *owner, picoseconds time)
{
	gpu_reach(((struct simulation *)owner)->gpu, time);
}

static picoseconds device_due(void *owner)
{
	return gpu_due(((struct simulation *)owner)->gpu);
}

static bool device_work(void *owner)
{
	return opencl_work(((struct simulation *)owner)->opencl);
}

/* Cores and a GPU of one chip, or of one file, have one memory. */
static int join_memory(struct simulation *s, struct error *error)
{
	const struct options *options = s->options;
	struct evg_config gpu;

	if (evg_config_read_preset(&gpu, options->evg_preset,
				   options->evg_config, options->settings,
				   error))
		return -1;
	if (mem_owner_is_one_chip(s->x86.preset, gpu.preset) &&
	    !options->mem_config && !s->x86.memory)
		s->mem_owner = MEM_OF_BOTH;
	if (s->mem_owner != MEM_OF_BOTH)
		return 0;
	if (options->threads_report)
		return error_set(error, "--threads-report: a GPU in the "
				 "memory of x86 cores is simulated by one "
				 "thread");
	if (options->x86_mcpat)
		return error_set(error, "--x86-mcpat: not with a GPU in the "
				 "memory of the cores");
	s->compute_units = gpu.compute_units;
	gpu_memory_shape(&gpu, &s->memory_shape);
	return 0;
}

/* --x86-sim detailed. */
static int create_machine(struct simulation *s, struct linux_options *options,
			  struct error *error)
{
	const bool both = s->mem_owner == MEM_OF_BOTH;
	const struct x86_machine_device device = {
	    .now = device_now,
	    .reach = device_reach,
	    .due = both ? device_due : NULL,
	    .work = both ? device_work : NULL,
	    .owner = s,
	};
	struct x86_machine_files files = { .mem_config = NULL };
	struct sampling_plan plan;
	struct trace_window window;

	if (s->mem_owner != MEM_OF_GPU)
		files = (struct x86_machine_files){
			.mem_config = s->options->mem_config,
			.net_config = s->options->net_config,
			.settings = s->options->settings,
			.compute_units = s->compute_units,
			.gpu = &s->memory_shape,
		};
	if (s->options->x86_clock)
		return error_set(error, "--x86-clock: with --x86-sim detailed "
				 "the clock is that of the simulated cores");
	if (s->options->x86_checkpoint_at && !s->options->x86_checkpoint_stop)
		return error_set(error, "--x86-checkpoint-at: with --x86-sim "
				 "detailed the run ends there: needs "
				 "--x86-checkpoint-stop");
	if (s->options->x86_check &&
	    (sampling_option(s->options) || s->x86.fast_forward ||
	     s->options->x86_load_checkpoint))
		return error_set(error, "--x86-check: needs the whole program "
				 "in detail, without --x86-fast-forward, "
				 "--x86-region, --x86-sample, --x86-phases and "
				 "--x86-load-checkpoint");
	if (s->options->x86_branch_trace || s->options->gdb ||
	    s->options->x86_find_phases)
		return error_set(error, "%s: needs --x86-sim functional",
				 s->options->gdb ? "--gdb"
				 : s->options->x86_find_phases
					 ? "--x86-find-phases"
					 : "--x86-branch-trace");
	s->machine = x86_machine_create(&s->x86, &device, &files, error);
	if (!s->machine)
		return -1;
	if (s->options->threads)
		x86_machine_set_threads(s->machine,
					(unsigned)s->options->threads);
	if (s->options->x86_check)
		x86_machine_check(s->machine);
	if (s->files.profile || s->options->x86_report_branches)
		x86_machine_profile(s->machine);
	if (s->files.pipeline &&
	    (trace_window_read(&window, s->options->x86_trace_window, error) ||
	     x86_machine_watch(s->machine, &window, error)))
		return -1;
	if (s->timeline)
		x86_machine_trace(s->machine, s->timeline);
	if (s->files.power && x86_machine_measure_power(s->machine, error))
		return -1;
	if (s->options->x86_save_checkpoint)
		x86_machine_release(s->machine);
	x86_machine_clock(s->machine, options);
	if (sampling_plan_read(s->options, s->x86.fast_forward, &plan, error))
		return -1;
	options->foreign_markers = plan.markers;
	return x86_machine_plan(s->machine, &plan, error);
}

/* Pairs of hexadecimal digits: 0, or -1 and *error. */
static int parse_instruction(const char *text, struct linux_options *options,
			     struct error *error)
{
	size_t length = strlen(text);

	options->last_instruction_size = length / 2;
	if (!length || length % 2 || length > 30 ||
	    strspn(text, "0123456789abcdefABCDEF") != length)
		return error_set(error,
				 "--x86-last-inst %s: expected the 1 to "
				 "15 bytes of an instruction, for instance "
				 "0f05",
				 text);
	for (size_t i = 0; i < length / 2; i++)
		sscanf(text + 2 * i, "%2hhx", &options->last_instruction[i]);
	return 0;
}

static int load_checkpoint(struct simulation *s, struct error *error)
{
	const struct options *options = s->options;
	const char *name = options->part ? "x86-load-part"
					 : "x86-load-checkpoint";
	const int standard[] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};

	if (s->argv[options->program_index] || options->ctx_config)
		return error_set(error,
				 "--%s: expected no program on the command "
				 "line: the checkpoint holds the programs",
				 name);
	if (options->environment_count || options->x86_env)
		return error_set(error,
				 "--%s has no effect with --%s: the programs "
				 "have started already",
				 options->x86_env ? "x86-env" : "env", name);
	if (linux_load_checkpoint(s->guest, options->x86_load_checkpoint,
				  standard, error))
		return -1;
	return options->part ? sampling_part_check(options->part,
						   linux_instructions(s->guest),
						   error)
			     : 0;
}

static int create_guest(struct simulation *s, bool detailed,
			struct error *error)
{
	struct linux_options options = {
	    .log = s->files.log,
	    .max_instructions = s->options->x86_max_inst,
	    .seed = s->options->seed,
	    .root = s->options->x86_root,
	    .read_only = s->options->x86_read_only,
	    .writable = s->options->x86_writable,
	    .no_network = s->options->x86_no_network,
	    .host_pids = s->options->x86_host_pids,
	    .capabilities = s->capabilities,
	    .quantum = s->x86.context_quantum,
	    .model_i386 = &s->model_i386,
	    .model_x86_64 = &s->model_x86_64,
	    .opencl_i386 = s->paths.opencl_i386,
	    .opencl_x86_64 = s->paths.opencl_x86_64,
	    .redirect = redirect,
	    .redirect_owner = s,
	    .request = serve_request,
	    .released = released,
	    .request_owner = s,
	    .stop = simulation_guest_stop,
	    .stop_owner = s,
	    .outside_signals = true,
	};

	if (s->x86_detailed && s->options->x86_save_parts)
		return error_set(error, "--x86-save-parts: needs --x86-sim "
				 "functional");
	if (!s->x86_detailed && sampling_option(s->options) &&
	    !s->options->x86_save_parts)
		return error_set(error, "%s: needs --x86-sim detailed",
				 sampling_option(s->options));
	if (choose_clock(s->options->x86_clock,
			 detailed || s->options->x86_save_parts,
			 &options.clock, error) ||
	    checkpoints_plan(s->options, &options, error) ||
	    saved_parts_create(s->options, s->x86.fast_forward,
			       outputs_rules(s->files.outputs), &s->parts,
			       &options, error) ||
	    (s->x86_detailed && create_machine(s, &options, error)))
		return -1;
	if (s->options->x86_last_inst &&
	    parse_instruction(s->options->x86_last_inst, &options, error))
		return -1;
	if (simulation_observe(s, &options, error))
		return -1;
	if (s->gdb)
		options.debugger = gdb_debugger(s->gdb);
	if (s->confinement == CONFINEMENT_ALONE) {
		options.root = options.writable = NULL;
		options.read_only = options.no_network = false;
	}
	s->guest = linux_create(&options, error);
	return s->guest ? 0 : -1;
}

static int load_guest(struct simulation *s, struct error *error)
{
	opencl_set_guest(s->opencl, s->guest);
	linux_register_stats(s->guest, s->stats);
	if (s->machine)
		x86_machine_register(s->machine, s->stats);
	return s->options->x86_load_checkpoint ? load_checkpoint(s, error)
					       : load_programs(s, error);
}

/* Options that would lead out of a wall. */
static int open_ways_out(struct simulation *s, struct error *error)
{
	if (s->options->gdb) {
		s->gdb = gdb_create(s->options->gdb, simulation_guest_stop, s,
				    error);
		if (!s->gdb)
			return -1;
	}
	s->capabilities = wall_capabilities();
	return read_programs(s, error);
}

/* Enters the wall before m2s reads anything that comes from a guest, beginning
 * with the program file. */
static int enter_wall(struct simulation *s, struct error *error)
{
	return confinement_enter(s->confinement, s->options, &s->paths,
				 &s->programs, s->files.outputs, s->guest,
				 error);
}

static int check_sim(const struct simulation *s, struct error *error)
{
	const struct {
		const char *option;
		bool given;
	} detailed[] = {
		{ "check", s->options->x86_check },
		{ "annotate", s->options->x86_annotate != NULL },
		{ "trace", s->options->x86_trace != NULL },
		{ "report-branches", s->options->x86_report_branches },
		{ "mcpat", s->options->x86_mcpat != NULL },
	};

	if (s->options->x86_trace_window && !s->options->x86_trace)
		return error_set(error, "--x86-trace-window: needs --x86-trace "
				 "FILE");
	for (size_t i = 0; i < ARRAY_SIZE(detailed) && !s->x86_detailed; i++)
		if (detailed[i].given)
			return error_set(error, "--x86-%s: needs --x86-sim "
					 "detailed", detailed[i].option);
	return 0;
}

static int create(struct simulation *s, struct error *error)
{
	bool detailed;

	if (sim_kind_read("x86-sim", s->options->x86_sim, &s->x86_detailed,
			error) ||
	    check_sim(s, error) ||
	    sim_kind_read("evg-sim", s->options->evg_sim, &detailed, error) ||
	    run_files_open(&s->files, s->options, detailed, s->x86_detailed,
			   error) ||
	    run_files_timeline(&s->files, s->options, detailed, &s->timeline,
			       error) ||
	    mem_owner_find(s->options, detailed, s->x86_detailed,
			   &s->mem_owner, error))
		return -1;
	paths_find(&s->paths);
	s->stats = stats_create();
	if (confinement_read(s->options, &s->confinement, error) ||
	    open_ways_out(s, error) || enter_wall(s, error) ||
	    configure_x86(s, error) ||
	    (s->x86_detailed && detailed && join_memory(s, error)) ||
	    create_guest(s, detailed, error) ||
	    enter_wall(s, error) || create_gpu(s, detailed, error) ||
	    settings_check(s->options->settings, error))
		return -1;
	create_opencl(s);
	if (load_guest(s, error))
		return -1;
	if (run_files_start(&s->files, s->options, error))
		return -1;
	programs_start(&s->programs);
	return 0;
}

struct simulation *simulation_create(const struct options *options, char **argv,
				     simulation_stop *stop, void *stop_owner,
				     struct error *error)
{
	struct simulation *s = xcalloc(1, sizeof *s);

	s->options = options;
	s->argv = argv;
	s->start = host_seconds();
	s->stop = stop;
	s->stop_owner = stop_owner;
	progress_init(&s->progress, options->progress, options->quiet);
	if ((options->max_time && deadline_start(options->max_time, error)) ||
	    create(s, error)) {
		simulation_free(s);
		return NULL;
	}
	return s;
}

void simulation_free(struct simulation *s)
{
	if (!s)
		return;
	deadline_end();
	linux_free(s->guest);
	branch_observer_free(s->branches);
	vectors_free(s->vectors);
	opencl_free(s->opencl);
	account_free(s->account);
	gdb_free(s->gdb);
	gpu_free(s->gpu);
	x86_machine_free(s->machine);
	saved_parts_free(s->parts);
	timeline_free(s->timeline);
	stats_free(s->stats);
	run_files_close(&s->files);
	paths_clear(&s->paths);
	programs_clear(&s->programs);
	free(s);
}
