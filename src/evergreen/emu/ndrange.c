/* ND-ranges: code, constants, and what all work-groups have in common. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "evergreen/emu/machine.h"
#include "evergreen/emu/count/records.h"
#include "evergreen/emu/count/traffic.h"
#include "evergreen/emu/native/native.h"

/* The kernel's code, decoded when this is its first launch. */
static struct evg_code *decode(const struct evg_kernel *kernel,
				     struct error *error)
{
	const struct evg_program *program = kernel->program;
	struct evg_kernel *own = &program->kernels[kernel - program->kernels];

	if (!own->code)
		own->code = evg_code_decode(program->text +
						    kernel->code_offset,
					    kernel->code_size, error);
	if (!own->code)
		error_prefix(error, "kernel '%s'", kernel->name);
	return own->code;
}

static void free_plan(void *plan)
{
	evg_plan_free(plan);
}

/* The plan is made at the first launch, too, and kept with the code. Only
 * tests ask for another instruction set than the first time. */
static void choose_plan(struct evg_ndrange *ndrange, struct evg_code *code,
			const struct evg_simd *simd)
{
	const struct evg_kernel *kernel = ndrange->launch.kernel;

	if (!code->plan) {
		code->plan = evg_plan_create(kernel, simd);
		code->plan_free = free_plan;
	}
	ndrange->plan = code->plan;
	ndrange->owns_plan = ndrange->plan->simd != simd;
	if (ndrange->owns_plan)
		ndrange->plan = evg_plan_create(kernel, simd);
}

/* --- Contents ----------------------------------------------------------- */

static void put_dword(uint8_t *buffer, uint32_t offset, uint32_t value)
{
	memcpy(buffer + offset, &value, sizeof value);
}

static void fill_constants(struct evg_ndrange *ndrange)
{
	for (unsigned bank = 0; bank < EVG_CONSTANT_BUFFERS; bank++) {
		struct evg_constants *constants = &ndrange->constants[bank];

		constants->size = evg_constants_size(ndrange->launch.kernel,
						     bank);
		if (!constants->size)
			continue;
		constants->bytes = xcalloc_aligned(constants->size + 64);
		evg_constants_fill(&ndrange->launch, bank, constants->bytes);
	}
}

static void fill_pool(struct evg_ndrange *ndrange)
{
	const struct evg_plan *plan = ndrange->plan;

	ndrange->pool =
		xcalloc_aligned((size_t)plan->constant_count * EVG_CONSTANT_BYTES);
	for (uint32_t i = 0; i < plan->constant_count; i++) {
		const struct evg_constant *constant = &plan->constants[i];
		uint32_t value = constant->value;

		if (constant->kind == EVG_CONSTANT_TEXT)
			value += ndrange->launch.text_address;
		else if (constant->kind == EVG_CONSTANT_BUFFER)
			memcpy(&value,
			       ndrange->constants[constant->bank].bytes +
				       4 * value,
			       4);
		for (uint32_t k = 0; k < EVG_CONSTANT_BYTES; k += 4)
			put_dword(ndrange->pool, i * EVG_CONSTANT_BYTES + k,
				  value);
	}
}

static void fill_local_ids(struct evg_ndrange *ndrange)
{
	const uint32_t *size = ndrange->launch.local_size;
	size_t row = EVG_WAVEFRONT_SIZE;

	ndrange->local_ids =
		xcalloc_aligned(ndrange->wavefronts * 3 * EVG_ROW_BYTES);
	ndrange->valid = xcalloc(ndrange->wavefronts, sizeof *ndrange->valid);
	for (uint32_t item = 0; item < ndrange->group_items; item++) {
		uint32_t wavefront = item / EVG_WAVEFRONT_SIZE;
		uint32_t lane = item % EVG_WAVEFRONT_SIZE;
		uint32_t *ids = ndrange->local_ids + 3 * row * wavefront + lane;

		ids[0] = item % size[0];
		ids[row] = item / size[0] % size[1];
		ids[2 * row] = item / size[0] / size[1];
		ndrange->valid[wavefront] |= UINT64_C(1) << lane;
	}
}

/* --- Creation ----------------------------------------------------------- */

struct evg_ndrange *evg_ndrange_create_for(const struct evg_launch *launch,
					   const struct evg_simd *simd,
					   struct error *error)
{
	struct evg_ndrange *ndrange;
	struct evg_code *code;

