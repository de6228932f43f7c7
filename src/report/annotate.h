/* --evg-annotate: the listing of each kernel that ran, with what each static
 * instruction did beside it, summed over all launches, and the source lines
 * where the kernel was compiled with -g, with their totals. */
#ifndef M2S_REPORT_ANNOTATE_H
#define M2S_REPORT_ANNOTATE_H

#include "base/error.h"
#include "base/output.h"
#include "evergreen/emu/emu.h"
#include "evergreen/timing/timing.h"

struct annotations;

struct annotations *annotations_create(void);
void annotations_free(struct annotations *annotations); /* NULL is fine */
/* Adds the figures of an ND-range that has run; its kernel may go. `cycles`: by
 * address, as evg_timing_inst_cycles() has them, or NULL. */
void annotations_add(struct annotations *annotations,
		     const struct evg_ndrange *ndrange,
		     const struct evg_inst_cycles *cycles);
/* Text or comma-separated values; closes the output. `partial`, if not NULL,
 * says why the run ended early. */
int annotations_write(const struct annotations *annotations,
		      struct output *output, bool csv, const char *partial,
		      struct error *error);

#endif
