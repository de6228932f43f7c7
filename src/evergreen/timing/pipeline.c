/* The way of single instructions through compute units, as a file for the viewer
 * Konata: the text format Kanata 0004 (github.com/shioyadan/Konata,
 * docs/kanata-log-format.md). */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "evergreen/isa/table.h"
#include "evergreen/timing/trace.h"

struct pipeline_record {
	/* Cycles: behind the wavefront's last instruction; of the issue; of the
	 * first and behind the last in the engine. */
	uint64_t from, issued, executes, end;
	uint64_t wavefront;
	uint32_t unit, address;
	enum evg_step_kind kind;
	unsigned slots;        /* of a VLIW group: bits of xyzwt */
	uint16_t op[EVG_SLOT_COUNT]; /* or the only one */
};

enum { STAGES = 3, EVENTS = 2 * STAGES + 2 };

struct pipeline_event {
	uint64_t cycle;
	uint32_t record, what; /* 0: begins; then stages; last: ends */
};

void evg_timing_pipeline(struct evg_timing *timing,
			 const struct timeline_window *window)
{
	uint32_t units = 0;

	timing->traced = window;
	for (unsigned i = 0; i < timing->config.compute_units; i++)
		units += timeline_set_has(&window->units, i);
	for (unsigned i = 0; i < timing->config.compute_units; i++)
		if (timeline_set_has(&window->units, i))
			timing->units[i].pipeline.most =
				EVG_PIPELINE_MOST / units;
}

void unit_pipeline_free(struct compute_unit *cu)
{
	free(cu->pipeline.list);
}

static void set_operation(struct pipeline_record *record,
			  const struct evg_step *step)
{
	switch (step->kind) {
	case EVG_STEP_ALU:
		record->slots = step->group->slot_mask;
		for (int slot = 0; slot < EVG_SLOT_COUNT; slot++)
			record->op[slot] =
				(uint16_t)step->group->inst[slot].op;
		break;
	case EVG_STEP_FETCH:
		record->op[0] = (uint16_t)step->fetch->op;
		break;
	default:
		record->op[0] = (uint16_t)step->cf->op;
		break;
	}
}

void unit_pipeline_on(struct resident *resident, uint64_t issued,
		      uint64_t executes, uint64_t end)
{
	struct compute_unit *cu = resident->cu;
	struct unit_pipeline *pipeline = &cu->pipeline;
	uint64_t from = resident->passed;
	/* Cycles of all launches together, modulo 2^64. */
	uint64_t shift = cu->timing->n.cycles - cu->timing->start_cycle;
	struct pipeline_record *record;

	resident->passed = end;
	if (end <= cu->trace.from || from >= cu->trace.to)
		return;
	if (pipeline->count == pipeline->most) {
		pipeline->left_out++;
		return;
	}
	ARRAY_GROW(pipeline->list, pipeline->count, pipeline->capacity);
	record = &pipeline->list[pipeline->count++];
	*record = (struct pipeline_record){
		.from = (from < issued ? from : issued) + shift,
		.issued = issued + shift, .executes = executes + shift,
		.end = end + shift,
		.wavefront = resident->group->index *
				     resident->group->wavefronts +
			     (uint64_t)(resident - resident->group->residents),
		.unit = cu->id, .address = cu->step.address,
		.kind = cu->step.kind,
	};
	set_operation(record, &cu->step);
}

static int by_cycle(const void *a, const void *b)
{
	const struct pipeline_event *x = a, *y = b;

	if (x->cycle != y->cycle)
		return x->cycle < y->cycle ? -1 : 1;
	if (x->record != y->record)
		return x->record < y->record ? -1 : 1;
	return x->what < y->what ? -1 : x->what > y->what;
}

