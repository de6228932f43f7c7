/* Locks with priority inheritance whose owner ends without unlocking: they go
 * to the next who waits, with FUTEX_OWNER_DIED, in a robust list or not. */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
	_Atomic uint32_t word;
	_Atomic int held, waiting;
};

static long lock(struct shared *shared)
{
	return syscall(SYS_futex, &shared->word, FUTEX_LOCK_PI, 0, NULL, NULL,
		       0);
}

static long unlock(struct shared *shared)
{
	return syscall(SYS_futex, &shared->word, FUTEX_UNLOCK_PI, 0, NULL,
		       NULL, 0);
}

static void print(const char *label, long result, struct shared *shared)
{
	uint32_t word = shared->word;

	printf("%s: %ld%s%s\n", label, result,
	       (word & FUTEX_TID_MASK) == (uint32_t)syscall(SYS_gettid)
		       ? ", mine"
		       : "",
	       word & FUTEX_OWNER_DIED ? ", its owner died" : "");
	fflush(stdout);
}

/* Until `count` others wait in the kernel. */
static void wait_for_others(struct shared *shared, int count)
{
	while (shared->waiting < count ||
	       !(shared->word & FUTEX_WAITERS))
		usleep(1000);
	usleep(20000);
}

static void take(struct shared *shared)
{
	lock(shared);
	shared->held = 1;
}

static void *hold(void *argument)
{
	take(argument);
	wait_for_others(argument, 1);
	return NULL;
}

/* As hold(), in a robust list whose entry does not say that the lock inherits
 * priority: musl's are such. */
static void *hold_robust(void *argument)
{
	struct shared *shared = argument;
	static struct robust_list entry;
	static struct robust_list_head head;

	entry.next = &head.list;
	head.list.next = &entry;
	head.futex_offset = (char *)&shared->word - (char *)&entry;
	syscall(SYS_set_robust_list, &head, sizeof head);
	return hold(argument);
}

/* As musl ends a thread that holds a robust lock: the word is cleared, and who
 * waits is called as if the lock were an ordinary one. */
static void *hold_and_clear(void *argument)
{
	struct shared *shared = argument;

	hold(argument);
	shared->word = FUTEX_OWNER_DIED;
	syscall(SYS_futex, &shared->word, FUTEX_WAKE, 1, NULL, NULL, 0);
	return NULL;
}

static void wait_until_held(struct shared *shared)
{
	while (!shared->held)
		usleep(1000);
}

static void after_thread(const char *label, void *(*body)(void *))
{
	struct shared shared = { 0 };
	pthread_t thread;

	pthread_create(&thread, NULL, body, &shared);
	wait_until_held(&shared);
	shared.waiting = 1;
	print(label, lock(&shared), &shared);
	pthread_join(thread, NULL);
	printf("unlock: %ld\n", unlock(&shared));
}

/* A child that holds the lock ends by `end`, while two others wait. */
static void after_process(const char *label, struct shared *shared,
			  void (*end)(void))
{
	pid_t owner, other;
	int status;

	memset(shared, 0, sizeof *shared);
	fflush(stdout);
	owner = fork();
	if (!owner) {
		take(shared);
		wait_for_others(shared, 2);
		end();
	}
	wait_until_held(shared);
	other = fork();
	if (!other) {
		shared->waiting++;
		lock(shared);
		_exit(0); /* and so the lock goes on */
	}
	usleep(20000);
	shared->waiting++;
	print(label, lock(shared), shared);
	waitpid(owner, &status, 0);
	waitpid(other, &status, 0);
}

static void by_exit(void)
{
	_exit(0);
}

static void by_signal(void)
{
	raise(SIGKILL);
}

static void by_exec(void)
{
	execl("/bin/true", "true", NULL);
}

int main(void)
{
	struct shared *shared =
		mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	after_thread("thread", hold);
	after_thread("robust thread", hold_robust);
	after_thread("thread that clears the lock", hold_and_clear);
	after_process("exit", shared, by_exit);
	after_process("signal", shared, by_signal);
	after_process("exec", shared, by_exec);
	return 0;
}
