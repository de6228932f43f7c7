#include "m2s/sampling/phases.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "m2s/sampling/clusters.h"

/* SimPoint's number of phases at most. */
enum { MOST_PHASES = 30 };

static const char TITLE[] = "m2s-phases 1\n";

/* ---- Writing ---- */

int sampling_phases_find(const struct vectors *vectors, FILE *stream,
			 struct error *error)
{
	uint64_t length = vectors_length(vectors);
	struct clusters clusters;
	const struct vector *list;
	size_t count;

	list = vectors_list(vectors, &count);
	if (!count)
		return error_set(error, "--x86-find-phases: the programs have "
				 "executed %" PRIu64 " instructions, less than "
				 "an interval of %" PRIu64 " (--x86-phase-length)",
				 vectors_instructions(vectors), length);
	clusters_find(&clusters, list, count, MOST_PHASES);
	fprintf(stream, "%slength %" PRIu64 "\ninstructions %" PRIu64 "\n",
		TITLE, length, vectors_instructions(vectors));
	for (size_t i = 0; i < clusters.count; i++)
		fprintf(stream, "phase %" PRIu64 " %zu\n",
			clusters.nearest[i] * length, clusters.size[i]);
	for (size_t i = 0; i < count; i++)
		fprintf(stream, "interval %zu %u\n", i, clusters.of[i]);
	clusters_clear(&clusters);
	return 0;
}

/* ---- Reading ---- */

struct reading {
	struct sampling_phases *phases;
	size_t capacity;
	uint64_t end;       /* of the last phase's interval */
	uint64_t intervals; /* of all phases */
};

/* "NAME NUMBER..." with `count` numbers and nothing behind them. */
static bool read_row(const char *line, const char *name, uint64_t *numbers,
		     unsigned count)
{
	size_t length = strlen(name);
	char *end;

	if (strncmp(line, name, length))
		return false;
	line += length;
	for (unsigned i = 0; i < count; i++) {
		if (line[0] != ' ' || line[1] < '0' || line[1] > '9')
			return false;
		errno = 0;
		numbers[i] = strtoull(line + 1, &end, 10);
		if (errno)
			return false;
		line = end;
	}
	return !strcmp(line, "\n") || !*line;
}

static bool read_phase(struct reading *reading, const uint64_t *numbers)
{
	struct sampling_phases *phases = reading->phases;

	/* So far behind, there are no instructions. */
	if (!phases->length || !numbers[1] || numbers[0] < reading->end ||
	    numbers[0] > INT64_MAX || numbers[1] > UINT32_MAX)
		return false;
	reading->end = numbers[0] + phases->length;
	reading->intervals += numbers[1];
	ARRAY_GROW(phases->row, phases->count, reading->capacity);
	phases->row[phases->count++] = (struct sampling_phase_row){
		.start = numbers[0], .intervals = numbers[1],
	};
	return true;
}

static bool read_line(struct reading *reading, const char *line,
		      unsigned number)
{
	struct sampling_phases *phases = reading->phases;
	uint64_t numbers[2];

	if (number == 1)
		return !strcmp(line, TITLE);
	if (*line == '#' || *line == '\n')
		return true;
	if (!phases->length && read_row(line, "length", numbers, 1) &&
	    numbers[0] <= INT64_MAX) {
		phases->length = numbers[0];
		return numbers[0];
	}
	if (read_row(line, "instructions", &phases->found_in, 1))
		return true;
	if (read_row(line, "phase", numbers, 2))
		return read_phase(reading, numbers);
	return read_row(line, "interval", numbers, 2);
}

struct sampling_phases *sampling_phases_read(const char *path,
					     struct error *error)
{
	struct reading reading = { .phases = NULL };
	struct sampling_phases *phases;
	FILE *stream = fopen(path, "re");
	char line[256];
	unsigned number = 0;

	if (!stream) {
		error_set(error, "--x86-phases %s: %s", path, strerror(errno));
		return NULL;
	}
	phases = reading.phases = xcalloc(1, sizeof *phases);
	while (fgets(line, sizeof line, stream) &&
	       read_line(&reading, line, ++number))
		;
	if (!feof(stream) || !phases->count) {
		error_set(error, "--x86-phases %s: line %u: expected a file of "
			  "--x86-find-phases, and phases in their order",
			  path, number);
		sampling_phases_free(phases);
		phases = NULL;
	}
	fclose(stream);
	for (size_t i = 0; phases && i < phases->count; i++)
		phases->row[i].weight = (double)phases->row[i].intervals /
					(double)reading.intervals;
	return phases;
}

void sampling_phases_free(struct sampling_phases *phases)
{
	if (!phases)
		return;
	free(phases->row);
	free(phases);
}

/* ---- Figures ---- */

double sampling_phases_covered(void *owner)
{
	const struct sampling_phases *phases = owner;
	double sum = 0;

	for (size_t i = 0; i < phases->count; i++)
		if (phases->row[i].measured)
			sum += phases->row[i].weight;
	return sum;
}

double sampling_phases_cpi(void *owner)
{
	const struct sampling_phases *phases = owner;
	double covered = sampling_phases_covered(owner), sum = 0;

	for (size_t i = 0; i < phases->count; i++)
		if (phases->row[i].measured)
			sum += phases->row[i].weight * phases->row[i].cpi;
	return covered > 0 ? sum / covered : 0;
}

double sampling_phases_cycles(void *owner)
{
	const struct sampling_phases *phases = owner;

	return sampling_phases_cpi(owner) * (double)phases->instructions +
	       (double)phases->kernel;
}

static double row_cpi(void *owner)
{
	return ((const struct sampling_phase_row *)owner)->cpi;
}

void sampling_phases_register(struct sampling_phases *count,
			      struct stats *stats)
{
	struct stats_section *section = stats_section(stats, "x86", "Phases");
	struct sampling_phases *owner = count;
	struct stats_name name;

#define STATS_REGISTRATION
#include "m2s/sampling/phases.stat.def"
	for (size_t i = 0; i < count->count; i++) {
		struct sampling_phase_row *row = &count->row[i];

		section = stats_section(stats, "x86",
					stats_name(&name, "Phase %zu", i));
		stats_u64(section, "Start", row->start, "instructions",
			  "instructions before the interval that stands for "
			  "the phase");
		stats_double(section, "Weight", row->weight, "fraction",
			     "share of the intervals that the phase has");
		stats_counter(section, "Measured", &row->measured, "intervals",
			      "1: the interval was simulated to its end");
		stats_derived(section, "CPI", row_cpi, row,
			      "cycles/instruction",
			      "cycles per instruction of the interval, without "
			      "those of page faults and system calls");
	}
}
