/* What compute units tell a timeline; private to src/evergreen/timing. */
#ifndef M2S_EVERGREEN_TIMING_TRACE_H
#define M2S_EVERGREEN_TIMING_TRACE_H

#include "evergreen/timing/compute-unit.h"

enum trace_engine { TRACE_CF, TRACE_ALU, TRACE_TEX, TRACE_EXPORT };

void unit_trace_free(struct compute_unit *cu);
/* A launch begins: its number from 0, after start_cycle is set. */
void unit_trace_start(struct evg_timing *timing, uint64_t launch);
/* Writes what the units have collected. `offset`: to be added to the time of
 * their queues. */
void unit_trace_write(struct evg_timing *timing, picoseconds offset);
/* A limit or an error ends the run: what is under way ends now. */
void unit_trace_stop(struct evg_timing *timing);

/* The functions below do nothing where nobody asks. */

void unit_trace_place_on(struct resident *resident, uint64_t now);
/* The wavefront is about to leave its place. */
static inline void unit_trace_place(struct resident *resident, uint64_t now)
{
	if (resident->cu->trace.on)
		unit_trace_place_on(resident, now);
}

void unit_trace_group_on(struct compute_unit *cu,
			 const struct resident_group *group, uint64_t now);
/* The work-group has ended. */
static inline void unit_trace_group(struct compute_unit *cu,
			       const struct resident_group *group)
{
	if (cu->trace.on)
		unit_trace_group_on(cu, group, unit_cycle(cu));
}

void unit_pipeline_free(struct compute_unit *cu);
void unit_pipeline_on(struct resident *resident, uint64_t issued,
		      uint64_t executes, uint64_t end);
/* The instruction of cu->step, which the wavefront's engine has executed: cycles of
 * its issue, of its beginning and behind its end there. */
static inline void unit_pipeline(struct resident *resident, uint64_t issued,
				 uint64_t executes, uint64_t end)
{
	if (resident->cu->pipeline.on)
		unit_pipeline_on(resident, issued, executes, end);
}

void unit_trace_engine_on(struct resident *resident, enum trace_engine engine,
		     unsigned place, uint64_t start, uint64_t end,
		     uint32_t groups);
/* An engine has worked for the wavefront in cycles from `start` to before
 * `end`. `place` and `groups`, of VLIW groups: of the ALU engine. */
static inline void unit_trace_engine(struct resident *resident,
				enum trace_engine engine, unsigned place,
				uint64_t start, uint64_t end, uint32_t groups)
{
	if (resident->cu->trace.on)
		unit_trace_engine_on(resident, engine, place, start, end, groups);
}

#endif
