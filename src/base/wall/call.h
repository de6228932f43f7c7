/* Rows of a list of system calls as elements of a struct wall_call array:
 *
 *	static const struct wall_call calls[] = {
 *	#include "base/wall/call.h"
 *	#include "wall-calls.def"
 *	};
 *
 * Without a guard: a list ends both macros. */
#include <sys/syscall.h>

#define CALL(name) { .number = SYS_##name },
#define CALL_IF(name, on, only)                                                \
	{ .number = SYS_##name, .limited = true, .argument = (on),             \
	  .value = (uint64_t)(only) },
