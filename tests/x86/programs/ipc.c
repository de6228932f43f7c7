/* System V IPC: shared memory, semaphores, message queues between processes. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int failed(const char *what, long result)
{
	printf("%s: %s\n", what,
	       result == -1 ? strerror(errno) : result == 0 ? "0" : "more");
	return result == -1;
}

static void operate(int set, int number, int change, int flags)
{
	struct sembuf one = { number, change, flags };

	if (semop(set, &one, 1) != 0)
		printf("semop: %s\n", strerror(errno));
}

static void reap(void)
{
	int status;

	wait(&status);
	printf("child ends: %d\n", WIFEXITED(status) ? WEXITSTATUS(status)
						     : -WTERMSIG(status));
}

/* 0: free places, 1: filled ones */
static void produce_and_consume(void)
{
	enum { PLACES = 4, ITEMS = 500 };
	int shared = shmget(IPC_PRIVATE, 5000, IPC_CREAT | 0600);
	int set = semget(IPC_PRIVATE, 2, IPC_CREAT | 0600);
	int *ring = shmat(shared, NULL, 0);
	struct shmid_ds status;
	long sum = 0;

	semctl(set, 0, SETVAL, PLACES);
	fflush(stdout);
	if (fork() == 0) {
		for (int i = 0; i < ITEMS; i++) {
			operate(set, 0, -1, 0);
			ring[i % PLACES] = i * 7;
			operate(set, 1, 1, 0);
		}
		_exit(3);
	}
	for (int i = 0; i < ITEMS; i++) {
		operate(set, 1, -1, 0);
		sum = sum * 3 % 1000003 + ring[i % PLACES];
		operate(set, 0, 1, 0);
	}
	reap();
	printf("sum %ld, free %d, filled %d\n", sum,
	       semctl(set, 0, GETVAL), semctl(set, 1, GETVAL));
	shmctl(shared, IPC_STAT, &status);
	printf("segment: %lu bytes, %lu attached, mode %o, mine %d %d, "
	       "times %d %d %d\n", (unsigned long)status.shm_segsz,
	       (unsigned long)status.shm_nattch, status.shm_perm.mode,
	       status.shm_cpid == getpid(), status.shm_lpid == getpid(),
	       status.shm_atime != 0, status.shm_dtime != 0,
	       status.shm_ctime != 0);
	/* Removed only when the last detaches. */
	shmctl(shared, IPC_RMID, NULL);
	shmctl(shared, IPC_STAT, &status);
	printf("removed: mode %o, key %d\n", status.shm_perm.mode,
	       (int)status.shm_perm.__key);
	int *again = shmat(shared, NULL, SHM_RDONLY);

	ring[1000] = 99;
	printf("second attachment reads %d\n", again[1000]);
	failed("shmdt", shmdt(again));
	failed("shmdt again", shmdt(again));
	failed("shmdt", shmdt(ring));
	failed("gone", shmctl(shared, IPC_STAT, &status));
	semctl(set, 0, IPC_RMID);
}

static void undo(void)
{
	int set = semget(IPC_PRIVATE, 3, 0600);
	unsigned short values[3] = { 5, 0, 2 };
	struct semid_ds status;
	struct timespec soon = { 0, 30000000 };
	struct sembuf both[2] = { { 0, -5, 0 }, { 1, -1, IPC_NOWAIT } };
	struct sembuf zero = { 2, 0, 0 }, large = { 0, 32767, 0 };

	failed("SETALL", semctl(set, 0, SETALL, values));
	fflush(stdout);
	if (fork() == 0) {
		operate(set, 0, -4, SEM_UNDO);
		operate(set, 1, 1, SEM_UNDO);
		operate(set, 2, -1, 0);
		printf("in the child %d %d %d\n", semctl(set, 0, GETVAL),
		       semctl(set, 1, GETVAL), semctl(set, 2, GETVAL));
		fflush(stdout);
		raise(SIGKILL);
	}
	reap();
	semctl(set, 0, GETALL, values);
	printf("afterwards %d %d %d\n", values[0], values[1], values[2]);
	/* All or none. */
	failed("two at once", semop(set, both, 2));
	printf("still %d\n", semctl(set, 0, GETVAL));
	failed("time-out", semtimedop(set, &zero, 1, &soon));
	failed("too large", semop(set, &large, 1));
	large.sem_num = 3;
	failed("no such", semop(set, &large, 1));
	failed("SETVAL", semctl(set, 0, SETVAL, 40000));
	failed("nobody", semctl(set, 9, GETVAL));
	semctl(set, 0, IPC_STAT, &status);
	printf("%lu semaphores, mode %o, operated %d\n",
	       (unsigned long)status.sem_nsems, status.sem_perm.mode,
	       status.sem_otime != 0);
	fflush(stdout);
	pid_t child = fork();

	if (child == 0) {
		int result = semop(set, &zero, 1);

		printf("waited: %d %s\n", result, strerror(errno));
		fflush(stdout);
		_exit(0);
	}
	while (semctl(set, 2, GETZCNT) != 1)
		usleep(1000);
	printf("%d wait for zero, %d for more\n", semctl(set, 2, GETZCNT),
	       semctl(set, 2, GETNCNT));
	fflush(stdout);
	semctl(set, 0, IPC_RMID);
	reap();
}

