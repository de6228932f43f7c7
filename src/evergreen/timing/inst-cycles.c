/* Where the cycles of each static instruction go: how long it kept its engine,
 * and how long wavefronts waited for it. Each unit counts for itself, so that
 * units run in parallel; the rows are added at the end of a run. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/timing/inst-cycles.h"

void evg_timing_count_instructions(struct evg_timing *timing)
{
	timing->counts_instructions = true;
}

static void free_rows(struct evg_timing *timing)
{
	for (unsigned i = 0; i < timing->config.compute_units; i++) {
		free(timing->units[i].inst_cycles);
		timing->units[i].inst_cycles = NULL;
	}
}

void inst_cycles_start(struct evg_timing *timing)
{
	const struct evg_kernel *kernel =
		evg_ndrange_launch(timing->ndrange)->kernel;

	if (!timing->counts_instructions)
		return;
	timing->inst_count = kernel->code_size / 8;
	for (unsigned i = 0; i < timing->config.compute_units; i++)
		timing->units[i].inst_cycles =
			xcalloc(timing->inst_count,
				sizeof *timing->units[i].inst_cycles);
}

void inst_cycles_end(struct evg_timing *timing)
{
	if (!timing->counts_instructions)
		return;
	free(timing->inst_cycles);
	timing->inst_cycles = xcalloc(timing->inst_count,
				      sizeof *timing->inst_cycles);
	for (unsigned i = 0; i < timing->config.compute_units; i++)
		for (size_t j = 0; j < timing->inst_count; j++) {
			const struct evg_inst_cycles *row =
				&timing->units[i].inst_cycles[j];

			timing->inst_cycles[j].busy += row->busy;
			timing->inst_cycles[j].stall += row->stall;
		}
	free_rows(timing);
}

void inst_cycles_free(struct evg_timing *timing)
{
	free_rows(timing);
	free(timing->inst_cycles);
}

void inst_cycles_add(struct compute_unit *cu, struct resident *resident,
		     uint64_t start, uint64_t busy)
{
	struct evg_inst_cycles *row = &cu->inst_cycles[cu->step.address];

	row->busy += busy;
	if (start > resident->free)
		row->stall += start - resident->free;
	resident->free = start + busy;
}

const struct evg_inst_cycles *
evg_timing_inst_cycles(const struct evg_timing *timing, size_t *count)
{
	*count = timing->inst_count;
	return timing->inst_cycles;
}
