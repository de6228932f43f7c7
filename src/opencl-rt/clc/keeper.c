#include "opencl-rt/clc/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int file_beyond_standard(int file)
{
	int high;

	if (file < 0 || file > STDERR_FILENO)
		return file;
	high = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(file);
	return high;
}

/* What the keeper has to do, and the file by which it tells of it. */
struct task {
	char *const *argv;
	void (*prepare)(void *owner, pid_t parent);
	void *owner;
	pid_t parent, keeper;
	int told;
};

/* fork() without SIGCHLD at the child's end, and without the fork handlers. */
static pid_t fork_silently(void)
{
	const unsigned long no_signal = 0;

	return (pid_t)syscall(SYS_clone, no_signal, NULL, NULL, NULL, NULL);
}

/* --- In the keeper and its child: only calls that are safe after fork ------ */

static void tell(const struct task *task, int number)
{
	if (write(task->told, &number, sizeof number) < 0)
		_exit(126);
}

static int become_program(void *argument)
{
	const struct task *task = argument;

	task->prepare(task->owner, task->keeper);
	tell(task, getpid());
	execvp(task->argv[0], task->argv);
	tell(task, errno);
	_exit(127);
}

/* As vfork() does: in the keeper's memory, which stands still until exec. A second
 * copy of a large program would take as long as the first. -1 and errno. */
static pid_t start_program(struct task *task)
{
	const size_t size = 256 << 10; /* execvp() has lists of words there */
	char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (stack == MAP_FAILED)
		return -1;
	return clone(become_program, stack + size,
		     CLONE_VM | CLONE_VFORK | SIGCHLD, task);
}

static _Noreturn void end_like(int status)
{
	const struct rlimit no_core = { 0, 0 };
	int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	sigset_t own;

	if (!number)
		_exit(WEXITSTATUS(status));
	setrlimit(RLIMIT_CORE, &no_core);
	signal(number, SIG_DFL);
	sigemptyset(&own);
	sigaddset(&own, number);
	sigprocmask(SIG_UNBLOCK, &own, NULL);
	kill(getpid(), number);
	_exit(126);
}

/* With every signal blocked: the handlers are those of the process. */
static _Noreturn void keep(struct task *task)
{
	int status = 0;
	pid_t program;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != task->parent)
		_exit(127); /* it was gone before that call */
	signal(SIGCHLD, SIG_DFL);
	task->keeper = getpid();
	program = start_program(task);
	if (program < 0)
		tell(task, -errno);
	close(task->told);
	/* Who waits at the other end of the process's pipes and sockets shall not
	 * wait for the program. Linux before 5.9 lets them wait. */
	close_range(0, UINT_MAX, 0);
	while (program > 0 && waitpid(program, &status, __WALL) < 0 &&
	       errno == EINTR)
		continue;
	end_like(status);
}

/* --- In the process -------------------------------------------------------- */

/* The next number that was told; 0: there is none. */
static int hear(int file)
{
	int number = 0;
	ssize_t size;

	do
		size = read(file, &number, sizeof number);
	while (size < 0 && errno == EINTR);
	return size == (ssize_t)sizeof number ? number : 0;
}

/* Both ends are closed where a program begins. -1 and errno. */
static int open_pipe(int ends[2])
{
	if (pipe2(ends, O_CLOEXEC))
		return -1;
	ends[0] = file_beyond_standard(ends[0]);
	ends[1] = file_beyond_standard(ends[1]);
	if (ends[0] >= 0 && ends[1] >= 0)
		return 0;
	for (int i = 0; i < 2; i++)
		if (ends[i] >= 0)
			close(ends[i]);
	errno = EMFILE;
	return -1;
}

static pid_t fork_keeper(struct task *task)
{
	sigset_t all, before;
	pid_t keeper;
	int failure;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	keeper = fork_silently();
	if (!keeper)
		keep(task);
	failure = errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = failure;
	return keeper;
}

pid_t keeper_start(char *const argv[],
		   void (*prepare)(void *owner, pid_t parent), void *owner,
		   pid_t *program, int *why)
{
	struct task task = { argv, prepare, owner, getpid(), 0, -1 };
	int ends[2], failure;
	pid_t keeper;

	*program = *why = 0;
	if (open_pipe(ends))
		return -1;
	task.told = ends[1];
	keeper = fork_keeper(&task);
	failure = errno;
	close(ends[1]);
	if (keeper > 0) {
		*program = hear(ends[0]);
		*why = hear(ends[0]);
	}
	close(ends[0]);
	if (keeper > 0 && *program <= 0) {
		failure = *program ? -*program : EAGAIN;
		waitpid(keeper, NULL, __WALL); /* it has nothing left to do */
		keeper = -1;
	}
	errno = failure;
	return keeper;
}