struct letter {
	long type;
	char text[40];
};

static void caught(int number)
{
	(void)number;
}

static void queues(void)
{
	static const struct { int type; const char *text; } out[] = {
		{ 3, "three" }, { 1, "one" }, { 2, "two" }, { 1, "uno" },
	};
	int queue = msgget(IPC_PRIVATE, 0600), count = 0;
	struct msqid_ds status;
	struct letter letter;
	long size;

	for (int i = 0; i < 4; i++) {
		letter.type = out[i].type;
		strcpy(letter.text, out[i].text);
		msgsnd(queue, &letter, strlen(letter.text) + 1, 0);
	}
	msgctl(queue, IPC_STAT, &status);
	printf("%lu messages, %lu bytes of %lu\n",
	       (unsigned long)status.msg_qnum,
	       (unsigned long)status.__msg_cbytes,
	       (unsigned long)status.msg_qbytes);
	failed("too big", msgrcv(queue, &letter, 2, 0, 0));
	size = msgrcv(queue, &letter, 40, -2, 0);
	printf("lowest: %ld %s, %ld\n", letter.type, letter.text, size);
	msgrcv(queue, &letter, 40, 2, 0);
	printf("second: %ld %s\n", letter.type, letter.text);
	memset(&letter, 0, sizeof letter);
	size = msgrcv(queue, &letter, 2, 3, MSG_EXCEPT | MSG_NOERROR);
	printf("cut: %ld %s, %ld\n", letter.type, letter.text, size);
	msgrcv(queue, &letter, 40, 0, 0);
	printf("first: %ld %s\n", letter.type, letter.text);
	failed("empty", msgrcv(queue, &letter, 40, 0, IPC_NOWAIT));
	letter.type = 0;
	failed("type", msgsnd(queue, &letter, 4, 0));
	letter.type = 1;
	failed("size", msgsnd(queue, &letter, 9000, 0));
	while (msgsnd(queue, &letter, 40, IPC_NOWAIT) == 0)
		count++;
	printf("full after %d: %s\n", count, strerror(errno));
	fflush(stdout);
	if (fork() == 0) {
		letter.type = 7;
		_exit(msgsnd(queue, &letter, 40, 0) == 0 ? 7 : 1);
	}
	msgrcv(queue, &letter, 40, 7 - 6, 0);
	msgrcv(queue, &letter, 40, 7, 0);
	printf("had to wait: %ld\n", letter.type);
	reap();
	/* Never made again, whatever SA_RESTART says. */
	struct sigaction action = { .sa_handler = caught,
				    .sa_flags = SA_RESTART };

	sigaction(SIGALRM, &action, NULL);
	ualarm(20000, 0);
	failed("interrupted", msgrcv(queue, &letter, 40, 9, 0));
	failed("IPC_RMID", msgctl(queue, IPC_RMID, NULL));
	failed("gone", msgsnd(queue, &letter, 4, 0));
}

static void keys(void)
{
	key_t key = 0x4d320000 + (getpid() & 0x7fff);
	int id = shmget(key, 100, IPC_CREAT | IPC_EXCL | 0640);
	struct shmid_ds status;

	failed("exists", shmget(key, 100, IPC_CREAT | IPC_EXCL));
	failed("larger", shmget(key, 5000, 0));
	printf("found %d\n", shmget(key, 0, 0) == id);
	shmctl(id, IPC_STAT, &status);
	status.shm_perm.mode = 0400;
	failed("IPC_SET", shmctl(id, IPC_SET, &status));
	shmctl(id, IPC_STAT, &status);
	printf("mode %o, owner %d\n", status.shm_perm.mode,
	       status.shm_perm.uid == geteuid());
	char *at = shmat(id, NULL, SHM_RDONLY);
	char *place = at + (1 << 20);

	place = shmat(id, place + 100, SHM_RDONLY | SHM_RND);
	printf("placed %d, zero %d\n",
	       place == at + (1 << 20) || place == (void *)-1, at[99]);
	failed("odd place", (long)shmat(id, at + 1, SHM_RDONLY));
	failed("taken place", (long)shmat(id, at, SHM_RDONLY));
	shmctl(id, IPC_RMID, NULL);
	failed("key is free", shmget(key, 0, 0));
	failed("none", shmget(IPC_PRIVATE, 0, IPC_CREAT));
	failed("none", semget(IPC_PRIVATE, 0, IPC_CREAT));
	failed("no set", semget(key, 1, 0));
	failed("no queue", msgget(key, 0));
	failed("bad id", msgctl(-1, IPC_STAT, NULL));
}

int main(void)
{
	produce_and_consume();
	undo();
	queues();
	keys();
	return 0;
}
