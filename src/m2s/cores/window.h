/* --x86-trace: a window of the run on one core, as a file for the viewer Konata. */
#ifndef M2S_M2S_CORES_WINDOW_H
#define M2S_M2S_CORES_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* More instructions are not kept: some 100 MB. */
enum { WINDOW_MOST = 100000, WINDOW_USUAL = 1000 };

struct trace_window {
	unsigned core;
	bool cycles;          /* bounds are cycles, else retired instructions */
	uint64_t first, last; /* of the core, from 0; both inside */
};

/* Reads "core=N,instructions=FIRST-LAST" or "core=N,cycles=FIRST-LAST"; both
 * words may be missing (core 0, the first WINDOW_USUAL instructions), and so may
 * the text (NULL). -1 and *error when it says something else. */
int trace_window_read(struct trace_window *window, const char *text,
		      struct error *error);

#endif
