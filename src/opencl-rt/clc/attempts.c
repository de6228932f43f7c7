#include "opencl-rt/clc/attempts.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "evergreen/kernel/metadata.h"

/* What the marks of scratch memory need: that nothing moves their addresses
 * away from them. */
#define STEADY "-amdgpu-scalar-ir-passes=0"
#define APART "-disable-promote-alloca-to-vector"
#define NO_IF "-r600-if-convert=0"
#define UNJOINED "-amdgpu-load-store-vectorizer=0"
/* Constants, such as addresses in local memory, are made where they are used
 * instead of having a register each through a whole loop. */
#define NO_HOIST "-disable-machine-licm"
#define NO_SHARE "-disable-machine-cse"
/* Blocks that were cut stay apart. */
#define CUT "-disable-cgp"
/* LLVM's scheduler for this device brings the loads of a block together and
 * does not count registers. Without it instructions stay where they are, which
 * needs fewer registers and more clauses. */
#define IN_ORDER "-enable-misched=0"

/* Dwords that may live at once. Of a register's four what is fetched from
 * scratch memory often takes the channel x, where its address was; and
 * work-groups of 256 have 62 registers. */
enum { SPILL_LIMIT = 60, SPILL_LIMIT_LOW = 40 };

static const struct attempt attempts[BACKEND_ATTEMPTS] = {
	{ .description = "as it is" },
	{ .description = "in the program's order", { IN_ORDER } },
	{ .description = "without if-conversion", { NO_IF } },
	{ .description = "with scalar instead of vector operations",
	  { UNJOINED }, .scalarize = true },
	{ .description = "with private arrays kept apart", { APART } },
	{ .description = "with scalar operations and private arrays kept apart",
	  { APART, NO_IF, UNJOINED }, .scalarize = true },
	{ .description = "with private variables in scratch memory",
	  { STEADY }, .scratch = true },
	{ .description = "with scalar operations and private variables in "
			 "scratch memory",
	  { STEADY, NO_IF, UNJOINED }, .scalarize = true, .scratch = true },
	{ .description = "with constants made anew at each use and private "
			 "variables in scratch memory",
	  { STEADY, NO_HOIST, NO_SHARE }, .scratch = true },
	{ .description = "in the program's order with registers spilled to "
			 "scratch memory",
	  { STEADY, IN_ORDER, NO_HOIST, NO_SHARE, CUT }, .scratch = true,
	  .spill = SPILL_LIMIT },
	{ .description = "in the program's order with scalar operations and "
			 "more registers spilled to scratch memory",
	  { STEADY, IN_ORDER, NO_IF, UNJOINED, NO_HOIST, NO_SHARE, CUT },
	  .scalarize = true, .scratch = true, .spill = SPILL_LIMIT_LOW },
	{ .description = "with scalar operations and every value spilled to "
			 "scratch memory",
	  { STEADY, NO_IF, UNJOINED }, .scalarize = true, .scratch = true,
	  .spill_all = true },
};

/* A kernel of more registers cannot have work-groups of 256, which programs
 * take for granted unless they say reqd_work_group_size: a SIMD engine has 256
 * registers per lane, less the 8 that clauses use for a time, for the four
 * wavefronts of a group. */
enum { COMFORTABLE_REGISTERS = 62 };
/* Bytes of scratch memory that cost less than small work-groups do. */
enum { COMFORTABLE_SCRATCH = 48 };

/* An attempt that others may follow has this part of the time. */
enum { EARLY_SHARE = 3 };

static void tell(const struct compilation *compilation, const char *what,
		 const char *how, const char *outcome)
{
	if (compilation->options->verbose)
		fprintf(stderr, "m2s-clc: %s: %s: %s\n", what, how, outcome);
}

/* Whether a kernel of a binary has more registers than it should, or more
 * scratch memory than a limit (bytes); `only` as in struct compilation. */
static bool is_crowded(const struct compilation *compilation, uint32_t kernel,
		       const char *binary, size_t size, uint32_t scratch)
{
	const struct evg_kernel *wanted =
		&compilation->program->kernels[kernel], *found;
	struct evg_program *program;
	struct error error;
	bool crowded;

	if (wanted->reqd_work_group_size[0])
		return false;
	program = evg_program_read("kernel", binary, size, &error);
	found = program ? evg_program_find(program, wanted->name) : NULL;
	crowded = found && (found->registers > COMFORTABLE_REGISTERS ||
			    found->scratch_size > scratch);
	evg_program_free(program);
	return crowded;
}

/* Looks for a way that gives a kernel fewer registers, without spilling them and
 * with little scratch memory. Whether there is one. */
