/* What watches the programs' instructions in functional simulation. */
#include "m2s/sampling/phases.h"
#include "m2s/simulation-internal.h"

enum { PHASE_LENGTH = 1000000 };

static enum x86_stop observe_branches(void *owner, int process, int thread,
				      struct x86_cpu *cpu,
				      uint64_t instructions)
{
	return branch_observer_run(owner, (uint32_t)process, (uint32_t)thread,
				   cpu, instructions);
}

static enum x86_stop observe_blocks(void *owner, int process, int thread,
				    struct x86_cpu *cpu, uint64_t instructions)
{
	(void)thread;
	return vectors_run(owner, process, cpu, instructions);
}

int simulation_observe(struct simulation *s, struct linux_options *options,
		       struct error *error)
{
	uint64_t length = s->options->x86_phase_length;
	const char *option = s->files.phases ? "--x86-find-phases"
					     : "--x86-branch-trace";

	if (length && !s->files.phases)
		return error_set(error, "--x86-phase-length: needs "
				 "--x86-find-phases FILE");
	if (!s->files.branches && !s->files.phases)
		return 0;
	if (s->files.branches && s->files.phases)
		return error_set(error, "--x86-find-phases: not together with "
				 "--x86-branch-trace");
	if (log_stream(s->files.log, LOG_X86_ISA) ||
	    log_stream(s->files.log, LOG_X86_CALL))
		return error_set(error, "%s: not together with "
				 "--x86-debug-isa and --x86-debug-call",
				 option);
	if (s->files.branches) {
		s->branches = branch_observer_create(s->files.branches->stream);
		options->run = observe_branches;
		options->run_owner = s->branches;
		return 0;
	}
	s->vectors = vectors_create(length ? length : PHASE_LENGTH);
	options->run = observe_blocks;
	options->run_owner = s->vectors;
	return 0;
}

int simulation_observe_end(struct simulation *s, struct error *error)
{
	if (s->branches) {
		branch_observer_end(s->branches);
		return output_close(s->files.branches, 0, error);
	}
	if (s->vectors)
		return output_close(s->files.phases,
				    sampling_phases_find(
					    s->vectors, s->files.phases->stream,
					    error),
				    error);
	return 0;
}
