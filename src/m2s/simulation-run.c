/* The run of a simulation, and its end. */
#include <inttypes.h>
#include <string.h>

#include <stdlib.h>
#include "base/clock.h"
#include "m2s/run/checkpoints.h"
#include "m2s/run/deadline.h"
#include "m2s/simulation-internal.h"
#include "report/summary.h"

static const char MAX_TIME[] = "MaxTime";

static void print_progress(struct simulation *s)
{
	struct progress_facts facts = {
	    .seconds = host_seconds() - s->start,
	    .instructions = linux_instructions(s->guest),
	    .instruction_limit = s->options->x86_max_inst,
	};

	gpu_get_progress(s->gpu, &facts.kernel);
	progress_print(&s->progress, &facts);
}

static void show_state(struct simulation *s)
{
	progress_erase(&s->progress);
	print_progress(s);
	progress_keep(&s->progress);
	linux_print_state(s->guest, stderr);
}

/* The reason to end the run now, as SimEnd, or NULL. */
static const char *find_stop(struct simulation *s, bool between_turns)
{
	if (deadline_passed()) {
		s->stopped = MAX_TIME;
	} else if (s->guest) {
		switch (s->stop(s->stop_owner, s->guest, between_turns)) {
		case SIMULATION_STOP:
			s->stopped = "Signal";
			break;
		case SIMULATION_SHOW_STATE:
			show_state(s);
			break;
		case SIMULATION_GO_ON:
			break;
		}
		if (progress_is_due(&s->progress, !between_turns))
			print_progress(s);
		else if (between_turns && !s->progress.program_too)
			progress_erase(&s->progress);
	}
	return s->stopped;
}

const char *simulation_kernel_stop(void *owner)
{
	return find_stop(owner, false);
}

bool simulation_guest_stop(void *owner)
{
	return find_stop(owner, true) != NULL;
}

/* The reason why the run ended, as SimEnd. */
static const char *end_name(const struct simulation *s,
			    const struct linux_result *end, int status)
{
	const char *limit = gpu_limit(s->gpu);

	if (limit)
		return limit;
	if (end->end == LINUX_END_STOPPED)
		return s->stopped;
	if (end->end == LINUX_END_PAUSE && s->options->part)
		return "x86Part";
	return status && end->end != LINUX_END_DEADLOCK
		   ? "Error"
		   : linux_end_name(end->end);
}

static enum simulation_end end_kind(const struct simulation *s,
				    const struct linux_result *end)
{
	if (s->stopped && s->stopped != MAX_TIME)
		return SIMULATION_SIGNAL;
	return s->stopped || gpu_limit(s->gpu) ||
		       end->end == LINUX_END_INSTRUCTIONS ||
		       end->end == LINUX_END_LAST
		   ? SIMULATION_LIMIT
		   : SIMULATION_COMPLETE;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text);

	return length > strlen(end) &&
	       !strcmp(text + length - strlen(end), end);
}

static int write_threads(struct simulation *s, struct error *error)
{
	const char *simulation = s->options->evg_sim;

	if (s->machine)
		x86_machine_report_threads(s->machine,
					   s->files.threads->stream);
	return simulation && !strcmp(simulation, "detailed")
		       ? gpu_write_threads(s->gpu, s->files.threads, error)
		       : output_close(s->files.threads, 0, error);
}

static int write_reports(struct simulation *s, const char *partial,
			 struct error *error)
{
	const struct options *options = s->options;

	if (options->x86_report_branches)
		x86_machine_report_branches(s->machine, s->stats,
					    options->x86_report_branches);
	opencl_register(s->opencl, s->files.provenance, s->stats);
	if (run_files_report(&s->files, options, s->stats, partial, error) ||
	    gpu_write_intervals(s->gpu, partial, error) ||
	    (s->files.threads && write_threads(s, error)) ||
	    (s->files.profile &&
	     x86_machine_write_profile(s->machine, s->files.profile,
				       ends_with(options->x86_annotate, ".csv"),
				       partial, error)) ||
	    (s->files.units &&
	     gpu_write_pipeline(s->gpu, s->files.units, error)) ||
	    (s->files.pipeline &&
	     x86_machine_write_window(s->machine, s->files.pipeline, error)) ||
	    (s->files.power &&
	     x86_machine_write_power(s->machine, s->stats, s->files.power,
				     error)) ||
	    (s->files.annotations &&
	     gpu_write_annotations(s->gpu, s->files.annotations,
				   ends_with(options->evg_annotate, ".csv"),
				   partial, error)))
		return -1;
	if (options->document)
		stats_describe(s->stats, stdout);
	return 0;
}

static void summarize(const struct simulation *s, const char *end)
{
	struct x86_summary cores;
	struct summary summary = {
	    .real_time = host_seconds() - s->start,
	    .end = end,
	    .x86_instructions = linux_instructions(s->guest),
	    .contexts = linux_contexts(s->guest),
	    .simulated = gpu_now(s->gpu),
	    .detailed =
		s->options->evg_sim && !strcmp(s->options->evg_sim, "detailed"),
	};

	gpu_summarize(s->gpu, &summary.gpu);
	if (s->machine) {
		x86_machine_summarize(s->machine, &cores);
		summary.x86 = &cores;
		summary.simulated = x86_machine_elapsed(s->machine);
	}
	summary_print(&summary, stderr);
	if (summary.x86)
		free(cores.diagnosis);
}

static int end_timeline(struct simulation *s, const char *partial,
			struct error *error)
{
	if (!s->timeline)
		return 0;
	return output_close(s->files.timeline,
			    timeline_end(s->timeline, partial, error), error);
}

static int run_guest(void *owner, struct linux_result *result,
		     struct error *error)
{
	struct simulation *s = owner;

	return s->machine ? x86_machine_run(s->machine, s->guest, result, error)
			  : linux_run(s->guest, result, error);
}

int simulation_run(struct simulation *s, struct simulation_result *result,
		   struct error *error)
{
	struct linux_result end = {0};
	struct error other;
	struct checkpoints_runner runner = {
		.run = run_guest, .owner = s, .parts = s->parts,
	};
	const char *name, *partial;
	int status;

	*error = (struct error){""};
	status = checkpoints_run(s->options, s->files.log, s->guest, &runner,
				 &end, error);
	progress_erase(&s->progress);
	deadline_end();
	if (gpu_limit(s->gpu))
		status = 0;
	name = end_name(s, &end, status);
	result->end = end_kind(s, &end);
	result->exit_status = end.ended ? end.exit_status : 0;
	result->signal = end.ended ? end.signal : 0;
	/* Only the first error is reported. */
	partial = end.end == LINUX_END_FINISHED && !status ? NULL : name;
	if (!partial && s->failures.unfinished)
		partial = "KernelFailed";
	if (write_reports(s, partial, status ? &other : error))
		status = -1;
	if (end_timeline(s, partial, status ? &other : error))
		status = -1;
	if (simulation_observe_end(s, status ? &other : error))
		status = -1;
	if (outputs_end(s->files.outputs, name, status ? &other : error))
		status = -1;
	if (!s->options->quiet)
		summarize(s, name);
	if (!status && s->failures.launches && !result->exit_status)
		status = error_set(error, "%" PRIu64 " kernel launch%s failed, "
				   "and the program ended as if none had",
				   s->failures.launches,
				   s->failures.launches == 1 ? "" : "es");
	return status;
}
