/* The state of a wavefront. Each part is declared in the header of its subject.
 * The parts that every instruction needs come first, the rows last. */
#ifndef M2S_EVERGREEN_EMU_WAVEFRONT_H
#define M2S_EVERGREEN_EMU_WAVEFRONT_H

#include "evergreen/emu/control-stack.h"
#include "evergreen/emu/count/wavefront-count.h"
#include "evergreen/emu/fault.h"
#include "evergreen/emu/float-control.h"
#include "evergreen/emu/masks.h"
#include "evergreen/emu/memory/index-registers.h"
#include "evergreen/emu/memory/view.h"
#include "evergreen/emu/native/state.h"
#include "evergreen/emu/paths.h"
#include "evergreen/emu/progress.h"
#include "evergreen/emu/rows.h"
#include "evergreen/emu/sync.h"
#include "evergreen/emu/timing-link.h"

struct evg_plan;

/* What each step of a VLIW group looks at is in the first five lines of the
 * host's cache: many wavefronts take turns. */
struct evg_wavefront {
	struct evg_registers registers;
	struct evg_masks masks;
	struct evg_progress progress;
	struct evg_float_control float_control;

	struct evg_work_group *group;
	const struct evg_plan *plan;
	struct evg_wavefront_count count;
	struct evg_observers observers;

	struct evg_timing_link timing;
	uint32_t index; /* in the work-group */
	uint32_t start_bytes; /* of each row, that the next start sets */

	struct evg_fault fault;
	struct evg_local_view local;
	struct evg_deferral deferred;

	struct evg_global_view global;
	struct evg_scratch_view scratch;
	struct evg_buffer_view buffers;
	struct evg_control_stack stack;
	struct evg_index_registers indices;
	struct evg_sync_wait sync;
	struct evg_native_state native;
	struct evg_paths paths;
	struct evg_mask_rows mask_rows;
	alignas(64) uint32_t rat_return[EVG_WAVEFRONT_SIZE];
	struct evg_native_rows native_rows;
};

#endif
