/* How a block went through the pipeline, as a file that the viewer Konata
 * shows: the text format Kanata 0004 (github.com/shioyadan/Konata,
 * docs/kanata-log-format.md). */
#ifndef M2S_X86_TIMING_BLOCKS_KANATA_H
#define M2S_X86_TIMING_BLOCKS_KANATA_H

#include <stdio.h>

#include "x86/timing/core/core.h"

struct kanata;

/* Collects what becomes of the first `limit` instructions. `code` are the bytes
 * of the block, whose first one is at the start of a page; it stays the
 * caller's. */
struct kanata *kanata_create(const uint8_t *code, size_t size,
			     unsigned limit);
void kanata_free(struct kanata *kanata);
/* For x86_core_observe(). */
void kanata_retired(void *owner, const struct x86_core_retired *what);
/* Stages: F predecoder and instruction queue, D queue of uops, Is renamer and
 * scheduler, Ex from the first uop at a port to the last result, Rt until
 * retirement. */
void kanata_write(struct kanata *kanata, FILE *stream);

#endif
