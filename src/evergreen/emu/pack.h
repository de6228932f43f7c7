/* The host vector that has a wavefront's active lanes, and lanes that are
 * packed into one vector, as chains see them (struct evg_wavefront,
 * `vector`). */
#ifndef M2S_EVERGREEN_EMU_PACK_H
#define M2S_EVERGREEN_EMU_PACK_H

#include "evergreen/emu/state.h"

/* Finds the vector for the active mask, which has changed. */
void evg_pack_find_vector(struct evg_wavefront *wavefront);

#endif
