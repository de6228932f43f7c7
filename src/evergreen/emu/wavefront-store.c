/* A store of a wavefront: at once or deferred, and what strays. */
#include "evergreen/emu/count/observe.h"
#include "evergreen/emu/memory/stores.h"
#include "evergreen/emu/stray.h"

static void run_store(struct evg_wavefront *wavefront,
		      const struct evg_cf_plan *cf)
{
	wavefront->deferred.checks_only =
	    wavefront->deferred.stores && cf->cf->inst.op != EVG_CF_MEM_SCRATCH;
	cf->store->body(wavefront, cf->store);
}

/* The dwords inside of a block of a store that strays, also those of elements
 * that lie in it in part. */
static void store_inside(struct evg_wavefront *wavefront,
			 const struct evg_cf_plan *cf)
{
	const struct evg_simd *simd = wavefront->plan->simd;
	struct evg_step *step = wavefront->observers.step;
	struct evg_store_plan part = *cf->store;
	unsigned components = part.component_mask;
	const struct evg_cf_plan part_cf = { .cf = cf->cf, .store = &part };

	if (part.body != simd->rat[EVG_RAT_STORE_RAW] ||
	    !(components & (components - 1)))
		return;
	wavefront->observers.step = NULL;
	for (; components; components &= components - 1) {
		part.component_mask = components & -components;
		run_store(wavefront, &part_cf);
	}
	wavefront->observers.step = step;
	/* The store itself counts its accesses. */
	wavefront->global.dropped = 0;
}

void evg_wavefront_store(struct evg_wavefront *wavefront,
			 const struct evg_cf_plan *cf)
{
	begin_traffic(wavefront, cf->cf->line);
	run_store(wavefront, cf);
	if (wavefront->fault.kind && evg_stray_begin(wavefront, cf->cf->line)) {
		store_inside(wavefront, cf);
		run_store(wavefront, cf);
		evg_stray_end(wavefront, cf->cf->line);
	}
	if (wavefront->deferred.checks_only && !wavefront->fault.kind)
		evg_stores_keep(wavefront, cf->store);
	wavefront->deferred.checks_only = false;
	take_traffic(wavefront);
}
