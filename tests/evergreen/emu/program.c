#include "evergreen/emu/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/asm/assemble.h"
#include "evergreen/emu/native/native.h"
#include "evergreen/timing/occupancy.h"
#include "evergreen/timing/timing.h"

/* More than any of these programs executes: what hangs becomes an error. */
enum { MEMORY = 4 << 20, INSTRUCTIONS_MAX = 1 << 24 };

static const char epilogue[] =
	"	ALU: KCACHE0(CB0:0-31)\n"
	"0 t: MULLO_INT R3.x, KC0[1].z, R1.x\n"
	"1 x: ADD_INT R3.x, R3.x, R0.x\n"
	"2 x: LSHL R3.x, R3.x, 4\n"
	"3 x: ADD_INT R3.x, R3.x, KC0[2].y\n"
	"4 x: LSHR R3.x, R3.x, 2\n"
	"	MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R3], R2, ARRAY_SIZE(4095)\n"
	"END_OF_PROGRAM\n";

struct evg_program *program_assemble(const char *directives, const char *body,
				     const char *functions,
				     struct error *error)
{
	char *text = xasprintf(".kernel test\n%s"
			       ".argument global \"uint*\" out\n"
			       ".argument value \"data\" data SIZE(%d)\n"
			       "%s%s%s",
			       directives, 4 * PROGRAM_DATA, body, epilogue,
			       functions);
	struct evg_program *program =
		evg_assemble("test", text, strlen(text), error);

	free(text);
	return program;
}

uint32_t program_data(unsigned index)
{
	return (index + 1) * 2654435761u;
}

static int run_stepped(struct evg_ndrange *ndrange, struct program_run *run)
{
	struct evg_step step;
	uint64_t steps = 0;
	int status = 0;

	if (!run->interpreted)
		evg_ndrange_compile_steps(ndrange);

	for (uint64_t i = 0; i < evg_ndrange_group_count(ndrange) && !status;
	     i++) {
		struct evg_work_group *group = evg_work_group_create(ndrange,
								     i);
		uint32_t count = evg_ndrange_wavefronts_per_group(ndrange);

		for (bool more = true; more && !status;) {
			more = false;
			for (uint32_t w = 0; w < count; w++) {
				struct evg_wavefront *wavefront =
					evg_work_group_wavefront(group, w);

				evg_wavefront_release(wavefront);
				while (!status && steps++ < INSTRUCTIONS_MAX &&
				       !evg_wavefront_ended(wavefront) &&
				       !evg_wavefront_waiting(wavefront))
					status = evg_wavefront_step(
						wavefront, &step, &run->error);
				if (steps >= INSTRUCTIONS_MAX)
					status = error_set(&run->error,
							   "it does not end");
				more |= !evg_wavefront_ended(wavefront);
			}
		}
		evg_work_group_free(group);
	}
	return status;
}

static int run_timed(struct evg_ndrange *ndrange, struct program_run *run)
{
	const struct memsys_options options = {
		.compute_units = run->units ? run->units : 2,
	};
	const struct evg_timing_limits limits = {
		.instructions = INSTRUCTIONS_MAX,
	};
	struct event_queue *events = event_queue_create();
	struct memsys *memsys = memsys_create(events, &options, &run->error);
	struct evg_timing *timing;
	struct evg_config config;
	int status;

	evg_config_read(&config, NULL, NULL);
	config.compute_units = options.compute_units;
	if (run->code_at_hand)
		config.code_size = 0;
	timing = evg_timing_create(&config, events, memsys, &run->error);
	status = evg_timing_run(timing, ndrange, &limits, &run->error);
	if (status > 0)
		error_set(&run->error, "more than %d instructions",
			  INSTRUCTIONS_MAX);
	run->cycles = evg_timing_cycles(timing);
	run->instructions = evg_timing_instructions(timing);
	evg_timing_free(timing);
	memsys_free(memsys);
	event_queue_free(events);
	return status;
}

