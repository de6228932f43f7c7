/* --evg-annotate: the listing of each kernel that ran. Each static instruction
 * has its figures beside it, summed over all launches. Kernels that were
 * compiled with -g also have their source lines, with totals. */
#ifndef M2S_REPORT_ANNOTATE_H
#define M2S_REPORT_ANNOTATE_H

#include "base/error.h"
#include "base/output.h"
#include "evergreen/emu/emu.h"
#include "evergreen/timing/timing.h"

struct annotations;

struct annotations *annotations_create(void);
void annotations_free(struct annotations *annotations); /* may be NULL */
/* Adds the figures of an ND-range that has run; its kernel may be freed after.
 * `cycles` is NULL, or what evg_timing_inst_cycles() returned. */
void annotations_add(struct annotations *annotations,
		     const struct evg_ndrange *ndrange,
		     const struct evg_inst_cycles *cycles);
/* Writes text, or comma-separated values with `csv`, and closes the output.
 * `partial`, if not NULL, says why the run ended early. */
int annotations_write(const struct annotations *annotations,
		      struct output *output, bool csv, const char *partial,
		      struct error *error);

#endif
