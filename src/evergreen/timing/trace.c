/* The events of compute units for a timeline (sim/timeline.h): work-groups, the
 * places of their wavefronts, and what the engines issue. A unit collects its
 * events; they are written between windows, unit by unit, so that the file does
 * not depend on the threads of the host. */
#include "evergreen/timing/trace.h"

#include "evergreen/isa/table.h"

/* Tracks of a unit. The ALU engine has one for each of its places. */
enum {
	TRACK_CF,
	TRACK_ALU,
	TRACK_TEX = TRACK_ALU + MAX_ALU_WAVEFRONTS,
	TRACK_EXPORT,
	TRACK_GROUP = 100,
	TRACK_WAVEFRONT = 1000,
};

static void name_track(char *name, size_t size, uint32_t track)
{
	if (track >= TRACK_WAVEFRONT)
		snprintf(name, size, "wavefront %u", track - TRACK_WAVEFRONT);
	else if (track >= TRACK_GROUP)
		snprintf(name, size, "work-group %u", track - TRACK_GROUP);
	else if (track == TRACK_CF)
		snprintf(name, size, "CF engine");
	else if (track == TRACK_TEX)
		snprintf(name, size, "TEX engine");
	else if (track == TRACK_EXPORT)
		snprintf(name, size, "export");
	else
		snprintf(name, size, "ALU engine %u", track - TRACK_ALU);
}

void evg_timing_trace(struct evg_timing *timing, struct timeline *timeline)
{
	const struct timeline_window *window = timeline_window(timeline);

	timing->timeline = timeline;
	timing->traced = window;
	for (unsigned i = 0; i < timing->config.compute_units; i++) {
		char name[32];

		if (!timeline_set_has(&window->units, i))
			continue;
		snprintf(name, sizeof name, "compute unit %u", i);
		timing->units[i].trace.buffer = timeline_buffer_create(
			timeline, TIMELINE_UNIT + i, name, name_track);
	}
}

void unit_trace_free(struct compute_unit *cu)
{
	timeline_buffer_free(cu->trace.buffer);
}

/* The cycle of the queues' time at which `cycle` of all launches comes. */
static uint64_t at(const struct evg_timing *timing, uint64_t cycle)
{
	uint64_t past = timing->n.cycles;

	if (cycle <= past)
		return 0;
	cycle -= past;
	return cycle > UINT64_MAX - timing->start_cycle
		       ? UINT64_MAX
		       : cycle + timing->start_cycle;
}

void unit_trace_start(struct evg_timing *timing, uint64_t launch)
{
	const struct timeline_window *window = timing->traced;
	bool traced;

	if (!window)
		return;
	traced = timeline_set_has(&window->launches, launch);
	for (unsigned i = 0; i < timing->config.compute_units; i++) {
		struct unit_trace *trace = &timing->units[i].trace;

		trace->on = traced && trace->buffer;
		timing->units[i].pipeline.on =
			traced && timing->units[i].pipeline.most;
		trace->from = at(timing, window->cycles.from);
		trace->to = at(timing, window->cycles.to);
	}
}

void unit_trace_write(struct evg_timing *timing, picoseconds offset)
{
	if (!timing->timeline)
		return;
	for (unsigned i = 0; i < timing->config.compute_units; i++)
		if (timing->units[i].trace.buffer)
			timeline_write(timing->units[i].trace.buffer, offset);
}

/* Adds an event if it is asked for; `start` and `end` are cycles. */
static void add(struct compute_unit *cu, enum timeline_kind kind,
		uint64_t start, uint64_t end, struct timeline_event event)
{
	const struct evg_timing *timing = cu->timing;

	if (end <= start || end <= cu->trace.from || start >= cu->trace.to ||
	    !timeline_window(timing->timeline)->kind[kind])
		return;
	event.start = start * timing->period;
	event.end = end * timing->period;
	timeline_add(cu->trace.buffer, &event);
}

static uint64_t number_of(const struct resident *resident)
{
	const struct resident_group *group = resident->group;

	return group->index * group->wavefronts +
	       (uint64_t)(resident - group->residents);
}

static void add_place(struct resident *resident, uint64_t now)
{
	add(resident->cu, TIMELINE_WAVEFRONTS, resident->placed, now,
	    (struct timeline_event){
		    .name = account_reason_names[resident->place],
		    .track = TRACK_WAVEFRONT + resident->slot,
		    .argument = { "wavefront" },
		    .value = { number_of(resident) },
	    });
}

void unit_trace_place_on(struct resident *resident, uint64_t now)
{
	/* The start of a wavefront comes from ACCOUNT_EMPTY. */
	if (resident->place != ACCOUNT_EMPTY)
		add_place(resident, now);
	resident->placed = now;
}

static void add_group(struct compute_unit *cu,
		      const struct resident_group *group, uint64_t now)
{
	add(cu, TIMELINE_GROUPS, group->begun, now,
	    (struct timeline_event){
		    .name = "work-group",
		    .track = TRACK_GROUP + group->slot,
		    .argument = { "group", "wavefronts" },
		    .value = { group->index, group->wavefronts },
	    });
}

void unit_trace_group_on(struct compute_unit *cu,
			 const struct resident_group *group, uint64_t now)
{
	add_group(cu, group, now);
}

void unit_trace_engine_on(struct resident *resident, enum trace_engine engine,
		     unsigned place, uint64_t start, uint64_t end,
		     uint32_t groups)
{
	static const uint32_t tracks[] = {
		[TRACE_CF] = TRACK_CF, [TRACE_ALU] = TRACK_ALU,
		[TRACE_TEX] = TRACK_TEX, [TRACE_EXPORT] = TRACK_EXPORT,
	};
	static const char *const names[] = {
		[TRACE_ALU] = "ALU clause", [TRACE_TEX] = "fetch",
		[TRACE_EXPORT] = "store",
	};
	struct compute_unit *cu = resident->cu;

	add(cu, TIMELINE_ENGINES, start, end,
	    (struct timeline_event){
		    .name = engine == TRACE_CF
				    ? evg_cf_info[cu->step.cf->op].name
				    : names[engine],
		    .track = tracks[engine] + place,
		    .argument = { "wavefront",
				  engine == TRACE_ALU ? "groups" : NULL },
		    .value = { number_of(resident), groups },
	    });
}

void unit_trace_stop(struct evg_timing *timing)
{
	uint64_t now = timing_cycle(timing);

	for (unsigned i = 0; timing->timeline &&
			     i < timing->config.compute_units; i++) {
		struct compute_unit *cu = &timing->units[i];

		for (struct resident_group *group = cu->groups;
		     group && cu->trace.on; group = group->next_made) {
			if (!group->runs)
				continue;
			for (uint32_t w = 0; w < group->wavefronts; w++)
				if (group->residents[w].placed < now)
					add_place(&group->residents[w], now);
			if (group->begun < now)
				add_group(cu, group, now);
		}
	}
}
