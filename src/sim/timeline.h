/* The events of a run over simulated time, as a file that viewers draw: a JSON
 * object with "traceEvents", as Perfetto and Chrome's about:tracing read it
 * ("Trace Event Format", complete events "X" and metadata "M").
 *
 * A process of the file is a part of the machine (a compute unit), a track is
 * one thing in it that does one thing at a time (an engine, the place of a
 * wavefront). Events of a track do not overlap.
 *
 * The file is written as the run goes. Memory holds what buffers have collected
 * since they were written last. */
#ifndef M2S_SIM_TIMELINE_H
#define M2S_SIM_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"

struct timeline;

enum timeline_kind {
	TIMELINE_LAUNCHES,   /* and transfers */
	TIMELINE_GROUPS,
	TIMELINE_WAVEFRONTS,
	TIMELINE_ENGINES,
	TIMELINE_CORES,
	TIMELINE_KINDS
};

/* Numbers of processes in the file; a compute unit has TIMELINE_UNIT + n. */
enum { TIMELINE_CPU = 1, TIMELINE_GPU = 2, TIMELINE_UNIT = 10 };

/* A half-open range of cycles or of numbers. */
struct timeline_range {
	uint64_t from, to;
};

enum { TIMELINE_RANGES = 32 };
struct timeline_set {
	struct timeline_range range[TIMELINE_RANGES];
	unsigned count;      /* 0: everything */
};

/* Which events are written. */
struct timeline_window {
	struct timeline_range cycles;
	struct timeline_set launches, units;
	bool kind[TIMELINE_KINDS];
};

/* What users write, or NULL for everything: "1000-2000", "1000-", "-2000";
 * numbers and ranges separated by commas, the last of a range included; names
 * of kinds separated by commas. -1 and *error, which quotes the text. */
struct timeline_texts {
	const char *cycles, *launches, *units, *kinds;
};
int timeline_window_parse(struct timeline_window *window,
			  const struct timeline_texts *texts,
			  struct error *error);
bool timeline_set_has(const struct timeline_set *set, uint64_t number);

/* `stream` must outlive the timeline, *window is copied. */
struct timeline *timeline_create(FILE *stream, bool gzip,
				 const struct timeline_window *window);
void timeline_free(struct timeline *timeline);
const struct timeline_window *timeline_window(const struct timeline *timeline);

/* Completes the file. `incomplete`: why the run did not come to its end, or
 * NULL. 0, or -1 and *error when the file could not be written. */
int timeline_end(struct timeline *timeline, const char *incomplete,
		 struct error *error);

/* An event. The names of its arguments are constant; NULL: no such argument. */
struct timeline_event {
	picoseconds start, end;
	const char *name;      /* constant, of letters, digits, _ and spaces */
	uint32_t track;
	const char *argument[2];
	uint64_t value[2];
};

/* Writes the name of a track. */
typedef void timeline_name_track(char *name, size_t size, uint32_t track);

/* The events of a process, which one thread of the host adds at a time. */
struct timeline_buffer;
struct timeline_buffer *timeline_buffer_create(struct timeline *timeline,
					       unsigned process,
					       const char *name,
					       timeline_name_track *name_track);
void timeline_buffer_free(struct timeline_buffer *buffer);
void timeline_add(struct timeline_buffer *buffer,
		  const struct timeline_event *event);
/* Writes what has been added, with all times later by `offset`, and empties the
 * buffer. Not while other buffers of the timeline are written. */
void timeline_write(struct timeline_buffer *buffer, picoseconds offset);

/* Writes an event at once, whose name need not be constant. */
void timeline_write_named(struct timeline_buffer *buffer, const char *name,
			  const struct timeline_event *event);

#endif
