/* Where the kernel hands the processor to a program. */
#include "x86/linux/process.h"

enum x86_stop context_run(struct context *context, uint64_t instructions)
{
	return trace_is_on(context->process->system)
		       ? trace_run(context, instructions)
		       : x86_run(context->cpu, instructions);
}
