#include "report/intervals.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "report/diagnosis.h"

/* Counts since the start of the simulation, or their differences. */
struct interval_state {
	struct launch_timing timing;
	uint64_t instructions, lane_operations, work_groups;
	uint64_t wavefronts; /* in flight: no count */
	uint64_t cache_hits[2], cache_reads[2];
};

struct intervals {
	struct output *output;
	struct evg_timing *timing;
	const struct memsys *memsys;
	struct interval_state last;
	bool open_row; /* the last row waits for what to say in Incomplete */
};

struct intervals *intervals_create(struct output *output,
				   struct evg_timing *timing,
				   const struct memsys *memsys,
				   double megahertz)
{
	struct intervals *intervals = xcalloc(1, sizeof *intervals);

	intervals->output = output;
	intervals->timing = timing;
	intervals->memsys = memsys;
	intervals->last.timing.megahertz = megahertz;
	fputs("NDRange,Kernel,EndCycle", intervals->output->stream);
#define INTERVAL(name, value, doc) fputs("," name, intervals->output->stream);
#include "report/intervals.def"
	fputs(",Incomplete\n", intervals->output->stream);
	return intervals;
}

static void take_state(const struct intervals *intervals,
		       struct interval_state *state)
{
	struct evg_timing_snapshot snapshot;

	evg_timing_snapshot(intervals->timing, &snapshot);
	*state = (struct interval_state){
		.timing = {
			.cycles = snapshot.cycles,
			.megahertz = intervals->last.timing.megahertz,
			.account = snapshot.account,
		},
		.instructions = snapshot.instructions,
		.lane_operations = snapshot.lane_operations,
		.work_groups = snapshot.work_groups,
		.wavefronts = snapshot.wavefronts,
	};
	memsys_traffic(intervals->memsys, &state->timing.traffic);
	for (unsigned i = 0; i < 2; i++)
		memsys_cache_reads(intervals->memsys, i + 1,
				   &state->cache_hits[i],
				   &state->cache_reads[i]);
}

static void subtract(struct interval_state *d,
		     const struct interval_state *before)
{
	launch_timing_subtract(&d->timing, &before->timing);
	d->instructions -= before->instructions;
	d->lane_operations -= before->lane_operations;
	d->work_groups -= before->work_groups;
	for (int i = 0; i < 2; i++) {
		d->cache_hits[i] -= before->cache_hits[i];
		d->cache_reads[i] -= before->cache_reads[i];
	}
}

static void write_row(FILE *stream, const struct interval_state *now,
		      const struct interval_state *d)
{
#define INTERVAL(name, value, doc) fprintf(stream, ",%.10g", value);
#include "report/intervals.def"
}

/* Incomplete is empty but in the last row of a run that was cut short. */
static void end_row(struct intervals *intervals, const char *partial)
{
	if (partial && !intervals->open_row) {
		fputs(",,", intervals->output->stream);
#define INTERVAL(name, value, doc) fputc(',', intervals->output->stream);
#include "report/intervals.def"
	}
	if (partial || intervals->open_row)
		fprintf(intervals->output->stream, ",%s\n",
			partial ? partial : "");
	intervals->open_row = false;
}

void intervals_add(struct intervals *intervals, uint64_t launch,
		   const char *kernel)
{
	struct interval_state now, difference;

	take_state(intervals, &now);
	if (now.timing.cycles == intervals->last.timing.cycles)
		return;
	difference = now;
	subtract(&difference, &intervals->last);
	end_row(intervals, NULL);
	fprintf(intervals->output->stream, "%" PRIu64 ",%s,%" PRIu64, launch,
		kernel, now.timing.cycles);
	write_row(intervals->output->stream, &now, &difference);
	intervals->open_row = true;
	intervals->last = now;
}

int intervals_close(struct intervals *intervals, const char *partial,
		    struct error *error)
{
	int status;

	end_row(intervals, partial);
	status = output_close(intervals->output, 0, error);
	free(intervals);
	return status;
}

void intervals_free(struct intervals *intervals)
{
	free(intervals);
}
