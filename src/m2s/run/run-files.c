#include "m2s/run/run-files.h"

#include <string.h>

#include "base/memory.h"
#include "m2s/defaults.h"
#include "report/hang.h"
#include "report/provenance.h"

static const struct {
	const char *role;
	size_t offset; /* of a path in struct options */
} input_options[] = {
	{ "x86-config", offsetof(struct options, x86_config) },
	{ "evg-config", offsetof(struct options, evg_config) },
	{ "mem-config", offsetof(struct options, mem_config) },
	{ "net-config", offsetof(struct options, net_config) },
	{ "config", offsetof(struct options, config) },
	{ "ctx-config", offsetof(struct options, ctx_config) },
	{ "x86-phases", offsetof(struct options, x86_phases) },
	{ "x86-load-checkpoint",
	  offsetof(struct options, x86_load_checkpoint) },
	{ "evg-kernel-binary", offsetof(struct options, evg_kernel_binary) },
	{ "evg-calc-kernel", offsetof(struct options, evg_calc_kernel) },
};

void run_files_add_inputs(struct inputs *inputs, const struct options *options)
{
	for (size_t i = 0; i < ARRAY_SIZE(input_options); i++) {
		const char *path = *(const char *const *)(
			(const char *)options + input_options[i].offset);

		if (path)
			inputs_add_path(inputs, input_options[i].role, path);
	}
}

static int open_log(struct run_files *files, const struct options *options,
		    struct error *error)
{
	files->log = log_create();
	for (int i = 0; i < LOG_CHANNEL_COUNT; i++) {
		struct output *output;

		if (!options->log_path[i])
			continue;
		if (outputs_add(files->outputs, OUTPUTS_TRACE,
				log_channel_info[i].option,
				options->log_path[i], &output, error))
			return -1;
		log_open(files->log, (enum log_channel)i, output->stream);
	}
	return 0;
}

static int reserve(struct run_files *files, const struct options *options,
		   bool detailed, struct error *error)
{
	const char *intervals = options->stats_interval_file;
	const char *hang = options->hang_file;
	const struct {
		const char *option, *path;
		enum outputs_kind kind;
		struct output **output;
	} rows[] = {
		{ "evg-annotate", options->evg_annotate, OUTPUTS_REPORT,
		  &files->annotations },
		{ "x86-branch-trace", options->x86_branch_trace, OUTPUTS_REPORT,
		  &files->branches },
		{ "x86-find-phases", options->x86_find_phases, OUTPUTS_REPORT,
		  &files->phases },
		{ "x86-annotate", options->x86_annotate, OUTPUTS_REPORT,
		  &files->profile },
		{ "x86-trace", options->x86_trace, OUTPUTS_REPORT,
		  &files->pipeline },
		{ "trace", options->trace, OUTPUTS_REPORT, &files->timeline },
		{ "x86-mcpat", options->x86_mcpat, OUTPUTS_REPORT,
		  &files->power },
		{ "evg-trace", options->evg_trace, OUTPUTS_REPORT,
		  &files->units },
		{ "threads-report", options->threads_report, OUTPUTS_REPORT,
		  &files->threads },
		{ "stats-interval-file",
		  intervals || !options->stats_interval ? intervals
							: DEFAULT_INTERVALS_FILE,
		  OUTPUTS_REPORT, &files->intervals },
		{ "hang-file", hang || !detailed ? hang : HANG_FILE,
		  OUTPUTS_LATER, NULL },
		{ "x86-save-checkpoint", options->x86_save_checkpoint,
		  OUTPUTS_LATER, NULL },
		{ "evg-calc", options->evg_calc, OUTPUTS_PREFIX, NULL },
		{ "x86-save-parts", options->x86_save_parts, OUTPUTS_PREFIX,
		  NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].path &&
		    outputs_add(files->outputs, rows[i].kind, rows[i].option,
				rows[i].path, rows[i].output, error))
			return -1;
	if (options->x86_save_checkpoint &&
	    output_check(options->x86_save_checkpoint,
			 outputs_rules(files->outputs), error))
		return error_prefix(error, "--x86-save-checkpoint");
	return 0;
}

int run_files_open(struct run_files *files, const struct options *options,
		   bool detailed, bool x86_detailed, struct error *error)
{
	struct output_rules rules;

	*files = (struct run_files){ .start = time(NULL) };
	if (provenance_choose(options->provenance, &files->provenance, error))
		return -1;
	files->inputs.hashed = files->provenance && reports_asked(options);
	run_files_add_inputs(&files->inputs, options);
	rules = inputs_rules(&files->inputs, options->overwrite);
	rules.apart = options->native;
	files->outputs = outputs_create(&rules);
	return open_log(files, options, error) ||
			       reports_reserve(&files->reports, options,
					       files->outputs, detailed,
					       x86_detailed, error) ||
			       reserve(files, options, detailed, error)
		       ? -1
		       : 0;
}

int run_files_timeline(struct run_files *files, const struct options *options,
		       bool detailed, struct timeline **timeline,
		       struct error *error)
{
	const struct timeline_texts texts = {
		options->trace_cycles, options->trace_launches,
		options->trace_units, options->trace_events,
	};
	size_t length;

	if (options->evg_trace && !detailed)
		return error_set(error, "--evg-trace %s: needs --evg-sim "
				 "detailed", options->evg_trace);
	if (!options->trace && !options->evg_trace &&
	    (texts.cycles || texts.launches || texts.units || texts.kinds))
		return error_set(error, "--trace-cycles, --trace-launches, "
				 "--trace-units and --trace-events need "
				 "--trace FILE or --evg-trace FILE");
	if (timeline_window_parse(&files->window, &texts, error))
		return -1;
	if (!options->trace)
		return 0;
	length = strlen(options->trace);
	*timeline = timeline_create(files->timeline->stream,
				    length > 3 && !strcmp(options->trace +
							  length - 3, ".gz"),
				    &files->window);
	return 0;
}

int run_files_start(struct run_files *files, const struct options *options,
		    struct error *error)
{
	struct output_rules rules =
		inputs_rules(&files->inputs, options->overwrite);

	return outputs_start(files->outputs, &rules, error);
}

int run_files_report(struct run_files *files, const struct options *options,
		     struct stats *stats, const char *partial,
		     struct error *error)
{
	if (files->inputs.hashed)
		provenance_add(stats, options->argv, &files->inputs, files->start);
	return reports_write(&files->reports, stats, partial, error);
}

void run_files_close(struct run_files *files)
{
	log_free(files->log);
	outputs_free(files->outputs);
	inputs_clear(&files->inputs);
}
