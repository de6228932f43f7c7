/* What native code calls. */
#include "evergreen/emu/chain.h"

#include "evergreen/emu/control.h"
#include "evergreen/emu/machine.h"
#include "evergreen/emu/native/native.h"
#include "evergreen/emu/pack.h"
#include "evergreen/emu/count/traffic.h"

bool evg_chain_set_active(struct evg_wavefront *wavefront, uint64_t lanes)
{
	control_set_active(wavefront, lanes);
	evg_pack_find_vector(wavefront);
	return lanes == UINT64_MAX;
}

void evg_chain_set_predicate(struct evg_wavefront *wavefront)
{
	control_set_predicate_masks(wavefront);
}

void evg_chain_take_traffic(struct evg_wavefront *wavefront)
{
	evg_traffic_take(wavefront->observers.traffic);
}

bool evg_chain_fetch(struct evg_wavefront *wavefront,
		     const struct evg_cf_plan *cf)
{
	for (uint32_t i = 0; i < cf->fetch_count; i++) {
		wavefront->progress.position = i + 1;
		if (!evg_wavefront_fetch(wavefront, cf))
			return true;
	}
	return false;
}

bool evg_chain_store(struct evg_wavefront *wavefront,
		     const struct evg_cf_plan *cf)
{
	wavefront->progress.position = 0;
	evg_wavefront_store(wavefront, cf);
	return wavefront->fault.kind;
}