static void print_name(const struct pipeline_record *record, FILE *stream)
{
	const char *before = "";

	if (record->kind == EVG_STEP_FETCH) {
		fprintf(stream, "%s", evg_fetch_info[record->op[0]].name);
		return;
	}
	if (record->kind != EVG_STEP_ALU) {
		fprintf(stream, "%s", evg_cf_info[record->op[0]].name);
		return;
	}
	for (int slot = 0; slot < EVG_SLOT_COUNT; slot++) {
		if (!(record->slots >> slot & 1))
			continue;
		fprintf(stream, "%s%c: %s", before, "xyzwt"[slot],
			evg_alu_info[record->op[slot]].name);
		before = "  ";
	}
}

static void print_event(const struct pipeline_event *event,
			const struct pipeline_record *record, FILE *stream)
{
	static const char *const stages[STAGES] = { "W", "F", "X" };

	if (!event->what) {
		fprintf(stream, "I\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu64
				"\nL\t%" PRIu32 "\t0\tunit %" PRIu32
				" wavefront %" PRIu64 " %04" PRIx32 " ",
			event->record, event->record, record->wavefront,
			event->record, record->unit, record->wavefront,
			record->address);
		print_name(record, stream);
		fputc('\n', stream);
	} else if (event->what == EVENTS - 1) {
		fprintf(stream, "R\t%" PRIu32 "\t%" PRIu32 "\t0\n",
			event->record, event->record);
	} else {
		fprintf(stream, "%c\t%" PRIu32 "\t0\t%s\n",
			event->what % 2 ? 'S' : 'E', event->record,
			stages[(event->what - 1) / 2]);
	}
}

static size_t make_events(struct pipeline_event *events,
			  const struct pipeline_record *record, uint32_t number)
{
	const uint64_t bounds[STAGES + 1] = { record->from, record->issued,
					      record->executes, record->end };
	size_t count = 0;

	events[count++] = (struct pipeline_event){ record->from, number, 0 };
	for (uint32_t i = 0; i < STAGES; i++) {
		if (bounds[i] >= bounds[i + 1])
			continue;
		events[count++] = (struct pipeline_event){ bounds[i], number,
							   2 * i + 1 };
		events[count++] = (struct pipeline_event){ bounds[i + 1],
							   number, 2 * i + 2 };
	}
	events[count++] = (struct pipeline_event){ record->end, number,
						   EVENTS - 1 };
	return count;
}

static int by_start(const void *a, const void *b)
{
	const struct pipeline_record *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->unit != y->unit)
		return x->unit < y->unit ? -1 : 1;
	return x->wavefront < y->wavefront ? -1 : x->wavefront > y->wavefront;
}

size_t evg_timing_write_pipeline(struct evg_timing *timing, FILE *stream,
				 uint64_t *left_out)
{
	struct pipeline_record *records;
	struct pipeline_event *events;
	size_t count = 0, event_count = 0, at = 0;
	uint64_t cycle;

	*left_out = 0;
	for (unsigned i = 0; i < timing->config.compute_units; i++)
		count += timing->units[i].pipeline.count;
	records = xcalloc(count + 1, sizeof *records);
	events = xcalloc(count + 1, EVENTS * sizeof *events);
	for (unsigned i = 0; i < timing->config.compute_units; i++) {
		const struct unit_pipeline *pipeline =
			&timing->units[i].pipeline;

		*left_out += pipeline->left_out;
		for (size_t j = 0; j < pipeline->count; j++)
			records[at++] = pipeline->list[j];
	}
	qsort(records, count, sizeof *records, by_start);
	for (size_t i = 0; i < count; i++)
		event_count += make_events(events + event_count, &records[i],
					   (uint32_t)i);
	qsort(events, event_count, sizeof *events, by_cycle);
	cycle = event_count ? events[0].cycle : 0;
	fprintf(stream, "Kanata\t0004\nC=\t%" PRIu64 "\n", cycle);
	for (size_t i = 0; i < event_count; i++) {
		if (events[i].cycle != cycle)
			fprintf(stream, "C\t%" PRIu64 "\n",
				events[i].cycle - cycle);
		cycle = events[i].cycle;
		print_event(&events[i], &records[events[i].record], stream);
	}
	free(records);
	free(events);
	return count;
}
