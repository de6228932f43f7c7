#include "opencl-rt/clc/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/sanitized.h"
#include "opencl-rt/clc/keeper.h"

/* What a child gives back at most: far beyond any kernel, but a bound. */
enum { OUTPUT_LIMIT = 1 << 30 };

/* How often somebody is asked whether to go on. */
#define STOP_SECONDS 0.1

struct child {
	pid_t pid;     /* whose end is waited for */
	pid_t program; /* that is killed: the same, or its own child */
	int input, output, messages; /* memory files; -1: inherited */
};

int process_write(int file, const void *content, size_t size)
{
	const char *bytes = content;

	while (size) {
		ssize_t part = write(file, bytes, size);

		if (part < 0 && errno == EINTR)
			continue;
		if (part <= 0)
			return -1;
		bytes += part;
		size -= (size_t)part;
	}
	return 0;
}

int process_memory_file(const char *name, const void *content, size_t size,
			struct error *error)
{
	int file = file_beyond_standard(memfd_create(name, MFD_CLOEXEC));

	if (file < 0)
		return error_set(error, "memfd_create: %s", strerror(errno));
	if (process_write(file, content, size)) {
		error_set(error, "cannot hold %zu bytes in memory: %s", size,
			  strerror(errno));
		close(file);
		return -1;
	}
	lseek(file, 0, SEEK_SET);
	return file;
}

/* In the child, between fork and exec: only calls that are safe there. */
static void prepare_child(const struct child *child, pid_t parent,
			  const struct process_limits *limits)
{
	struct rlimit limit;
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127); /* the parent was gone before that call */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGCHLD, SIG_DFL); /* it waits for children of its own */
	limit.rlim_cur = limit.rlim_max = 0;
	setrlimit(RLIMIT_CORE, &limit);
	limit.rlim_cur = limit.rlim_max = OUTPUT_LIMIT;
	setrlimit(RLIMIT_FSIZE, &limit);
	if (limits->memory_bytes) {
		limit.rlim_cur = limit.rlim_max = limits->memory_bytes;
		setrlimit(RLIMIT_AS, &limit);
	}
	if (child->input >= 0)
		dup2(child->input, STDIN_FILENO);
	if (child->messages >= 0)
		dup2(child->messages, STDERR_FILENO);
}

static void child_close(struct child *child)
{
	if (child->input >= 0)
		close(child->input);
	if (child->output >= 0)
		close(child->output);
	if (child->messages >= 0)
		close(child->messages);
}

static int child_open(struct child *child, const void *input,
		      size_t input_size, bool pass_messages,
		      struct error *error)
{
	*child = (struct child){ -1, -1, -1, -1, -1 };
	if (input) {
		child->input = process_memory_file("input", input, input_size,
						   error);
		if (child->input < 0)
			return -1;
	}
	child->output = process_memory_file("output", NULL, 0, error);
	if (child->output >= 0 && !pass_messages)
		child->messages = process_memory_file("messages", NULL, 0,
						      error);
	if (child->output < 0 || (!pass_messages && child->messages < 0)) {
		child_close(child);
		return -1;
	}
	return 0;
}

static char *read_back(int file, size_t *size)
{
	off_t length = file < 0 ? 0 : lseek(file, 0, SEEK_END);
	char *bytes;
	size_t done = 0;

	if (length < 0)
		length = 0;
	bytes = xmalloc((size_t)length + 1);
	while (done < (size_t)length) {
		ssize_t part = pread(file, bytes + done,
				     (size_t)length - done, (off_t)done);

		if (part < 0 && errno == EINTR)
			continue;
		if (part <= 0)
			break;
		done += (size_t)part;
	}
	bytes[done] = 0;
	*size = done;
	return bytes;
}

/* Sleeps until the child may have ended or `seconds` have passed. */
static void await_end(int pid_file, double seconds)
{
	struct pollfd poll_file = { .fd = pid_file, .events = POLLIN };

	/* Without pidfd_open (Linux before 5.3): look every few ms. */
	if (pid_file < 0 && (seconds < 0 || seconds > 0.005))
		seconds = 0.005;
	if (seconds > 1000)
		seconds = 1000;
	poll(&poll_file, pid_file >= 0,
	     seconds < 0 ? -1 : (int)(seconds * 1000) + 1);
}

/* Processor seconds that a child has used so far. */
static double processor_seconds(pid_t pid)
{
	struct timespec used;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &used))
		return 0;
	return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

/* Since when a child has used hardly any time, and what it had used then. */
struct standstill {
	double since, used;
};

/* The seconds by the clock in which a child has to do something. */
static double patience_left(struct standstill *still, double used,
			    double seconds)
{
	double now = host_seconds();
	double left = still->since + seconds * PROCESS_PATIENCE - now;

	if (left > 0 || used - still->used < seconds / PROCESS_PROGRESS)
		return left;
	still->since = now;
	still->used = used;
	return seconds * PROCESS_PATIENCE;
}

/* The seconds that a child has at least until it breaks a limit; negative: no
 * limit. Kills it when it has none. */
