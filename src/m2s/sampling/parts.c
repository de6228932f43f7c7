#include "m2s/sampling/parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "m2s/sampling/phases.h"

static const char TITLE[] = "m2s-parts 1\n";

enum { HEAD_LINES = 4 };

/* ---- Of a plan ---- */

static bool sample_of(const struct sampling_plan *plan, uint64_t number,
		      struct sampling_part *part)
{
	uint64_t detail = plan->lead + plan->unit + SAMPLING_TAIL, end;

	if (__builtin_mul_overflow(number + 1, plan->period, &end) ||
	    __builtin_add_overflow(end, plan->fast_forward, &end))
		return false;
	*part = (struct sampling_part){
		.begin = end - detail,
		.start = end - detail + plan->lead,
		.intervals = 1,
	};
	return true;
}

static bool phase_of(const struct sampling_plan *plan, uint64_t number,
		     struct sampling_part *part)
{
	const struct sampling_phase_row *row = &plan->phases->row[number];

	if (number >= plan->phases->count)
		return false;
	*part = (struct sampling_part){
		.begin = row->start < plan->lead ? 0 : row->start - plan->lead,
		.start = row->start,
		.intervals = row->intervals,
	};
	return true;
}

bool sampling_part_of(const struct sampling_plan *plan, uint64_t number,
		      struct sampling_part *part)
{
	if (plan->phases ? !phase_of(plan, number, part)
			 : !sample_of(plan, number, part))
		return false;
	/* Nothing can be saved before the first instruction. */
	part->checkpoint = part->begin > plan->warm + 1
				   ? part->begin - plan->warm : 1;
	if (!part->begin)
		part->begin = 1;
	if (!part->start)
		part->start = 1;
	return true;
}

/* ---- The file ---- */

uint64_t sampling_parts_write(const struct sampling_plan *plan,
			      uint64_t instructions, FILE *stream)
{
	uint64_t length = plan->phases ? plan->phases->length : plan->unit;

	fprintf(stream, "%skind %s\nlength %" PRIu64 "\ninstructions %" PRIu64
		"\n", TITLE, plan->phases ? "phases" : "sample",
		length, instructions);
	return length;
}

void sampling_part_write(const struct sampling_part *part, FILE *stream)
{
	fprintf(stream, "part %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		"\n", part->checkpoint, part->begin, part->start,
		part->intervals);
}

/* One number behind a name and a space, and nothing behind it. */
static bool read_number(const char *line, const char *name, uint64_t *number)
{
	int end = 0;

	if (strncmp(line, name, strlen(name)) ||
	    sscanf(line + strlen(name), " %" SCNu64 "%n", number, &end) != 1)
		return false;
	return !strcmp(line + strlen(name) + end, "\n");
}

static bool read_part(const char *line, struct sampling_part *part)
{
	int end = 0;

	return sscanf(line, "part %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		      "%n", &part->checkpoint, &part->begin, &part->start,
		      &part->intervals, &end) == 4 &&
	       !strcmp(line + end, "\n") && part->checkpoint &&
	       part->checkpoint <= part->begin && part->begin <= part->start &&
	       part->start <= INT64_MAX && part->intervals;
}

static bool read_line(struct sampling_loaded *loaded, const char *line,
		      unsigned number)
{
	struct sampling_part part;

	switch (number) {
	case 1:
		return !strcmp(line, TITLE);
	case 2:
		loaded->phases = !strcmp(line, "kind phases\n");
		return loaded->phases || !strcmp(line, "kind sample\n");
	case 3:
		return read_number(line, "length", &loaded->length) &&
		       loaded->length && loaded->length <= UINT32_MAX;
	case 4:
		return read_number(line, "instructions",
				   &loaded->instructions);
	default:
		if (!read_part(line, &part))
			return false;
		if (loaded->count++ == loaded->number)
			loaded->part = part;
		return true;
	}
}

static int read_file(struct sampling_loaded *loaded, struct error *error)
{
	FILE *stream = fopen(loaded->file, "re");
	unsigned number = 0;
	char line[256];
	bool good = true;

	if (!stream)
		return error_set(error, "--x86-load-part %s: %s", loaded->file,
				 strerror(errno));
	while (good && fgets(line, sizeof line, stream))
		good = read_line(loaded, line, ++number);
	good = good && feof(stream) && number >= HEAD_LINES;
	fclose(stream);
	if (!good)
		return error_set(error, "--x86-load-part %s: line %u: expected "
				 "a file of --x86-save-parts", loaded->file,
				 number);
	if (loaded->number >= loaded->count)
		return error_set(error, "--x86-load-part %s: there is no part "
				 "%" PRIu64 ": the file has %" PRIu64
				 ", counted from 0", loaded->file,
				 loaded->number, loaded->count);
	return 0;
}

struct sampling_loaded *sampling_part_read(const char *text,
					   struct error *error)
{
	struct sampling_loaded *loaded;
	const char *colon = strrchr(text, ':');
	uint64_t number;
	int end = 0;

	if (!colon || colon == text || colon[1] < '0' || colon[1] > '9' ||
	    sscanf(colon + 1, "%" SCNu64 "%n", &number, &end) != 1 ||
	    colon[1 + end]) {
		error_set(error, "--x86-load-part %s: expected PREFIX:N, a "
			  "part's number from 0 on", text);
		return NULL;
	}
	loaded = xcalloc(1, sizeof *loaded);
	loaded->number = number;
	loaded->file = xasprintf("%.*s.parts", (int)(colon - text), text);
	loaded->checkpoint = xasprintf("%.*s.%" PRIu64 ".ckpt",
				       (int)(colon - text), text, number);
	if (!read_file(loaded, error))
		return loaded;
	sampling_loaded_free(loaded);
	return NULL;
}

int sampling_part_check(const struct sampling_loaded *loaded,
			uint64_t instructions, struct error *error)
{
	if (instructions == loaded->part.checkpoint)
		return 0;
	return error_set(error, "--x86-load-part %s: the checkpoint is at "
			 "instruction %" PRIu64 ", expected %" PRIu64 ": it is "
			 "not that of %s", loaded->checkpoint, instructions,
			 loaded->part.checkpoint, loaded->file);
}

void sampling_loaded_free(struct sampling_loaded *loaded)
{
	if (!loaded)
		return;
	free(loaded->file);
	free(loaded->checkpoint);
	free(loaded);
}

/* ---- Its run ---- */

void sampling_part_plan(const struct sampling_loaded *loaded,
			struct sampling_plan *plan)
{
	const struct sampling_part *part = &loaded->part;

	*plan = (struct sampling_plan){
		.warm = UINT64_MAX,
		.unit = loaded->length,
		.lead = part->start - part->begin,
		.part = loaded,
	};
	plan->period = part->begin - part->checkpoint + plan->lead +
		       plan->unit + SAMPLING_TAIL;
}

uint64_t sampling_part_end(const struct sampling_loaded *loaded)
{
	return loaded->part.start + loaded->length + SAMPLING_TAIL;
}

void sampling_part_register(const struct sampling_loaded *count,
			    struct stats *stats)
{
	struct stats_section *section = stats_section(stats, "x86", "Part");

#define STATS_REGISTRATION
#include "m2s/sampling/part.stat.def"
}
