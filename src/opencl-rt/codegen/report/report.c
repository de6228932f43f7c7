#include "opencl-rt/codegen/report/report.h"

#include <stdio.h>

/* The AMD OpenCL guide: the registers of a work-item allow floor(248 / n)
 * wavefronts of a SIMD; the device has 24.8 for each on average. */
enum { LANE_REGISTERS = 256 - 8, MOST_WAVEFRONTS = 24 };

static unsigned wavefronts(unsigned registers)
{
	unsigned count = LANE_REGISTERS / (registers ? registers : 1);

	return count > MOST_WAVEFRONTS ? MOST_WAVEFRONTS : count;
}

void report_begin(struct report *report, const char *kernel,
		  unsigned registers)
{
	unsigned now = wavefronts(registers), fewer = registers;

	if (!report->wanted)
		return;
	fprintf(stderr, "schedule of %s: %u registers, which allow %u "
		"wavefronts a SIMD", kernel, registers, now);
	while (fewer > 1 && wavefronts(fewer) == now)
		fewer--;
	if (now < MOST_WAVEFRONTS)
		fprintf(stderr, "; %u would allow %u", fewer,
			wavefronts(fewer));
	fprintf(stderr, "\n%6s %-16s %6s %6s %6s %6s %6s %5s  %s\n", "clause",
		"kind", "single", "groups", "bound", "chain", "slots", "fill",
		"limit");
}

static unsigned count_slots(const struct codegen_group *groups, unsigned count)
{
	unsigned slots = 0;

	for (unsigned i = 0; i < count; i++)
		slots += (unsigned)__builtin_popcount(
			groups[i].group.slot_mask);
	return slots;
}

/* What keeps the clause from being shorter. */
static const char *find_limit(const struct codegen_result *result,
			      unsigned groups)
{
	if (!result->bound)
		return result->kept;
	if (groups > result->bound)
		return result->kept ? result->kept
				    : "ports, literals or registers";
	return result->chain == result->bound ? "critical path" : "slots";
}

void report_clause(struct report *report, const char *name,
		   const struct codegen_clause *clause,
		   const struct codegen_result *result)
{
	bool kept = result->kept != NULL;
	unsigned groups = kept ? clause->count : result->count;
	unsigned slots = count_slots(kept ? clause->groups : result->groups,
				     groups);

	if (!report->wanted)
		return;
	fprintf(stderr, "%6u %-16s %6u %6u %6u %6u %6u %5.2f  %s\n",
		report->clauses++, name, clause->count, groups, result->bound,
		result->chain, slots, (double)slots / groups,
		find_limit(result, groups));
	report->groups += groups;
	report->slots += slots;
	report->bound += result->bound ? result->bound : groups;
}

void report_end(const struct report *report)
{
	if (report->wanted && report->groups)
		fprintf(stderr, "%u clauses, %u groups, at least %u; %.2f of "
			"5 slots\n", report->clauses, report->groups,
			report->bound,
			(double)report->slots / report->groups);
}
