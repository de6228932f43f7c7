/* --x86-host-pids: guest processes have ids of the host.
 *
 * All guests live in one host process, so each guest process gets a relay: a
 * process of the host that does nothing but wait for signals and write what
 * comes into a pipe. Its id is the guest's, so that files with ids, kill(1) and
 * supervisors mean the same inside and outside. A relay shares the memory and
 * the descriptors of the simulator: it costs a stack, holds no pipe open, and
 * does not touch the C library, whose errno is the simulator's. Killing it
 * kills the guest process; it ends with the simulator's thread. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/processes/host-pid.h"
#include "x86/linux/signals/signal.h"
#include "x86/linux/state.h"

enum {
	STACK = 16384,       /* of a relay, bytes */
	FIRST_THREAD = 1 << 22, /* Linux's greatest process id, and one */
};

struct relay {
	int pid;             /* of the host and of the guest process */
	int pidfd;
	int pipe;
	int parent;
	void *stack;
	bool gone;           /* another process has killed it */
};

struct host_pids {
	int pipe[2];
	struct relay **list;
	size_t count, capacity;
};

/* A message through the pipe, in one piece. */
struct message {
	int pid;
	siginfo_t information;
};

/* ---- The relay ---- */

static long call(long number, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return result;
}

static int relay_signals(void *argument)
{
	const struct relay *relay = argument;
	struct message message;
	uint64_t all = UINT64_MAX;

	call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0);
	message.pid = (int)call(SYS_getpid, 0, 0, 0, 0);
	while (call(SYS_getppid, 0, 0, 0, 0) == relay->parent)
		if (call(SYS_rt_sigtimedwait, (long)&all,
			 (long)&message.information, 0, sizeof all) > 0)
			call(SYS_write, relay->pipe, (long)&message,
			     sizeof message, 0);
	return 0;
}

/* ---- Making and ending them ---- */

int host_pids_create(struct linux_system *system, struct error *error)
{
	const struct linux_options *options = system->options;
	struct host_pids *pids;

	if (!options->host_pids)
		return 0;
	if (options->root || options->read_only || options->no_network)
		return error_set(error, "--x86-host-pids: cannot be used with "
				 "a confined program, which could then send "
				 "signals to processes of the host");
	pids = xcalloc(1, sizeof *pids);
	if (pipe2(pids->pipe, O_CLOEXEC | O_NONBLOCK)) {
		free(pids);
		return error_set(error, "--x86-host-pids: cannot make a pipe: "
					"%s",
				 strerror(errno));
	}
	system->host_pids = pids;
	system->next_id = FIRST_THREAD;
	return 0;
}

static int start_relay(struct relay *relay)
{
	/* No CLONE_SIGHAND and no exit signal: only m2s waits for this
	 * child. */
	const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_PIDFD;
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	relay->pid = clone(relay_signals, (char *)relay->stack + STACK, flags,
			   relay, &relay->pidfd);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return relay->pid;
}

int host_pid_take(struct linux_system *system)
{
	struct host_pids *pids = system->host_pids;
	struct relay *relay;

	if (!pids)
		return process_next_id(system);
	relay = xcalloc(1, sizeof *relay);
	relay->pipe = pids->pipe[1];
	relay->parent = getpid();
	relay->stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (relay->stack == MAP_FAILED || start_relay(relay) < 0) {
		log_warning_once(system->log, "host pid",
				 "--x86-host-pids: the host starts no more "
				 "processes (%s): some guest processes have no "
				 "id on the host",
				 strerror(errno));
		if (relay->stack != MAP_FAILED)
			munmap(relay->stack, STACK);
		free(relay);
		return system->next_id++;
	}
	ARRAY_GROW(pids->list, pids->count, pids->capacity);
	pids->list[pids->count++] = relay;
	return relay->pid;
}

static void end(struct relay *relay)
{
	syscall(SYS_pidfd_send_signal, relay->pidfd, SIGKILL, NULL, 0);
	waitpid(relay->pid, NULL, __WALL);
	close(relay->pidfd);
	munmap(relay->stack, STACK);
	free(relay);
}

void host_pid_release(struct linux_system *system, int pid)
{
	struct host_pids *pids = system->host_pids;

	for (size_t i = 0; pids && i < pids->count; i++)
		if (pids->list[i]->pid == pid) {
			end(pids->list[i]);
			pids->list[i] = pids->list[--pids->count];
			return;
		}
}

void host_pids_free(struct linux_system *system)
{
	struct host_pids *pids = system->host_pids;

	if (!pids)
		return;
	while (pids->count)
		end(pids->list[--pids->count]);
	close(pids->pipe[0]);
	close(pids->pipe[1]);
	free(pids->list);
	free(pids);
	system->host_pids = NULL;
}

/* ---- What comes ---- */

static void pass_on(struct linux_system *system, const struct message *message)
{
	const siginfo_t *from = &message->information;
	struct process *process = process_find(system, message->pid);

	if (process)
		signal_send_process(
			process,
			&(struct signal_information){
				.number = from->si_signo,
				.code = from->si_code,
				.pid = from->si_pid,
				.uid = (int)from->si_uid,
				.value = (uint64_t)(uintptr_t)
						 from->si_value.sival_ptr,
			});
}

/* Relays that were killed from outside: SIGKILL cannot be relayed. */
static void look_for_killed(struct linux_system *system)
{
	struct host_pids *pids = system->host_pids;

	for (size_t i = 0; i < pids->count; i++) {
		struct relay *relay = pids->list[i];
		struct pollfd poll_for = { relay->pidfd, POLLIN, 0 };
		struct process *process;

		if (relay->gone || poll(&poll_for, 1, 0) != 1)
			continue;
		relay->gone = true;
		process = process_find(system, relay->pid);
		if (process && !process->ended)
			system->end_process(process, 0, SIGKILL);
	}
}

void host_pids_poll(struct linux_system *system)
{
	struct message message;

	if (!system->host_pids)
		return;
	while (read(system->host_pids->pipe[0], &message, sizeof message) ==
	       sizeof message)
		pass_on(system, &message);
	look_for_killed(system);
}

int host_pids_descriptor(const struct linux_system *system)
{
	return system->host_pids ? system->host_pids->pipe[0] : -1;
}

int64_t host_pid_kill(const struct linux_system *system, int pid, int number)
{
	if (!system->host_pids || pid <= 0 || pid == getpid())
		return -ESRCH;
	return host_result(kill(pid, number));
}
