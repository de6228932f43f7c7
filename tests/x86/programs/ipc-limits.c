/* Limits of System V IPC that the superuser sets, to be run in an IPC
 * namespace of its own. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <unistd.h>

static void set(const char *name, const char *value)
{
	char path[100], text[100] = "";
	FILE *file;

	snprintf(path, sizeof path, "/proc/sys/kernel/%s", name);
	file = fopen(path, "w");
	if (!file) {
		printf("%s: %s\n", name, strerror(errno));
		return;
	}
	fputs(value, file);
	printf("%s = %s: %s\n", name, value,
	       fclose(file) == 0 ? "done" : strerror(errno));
	file = fopen(path, "r");
	fgets(text, sizeof text, file);
	printf("%s is %s", name, text);
	fclose(file);
}

static void show(const char *what, int result)
{
	if (result < 0)
		printf("%s: %s\n", what, strerror(errno));
	else
		printf("%s: %d\n", what, result);
}

int main(void)
{
	struct shminfo shared;
	struct msginfo messages;
	struct seminfo semaphores;
	char text[4200] = "\1";

	set("shmmax", "8192");
	set("shmmni", "2");
	set("msgmni", "1");
	set("msgmax", "100");
	set("msgmnb", "150");
	set("sem", "5 20 3 2");
	set("sem", "5 20 x 2");
	set("msgmni", "-3");
	show("large segment", shmget(1, 8193, IPC_CREAT | 0600));
	show("first queue", msgget(2, IPC_CREAT | 0600) >= 0 ? 0 : -1);
	show("second queue", msgget(3, IPC_CREAT | 0600));
	show("long message", msgsnd(msgget(2, 0), text, 101, IPC_NOWAIT));
	show("message", msgsnd(msgget(2, 0), text, 100, IPC_NOWAIT));
	show("another", msgsnd(msgget(2, 0), text, 100, IPC_NOWAIT));
	show("large set", semget(4, 6, IPC_CREAT | 0600));
	show("set", semget(4, 5, IPC_CREAT | 0600) >= 0 ? 0 : -1);
	set("shm_next_id", "4711");
	show("segment with an id", shmget(5, 4096, IPC_CREAT | 0600));
	set("shm_next_id", "-1");
	set("msgmni", "10");
	set("msg_next_id", "65537");
	show("queue with an id", msgget(6, IPC_CREAT | 0600));
	shmget(7, 4096, IPC_CREAT | 0600);
	show("third segment", shmget(8, 4096, IPC_CREAT | 0600));
	shmctl(0, IPC_INFO, (struct shmid_ds *)&shared);
	printf("shared: %lu %lu\n", (unsigned long)shared.shmmax,
	       (unsigned long)shared.shmmni);
	msgctl(0, IPC_INFO, (struct msqid_ds *)&messages);
	printf("messages: %d %d %d\n", messages.msgmax, messages.msgmnb,
	       messages.msgmni);
	semctl(0, 0, IPC_INFO, &semaphores);
	printf("semaphores: %d %d %d %d\n", semaphores.semmsl,
	       semaphores.semmns, semaphores.semopm, semaphores.semmni);
	set("shmall", "1");
	show("no page left", shmget(9, 4096, IPC_CREAT | 0600));
	if (setuid(65534) == 0)
		set("shmmni", "100");
	return 0;
}
