#include "opencl-rt/codegen/fit/fit.h"

#include "base/memory.h"
#include "evergreen/emu/emu.h"

/* A SIMD engine has 256 registers per lane, less the 8 that clauses use for a
 * time, for all wavefronts of a work-group. Programs take work-groups of 256 for
 * granted unless they say reqd_work_group_size. */
enum {
	LANE_REGISTERS = 248,
	MOST_WAVEFRONTS = 4,
	COMFORTABLE_REGISTERS = LANE_REGISTERS / MOST_WAVEFRONTS,
	/* Bytes of scratch memory that cost less than small work-groups do. */
	COMFORTABLE_SCRATCH = 48,
};

/* Fetches side by side need many registers. Where there are not so many, the
 * instructions stay in the order of the source; then copies come early; where
 * even that does not help, values are moved out of registers for a time. */
struct way {
	bool comfortable;    /* work-groups of 256 can have the registers */
	bool ordered;        /* fetches stand side by side */
	bool early;          /* copies stand early ... */
	bool merges;         /* ... and have one register with their sources */
	bool bound;          /* also those of tuples, which cannot be spilled */
	bool spills;
};

static const struct way ways[] = {
	{ .comfortable = true, .ordered = true },
	{ .comfortable = true },
	{ .comfortable = true, .early = true, .merges = true, .bound = true },
	{ .comfortable = true, .early = true, .merges = true, .spills = true },
	{ .ordered = true },
	{ 0 },
	{ .early = true, .merges = true, .bound = true },
	{ .early = true, .merges = true, .spills = true },
};

/* How many registers a kernel's work-groups can have. */
static unsigned find_most(const struct evg_kernel *kernel)
{
	const uint32_t *size = kernel->reqd_work_group_size;
	uint32_t wavefronts = (size[0] * size[1] * size[2] +
			       EVG_WAVEFRONT_SIZE - 1) / EVG_WAVEFRONT_SIZE;

	if (wavefronts > MOST_WAVEFRONTS)
		wavefronts = MOST_WAVEFRONTS;
	if (!wavefronts || LANE_REGISTERS / wavefronts > EVG_FIRST_TEMPORARY)
		return EVG_FIRST_TEMPORARY;
	return LANE_REGISTERS / wavefronts;
}

/* The machine in one of the ways. */
static const char *try_way(const struct way *way, const struct machine *from,
			   unsigned most, struct machine *made)
{
	const char *why;

	machine_copy(made, from);
	if (way->early)
		fit_copy_early(made);
	if (way->merges)
		fit_merge(made, way->bound);
	made->most_registers = way->comfortable ? COMFORTABLE_REGISTERS : most;
	why = way->spills ? machine_spill(made) : machine_allocate(made);
	if (!why && way->comfortable &&
	    made->scratch_size > from->scratch_size + COMFORTABLE_SCRATCH)
		why = "much scratch memory";
	if (why)
		machine_free(made);
	return why;
}

const char *fit_registers(struct machine *machine,
			  const struct evg_kernel *kernel, unsigned registers,
			  struct stage_watch *watch)
{
	bool orders = !(machine->without >> STAGE_ORDER & 1);
	bool any_group = !registers && !kernel->reqd_work_group_size[0];
	unsigned most = registers ? registers : find_most(kernel);
	struct machine ordered = { .insts = NULL }, made;
	const char *why = NULL;

	if (orders) {
		machine_copy(&ordered, machine);
		machine_arrange(&ordered);
		stage_end(watch, &ordered, STAGE_ORDER);
	}
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		if ((ways[i].comfortable && !any_group) ||
		    (ways[i].ordered && !orders))
			continue;
		why = try_way(&ways[i], ways[i].ordered ? &ordered : machine,
			      most, &made);
		if (why)
			continue;
		machine_free(machine);
		*machine = made;
		break;
	}
	machine_free(&ordered);
	return why;
}
