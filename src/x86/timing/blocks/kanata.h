/* The way of instructions through the pipeline, as a file for the viewer Konata: the
 * text format Kanata 0004 (github.com/shioyadan/Konata,
 * docs/kanata-log-format.md). */
#ifndef M2S_X86_TIMING_BLOCKS_KANATA_H
#define M2S_X86_TIMING_BLOCKS_KANATA_H

#include <stdio.h>

#include "x86/timing/core/core.h"

struct kanata;

/* Reads the code of an instruction: up to `size` bytes. Returns their number; 0:
 * the code cannot be read. *wide: it is 64-bit code. */
typedef size_t kanata_code(void *owner, const struct x86_core_retired *what,
			   uint8_t *code, size_t size, bool *wide);

/* Collects the courses of the first `limit` instructions that it is told of.
 * `code` gives them names. */
struct kanata *kanata_create(unsigned limit, kanata_code *code, void *owner);
void kanata_free(struct kanata *kanata);
/* For x86_core_observe(), with the kanata as the owner. */
void kanata_retired(void *owner, const struct x86_core_retired *what);
/* The number of instructions that were collected. */
unsigned kanata_count(const struct kanata *kanata);
/* Writes the file, which begins with the first cycle of the first instruction.
 * Stages: F predecoder and instruction queue, D queue of uops,
 * Is renamer and scheduler, Ex from the first uop at a port to the last result,
 * Rt until retirement. */
void kanata_write(struct kanata *kanata, FILE *stream);

#endif
