/* The state of a wavefront at its start. */
#include <string.h>

#include "evergreen/emu/control.h"
#include "evergreen/emu/count/traffic.h"
#include "evergreen/emu/machine.h"

/* The bytes of a row in which `lanes` lie, which are its first: so many of the
 * widest host vectors. */
static uint32_t bytes_of_lanes(uint64_t lanes)
{
	uint32_t last = 63 - (uint32_t)__builtin_clzll(lanes);

	return 4 * last / EVG_CONSTANT_BYTES * EVG_CONSTANT_BYTES +
	       EVG_CONSTANT_BYTES;
}

/* R0 = work-item in the group, R1 = group; the rest zero, so that what a kernel
 * should not look at is the same in every run. Nobody looks at lanes that are no
 * work-items: a wavefront's first start sets them, too, the others do not. */
static void start_rows(struct evg_wavefront *wavefront)
{
	const struct evg_plan *plan = wavefront->plan;
	const struct evg_simd *simd = plan->simd;
	const struct evg_work_group *group = wavefront->group;
	const uint32_t *local_ids =
		group->ndrange->local_ids +
		3 * EVG_WAVEFRONT_SIZE * (size_t)wavefront->index;
	uint8_t *rows = wavefront->registers.base[EVG_BASE_STATE];
	uint32_t bytes = wavefront->start_bytes;

	for (int d = 0; d < 3; d++) {
		simd->copy_row(rows + d * EVG_ROW_BYTES,
			       local_ids + d * EVG_WAVEFRONT_SIZE, bytes);
		simd->fill_rows(rows + (4 + d) * EVG_ROW_BYTES, 1,
				group->id[d], bytes);
	}
	simd->fill_rows(rows + 3 * EVG_ROW_BYTES, 1, 0, bytes);
	simd->fill_rows(rows + 7 * EVG_ROW_BYTES, 4 * plan->register_count - 7,
			0, bytes);
	for (uint32_t i = 0; i < plan->zero_row_count; i++)
		simd->fill_rows(rows + plan->zero_row[i], 1, 0, bytes);
	memset(wavefront->rat_return, 0, bytes);
}

void evg_wavefront_start(struct evg_wavefront *wavefront)
{
	const struct evg_plan *plan = wavefront->plan;
	struct evg_work_group *group = wavefront->group;

	start_rows(wavefront);
	wavefront->masks.valid = group->ndrange->valid[wavefront->index];
	wavefront->start_bytes = bytes_of_lanes(wavefront->masks.valid);
	wavefront->count.counters =
	    group->tally->recent +
	    (size_t)wavefront->index * group->ndrange->counter_stride;
	wavefront->count.noted = 0;
	control_set_active(wavefront, wavefront->masks.valid);
	evg_paths_start(&wavefront->paths, wavefront->masks.valid);
	wavefront->masks.predicate = wavefront->masks.pending = 0;
	wavefront->float_control = evg_float_control_of(&plan->float_mode);
	wavefront->progress.pc = wavefront->progress.position =
	    wavefront->stack.depth = 0;
	wavefront->stack.used = wavefront->stack.calls = 0;
	wavefront->indices.loop = 0;
	wavefront->indices.has_loop = false;
	memset(wavefront->indices.cf, 0, sizeof wavefront->indices.cf);
	wavefront->count.instructions = 0;
	wavefront->timing.timed = false;
	wavefront->timing.float_mode_set = group->ndrange->float_mode_set;
	wavefront->native.interpreted = group->ndrange->interpreted;
	wavefront->global.alone = group->ndrange->alone;
	wavefront->global.combiner = group->combiner;
	wavefront->local.bytes = group->local;
	wavefront->local.size = group->ndrange->launch.local_memory;
	wavefront->progress.ended = wavefront->progress.waiting = false;
	wavefront->sync.waits = false;
	wavefront->fault = (struct evg_fault){0};
	wavefront->observers.step = wavefront->observers.traffic
					? &wavefront->observers.traffic->step
					: NULL;
}
