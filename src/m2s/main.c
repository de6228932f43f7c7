/* m2s: the command line. */
#include "config.h"

#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/settings.h"
#include "base/version.h"
#include "evergreen/timing/config.h"
#include "m2s/config-kind.h"
#include "m2s/native/native.h"
#include "m2s/options.h"
#include "m2s/programs.h"
#include "m2s/run/interrupt.h"
#include "m2s/run/run-files.h"
#include "m2s/sampling/parts.h"
#include "m2s/simulation.h"
#include "m2s/tools/disassemble.h"
#include "m2s/tools/mem-sim.h"
#include "m2s/tools/net-sim.h"
#include "m2s/tools/print-config.h"
#include "m2s/tools/x86-blocks.h"
#include "m2s/tools/x86-latency.h"
#include "memsys/memsys.h"
#include "report/occupancy-report.h"
#include "x86/config.h"
#include "x86/emu/isa-list.h"
#include "x86/linux/linux.h"
#include "x86/timing/core/preset.h"
#include "x86/timing/memory/hierarchy.h"
#include "x86/timing/uops/coverage.h"

static void banner(FILE *stream)
{
	fprintf(stream, "m2s %s (commit %s): simulates x86 programs and their "
		"OpenCL kernels on an Evergreen GPU.\n", M2S_VERSION,
		version_commit);
}

static int fail(const struct error *error)
{
	fflush(stdout);
	fprintf(stderr, "m2s: error: %s\n", error->text);
	return 1;
}

/* Ends m2s as the program ended, for the process that started m2s. */
static int end_like_program(const struct simulation_result *result)
{
	struct rlimit no_core = { 0, 0 };

	fflush(stdout);
	if (!result->signal)
		return result->exit_status;
	setrlimit(RLIMIT_CORE, &no_core);
	signal(result->signal, SIG_DFL);
	raise(result->signal);
	return 128 + result->signal;
}

static enum simulation_wish is_interrupted(void *owner,
					   struct linux_system *guest,
					   bool between_turns)
{
	bool show = false;

	(void)owner;
	if (interrupt_handle(guest, between_turns, &show))
		return SIMULATION_STOP;
	return show ? SIMULATION_SHOW_STATE : SIMULATION_GO_ON;
}

static int simulate(const struct options *options, char **argv)
{
	struct simulation_result result = { 0 };
	struct simulation *simulation;
	struct error error = { "" };
	int status;

	if (!options->quiet)
		options_warn(options, argv, stderr);
	simulation = simulation_create(options, argv, is_interrupted, NULL,
				       &error);
	if (!simulation)
		return fail(&error);
	interrupt_install();
	status = simulation_run(simulation, &result, &error);
	simulation_free(simulation);
	if (status)
		return fail(&error);
	switch (result.end) {
	case SIMULATION_LIMIT:
		return SIMULATION_EXIT_LIMIT;
	case SIMULATION_SIGNAL:
		return 128 + interrupt_signal();
	case SIMULATION_COMPLETE:
		break;
	}
	return end_like_program(&result);
}

static void print_number(int number)
{
	if (number < 0)
		fputs("  |", stdout);
	else if (number == LINUX_CALL_SIMULATOR)
		printf(" %#x |", (unsigned)number);
	else
		printf(" %d |", number);
}

static void document_calls(void)
{
	const struct linux_call_info *list;
	size_t count = linux_call_list(&list);

	puts("| call | i386 | x86-64 | state |\n|---|---|---|---|");
	for (size_t i = 0; i < count; i++) {
		printf("| %s |", list[i].name);
		print_number(list[i].number_i386);
		print_number(list[i].number_x86_64);
		printf(" %s |\n", list[i].state);
	}
}

/* References that need no program. */
static int document(const char *what, struct error *error)
{
	if (!strcmp(what, "x86-instructions"))
		return x86_isa_print(stdout, true, error);
	if (!strcmp(what, "calls")) {
		document_calls();
		return 0;
	}
	if (strcmp(what, "configuration"))
		return options_document(stdout, what, error);
	x86_config_help(stdout);
	fputc('\n', stdout);
	evg_config_help(stdout);
	fputc('\n', stdout);
	memsys_help(stdout);
	return 0;
}

static int calculate_occupancy(const struct options *options,
			       struct error *error)
{
	struct inputs inputs = { 0 };
	struct evg_config config;
	struct output_rules rules;
	int status;

	if (!options->evg_calc)
		return error_set(error, "--evg-calc-kernel %s: needs "
					"--evg-calc PREFIX, the beginning of "
					"the names of the files to write",
					options->evg_calc_kernel);
	if (evg_config_read_preset(&config, options->evg_preset,
				   options->evg_config, options->settings,
				   error) ||
	    settings_check(options->settings, error))
		return -1;
	run_files_add_inputs(&inputs, options);
	rules = inputs_rules(&inputs, options->overwrite);
	status = occupancy_report_binary(options->evg_calc, &rules,
					 &config, options->evg_calc_kernel,
					 options->evg_calc_work_items,
					 options->evg_calc_local, error);
	inputs_clear(&inputs);
	return status;
}

