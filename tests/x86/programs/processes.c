/* fork, exec, wait, pipes, shared memory, spawn. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void show(const char *what, int status)
{
	if (WIFEXITED(status))
		printf("%s: exit %d\n", what, WEXITSTATUS(status));
	else
		printf("%s: signal %d\n", what, WTERMSIG(status));
}

int main(int argc, char **argv)
{
	static char large[300000];
	char *arguments[] = { argv[0], "child", NULL };
	int ends[2], status, *shared;
	size_t got = 0;
	ssize_t piece;
	pid_t child;
	FILE *command;

	setvbuf(stdout, NULL, _IONBF, 0);
	if (argc == 2) {
		printf("child program with %s\n", argv[1]);
		return 33;
	}
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (pipe(ends))
		return 1;
	child = fork();
	if (!child) {
		close(ends[0]);
		*shared = 99;
		large[5] = 1;
		memset(large, 'z', sizeof large);
		/* More than a pipe holds. */
		if (write(ends[1], large, sizeof large) != sizeof large)
			_exit(1);
		_exit(17);
	}
	close(ends[1]);
	while ((piece = read(ends[0], large, sizeof large)) > 0)
		got += (size_t)piece;
	printf("received %zu\n", got);
	close(ends[0]);
	printf("waited %d\n", waitpid(child, &status, 0) == child);
	show("fork", status);
	printf("shared %d\n", *shared);
	printf("no more children: %s\n",
	       wait(NULL) < 0 ? strerror(errno) : "?");
	child = fork();
	if (!child)
		for (;;)
			pause();
	kill(child, SIGTERM);
	waitpid(child, &status, 0);
	show("killed", status);
	child = vfork();
	if (!child) {
		execv("/proc/self/exe", arguments);
		_exit(127);
	}
	waitpid(child, &status, 0);
	show("vfork", status);
	if (posix_spawn(&child, argv[0], NULL, NULL, arguments, environ))
		printf("spawn failed\n");
	waitpid(child, &status, 0);
	show("spawn", status);
	child = fork();
	if (!child) {
		execl("/nonexistent", "x", NULL);
		printf("exec: %s\n", strerror(errno));
		_exit(3);
	}
	waitpid(child, &status, 0);
	show("failed exec", status);
	command = popen("echo from the shell; exit 4", "r");
	if (fgets(large, sizeof large, command))
		printf("popen: %s", large);
	show("popen", pclose(command));
	show("system", system("exit 6"));
	return 0;
}
