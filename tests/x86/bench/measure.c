/* measure ROUNDS FOLDER COMMAND... [-- COMMAND...]...: runs the commands in
 * turn, ROUNDS times each, and prints for each a line "STATUS CPU WALL": the
 * exit status of the first run (128 + n for a signal) and the least processor
 * time (of the whole process tree) and real time, in seconds. Alternating
 * and taking the least keep the load of a shared machine out of the ratios.
 * The first run's output goes to FOLDER/N.out and FOLDER/N.err, where N is 0
 * for the first command. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COMMANDS_MAX = 16 };

struct command {
	char **argv;
	int status;
	double cpu, wall;
};

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void redirect(int to, const char *folder, int number, const char *kind)
{
	char path[4096];
	int fd;

	if (folder)
		snprintf(path, sizeof path, "%s/%d.%s", folder, number, kind);
	fd = open(folder ? path : "/dev/null", O_RDWR | O_CREAT | O_TRUNC,
		  0666);
	if (fd < 0 || dup2(fd, to) < 0)
		_exit(127);
	close(fd);
}

static void run(struct command *command, const char *folder, int number)
{
	double start = now(), wall, cpu;
	struct rusage usage;
	int status;
	pid_t child = fork();

	if (child < 0) {
		perror("fork");
		exit(1);
	}
	if (child == 0) {
		redirect(STDIN_FILENO, NULL, 0, NULL);
		redirect(STDOUT_FILENO, folder, number, "out");
		redirect(STDERR_FILENO, folder, number, "err");
		execvp(command->argv[0], command->argv);
		_exit(127);
	}
	while (wait4(child, &status, 0, &usage) < 0)
		if (errno != EINTR)
			exit(1);
	wall = now() - start;
	cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime);
	if (folder) {
		command->status = WIFEXITED(status) ? WEXITSTATUS(status)
						    : 128 + WTERMSIG(status);
		command->cpu = cpu;
		command->wall = wall;
	}
	if (cpu < command->cpu)
		command->cpu = cpu;
	if (wall < command->wall)
		command->wall = wall;
}

int main(int argc, char **argv)
{
	struct command commands[COMMANDS_MAX] = { 0 };
	int rounds = argc > 3 ? atoi(argv[1]) : 0, count = 0;

	for (int i = 3; i < argc && count < COMMANDS_MAX; i++) {
		commands[count++].argv = argv + i;
		while (i < argc && strcmp(argv[i], "--"))
			i++;
		argv[i] = NULL;
	}
	if (rounds <= 0 || !count) {
		fprintf(stderr, "usage: measure ROUNDS FOLDER COMMAND... "
				"[-- COMMAND...]...\n");
		return 2;
	}
	for (int round = 0; round < rounds; round++)
		for (int i = 0; i < count; i++)
			run(&commands[i], round ? NULL : argv[2], i);
	for (int i = 0; i < count; i++)
		printf("%d %.6f %.6f\n", commands[i].status, commands[i].cpu,
		       commands[i].wall);
	return 0;
}
