/* Which host vector has a wavefront's active lanes, and lanes that are put into
 * one: what chains know of that (struct evg_wavefront, `vector`). */
#ifndef M2S_EVERGREEN_EMU_PACK_H
#define M2S_EVERGREEN_EMU_PACK_H

#include "evergreen/emu/state.h"

/* Looks at the active mask, which has changed. */
void evg_pack_find_vector(struct evg_wavefront *wavefront);

#endif
