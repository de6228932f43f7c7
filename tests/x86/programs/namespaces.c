/* Makes namespaces of every kind but that of the network, and tells what they
 * keep apart. To be run as root. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/timerfd.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

static long say(const char *what, long result)
{
	printf("%s: %s\n", what, result < 0 ? strerror(errno) : "done");
	return result;
}

static void put(const char *path, const char *text)
{
	int file = open(path, O_WRONLY);
	long result = file < 0 ? -1 : write(file, text, strlen(text));
	char what[100];

	snprintf(what, sizeof what, "%s < %.40s", path, text);
	say(what, result);
	if (file >= 0)
		close(file);
}

static void show(const char *path)
{
	char line[200];
	FILE *file = fopen(path, "r");

	printf("%s:\n", path);
	while (file && fgets(line, sizeof line, file))
		fputs(line, stdout);
	if (file)
		fclose(file);
}

static int space(const char *name)
{
	char path[40];

	snprintf(path, sizeof path, "/proc/self/ns/%s", name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static ino_t number(int file)
{
	struct stat status;

	return fstat(file, &status) ? 0 : status.st_ino;
}

/* Runs a part in a process of its own, which may go where it likes. */
static void part(const char *name, void (*act)(void))
{
	int status;

	printf("--- %s\n", name);
	fflush(stdout);
	if (!fork()) {
		act();
		fflush(stdout);
		_exit(0);
	}
	wait(&status);
	printf("%s ends with %x\n", name, status);
}

static long clone_with(uint64_t flags, int *pidfd)
{
	uint64_t arguments[11] = { flags, (uintptr_t)pidfd, 0, 0, SIGCHLD };

	fflush(stdout);
	return syscall(SYS_clone3, arguments, sizeof arguments);
}

/* ---- As files ---- */

static void files(void)
{
	static const char *const names[] = {
		"cgroup", "ipc", "mnt", "net", "pid", "pid_for_children",
		"time", "time_for_children", "user", "uts",
	};
	struct stat link, target;
	char path[40], text[60], expected[60];

	for (int i = 0; i < 10; i++) {
		long size;
		int file = space(names[i]);

		snprintf(path, sizeof path, "/proc/self/ns/%s", names[i]);
		size = readlink(path, text, sizeof text - 1);
		text[size < 0 ? 0 : size] = 0;
		lstat(path, &link);
		stat(path, &target);
		snprintf(expected, sizeof expected, "%.*s:[%lu]",
			 (int)strcspn(names[i], "_"), names[i],
			 (unsigned long)number(file));
		printf("%s: link %d, says its number %d, by stat %d, mode %o, "
		       "type %x\n", names[i], S_ISLNK(link.st_mode),
		       !strcmp(text, expected), target.st_ino == number(file),
		       target.st_mode, ioctl(file, 0xb703));
		if (write(file, "", 1) < 0)
			say("write", -1);
		close(file);
	}
	say("open to write", open("/proc/self/ns/uts", O_WRONLY));
	say("one that is none", open("/proc/self/ns/none", O_RDONLY));
	say("userns of uts", ioctl(space("uts"), 0xb701) >= 0 ? 0 : -1);
	say("parent of uts", ioctl(space("uts"), 0xb702));
	say("parent of pid", ioctl(space("pid"), 0xb702));
	say("owner of user", ioctl(space("user"), 0xb701));
	say("owner's id of uts", ioctl(space("uts"), 0xb704, path));
	say("setns of none", setns(-1, 0));
	say("setns of a file", setns(open("/proc/self/stat", O_RDONLY), 0));
	say("setns of another kind", setns(space("uts"), CLONE_NEWIPC));
	say("setns of its own users", setns(space("user"), 0));
	say("unshare of what is none", unshare(0x1));
	say("clone: files and mounts",
	    clone_with(CLONE_FS | CLONE_NEWNS, NULL));
	say("mounts", unshare(CLONE_NEWNS));
	say("control groups", unshare(CLONE_NEWCGROUP));
	if (!setuid(65534)) {
		say("mounts, as nobody", unshare(CLONE_NEWNS));
		say("names, as nobody", unshare(CLONE_NEWUTS));
		say("setns, as nobody", setns(space("uts"), 0));
	}
}

/* ---- Names, IPC ---- */

