/* Leaves a core file: its arguments are a limit of its size in KiB and how it
 * is to end. With "child", a child ends so and the parent says what it sees. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int counter = 4710;
double number = 2.5;
char *text, *hidden;

static void *wait_for_ever(void *argument)
{
	for (;;)
		pause();
	return argument;
}

__attribute__((noinline)) static void inner(int letter)
{
	text[0] = (char)letter;
	number *= 2;
	__asm__ volatile("movsd %0, %%xmm7" : : "m"(number));
	abort();
}

__attribute__((noinline)) static void outer(int letter)
{
	inner(letter + 1);
	puts("not here");
}

static void observe(int signal)
{
	siginfo_t information = { 0 };
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		raise(signal);
		_exit(9);
	}
	waitid(P_PID, (id_t)pid, &information, WEXITED | WNOWAIT);
	waitpid(pid, &status, 0);
	printf("signal %d: status %x, code %d, status %d, file %d\n", signal,
	       status, information.si_code, information.si_status,
	       access("core", F_OK));
	unlink("core");
}

int main(int argc, char **argv)
{
	rlim_t size = strtoul(argv[1], NULL, 10) * 1024;
	struct rlimit limit = { size, size };
	pthread_t thread;

	if (argc < 3 || setrlimit(RLIMIT_CORE, &limit) != 0)
		return 1;
	if (!strcmp(argv[2], "child")) {
		for (int signal = 1; signal < 32; signal++)
			if (signal != SIGCHLD && signal != SIGCONT &&
			    (signal < SIGSTOP || signal > SIGURG) &&
			    signal != SIGWINCH)
				observe(signal);
		prctl(PR_SET_DUMPABLE, 0);
		observe(SIGABRT);
		return 0;
	}
	text = strdup("hello heap");
	hidden = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	snprintf(hidden, 4096, "secret %d%d", counter, counter);
	madvise(hidden, 4096, MADV_DONTDUMP);
	pthread_create(&thread, NULL, wait_for_ever, NULL);
	usleep(1000);
	counter++;
	outer('G');
	return 0;
}
