/* The way of a block through the pipeline, as a file for the viewer Konata: the
 * text format Kanata 0004 (github.com/shioyadan/Konata,
 * docs/kanata-log-format.md). */
#ifndef M2S_X86_TIMING_BLOCKS_KANATA_H
#define M2S_X86_TIMING_BLOCKS_KANATA_H

#include <stdio.h>

#include "x86/timing/core/core.h"

struct kanata;

/* Collects the courses of the first `limit` instructions. `code` is the bytes
 * of the block, which begins at the start of a page. The bytes stay the
 * caller's. */
struct kanata *kanata_create(const uint8_t *code, size_t size,
			     unsigned limit);
void kanata_free(struct kanata *kanata);
/* For x86_core_observe(). */
void kanata_retired(void *owner, const struct x86_core_retired *what);
/* Writes the file. Stages: F predecoder and instruction queue, D queue of uops,
 * Is renamer and scheduler, Ex from the first uop at a port to the last result,
 * Rt until retirement. */
void kanata_write(struct kanata *kanata, FILE *stream);

#endif
