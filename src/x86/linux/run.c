/* Running a thread's instructions. */
#include "x86/linux/run.h"
#include "x86/linux/state.h"
#include "x86/linux/trace/trace.h"

enum x86_stop context_run(struct context *context, uint64_t instructions)
{
	const struct linux_system *system = context->process->system;
	const struct linux_options *options = system->options;

	if (trace_is_on(system))
		return trace_run(context, instructions);
	if (options->run)
		return options->run(options->run_owner, context->process->pid,
				    context->tid, context->cpu, instructions);
	return x86_run(context->cpu, instructions);
}