	if (evg_launch_check(launch, error))
		return NULL;
	code = decode(launch->kernel, error);
	if (!code)
		return NULL;
	ndrange = xcalloc(1, sizeof *ndrange);
	ndrange->launch = *launch;
	ndrange->isa_log = log_stream(launch->log, LOG_EVG_ISA);
	ndrange->stack_log = log_stream(launch->log, LOG_EVG_STACK);
	ndrange->code = code;
	choose_plan(ndrange, code, simd);
	ndrange->group_count = 1;
	ndrange->group_items = 1;
	for (int d = 0; d < 3; d++) {
		ndrange->groups[d] =
			launch->global_size[d] / launch->local_size[d];
		ndrange->group_count *= ndrange->groups[d];
		ndrange->group_items *= launch->local_size[d];
	}
	ndrange->wavefronts = (ndrange->group_items + EVG_WAVEFRONT_SIZE - 1) /
			      EVG_WAVEFRONT_SIZE;
	fill_constants(ndrange);
	/* The caller's need not outlive this call. */
	ndrange->launch.arguments = NULL;
	fill_pool(ndrange);
	fill_local_ids(ndrange);
	ndrange->rows = xcalloc(code->line_count + 1, sizeof *ndrange->rows);
	ndrange->counter_sets = 1;
	if (ndrange->plan->uses_gds)
		ndrange->gds = xcalloc(1, sizeof *ndrange->gds);
	pthread_mutex_init(&ndrange->lock, NULL);
	return ndrange;
}

struct evg_ndrange *evg_ndrange_create(const struct evg_launch *launch,
				       struct error *error)
{
	return evg_ndrange_create_for(launch, evg_simd_best(), error);
}

void evg_ndrange_free(struct evg_ndrange *ndrange)
{
	if (!ndrange)
		return;
	for (struct evg_work_group *group = ndrange->all, *next; group;
	     group = next) {
		next = group->next;
		if (group->scratch)
			evg_memory_release(ndrange->launch.memory,
					   group->scratch);
		evg_work_group_destroy(group);
	}
	while (ndrange->tallies) {
		struct evg_tally *tally = ndrange->tallies;

		ndrange->tallies = tally->next;
		free(tally->recent);
		free(tally->counts);
		free(tally);
	}
	if (ndrange->owns_plan)
		evg_plan_free(ndrange->plan);
	pthread_mutex_destroy(&ndrange->lock);
	for (uint32_t unit = 0; unit < ndrange->shared_count; unit++)
		free(ndrange->shared[unit]);
	free(ndrange->shared);
	for (unsigned bank = 0; bank < EVG_CONSTANT_BUFFERS; bank++)
		free(ndrange->constants[bank].bytes);
	free(ndrange->pool);
	free(ndrange->gds);
	free(ndrange->local_ids);
	free(ndrange->valid);
	free(ndrange->rows);
	evg_records_free(ndrange);
	free(ndrange);
}

uint64_t evg_ndrange_group_count(const struct evg_ndrange *ndrange)
{
	return ndrange->group_count;
}

uint32_t evg_ndrange_wavefronts_per_group(const struct evg_ndrange *ndrange)
{
	return ndrange->wavefronts;
}

const struct evg_launch *evg_ndrange_launch(const struct evg_ndrange *ndrange)
{
	return &ndrange->launch;
}

void evg_ndrange_set_float_mode(struct evg_ndrange *ndrange, bool is_set)
{
	ndrange->float_mode_set = is_set;
}

void evg_ndrange_compile_steps(struct evg_ndrange *ndrange)
{
	/* The log shows registers after each group. */
	if (ndrange->isa_log)
		ndrange->interpreted = true;
	else
		evg_native_compile_steps(ndrange->plan);
}

bool evg_ndrange_is_serial(const struct evg_ndrange *ndrange)
{
	const struct log *log = ndrange->launch.log;

	return ndrange->plan->uses_gds || ndrange->plan->synchronizes ||
	       ndrange->plan->shares_registers || ndrange->isa_log ||
	       ndrange->stack_log || log_stream(log, LOG_MEM) ||
	       log_stream(log, LOG_NET);
}

bool evg_ndrange_may_defer(const struct evg_ndrange *ndrange)
{
	return !ndrange->plan->shares_registers;
}

void evg_ndrange_count_traffic(struct evg_ndrange *ndrange,
			       const struct evg_traffic_model *model)
{
	ndrange->traffic = *model;
}
