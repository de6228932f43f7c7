/* The times at which checkpoints are saved: --x86-save-checkpoint,
 * --x86-checkpoint-at. */
#ifndef M2S_M2S_RUN_CHECKPOINTS_H
#define M2S_M2S_RUN_CHECKPOINTS_H

#include "base/error.h"
#include "m2s/options.h"
#include "m2s/run/parts.h"
#include "x86/linux/linux.h"

/* Sets the members of linux_options that checkpoints need. -1 and *error for
 * options that make no sense together. */
int checkpoints_plan(const struct options *options,
		     struct linux_options *guest, struct error *error);

/* Runs the guest by `run`, which is linux_run() or does the same, and saves
 * checkpoints on the way and at the end. */
struct checkpoints_runner {
	struct saved_parts *parts; /* of --x86-save-parts, or NULL */
	int (*run)(void *owner, struct linux_result *result,
		   struct error *error);
	void *owner;
};
int checkpoints_run(const struct options *options, struct log *log,
		    struct linux_system *guest,
		    const struct checkpoints_runner *runner,
		    struct linux_result *result, struct error *error);

#endif