static void take_figures(const struct evg_ndrange *ndrange,
			 struct program_figures *figures)
{
	const struct evg_inst_stats *rows;
	size_t count;

	memset(figures, 0, sizeof *figures);
	evg_ndrange_stats(ndrange, &figures->stats);
	evg_ndrange_divergence(ndrange, figures->divergence);
	evg_ndrange_paths(ndrange, &figures->paths);
	rows = evg_ndrange_inst_stats(ndrange, &count);
	for (size_t i = 0; i < count; i++) {
		figures->rows = figures->rows * 31 + rows[i].executions;
		figures->rows = figures->rows * 31 + rows[i].active_lanes;
	}
}

uint32_t *program_run(const struct evg_program *program,
		      struct program_run *run)
{
	uint32_t items = run->groups * run->local;
	struct evg_memory *memory = evg_memory_create(MEMORY, &run->error);
	uint32_t out = evg_memory_allocate(memory, 16 * items, false, "out");
	uint8_t arguments[PROGRAM_DATA_FIRST * 4 + 4 * PROGRAM_DATA] = { 0 };
	uint32_t *result = NULL;
	struct evg_launch launch = {
		.kernel = &program->kernels[0],
		.memory = memory,
		.work_dim = 1,
		.global_size = { items, 1, 1 },
		.local_size = { run->local, 1, 1 },
		.arguments = arguments,
		.local_memory = run->local_memory,
		.compute_units = run->units,
	};
	const struct evg_occupancy_use use = {
		.work_items = run->local,
		.registers = program->kernels[0].registers,
		.local_memory = run->local_memory,
	};
	struct evg_run_options options = {
		.threads = run->threads ? run->threads : 1,
		.interpreted = run->interpreted,
		.max_instructions = run->max_instructions,
		.progress = run->progress,
		.owner = run->owner,
		.max_group_instructions = run->max_group_instructions
						  ? run->max_group_instructions
						  : INSTRUCTIONS_MAX,
	};
	struct evg_ndrange *ndrange;
	struct evg_config config;
	int status = -1;

	run->error.text[0] = '\0';
	memcpy(arguments + 36, &out, 4);
	for (unsigned i = 0; i < PROGRAM_DATA; i++) {
		uint32_t value = program_data(i);

		memcpy(arguments + 4 * (PROGRAM_DATA_FIRST + i), &value, 4);
	}
	ndrange = evg_ndrange_create_for(
		&launch, run->simd ? run->simd : evg_simd_best(), &run->error);
	if (!ndrange)
		goto end;
	switch (run->way) {
	case PROGRAM_RUN:
		evg_config_read(&config, NULL, NULL);
		options.resident_groups = evg_occupancy_device(&config, &use);
		if (!run->interpreted)
			evg_native_compile(ndrange->plan);
		status = evg_ndrange_run_options(ndrange, &options,
						 &run->error);
		break;
	case PROGRAM_STEPPED:
		status = run_stepped(ndrange, run);
		break;
	case PROGRAM_TIMED:
		status = run_timed(ndrange, run);
		break;
	}
	run->limited = status > 0 && run->way == PROGRAM_RUN;
	if (run->figures)
		take_figures(ndrange, run->figures);
	if (!status || run->limited) {
		result = xmalloc(16 * (size_t)items);
		memcpy(result, evg_memory_host(memory, out, 16 * items),
		       16 * (size_t)items);
	}
end:
	evg_ndrange_free(ndrange);
	evg_memory_free(memory);
	return result;
}

const char *program_result(const char *directives, const char *body,
			   const char *functions, uint32_t result[64])
{
	static struct program_run run;
	struct evg_program *program;
	uint32_t *all;

	run = (struct program_run){ .groups = 1, .local = 64 };
	program = program_assemble(directives, body, functions, &run.error);
	if (!program)
		return run.error.text;
	all = program_run(program, &run);
	for (unsigned i = 0; all && result && i < 64; i++)
		result[i] = all[4 * i];
	free(all);
	evg_program_free(program);
	return run.error.text;
}
