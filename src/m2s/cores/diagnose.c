/* The diagnosis at the end of a run: diagnose.def. */
#include <stdlib.h>

#include "base/memory.h"
#include "m2s/cores/internal.h"

enum { SHOWN = 3 };

static const struct diagnosis {
	enum x86_core_part part;
	double least;
	const char *words;
} table[] = {
#define DIAGNOSIS(id, least, words) { X86_CORE_##id, least, words },
#include "m2s/cores/diagnose.def"
};

static uint64_t slots_of(const struct x86_machine *machine,
			 enum x86_core_part part)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < machine->count; i++)
		sum += x86_core_counts(machine->core[i].core)->part[part];
	return sum;
}

/* "; 42 % of cycles wait for DRAM, mostly in f at walk.c:10 (93 %)". */
static char *append(char *text, const struct x86_machine *machine,
		    const struct diagnosis *found, double share)
{
	char *place = NULL, *all;
	double most = 0;

	if (machine->profile && found->part != X86_CORE_KERNEL)
		place = machine_profile_worst(machine->profile, found->part,
					      &most);
	all = xasprintf("%s%s%.0f %% of cycles %s", text ? text : "",
			text ? "; " : "", share, found->words);
	free(text);
	if (place) {
		text = xasprintf("%s, %s in %s (%.0f %% of them)", all,
				 most > 0.5 ? "mostly" : "above all", place,
				 most * 100);
		free(all);
		all = text;
	}
	free(place);
	return all;
}

char *x86_machine_diagnose(const struct x86_machine *machine)
{
	bool shown[ARRAY_SIZE(table)] = { false };
	uint64_t busy = 0;
	char *text = NULL;

	for (unsigned i = 0; i < X86_CORE_PARTS; i++)
		if (i != X86_CORE_IDLE)
			busy += slots_of(machine, (enum x86_core_part)i);
	for (unsigned k = 0; busy && k < SHOWN; k++) {
		const struct diagnosis *found = NULL;
		double share = 0;

		for (unsigned i = 0; i < ARRAY_SIZE(table); i++) {
			double own = 100 * (double)slots_of(machine,
							    table[i].part) /
				     (double)busy;

			if (shown[i] || own < table[i].least || own <= share)
				continue;
			found = &table[i];
			share = own;
		}
		if (!found)
			break;
		shown[found - table] = true;
		text = append(text, machine, found, share);
	}
	return text;
}
