/* Which parts of a program are simulated in detail: a plan in instructions of
 * all threads together. */
#ifndef M2S_M2S_SAMPLING_PLAN_H
#define M2S_M2S_SAMPLING_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct options;
struct sampling_phases;
struct sampling_loaded;

struct sampling_plan {
	uint64_t fast_forward; /* instructions before the first part */
	/* Only what lies between markers; `fast_forward` comes first. */
	bool markers;
	/* So many instructions before each part warm caches, TLBs and
	 * predictors; UINT64_MAX: all. */
	uint64_t warm;
	/* Systematic sampling: in each `period` instructions, `lead` and then
	 * `unit` are simulated in detail, at its end. 0: no sampling. */
	uint64_t period, unit, lead;
	/* Instead: an interval of each phase, behind `lead`. Owned by the plan.
	 * NULL: none. */
	struct sampling_phases *phases;
	/* The part that `period` is, of --x86-load-part, or NULL. */
	const struct sampling_loaded *part;
};

enum sampling_phase {
	SAMPLING_SKIP,   /* functional */
	SAMPLING_WARM,   /* functional, with warming */
	SAMPLING_DETAIL,
};

struct sampling_step {
	enum sampling_phase phase;
	uint64_t instructions; /* UINT64_MAX: until a marker or the end */
};

/* Detailed instructions behind a unit, so that its end is not that of the
 * work in the core. */
enum { SAMPLING_TAIL = 512 };

/* What follows when `done` instructions have been executed. `inside`: between
 * markers; `since`: `done` at the marker. */
struct sampling_step sampling_step(const struct sampling_plan *plan,
				   uint64_t done, bool inside, uint64_t since);

/* The option that lets only parts of programs be simulated, or NULL. */
const char *sampling_option(const struct options *options);
/* The plan of the options, which the caller clears; `fast_forward` is the
 * configuration's. -1 and *error for a text that is none. --x86-sample is "PERIOD[:UNIT[:LEAD]]" with a unit of
 * 1,000 and a lead of 2,000 instructions, --x86-warm a number or "all". */
int sampling_plan_read(const struct options *options, uint64_t fast_forward,
		       struct sampling_plan *plan, struct error *error);
void sampling_plan_clear(struct sampling_plan *plan);

#endif
