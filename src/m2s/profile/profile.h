/* --x86-annotate: where the programs on simulated cores lose their time, by
 * process, thread, function, source line, branch and instruction. */
#ifndef M2S_M2S_PROFILE_PROFILE_H
#define M2S_M2S_PROFILE_PROFILE_H

#include "base/error.h"
#include "base/output.h"
#include "stats/stats.h"
#include "x86/linux/cores.h"
#include "x86/timing/profile/profile.h"

struct machine_profile;

/* `width`: slots of retirement of a cycle. */
struct machine_profile *machine_profile_create(unsigned width);
void machine_profile_free(struct machine_profile *profile); /* may be NULL */

/* The profile of a thread that is about to execute on a core; NULL: of cores
 * without a thread. Lives as long as the profile. */
struct x86_profile *machine_profile_of(struct machine_profile *profile,
				       struct context *thread);

/* The function, and its source line if it is known, that lost most because of
 * `part`: "name at file:line"; the caller frees it. NULL: nothing was lost.
 * *share becomes its share of that. */
char *machine_profile_worst(struct machine_profile *profile,
			    enum x86_core_part part, double *share);

/* Adds the branches that lost most time, at most `most`, to the x86 report:
 * sections "HotBranch N", the worst first. */
void machine_profile_report_branches(struct machine_profile *profile,
				     struct stats *stats, uint64_t most);

/* Calls `row` for each instruction of each thread; `wide`: it is 64-bit code. */
void machine_profile_visit(const struct machine_profile *profile,
			   void (*row)(void *owner,
				       const struct x86_profile_row *row,
				       bool wide),
			   void *owner);

/* Writes text, or comma-separated values with `csv`, and closes the output.
 * `partial`, if not NULL, says why the run ended early. */
int machine_profile_write(struct machine_profile *profile,
			  struct output *output, bool csv, const char *partial,
			  struct error *error);

#endif
