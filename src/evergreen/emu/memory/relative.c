/* Memory instructions whose registers are counted from aL. The loop index is
 * one for the wavefront, so that a copy of the plan with other rows does. */
#include "evergreen/emu/plan/plan.h"

/* Rows of `gpr` become those of gpr + aL, with which a burst of `burst` more
 * registers begins. */
static bool move_rows(struct evg_wavefront *wavefront, unsigned gpr,
		      unsigned burst, uint32_t *rows, unsigned count)
{
	uint32_t number = gpr + (uint32_t)wavefront->indices.loop;
	unsigned lane =
	    (unsigned)__builtin_ctzll(wavefront->masks.lanes[EVG_MASK_ACTIVE]);

	if (!wavefront->indices.has_loop) {
		wavefront->fault = (struct evg_fault){
			.kind = EVG_FAULT_TRAP,
			.lane = (uint8_t)lane,
			.text = "aL outside of a loop that sets it",
		};
		return false;
	}
	if (gpr >= wavefront->plan->register_count ||
	    (uint64_t)number + burst >= wavefront->plan->register_count) {
		wavefront->fault = (struct evg_fault){
			.kind = EVG_FAULT_REGISTER,
			.lane = (uint8_t)lane,
			.address = number + burst,
			.bytes = wavefront->plan->register_count,
		};
		return false;
	}
	for (unsigned i = 0; i < count; i++)
		if (rows[i] != EVG_NO_ROW)
			rows[i] += 4 * EVG_ROW_BYTES * (number - gpr);
	return true;
}

void evg_fetch_relative(struct evg_wavefront *wavefront,
			const struct evg_fetch_plan *fetch)
{
	const struct evg_fetch_inst *inst = &fetch->fetch->inst;
	struct evg_fetch_plan moved = *fetch;

	if (inst->source_relative &&
	    (!move_rows(wavefront, inst->source_gpr, 0, &moved.source, 1) ||
	     !move_rows(wavefront, inst->source_gpr, 0, moved.coordinate, 4)))
		return;
	if (inst->dest_relative &&
	    !move_rows(wavefront, inst->dest_gpr, inst->burst_count,
		       moved.dest, 4))
		return;
	fetch->inner(wavefront, &moved);
}

void evg_store_relative(struct evg_wavefront *wavefront,
			const struct evg_store_plan *store)
{
	struct evg_store_plan moved = *store;

	if (move_rows(wavefront, store->cf->rw_gpr, store->cf->burst_count,
		      moved.value, 4))
		store->inner(wavefront, &moved);
}
