/* Which functions run of a program that is compiled with -finstrument-functions,
 * its children included: their addresses go to the file that $REACHED names. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define APART __attribute__((no_instrument_function))

extern const char __executable_start[], etext[];

static unsigned char *reached; /* by address; what children share */
static int file = -1;

APART void __cyg_profile_func_enter(void *function, void *caller);
APART void __cyg_profile_func_exit(void *function, void *caller);

void __cyg_profile_func_enter(void *function, void *caller)
{
	(void)caller;
	if (reached)
		reached[(const char *)function - __executable_start] = 1;
}

void __cyg_profile_func_exit(void *function, void *caller)
{
	(void)function;
	(void)caller;
}

/* The file is opened before the program confines itself. */
APART __attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("REACHED");
	void *shared = mmap(NULL, (size_t)(etext - __executable_start) + 1,
			    PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (path && shared != MAP_FAILED) {
		file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
		reached = shared;
	}
}

/* A child has less of the same. */
APART __attribute__((destructor)) static void tell(void)
{
	char line[32];
	off_t place = 0;

	for (long i = 0; file >= 0 && i < etext - __executable_start; i++)
		if (reached[i])
			place += pwrite(file, line,
					(size_t)snprintf(line, sizeof line,
							 "%016lx\n", i),
					place);
}
