/* What whoever steps wavefronts tells them and asks of them. */
#include "evergreen/emu/machine.h"

void evg_wavefront_set_owner(struct evg_wavefront *wavefront, void *owner)
{
	wavefront->timing.owner = owner;
}

void *evg_wavefront_owner(const struct evg_wavefront *wavefront)
{
	return wavefront->timing.owner;
}

void evg_wavefront_place(struct evg_wavefront *wavefront, uint32_t slot)
{
	wavefront->timing.place.wave_slot = slot;
	wavefront->timing.place.odd = slot & 1;
}

void evg_wavefront_set_time(struct evg_wavefront *wavefront, uint64_t cycle)
{
	wavefront->timing.timed = true;
	wavefront->timing.cycle = cycle;
}

void evg_wavefront_set_odd(struct evg_wavefront *wavefront, bool odd)
{
	wavefront->timing.place.odd = odd;
}

void evg_wavefront_defer(struct evg_wavefront *wavefront,
			 struct evg_stores *stores)
{
	wavefront->deferred.stores = stores;
}

void evg_wavefront_release(struct evg_wavefront *wavefront)
{
	wavefront->progress.waiting = false;
}

uint32_t evg_wavefront_next(const struct evg_wavefront *wavefront)
{
	return wavefront->plan->cf[wavefront->progress.pc].cf->address;
}

bool evg_wavefront_ended(const struct evg_wavefront *wavefront)
{
	return wavefront->progress.ended;
}

bool evg_wavefront_waiting(const struct evg_wavefront *wavefront)
{
	return wavefront->progress.waiting;
}

uint64_t evg_wavefront_group(const struct evg_wavefront *wavefront)
{
	return wavefront->group->index;
}

uint32_t evg_wavefront_index(const struct evg_wavefront *wavefront)
{
	return wavefront->index;
}

uint32_t evg_wavefront_address(const struct evg_wavefront *wavefront)
{
	return wavefront->progress.pc;
}
