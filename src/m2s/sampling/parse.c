/* The options of sampling. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "m2s/options.h"
#include "m2s/sampling/parts.h"
#include "m2s/sampling/phases.h"
#include "m2s/sampling/plan.h"

/* Detailed instructions before what is measured, if nothing else is said. */
enum { LEAD = 2000 };

/* A decimal number; *text moves behind it. */
static bool take_number(const char **text, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return false;
	errno = 0;
	*value = strtoull(*text, &end, 10);
	*text = end;
	return !errno;
}

/* Nothing, or a colon and a number. */
static bool further(const char **text, uint64_t *value)
{
	if (**text != ':')
		return true;
	++*text;
	return take_number(text, value);
}

static int parse_sample(const char *text, struct sampling_plan *plan,
			struct error *error)
{
	const char *at = text;
	uint64_t detail;

	plan->unit = 1000;
	plan->lead = LEAD;
	if (!take_number(&at, &plan->period) || !further(&at, &plan->unit) ||
	    !further(&at, &plan->lead) || *at || !plan->unit ||
	    plan->unit > UINT32_MAX || plan->lead > UINT32_MAX)
		return error_set(error, "--x86-sample %s: expected "
				 "PERIOD[:UNIT[:LEAD]] in instructions, as "
				 "1000000:1000:2000", text);
	detail = plan->lead + plan->unit + SAMPLING_TAIL;
	if (plan->period <= detail)
		return error_set(error, "--x86-sample %s: expected a period of "
				 "more than %" PRIu64 " instructions: lead, "
				 "unit and %d behind it", text, detail,
				 SAMPLING_TAIL);
	return 0;
}

static int parse_warm(const char *text, struct sampling_plan *plan,
		      struct error *error)
{
	const char *at = text;

	plan->warm = UINT64_MAX;
	if (!strcmp(text, "all") || (take_number(&at, &plan->warm) && !*at))
		return 0;
	return error_set(error, "--x86-warm %s: expected a number of "
			 "instructions, or all", text);
}

static int read_phases(const struct options *options,
		       struct sampling_plan *plan, struct error *error)
{
	const char *warm = options->x86_warm;

	if (options->x86_sample || plan->fast_forward || plan->markers)
		return error_set(error, "--x86-phases: says what is simulated: "
				 "not together with --x86-sample, "
				 "--x86-fast-forward and --x86-region");
	if (parse_warm(warm ? warm : "all", plan, error))
		return -1;
	plan->lead = LEAD;
	plan->phases = sampling_phases_read(options->x86_phases, error);
	return plan->phases ? 0 : -1;
}

const char *sampling_option(const struct options *options)
{
	return options->x86_region	   ? "--x86-region"
	       : options->x86_fast_forward ? "--x86-fast-forward"
	       : options->x86_sample	   ? "--x86-sample"
	       : options->x86_phases	   ? "--x86-phases"
	       : options->x86_warm	   ? "--x86-warm"
	       : options->part		   ? "--x86-load-part"
					   : NULL;
}

int sampling_plan_read(const struct options *options, uint64_t fast_forward,
		       struct sampling_plan *plan, struct error *error)
{
	const char *sample = options->x86_sample, *warm = options->x86_warm;

	*plan = (struct sampling_plan){
		.fast_forward = options->x86_fast_forward
					? options->x86_fast_forward
					: fast_forward,
		.markers = options->x86_region,
	};
	if (options->part) {
		if (fast_forward)
			return error_set(error, "--x86-load-part: not with "
					 "FastForward in [ General ]");
		sampling_part_plan(options->part, plan);
		return 0;
	}
	if (options->x86_phases)
		return read_phases(options, plan, error);
	if (sample && parse_sample(sample, plan, error))
		return -1;
	if (!sample && !warm)
		return 0;
	if (!sample && !plan->fast_forward && !plan->markers)
		return error_set(error, "--x86-warm %s: nothing comes before "
				 "the simulated part: expected "
				 "--x86-fast-forward, --x86-region, "
				 "--x86-sample or --x86-phases, too", warm);
	return parse_warm(warm ? warm : "all", plan, error);
}

void sampling_plan_clear(struct sampling_plan *plan)
{
	sampling_phases_free(plan->phases);
	plan->phases = NULL;
}
