/* libm2s-exit.so, which m2s --native puts before the program's libraries: the
 * functions that end a process without exit handlers tell libm2s-native first,
 * so that its reports are written. What calls the kernel itself passes by. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Set by libm2s-native, which finds it by this name. */
_Atomic(void (*)(void)) m2s_exit_hook;

static _Noreturn void end(int status)
{
	void (*hook)(void) = m2s_exit_hook;

	if (hook)
		hook();
	for (;;)
		syscall(SYS_exit_group, status);
}

void _exit(int status)
{
	end(status);
}

void _Exit(int status)
{
	end(status);
}

/* Its handlers are the C library's to call. */
void quick_exit(int status)
{
	void (*next)(int) = (void (*)(int))(uintptr_t)dlsym(RTLD_NEXT,
							    "quick_exit");

	if (m2s_exit_hook)
		at_quick_exit(m2s_exit_hook);
	if (next)
		next(status);
	end(status);
}
