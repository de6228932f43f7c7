/* How the run ends. */
#include "x86/linux/outcome.h"
#include "x86/linux/state.h"

void system_fail(struct linux_system *system, enum linux_end end)
{
	system->failed = true;
	system->end = end;
}
