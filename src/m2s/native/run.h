/* The simulation of a native program: its options, its GPU and its reports. One
 * thread at a time uses it (entry.c). */
#ifndef M2S_M2S_NATIVE_RUN_H
#define M2S_M2S_NATIVE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct native_run;

/* What a run needs of its caller. */
struct native_host {
	/* The reason why a running kernel is to stop, as SimEnd, or NULL. */
	const char *(*stop_reason)(void);
	/* The lock, which a thread gives up while it waits for the compiler. */
	void (*leave)(void);
	void (*enter)(void);
};

/* `forked`: the process is a child of one that had a run, so the files whose
 * names do not contain %p get names of their own. NULL and *error. `host` outlives the
 * run. */
struct native_run *native_run_create(const struct native_host *host,
				     bool forked, struct error *error);

/* Serves a request (opencl_driver_request()). */
int native_run_request(struct native_run *run, uint64_t address,
		       struct error *error);

/* The limit that ended the run ("EvergreenMaxInst", "Signal", ...), or NULL. */
const char *native_run_limit(const struct native_run *run);

/* Writes the reports and the summary. `end` is SimEnd; `partial` that of
 * stats_write(). The run takes no more requests. Nothing is freed, since other
 * threads may still be on their way here. 0; or -1 when a report could not be
 * written, or launches have failed, after a message on standard error. */
int native_run_end(struct native_run *run, const char *end,
		   const char *partial);

/* Whether the user has given options, and so waits for reports or a summary. */
bool native_run_told(const struct native_run *run);
/* --max-time, in seconds of the host; 0: none. */
uint64_t native_run_max_time(const struct native_run *run);

/* What the parent had not written yet is not for the child to write. */
void native_run_forget_output(struct native_run *run);

#endif
