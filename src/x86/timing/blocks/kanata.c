#include "x86/timing/blocks/kanata.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "x86/isa/disasm.h"

enum { INSTRUCTION_BYTES = 15 };

struct event {
	uint64_t cycle, order;
	char *text;
};

struct kanata {
	kanata_code *code;
	void *owner;
	unsigned limit, instructions;
	struct event *event;
	size_t events, room;
};

struct kanata *kanata_create(unsigned limit, kanata_code *code, void *owner)
{
	struct kanata *kanata = xcalloc(1, sizeof *kanata);

	kanata->code = code;
	kanata->owner = owner;
	kanata->limit = limit;
	return kanata;
}

unsigned kanata_count(const struct kanata *kanata)
{
	return kanata->instructions;
}

void kanata_free(struct kanata *kanata)
{
	for (size_t i = 0; i < kanata->events; i++)
		free(kanata->event[i].text);
	free(kanata->event);
	free(kanata);
}

static void add(struct kanata *kanata, uint64_t cycle, char *text)
{
	ARRAY_GROW(kanata->event, kanata->events, kanata->room);
	kanata->event[kanata->events] = (struct event){
		cycle, kanata->events, text
	};
	kanata->events++;
}

static void add_names(struct kanata *kanata, const struct x86_core_retired *what)
{
	uint8_t code[INSTRUCTION_BYTES];
	bool wide = true;
	size_t size = kanata->code(kanata->owner, what, code, sizeof code,
				   &wide);
	char text[128];

	if (!size || !x86_disasm(wide, what->address, code, size, text,
				 sizeof text))
		snprintf(text, sizeof text, "?");
	add(kanata, what->predecoded,
	    xasprintf("I\t%" PRIu64 "\t%" PRIu64 "\t0\nL\t%" PRIu64 "\t0\t%"
		      PRIx64 " %s", what->number, what->number, what->number,
		      what->address, text));
	for (unsigned i = 0; i < what->uops && i < 16; i++)
		add(kanata, what->predecoded,
		    xasprintf("L\t%" PRIu64 "\t1\tport %u at %" PRIu64
			      ", done %" PRIu64 "; ", what->number,
			      what->uop[i].port, what->uop[i].dispatched,
			      what->uop[i].done));
}

static void add_stage(struct kanata *kanata, uint64_t number, uint64_t from,
		      uint64_t to, const char *stage)
{
	if (to <= from)
		return;
	add(kanata, from, xasprintf("S\t%" PRIu64 "\t0\t%s", number, stage));
	add(kanata, to, xasprintf("E\t%" PRIu64 "\t0\t%s", number, stage));
}

void kanata_retired(void *owner, const struct x86_core_retired *what)
{
	struct kanata *kanata = owner;
	uint64_t start = UINT64_MAX, end = 0;

	if (kanata->instructions >= kanata->limit)
		return;
	kanata->instructions++;
	for (unsigned i = 0; i < what->uops && i < 16; i++) {
		if (what->uop[i].dispatched < start)
			start = what->uop[i].dispatched;
		if (what->uop[i].done > end)
			end = what->uop[i].done;
	}
	if (!what->uops || start < what->issued)
		start = end = what->issued;
	if (end < start)
		end = start;
	add_names(kanata, what);
	add_stage(kanata, what->number, what->predecoded, what->decoded, "F");
	add_stage(kanata, what->number, what->decoded, what->issued, "D");
	add_stage(kanata, what->number, what->issued, start, "Is");
	add_stage(kanata, what->number, start, end, "Ex");
	add_stage(kanata, what->number, end, what->retired, "Rt");
	add(kanata, what->retired, xasprintf("R\t%" PRIu64 "\t%" PRIu64 "\t0",
					     what->number, what->number));
}

static int by_cycle(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->cycle != y->cycle)
		return x->cycle < y->cycle ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

void kanata_write(struct kanata *kanata, FILE *stream)
{
	uint64_t cycle = 0;

	if (kanata->events) {
		qsort(kanata->event, kanata->events, sizeof *kanata->event,
		      by_cycle);
		cycle = kanata->event[0].cycle;
	}
	fprintf(stream, "Kanata\t0004\nC=\t%" PRIu64 "\n", cycle);
	for (size_t i = 0; i < kanata->events; i++) {
		const struct event *event = &kanata->event[i];

		if (event->cycle != cycle)
			fprintf(stream, "C\t%" PRIu64 "\n",
				event->cycle - cycle);
		cycle = event->cycle;
		fprintf(stream, "%s\n", event->text);
	}
}
