#include "m2s/run/checkpoints.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "m2s/sampling/parts.h"

int checkpoints_plan(const struct options *options,
		     struct linux_options *guest, struct error *error)
{
	const char *at = options->x86_checkpoint_at;
	char *end;

	if (options->x86_host_pids &&
	    (options->x86_save_checkpoint || options->x86_load_checkpoint ||
	     options->x86_save_parts))
		return error_set(error, "--x86-host-pids: cannot be used with "
					"checkpoints, which have process ids "
					"of their own");
	if (options->part) {
		guest->pause_at = sampling_part_end(options->part);
		return 0;
	}
	if (!options->x86_save_checkpoint) {
		if (at || options->x86_checkpoint_stop)
			return error_set(error, "--x86-checkpoint-%s: needs "
						"--x86-save-checkpoint FILE",
					 at ? "at" : "stop");
		return 0;
	}
	if (!at) {
		if (options->x86_checkpoint_stop)
			return error_set(error, "--x86-checkpoint-stop: needs "
						"--x86-checkpoint-at N|marker");
		return 0;
	}
	if (!strcmp(at, "marker")) {
		guest->pause_at_marker = true;
		return 0;
	}
	errno = 0;
	guest->pause_at = strtoull(at, &end, 0);
	if (end == at || *end || *at == '-' || errno || !guest->pause_at)
		return error_set(error, "--x86-checkpoint-at %s: expected a "
				 "number of instructions, or marker", at);
	return 0;
}

static int save(const struct options *options, struct linux_system *guest,
		struct error *error)
{
	if (linux_save_checkpoint(guest, options->x86_save_checkpoint, error))
		return error_prefix(error, "--x86-save-checkpoint");
	return 0;
}

int checkpoints_run(const struct options *options, struct log *log,
		    struct linux_system *guest,
		    const struct checkpoints_runner *runner,
		    struct linux_result *result, struct error *error)
{
	unsigned saved = 0;
	int status;

	for (;;) {
		status = runner->run(runner->owner, result, error);
		if (status || result->end != LINUX_END_PAUSE)
			break;
		/* The end of a part. */
		if (options->part)
			break;
		if (runner->parts ? saved_parts_save(runner->parts, guest, error)
				  : save(options, guest, error))
			return -1;
		saved++;
		if (options->x86_checkpoint_stop)
			break;
	}
	if (!status && runner->parts)
		return saved_parts_end(runner->parts, linux_instructions(guest),
				 error);
	if (status || !options->x86_save_checkpoint)
		return status;
	if (!options->x86_checkpoint_at &&
	    (result->end == LINUX_END_INSTRUCTIONS ||
	     result->end == LINUX_END_LAST ||
	     result->end == LINUX_END_STOPPED)) {
		saved++;
		if (save(options, guest, error))
			return -1;
	}
	if (!saved)
		log_warning(log, "no checkpoint was saved: the run ended after "
				 "%" PRIu64 " instructions, before it reached "
				 "%s",
			    result->instructions,
			    !options->x86_checkpoint_at ? "a limit"
			    : !strcmp(options->x86_checkpoint_at, "marker")
				    ? "a marker"
				    : "--x86-checkpoint-at");
	return 0;
}
