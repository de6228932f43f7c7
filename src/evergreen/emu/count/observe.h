/* Fetches, stores and clauses tell the count of traffic what they do. */
#ifndef M2S_EVERGREEN_EMU_COUNT_OBSERVE_H
#define M2S_EVERGREEN_EMU_COUNT_OBSERVE_H

#include "evergreen/emu/count/traffic.h"
#include "evergreen/emu/machine.h"

/* A fetch or store, static instruction `line`, is about to run. */
static inline void begin_traffic(struct evg_wavefront *wavefront, uint32_t line)
{
	if (wavefront->observers.traffic)
		wavefront->observers.traffic->line = line;
}

/* Counts what it has noted. */
static inline void take_traffic(struct evg_wavefront *wavefront)
{
	if (wavefront->observers.traffic)
		evg_traffic_take(wavefront->observers.traffic);
}

#endif
