/* --evg-annotate: the listing of each kernel that ran, with what each static
 * instruction did beside it, summed over all launches, and the source line
 * where the kernel was compiled with -g. */
#ifndef M2S_M2S_ANNOTATE_H
#define M2S_M2S_ANNOTATE_H

#include "base/error.h"
#include "evergreen/emu/emu.h"

struct annotations;

struct annotations *annotations_create(void);
void annotations_free(struct annotations *annotations); /* NULL is fine */
/* Adds the figures of an ND-range that has run; its kernel may go. */
void annotations_add(struct annotations *annotations,
		     const struct evg_ndrange *ndrange);
/* Text, or comma-separated values when the path ends in ".csv". `partial`, if
 * not NULL, says why the run ended early. */
int annotations_write(const struct annotations *annotations, const char *path,
		      const char *partial, struct error *error);

#endif
