/* The protection of guest pages as the host needs it. */
#include <sys/mman.h>

#include "memsys/space/internal.h"

/* The host never executes guest pages. x86 pages that can be written or executed
 * can be read. */
int space_host_protection(int protection)
{
	if (protection & SPACE_WRITE)
		return PROT_READ | PROT_WRITE;
	if (protection & (SPACE_READ | SPACE_EXECUTE))
		return PROT_READ;
	return PROT_NONE;
}