/* Checks that everything was printed: 0, or -1 and *error. */
static int flush_output(struct error *error)
{
	struct output output;

	return output_open(&output, "-", NULL, error) ||
	       output_close(&output, 0, error);
}

/* --x86-load-part: which checkpoint, and what is simulated behind it. */
static int choose_part(struct options *options, struct error *error)
{
	if (options->x86_load_checkpoint || options->x86_save_checkpoint ||
	    options->x86_checkpoint_at || options->x86_max_inst ||
	    sampling_option(options))
		return error_set(error, "--x86-load-part: says what is loaded "
				 "and simulated: not together with other "
				 "checkpoints, --x86-max-inst, "
				 "--x86-fast-forward, --x86-region, "
				 "--x86-warm, --x86-sample and --x86-phases");
	options->part = sampling_part_read(options->x86_load_part, error);
	if (!options->part)
		return -1;
	options->x86_load_checkpoint = options->part->checkpoint;
	return 0;
}

static int help(const char *topic, struct error *error)
{
	if (topic)
		return options_help_topic(stdout, topic, error);
	options_help(stdout);
	return 0;
}

/* A launch allocates the state of its work-groups, 70 KB and more in aligned
 * blocks, and frees it. glibc's heap finds room for such blocks behind all others
 * when anything small, as a launch's part of a report, was allocated in between:
 * 0.6 MB stayed of each launch. Blocks that are mapped are given back. */
enum { MAPPED_BLOCK = 64 << 10 };

int main(int argc, char **argv)
{
	struct options options;
	struct error error = { "" };
	int status = 0;

	mallopt(M_MMAP_THRESHOLD, MAPPED_BLOCK);
	if (options_parse(&options, argc, argv, &error))
		status = fail(&error);
	else if (options.help)
		status = help(argv[options.program_index], &error)
				 ? fail(&error)
				 : 0;
	else if (options.version)
		banner(stdout);
	else if (options.x86_help)
		x86_config_help(stdout);
	else if (options.x86_isa)
		status = x86_isa_print(stdout, false, &error) ||
					 x86_uop_coverage_print(stdout, &error)
				 ? fail(&error)
				 : 0;
	else if (options.evg_help)
		evg_config_help(stdout);
	else if (options.evg_preset && !strcmp(options.evg_preset, "help"))
		evg_presets_help(stdout);
	else if (options.x86_preset && !strcmp(options.x86_preset, "help")) {
		x86_core_figures_help(stdout);
		x86_memory_figures_help(stdout);
		predict_presets_help(stdout);
	} else if (options.mem_help || options.net_help)
		memsys_help(stdout);
	else if (options.ctx_config_help)
		programs_help(stdout);
	else if (config_kinds_check(&options, &error))
		status = fail(&error);
	else if (options.document && strcmp(options.document, "statistics"))
		status = document(options.document, &error) ? fail(&error) : 0;
	else if (options.print_config)
		status = print_config(&options, &error) ? fail(&error) : 0;
	else if (options.evg_calc_kernel)
		status = calculate_occupancy(&options, &error) ? fail(&error)
							       : 0;
	else if (options.evg_disasm)
		status = disassemble_kernels(options.evg_disasm,
					     options.evg_disasm_style, stdout,
					     &error)
				 ? fail(&error)
				 : 0;
	else if (options.x86_disasm)
		status = disassemble_program(options.x86_disasm, stdout, &error)
				 ? fail(&error)
				 : 0;
	else if (options.mem_sim)
		status = mem_sim(&options, argv[options.program_index],
				 &error) ? fail(&error) : 0;
	else if (options.net_sim)
		status = net_sim(&options, argv[options.program_index],
				 &error) ? fail(&error) : 0;
	else if (options.x86_blocks)
		status = x86_blocks_command(&options,
					    argv[options.program_index],
					    &error) ? fail(&error) : 0;
	else if (options.x86_memlat)
		status = x86_latency_command(&options, &error) ? fail(&error)
							       : 0;
	else if (net_sim_check(&options, &error) ||
		 x86_blocks_check(&options, &error))
		status = fail(&error);
	else if (options.x86_load_part && choose_part(&options, &error))
		status = fail(&error);
	else if (options.native)
		native_exec(&options, argv, &error), status = fail(&error);
	else if (options.program_index >= argc &&
		 !options.ctx_config && !options.x86_load_checkpoint)
		banner(stderr), options_help(stderr);
	else
		status = simulate(&options, argv);
	sampling_loaded_free(options.part);
	options_clear(&options);
	if (flush_output(&error))
		status = fail(&error);
	return status;
}
