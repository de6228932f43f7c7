#include "opencl-rt/clc/code/reschedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/clc/code/relayout.h"
#include "opencl-rt/codegen/clause.h"

enum { REASONS = 16 };

/* What became of a kernel's clauses. The code must not become longer: what
 * clauses have given up so far others may take. */
struct tally {
	bool verbose;
	unsigned before, after, bound; /* groups */
	unsigned clauses;
	unsigned spare;                /* units */
	struct {
		const char *why;
		unsigned clauses;
	} kept[REASONS];
};

static void count_kept(struct tally *tally, const char *why)
{
	for (unsigned i = 0; i < REASONS; i++)
		if (!tally->kept[i].why || !strcmp(tally->kept[i].why, why)) {
			tally->kept[i].why = why;
			tally->kept[i].clauses++;
			return;
		}
}

static void count_clause(struct tally *tally, unsigned before,
			 const struct codegen_result *result)
{
	tally->clauses++;
	tally->before += before;
	tally->after += result->kept ? before : result->count;
	tally->bound += result->bound ? result->bound : before;
	if (result->kept)
		count_kept(tally, result->kept);
}

static void tell(const struct tally *tally, const char *kernel)
{
	if (!tally->verbose)
		return;
	fprintf(stderr, "m2s-clc: %s: %u groups in %u clauses became %u, at "
		"least %u", kernel, tally->before, tally->clauses,
		tally->after, tally->bound);
	for (unsigned i = 0; i < REASONS && tally->kept[i].why; i++)
		fprintf(stderr, "; %u clauses kept: %s",
			tally->kept[i].clauses, tally->kept[i].why);
	fputc('\n', stderr);
}

static bool wants(const struct relayout *relayout, const struct evg_code *code)
{
	return relayout->lines || code->group_count;
}

/* The clause of an edit as it was read: PV and PS are still sources. */
static struct codegen_group *groups_of(const struct edit_cf *cf)
{
	struct codegen_group *groups = xcalloc(cf->count + 1, sizeof *groups);

	for (size_t i = 0; i < cf->count; i++) {
		groups[i].group = cf->groups[i].group;
		groups[i].origin = cf->groups[i].origin;
		memcpy(groups[i].relocation, cf->groups[i].relocation,
		       sizeof groups[i].relocation);
	}
	return groups;
}

static void replace(struct edit *edit, struct edit_cf *cf,
		    const struct codegen_result *result)
{
	cf->count = 0;
	for (unsigned i = 0; i < result->count; i++) {
		struct edit_group *group = edit_insert(edit, cf, i);

		group->group = result->groups[i].group;
		group->origin = result->groups[i].origin;
		memcpy(group->relocation, result->groups[i].relocation,
		       sizeof group->relocation);
	}
}

static void reschedule_clause(struct tally *tally, struct edit *edit,
			      struct edit_cf *cf, unsigned registers,
			      const struct codegen_registers *live)
{
	struct codegen_group *groups = groups_of(cf);
	unsigned units = codegen_units(groups, (unsigned)cf->count);
	struct codegen_clause clause = {
		.groups = groups, .count = (unsigned)cf->count,
		.live = &live[cf->original->address], .registers = registers,
		.units = units + tally->spare,
	};
	struct codegen_result result;

	if (clause.units > EVG_CLAUSE_UNITS)
		clause.units = EVG_CLAUSE_UNITS;
	result = codegen_schedule(&clause);
	count_clause(tally, clause.count, &result);
	if (!result.kept) {
		replace(edit, cf, &result);
		tally->spare += units;
		tally->spare -= codegen_units(result.groups, result.count);
	}
	free(result.groups);
	free(groups);
}

static int reschedule_kernel(void *context, const struct evg_kernel *kernel,
			     struct edit *edit, struct error *error)
{
	struct tally tally = { .verbose = *(bool *)context };
	struct codegen_registers *live = codegen_live(edit->code);

	(void)error;
	for (size_t i = 0; i < edit->cf_count; i++)
		if (edit->cf[i].original->clause == EVG_CLAUSE_ALU)
			reschedule_clause(&tally, edit, &edit->cf[i],
					  kernel->registers, live);
	free(live);
	tell(&tally, kernel->name);
	return 0;
}

int reschedule_image(const char *name, void *image, size_t size,
		     struct evg_lines *lines, bool verbose,
		     struct error *error)
{
	const struct relayout relayout = {
		.lines = lines, .wants = wants, .change = reschedule_kernel,
		.context = &verbose,
	};

	return relayout_image(&relayout, name, image, size, error);
}