static void names(void)
{
	struct utsname before, after;
	int first = space("uts");

	uname(&before);
	say("unshare", unshare(CLONE_NEWUTS));
	uname(&after);
	printf("inherits: %d, another: %d\n",
	       !strcmp(before.nodename, after.nodename),
	       number(first) != number(space("uts")));
	say("set", sethostname("elsewhere", 9));
	uname(&after);
	printf("here: %s\n", after.nodename);
	show("/proc/sys/kernel/hostname");
	if (!fork()) {
		uname(&after);
		printf("a child: %s\n", after.nodename);
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
	say("back", setns(first, CLONE_NEWUTS));
	uname(&after);
	printf("as before: %d\n", !strcmp(before.nodename, after.nodename));
}

static void ipc(void)
{
	int id = shmget(0x6d3273, 4096, IPC_CREAT | 0600), first, other;
	int sets = semget(0x6d3273, 1, IPC_CREAT | 0600);
	mqd_t queue = mq_open("/m2s-spaces", O_CREAT | O_RDWR, 0600, NULL);
	struct sembuf down = { 0, 1, SEM_UNDO };
	char *memory = shmat(id, NULL, 0);

	strcpy(memory, "shared");
	semop(sets, &down, 1);
	first = space("ipc");
	say("unshare", unshare(CLONE_NEWIPC));
	say("segment by key", shmget(0x6d3273, 0, 0));
	say("segment by id", shmat(id, NULL, 0) == (void *)-1 ? -1 : 0);
	say("set by key", semget(0x6d3273, 0, 0));
	say("queue", mq_open("/m2s-spaces", O_RDWR));
	printf("what is attached stays: %s\n", memory);
	other = shmget(0x6d3273, 8192, IPC_CREAT | 0600);
	printf("the same key is free: %d\n", other >= 0);
	mq_open("/m2s-spaces", O_CREAT | O_RDWR, 0600, NULL);
	put("/proc/sys/kernel/msgmax", "100");
	say("detach", shmdt(memory));
	say("back", setns(first, 0));
	show("/proc/sys/kernel/msgmax");
	printf("undone: %d\n", semctl(sets, 0, GETVAL));
	printf("its size: %d\n", shmget(0x6d3273, 4096, 0) == id);
	say("queue", mq_open("/m2s-spaces", O_RDWR));
	say("remove", shmctl(id, IPC_RMID, NULL) | semctl(sets, 0, IPC_RMID));
	mq_unlink("/m2s-spaces");
	mq_close(queue);
}

/* ---- Time ---- */

static int64_t now(int clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static int64_t uptime(void)
{
	struct sysinfo information;

	sysinfo(&information);
	return information.uptime * 1000;
}

/* To hundreds of seconds: the rest is how long this takes. */
static void differ(const char *what, int64_t then, int64_t later)
{
	printf("%s: %lld00 s\n", what,
	       (long long)(later - then + 5000 + 100000000) / 100000 - 1000);
}

static void time_child(int64_t monotonic, int64_t boot, int64_t up, int first)
{
	struct itimerspec timer = { { 0 } };
	struct timespec at;
	uint64_t count;
	int file = timerfd_create(CLOCK_MONOTONIC, 0);

	differ("monotonic", monotonic, now(CLOCK_MONOTONIC));
	differ("raw", monotonic, now(CLOCK_MONOTONIC_RAW));
	differ("boot", boot, now(CLOCK_BOOTTIME));
	differ("uptime", up, uptime());
	put("/proc/self/timens_offsets", "monotonic 1 0");
	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_nsec += 20000000;
	at.tv_sec += at.tv_nsec / 1000000000;
	at.tv_nsec %= 1000000000;
	timer.it_value = at;
	monotonic = now(CLOCK_MONOTONIC);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
	printf("slept: %d\n", now(CLOCK_MONOTONIC) - monotonic < 5000);
	timer.it_value.tv_sec++;
	timerfd_settime(file, TFD_TIMER_ABSTIME, &timer, NULL);
	timerfd_gettime(file, &timer);
	printf("left: %d\n", timer.it_value.tv_sec < 2);
	printf("read: %zd\n", read(file, &count, sizeof count));
	printf("later: %d\n", now(CLOCK_MONOTONIC) - monotonic < 9000);
	say("back", setns(first, CLONE_NEWTIME));
	differ("monotonic", monotonic, now(CLOCK_MONOTONIC));
}

static void times(void)
{
	int64_t monotonic = now(CLOCK_MONOTONIC), boot = now(CLOCK_BOOTTIME);
	int64_t up = uptime();
	int first = space("time");

	put("/proc/self/timens_offsets", "monotonic 1 0");
	say("unshare", unshare(CLONE_NEWTIME));
	printf("still there: %d, children not: %d\n",
	       number(space("time")) == number(first),
	       number(space("time_for_children")) != number(first));
	put("/proc/self/timens_offsets", "monotonic x 0");
	put("/proc/self/timens_offsets", "realtime 1 0");
	put("/proc/self/timens_offsets", "monotonic 1 1000000000");
	put("/proc/self/timens_offsets", "monotonic 9000000000000 0");
	put("/proc/self/timens_offsets", "boottime -9000000000 0");
	put("/proc/self/timens_offsets", "monotonic 5000 0\n7 90000 5\n");
	show("/proc/self/timens_offsets");
	differ("here", monotonic, now(CLOCK_MONOTONIC));
	fflush(stdout);
	if (!fork()) {
		time_child(monotonic, boot, up, first);
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
	put("/proc/self/timens_offsets", "monotonic 1 0");
}

/* ---- Users ---- */

static void user_child(int ready, int go)
{
	struct stat status;
	gid_t groups[2] = { 0, 7 };
	char byte, path[40];

	say("unshare", unshare(CLONE_NEWUSER));
	printf("ids: %d %d %d\n", getuid(), geteuid(), getgid());
	show("/proc/self/uid_map");
	say("set an id", setuid(0));
	say("set groups", setgroups(1, groups));
	put("/proc/self/setgroups", "perhaps");
	write(ready, "", 1);
	read(go, &byte, 1);
	printf("ids: %d %d %d\n", getuid(), geteuid(), getgid());
	show("/proc/self/uid_map");
	show("/proc/self/gid_map");
	show("/proc/self/setgroups");
	snprintf(path, sizeof path, "/proc/%d/ns/uts", getppid());
	say("its parent's names", open(path, O_RDONLY));
	say("trace its parent", ptrace(PTRACE_ATTACH, getppid(), NULL, NULL));
	put("/proc/self/setgroups", "deny");
	put("/proc/self/uid_map", "0 0 1");
	stat("own", &status);
	printf("a file: %d %d\n", status.st_uid, status.st_gid);
	say("to nobody", chown("own", 70000, 3));
	say("the machine's name", sethostname("x", 1));
	say("names of its own", unshare(CLONE_NEWUTS));
	say("the machine's name", sethostname("x", 1));
	say("set groups", setgroups(2, groups));
	printf("groups: %d\n", getgroups(0, NULL));
	say("an id that is not there", setuid(1000));
	say("one that is", setresuid(5, 5, 0));
	printf("ids: %d %d\n", getuid(), geteuid());
	say("and back", seteuid(0));
	say("another inside", unshare(CLONE_NEWUSER));
	printf("ids: %d\n", getuid());
}

static void users(void)
{
	int ready[2], go[2], child;
	char path[50], byte;

	pipe(ready);
	pipe(go);
	close(open("own", O_CREAT | O_WRONLY, 0666));
	fflush(stdout);
	child = fork();
	if (!child) {
		user_child(ready[1], go[0]);
		fflush(stdout);
		_exit(0);
	}
	read(ready[0], &byte, 1);
	for (int group = 0; group < 2; group++) {
		static const char *const tries[] = {
			"", "0 0", "x 0 1", "0 0 0", "0 0 10\n5 100 10\n",
			"4294967295 0 1", "0 1000 10\n100 0 50\n",
			"0 5000 10\n",
		};

		snprintf(path, sizeof path, "/proc/%d/%cid_map", child,
			 group ? 'g' : 'u');
		for (int i = 0; i < 8; i++) {
			int file = open(path, O_WRONLY);

			say(tries[i], write(file, tries[i],
					    strlen(tries[i])) > 0 ? 0 : -1);
			close(file);
			errno = 0;
		}
	}
	write(go[1], "", 1);
	waitpid(child, NULL, 0);
	unlink("own");
}

/* An ordinary user, who may map only itself. */
static void ordinary(void)
{
	setgid(1000);
	setuid(1000);
	prctl(PR_SET_DUMPABLE, 1);
	say("names", unshare(CLONE_NEWUTS));
	say("users and names", unshare(CLONE_NEWUSER | CLONE_NEWUTS));
	put("/proc/self/uid_map", "0 0 1");
	put("/proc/self/uid_map", "0 1000 2");
	put("/proc/self/uid_map", "0 1000 1");
	put("/proc/self/gid_map", "0 1000 1");
	put("/proc/self/setgroups", "deny");
	put("/proc/self/gid_map", "0 1000 1");
	show("/proc/self/setgroups");
	printf("ids: %d %d\n", getuid(), getgid());
	say("set groups", setgroups(0, NULL));
	say("the machine's name", sethostname("x", 1));
	say("a file of root", open("/etc/shadow", O_RDONLY));
	say("chroot", chroot("/"));
}

/* ---- Processes ---- */

static volatile sig_atomic_t sender = -1;

static void handler(int signal, siginfo_t *information, void *context)
{
	(void)signal;
	(void)context;
	sender = information->si_pid;
}

static void first_process(int ready, int go)
{
	struct sigaction action = { .sa_sigaction = handler,
				    .sa_flags = SA_SIGINFO };
	siginfo_t information;
	struct timespec used;
	clockid_t clock;
	int child, other, grand[2];
	char byte;

	printf("process %d, parent %d, group %d, thread %ld\n", getpid(),
	       getppid(), getpgid(0), syscall(SYS_gettid));
	child = fork();
	if (!child) {
		printf("child %d of %d\n", getpid(), getppid());
		fflush(stdout);
		_exit(3);
	}
	waitid(P_PID, child, &information, WEXITED | WNOWAIT);
	printf("child was %d: %d, %d\n", child, information.si_pid,
	       information.si_status);
	printf("wait: %d\n", wait(NULL));
	say("its clock", clock_getcpuclockid(1, &clock) ||
				 clock_gettime(clock, &used) ? -1 : 0);
	say("nobody's", clock_gettime(~1000u << 3 | 2, &used));
	/* Orphans come to the first process. */
	pipe(grand);
	fflush(stdout);
	if (!fork()) {
		if (!fork()) {
			while (getppid() != 1)
				usleep(1000);
			printf("orphan %d of %d\n", getpid(), getppid());
			fflush(stdout);
			_exit(0);
		}
		_exit(0);
	}
	wait(NULL);
	wait(NULL);
	say("no more children", wait(NULL));
	say("session", setsid() == 1 ? 0 : -1);
	printf("session %d, group %d\n", getsid(0), getpgrp());
	put("/proc/sys/kernel/ns_last_pid", "-1");
	put("/proc/sys/kernel/ns_last_pid", "40");
	fflush(stdout);
	child = fork();
	if (!child)
		_exit(0);
	printf("the next is %d\n", child);
	show("/proc/sys/kernel/ns_last_pid");
	put("/proc/sys/kernel/ns_last_pid", "40");
	fflush(stdout);
	/* The last one has not been waited for: its id is taken. */
	other = fork();
	if (!other)
		_exit(0);
	printf("and then %d\n", other);
	waitpid(child, NULL, 0);
	waitpid(other, NULL, 0);
	/* A signal from itself that would end it. */
	say("kill itself", kill(1, SIGKILL));
	say("terminate itself", kill(getpid(), SIGTERM));
	say("nobody else", kill(-1, 0));
	say("no such process", kill(1000, 0));
	sigaction(SIGUSR1, &action, NULL);
	write(ready, "", 1);
	while (sender < 0)
		usleep(1000);
	printf("from outside: %d\n", (int)sender);
	fflush(stdout);
	/* Somebody who is left over, and the end. */
	if (!fork())
		for (;;)
			pause();
	write(ready, "", 1);
	read(go, &byte, 1);
	_exit(7);
}

struct information {
	uint64_t mask, group;
	uint32_t pid, leader, parent, ids[8];
	int32_t code;
	uint32_t rest[2];
};

static void processes(void)
{
	int ready[2], go[2], pidfd = -1, status;
	struct information information = { .mask = 8 };
	const unsigned long get = _IOWR(0xff, 11, struct information);
	char byte, path[60];
	long child;

	pipe(ready);
	pipe(go);
	child = clone_with(CLONE_NEWPID | CLONE_PIDFD, &pidfd);
	if (!child)
		first_process(ready[1], go[0]);
	read(ready[0], &byte, 1);
	printf("outside it is another: %d\n", child != 1);
	say("information", ioctl(pidfd, get, &information));
	printf("its id %d, its parent %d, mask %d\n",
	       information.pid == child,
	       information.parent == (uint32_t)getpid(), (int)information.mask & 11);
	printf("its namespace: %d\n",
	       number(ioctl(pidfd, 0xff05)) != number(space("pid")));
	snprintf(path, sizeof path, "/proc/%ld/ns/pid", child);
	printf("its parent: %d\n",
	       number(ioctl(open(path, O_RDONLY), 0xb702)) ==
		       number(space("pid")));
	say("terminate", kill(child, SIGTERM));
	say("tell", kill(child, SIGUSR1));
	read(ready[0], &byte, 1);
	write(go[1], "", 1);
	printf("wait: %d, ", waitpid(child, &status, 0) == child);
	printf("%x\n", status);
	information.mask = 8;
	say("information", ioctl(pidfd, get, &information));
	printf("code %x, mask %d\n", information.code,
	       (int)information.mask & 11);
	information.mask = 0;
	say("information", ioctl(pidfd, get, &information));
	say("too short", ioctl(pidfd, _IOWR(0xff, 11, int), &information));
	/* For children only. */
	say("unshare", unshare(CLONE_NEWPID));
	say("again", unshare(CLONE_NEWPID));
	printf("not itself: %d\n", getpid() != 1);
	say("nobody is in it", space("pid_for_children"));
	fflush(stdout);
	if (!fork())
		_exit(getpid());
	wait(&status);
	printf("the first: %x\n", status);
	say("the second", fork());
}

/* The first process is killed: so are all. */
static void killed(void)
{
	int ready[2], alive[2], status;
	char byte;
	long child;

	pipe(ready);
	pipe(alive);
	child = clone_with(CLONE_NEWPID, NULL);
	if (!child) {
		for (int i = 0; i < 2; i++)
			if (!fork()) {
				close(alive[0]);
				write(ready[1], "", 1);
				for (;;)
					pause();
			}
		close(alive[1]);
		for (;;)
			pause();
	}
	close(alive[1]);
	read(ready[0], &byte, 1);
	read(ready[0], &byte, 1);
	say("stop", kill(child, SIGSTOP));
	waitpid(child, &status, WUNTRACED);
	printf("stopped: %x\n", status);
	say("kill", kill(child, SIGKILL));
	waitpid(child, &status, 0);
	printf("killed: %x\n", status);
	printf("nobody holds it: %zd\n", read(alive[0], &byte, 1));
}

/* Users and processes together, entered from outside. */
static void entered(void)
{
	int ready[2], go[2], pidfd = -1, status, self;
	char byte;
	long child;

	pipe(ready);
	pipe(go);
	child = clone_with(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWUTS |
			   CLONE_PIDFD, &pidfd);
	if (!child) {
		sethostname("inside", 6);
		write(ready[1], "", 1);
		read(go[0], &byte, 1);
		_exit(0);
	}
	read(ready[0], &byte, 1);
	self = syscall(SYS_pidfd_open, getpid(), 0);
	say("nothing of it", setns(pidfd, 0));
	say("what is none", setns(pidfd, CLONE_NEWUTS | 1));
	fflush(stdout);
	if (!fork()) {
		struct utsname name;

		say("all of it", setns(pidfd, CLONE_NEWUSER | CLONE_NEWPID |
						      CLONE_NEWUTS));
		uname(&name);
		printf("%s, id %d, process other than 2: %d\n", name.nodename,
		       getuid(), getpid() != 2);
		say("back", setns(self, CLONE_NEWUTS));
		fflush(stdout);
		if (!fork())
			_exit(getpid());
		wait(&status);
		printf("its child: %x\n", status);
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
	write(go[1], "", 1);
	wait(NULL);
}

int main(void)
{
	part("files", files);
	part("names", names);
	part("ipc", ipc);
	part("times", times);
	part("users", users);
	part("ordinary", ordinary);
	part("processes", processes);
	part("killed", killed);
	part("entered", entered);
	return 0;
}
