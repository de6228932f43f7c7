/* Every file that a run writes. A file is reserved before the programs' first
 * instruction, replaces no input, and gets its name when it is complete.
 * doc/reports.md says what users may rely on.
 *
 *	outputs = outputs_create(&rules);
 *	outputs_add(outputs, kind, option, path, &output, &error);   each
 *	... programs are found and loaded ...
 *	outputs_start(outputs, &rules, &error);
 *	... the run; output_close() of each report ...
 *	outputs_end(outputs, "ContextsFinished", &error);
 *	outputs_free(outputs); */
#ifndef M2S_REPORT_OUTPUTS_H
#define M2S_REPORT_OUTPUTS_H

#include "base/output.h"

struct outputs;

enum outputs_kind {
	/* Open from the start. Gets its name when it is closed. */
	OUTPUTS_REPORT,
	/* Open from the start. Gets its name when the programs start, so that
	 * people can follow it while it grows, and a last line when the
	 * programs have ended. Several traces may share a file. */
	OUTPUTS_TRACE,
	/* Opened when there is something to write (a checkpoint, the state of
	 * a run that hangs). At the start only the rules are checked. */
	OUTPUTS_LATER,
	/* Files whose names begin with the path, opened as OUTPUTS_LATER. */
	OUTPUTS_PREFIX,
};

/* The rules are copied; their inputs must outlive the outputs. */
struct outputs *outputs_create(const struct output_rules *rules);
/* Outputs that are still open are removed. */
void outputs_free(struct outputs *outputs);

/* The rules, for files that are opened later. */
const struct output_rules *outputs_rules(const struct outputs *outputs);

/* Reserves an output for --option. Sets *output for reports and traces, unless
 * `output` is NULL; close it with output_close(). Returns -1 and *error for the
 * errors of output_open(), and when two options name one file. */
int outputs_add(struct outputs *outputs, enum outputs_kind kind,
		const char *option, const char *path, struct output **output,
		struct error *error);

/* Checks the outputs once more when all inputs are known, and names the traces.
 * Called before the programs begin. */
int outputs_start(struct outputs *outputs, const struct output_rules *rules,
		  struct error *error);

/* Calls `visit` for each output that is or will be a regular file, with the
 * path that was given, which the outputs own. Until a file has its name it is
 * called .NAME.m2s-part, in the same folder: files are made, renamed and
 * removed there. */
void outputs_each(const struct outputs *outputs,
		  void (*visit)(void *owner, const char *path), void *owner);

/* Closes traces. `end`: SimEnd. */
int outputs_end(struct outputs *outputs, const char *end, struct error *error);

#endif