static double enforce(const struct child *child, struct standstill *still,
		      const struct process_limits *limits,
		      struct process_result *result)
{
	double used, left, patience;

	if (result->timed_out || result->stopped)
		return -1;
	if (limits->stop && limits->stop(limits->stop_owner)) {
		result->stopped = true;
		kill(child->program, SIGKILL);
		return -1;
	}
	if (limits->seconds <= 0)
		return limits->stop ? STOP_SECONDS : -1;
	used = processor_seconds(child->program);
	left = limits->seconds - used;
	patience = patience_left(still, used, limits->seconds);
	if (left > 0 && patience > 0) {
		left = left < patience ? left : patience;
		return limits->stop && left > STOP_SECONDS ? STOP_SECONDS
							   : left;
	}
	result->timed_out = true;
	result->stuck = left > 0;
	kill(child->program, SIGKILL);
	return -1;
}

static int child_wait(const struct child *child,
		      const struct process_limits *limits,
		      struct process_result *result, struct error *error)
{
	struct standstill still = { .since = host_seconds() };
	int pid_file = (int)syscall(SYS_pidfd_open, child->pid, 0);
	int status = 0;

	for (;;) {
		pid_t pid = waitpid(child->pid, &status, WNOHANG | __WALL);

		if (pid == child->pid)
			break;
		if (pid < 0 && errno != EINTR) {
			int why = errno;

			kill(child->program, SIGKILL);
			if (pid_file >= 0)
				close(pid_file);
			return error_set(error, "waitpid: %s", strerror(why));
		}
		await_end(pid_file, enforce(child, &still, limits, result));
	}
	if (pid_file >= 0)
		close(pid_file);
	if (result->timed_out || result->stopped)
		return 0;
	if (WIFSIGNALED(status))
		result->signal = WTERMSIG(status);
	else
		result->exit_status = WEXITSTATUS(status);
	return 0;
}

/* After the fork, in the parent: the common second half. */
static int child_finish(struct child *child,
			const struct process_limits *limits,
			struct process_result *result, struct error *error)
{
	int status = -1;

	if (child->pid < 0)
		error_set(error, "cannot start a process: %s", strerror(errno));
	else
		status = child_wait(child, limits, result, error);
	if (!status) {
		result->output = read_back(child->output,
					   &result->output_size);
		result->messages = read_back(child->messages,
					     &result->messages_size);
	}
	child_close(child);
	return status;
}

/* In the child of the keeper, before exec. */
struct start {
	const struct child *child;
	const struct process_limits *limits;
};

static void prepare_program(void *owner, pid_t keeper)
{
	const struct start *start = owner;

	prepare_child(start->child, keeper, start->limits);
	dup2(start->child->output, STDOUT_FILENO);
}

int process_run(char *const argv[], const void *input, size_t input_size,
		bool pass_messages, const struct process_limits *limits,
		struct process_result *result, struct error *error)
{
	struct child child;
	struct start start = { &child, limits };
	int why = 0;

	memset(result, 0, sizeof *result);
	if (child_open(&child, input, input_size, pass_messages, error))
		return -1;
	child.pid = keeper_start(argv, prepare_program, &start, &child.program,
				 &why);
	if (child_finish(&child, limits, result, error))
		return -1;
	if (why) {
		process_result_free(result);
		error_set(error, "cannot run %s: %s", argv[0], strerror(why));
		errno = why;
		return -1;
	}
	return 0;
}

int process_call(int (*function)(void *argument, int output), void *argument,
		 const struct process_limits *limits,
		 struct process_result *result, struct error *error)
{
	struct process_limits own = *limits;
	pid_t parent = getpid();
	struct child child;

	if (SANITIZED)
		own.memory_bytes = 0;
	memset(result, 0, sizeof *result);
	if (child_open(&child, NULL, 0, false, error))
		return -1;
	child.pid = child.program = fork();
	if (!child.pid) {
		prepare_child(&child, parent, &own);
		_exit(function(argument, child.output));
	}
	return child_finish(&child, limits, result, error);
}

char *process_file_path(int file)
{
	return xasprintf("/proc/%ld/fd/%d", (long)getpid(), file);
}

void process_result_free(struct process_result *result)
{
	free(result->output);
	free(result->messages);
	result->output = result->messages = NULL;
}

void process_describe(const struct process_result *result,
		      const struct process_limits *limits, char *text,
		      size_t size)
{
	if (result->stopped)
		snprintf(text, size, "was stopped as the run ended");
	else if (result->stuck)
		snprintf(text, size, "was stopped: it had waited for %g seconds",
			 limits->seconds * PROCESS_PATIENCE);
	else if (result->timed_out)
		snprintf(text, size, "was stopped after %g seconds of "
			 "processor time", limits->seconds);
	else if (result->signal)
		snprintf(text, size, "was killed by signal %d (%s)",
			 result->signal, strsignal(result->signal));
	else
		snprintf(text, size, "ended with status %d",
			 result->exit_status);
}
