/* Every file that a run writes, in one place: reserved before the programs'
 * first instruction, checked against what must not be replaced, given its name
 * when it is whole. doc/reports.md says what users may rely on.
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
	/* Open from the start, gets its name when it is closed. */
	OUTPUTS_REPORT,
	/* The same, but people follow it while it grows: gets its name when
	 * the programs start, and a last line when they have ended. Several
	 * may share a file. */
	OUTPUTS_TRACE,
	/* Opened when, and if, there is something to write (a checkpoint, the
	 * state of a run that hangs); only the rules are asked at the start. */
	OUTPUTS_LATER,
	/* Files whose names begin so, opened as those. */
	OUTPUTS_PREFIX,
};

/* The rules are copied; their inputs must outlive the outputs. */
struct outputs *outputs_create(const struct output_rules *rules);
/* Outputs that are still open are removed. */
void outputs_free(struct outputs *outputs);

/* For what is opened later. */
const struct output_rules *outputs_rules(const struct outputs *outputs);

/* Reserves an output for --option. *output, which may be NULL, is for reports
 * and traces; close it with output_close(). -1 and *error: see output_open(),
 * or two options name one file. */
int outputs_add(struct outputs *outputs, enum outputs_kind kind,
		const char *option, const char *path, struct output **output,
		struct error *error);

/* All inputs are known, the programs begin. */
int outputs_start(struct outputs *outputs, const struct output_rules *rules,
		  struct error *error);

/* Calls `visit` for each output that is or will be a regular file, with the
 * path that was given; it stays the outputs'. Until a file has its name it is
 * .NAME.m2s-part in the same folder; files are made, renamed and removed
 * there. */
void outputs_each(const struct outputs *outputs,
		  void (*visit)(void *owner, const char *path), void *owner);

/* Closes traces. `end`: SimEnd. */
int outputs_end(struct outputs *outputs, const char *end, struct error *error);

#endif
