/* Ends in the way that the argument names. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void wild_store(volatile int *where)
{
	*where = 1;
}

int main(int argc, char **argv)
{
	volatile int zero = 0;
	const char *how = argc > 1 ? argv[1] : "";

	printf("before\n");
	fflush(stdout);
	if (!strcmp(how, "segv"))
		wild_store((int *)16);
	else if (!strcmp(how, "fpe"))
		zero = 1 / zero;
	else if (!strcmp(how, "ill"))
		__asm__ volatile("ud2");
	else if (!strcmp(how, "trap"))
		__asm__ volatile("int3");
	else if (!strcmp(how, "abort"))
		abort();
	else if (!strcmp(how, "term"))
		raise(SIGTERM);
	else if (!strcmp(how, "kill"))
		kill(getpid(), SIGKILL);
	else if (!strcmp(how, "jump"))
		((void (*)(void))8)();
	else if (!strcmp(how, "exit"))
		_exit(255);
	printf("after\n");
	return 0;
}