static bool choose_roomy(struct compilation *compilation, uint32_t kernel,
			 size_t first)
{
	const struct attempt *before = compilation->choice[kernel];
	double seconds = compilation->options->limits.seconds / EARLY_SHARE;
	const char *name = compilation->program->kernels[kernel].name;

	compilation->only = (int)kernel;
	for (size_t i = first; i < ARRAY_SIZE(attempts); i++) {
		struct error error;
		char *binary = NULL;
		bool crowded;
		size_t size;

		if (attempts[i].spill || attempts[i].spill_all)
			continue;
		compilation->choice[kernel] = &attempts[i];
		if (attempt_run(compilation, seconds, &binary, &size, &error))
			continue;
		crowded = is_crowded(compilation, kernel, binary, size,
				     COMFORTABLE_SCRATCH);
		free(binary);
		tell(compilation, name, attempts[i].description,
		     crowded ? "more registers than work-groups of 256 can "
			       "have, or much scratch memory"
			     : "done, with fewer registers");
		if (!crowded)
			return true;
	}
	compilation->choice[kernel] = before;
	return false;
}

/* Compiles one kernel alone in one way after the other, from `first`: 0 when
 * compilation->choice is one that does, or 1 and what was wrong with the very
 * first (which *error says when `first` is not it), or -1. */
static int choose_attempt(struct compilation *compilation, uint32_t kernel,
			  size_t first, struct error *error)
{
	const char *name = compilation->program->kernels[kernel].name;
	double seconds = compilation->options->limits.seconds;
	struct error later;

	compilation->only = (int)kernel;
	for (size_t i = first; i < ARRAY_SIZE(attempts); i++) {
		struct error *reason =
			i == compilation->options->attempt - 1 ? error : &later;
		bool last = i + 1 == ARRAY_SIZE(attempts);
		char *binary = NULL;
		size_t size;
		int status;

		compilation->choice[kernel] = &attempts[i];
		status = attempt_run(compilation,
				  last ? seconds : seconds / EARLY_SHARE,
				  &binary, &size, reason);
		free(binary);
		tell(compilation, name, attempts[i].description,
		     status ? reason->text : "done");
		if (!status)
			return 0;
		if (status > 0) {
			*error = *reason;
			return -1;
		}
	}
	error_prefix(error, "kernel '%s'", name);
	later = *error;
	error_set(error, "%s (nor in %zu other ways: simplify the kernel or "
		  "cut it in two; --verbose shows what was tried)", later.text,
		  ARRAY_SIZE(attempts) - first);
	return 1;
}

/* Each kernel in the way that it takes alone. The switches of LLVM are those
 * of all, which may disagree with one of them: then all take the last way that
 * any of them needs, or a later one. */
static int run_together(struct compilation *compilation, char **binary,
			size_t *binary_size, struct error *error)
{
	double seconds = compilation->options->limits.seconds;
	const struct attempt *last = attempts;

	compilation->only = EVERY_KERNEL;
	if (!attempt_run(compilation, seconds, binary, binary_size, error))
		return 0;
	tell(compilation, "program", "each kernel in its own way",
	     error->text);
	for (uint32_t k = 0; k < compilation->program->kernel_count; k++)
		if (compilation->choice[k] > last)
			last = compilation->choice[k];
	for (; last < attempts + ARRAY_SIZE(attempts); last++) {
		for (uint32_t k = 0; k < compilation->program->kernel_count;
		     k++)
			compilation->choice[k] = last;
		if (!attempt_run(compilation, seconds, binary, binary_size,
			      error))
			return 0;
		tell(compilation, "program", last->description, error->text);
	}
	return 1;
}

/* The first way did for all, but some kernels may have more registers than they
 * should: replaces *binary if those can have fewer. */
static void make_room(struct compilation *compilation, size_t first,
		      char **binary, size_t *binary_size)
{
	char *roomier = NULL;
	struct error error;
	bool better = false;
	size_t size;

	for (uint32_t k = 0; k < compilation->program->kernel_count; k++)
		if (is_crowded(compilation, k, *binary, *binary_size,
			       EVG_SCRATCH_SIZE_MAX))
			better |= choose_roomy(compilation, k, first + 1);
	compilation->only = EVERY_KERNEL;
	if (!better ||
	    attempt_run(compilation, compilation->options->limits.seconds,
		     &roomier, &size, &error))
		return;
	free(*binary);
	*binary = roomier;
	*binary_size = size;
}

int attempts_run(struct compilation *compilation, char **binary,
			size_t *binary_size, struct error *error)
{
	size_t first = compilation->options->attempt - 1;
	double seconds = compilation->options->limits.seconds;
	uint32_t count = compilation->program->kernel_count;
	int status;

	for (uint32_t k = 0; k < count; k++)
		compilation->choice[k] = &attempts[first];
	compilation->only = EVERY_KERNEL;
	if (!attempt_run(compilation, seconds / EARLY_SHARE, binary, binary_size,
		      error)) {
		tell(compilation, "program", attempts[first].description,
		     "done");
		make_room(compilation, first, binary, binary_size);
		return 0;
	}
	tell(compilation, "program", attempts[first].description, error->text);
	for (uint32_t k = 0; k < count; k++) {
		/* One kernel alone has just been tried. */
		status = choose_attempt(compilation, k,
					count == 1 ? first + 1 : first, error);
		if (status)
			return status;
	}
	return run_together(compilation, binary, binary_size, error);
}
