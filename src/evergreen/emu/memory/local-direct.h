#ifndef M2S_EVERGREEN_EMU_MEMORY_LOCAL_DIRECT_H
#define M2S_EVERGREEN_EMU_MEMORY_LOCAL_DIRECT_H

#include "evergreen/emu/state.h"

/* In bytes; the stride is per work-item. */
struct evg_direct {
	uint32_t offset, stride;
};

struct evg_direct evg_direct_decode(uint32_t literal);
/* Of struct evg_direct: reads the dwords into row `dest`. */
evg_body evg_run_local_direct;

#endif
