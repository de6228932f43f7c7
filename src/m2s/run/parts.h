/* --x86-save-parts: a functional run saves a checkpoint before each part of a
 * sampling plan. */
#ifndef M2S_M2S_RUN_PARTS_H
#define M2S_M2S_RUN_PARTS_H

#include "base/error.h"
#include "base/output.h"
#include "m2s/options.h"
#include "x86/linux/linux.h"

struct saved_parts;

/* *parts becomes NULL without --x86-save-parts; `fast_forward` is the
 * configuration's. Sets where the guest pauses first. -1 and *error. */
int saved_parts_create(const struct options *options, uint64_t fast_forward,
		       const struct output_rules *rules,
		       struct saved_parts **parts, struct linux_options *guest,
		       struct error *error);
void saved_parts_free(struct saved_parts *parts); /* may be NULL */

/* The guest has paused where a part begins to warm: saves it, and says where the
 * guest pauses next. */
int saved_parts_save(struct saved_parts *parts, struct linux_system *guest,
		     struct error *error);
/* At the end of the run: names the parts that the program has reached as a whole, and
 * removes the checkpoint of one that it has not. */
int saved_parts_end(struct saved_parts *parts, uint64_t instructions,
		    struct error *error);

#endif
