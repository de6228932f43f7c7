/* Where the kernel hands the processor to a program. */
#include "x86/linux/run.h"
#include "x86/linux/state.h"
#include "x86/linux/trace/trace.h"

enum x86_stop context_run(struct context *context, uint64_t instructions)
{
	return trace_is_on(context->process->system)
		       ? trace_run(context, instructions)
		       : x86_run(context->cpu, instructions);
}
