/* --cl-debug: each call of the program as a line, with its arguments in words,
 * its result, and when it began and how long it took in simulated time. */
#ifndef M2S_OPENCL_RT_DRIVER_CALLS_CALL_LOG_H
#define M2S_OPENCL_RT_DRIVER_CALLS_CALL_LOG_H

#include <stdbool.h>
#include <stdio.h>

#include "base/clock.h"
#include "opencl-rt/protocol.h"

struct opencl_driver;

/* A call as it came. Served, its objects may be gone. */
struct call_text {
	char *text; /* owned */
	size_t size;
	picoseconds begin;
	bool again; /* the library asks whether the call still waits */
};

/* Describes a call before it is served. */
void call_text_begin(struct call_text *call, struct opencl_driver *driver,
		     const uint64_t *request);
/* Writes the line of a call that has been served, and frees the text. */
void call_text_end(struct call_text *call, struct opencl_driver *driver,
		   const uint64_t *request, FILE *stream);

#endif
