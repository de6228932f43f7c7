/* What calls refuse, and in which order they look: results and errors as the
 * kernel's manual has them. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <netinet/in.h>

static void show(const char *what, long result)
{
	if (result < 0)
		printf("%s: %s\n", what, strerror(errno));
	else
		printf("%s: %s\n", what, result ? "more" : "0");
}

static int in_child(int (*what)(void))
{
	int status;

	fflush(stdout);
	if (fork() == 0) {
		int result = what();

		fflush(stdout);
		_exit(result);
	}
	wait(&status);
	return status;
}

/* ---- Scheduling ---- */

struct attribute {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static int policies(void)
{
	struct sched_param parameter = { 0 };
	struct attribute attribute = {
		.size = sizeof attribute, .policy = SCHED_BATCH, .nice = 19,
	};

	show("a batch", sched_setscheduler(0, SCHED_BATCH, &parameter));
	printf("policy %d\n", sched_getscheduler(0));
	show("negative id", sched_getparam(-1, &parameter));
	show("no parameters", syscall(SYS_sched_setscheduler, 0, 0, 0));
	show("bad address", syscall(SYS_sched_setscheduler, 0, 0, -1));
	show("no such policy", sched_setscheduler(0, 99, &parameter));
	show("nobody", sched_setscheduler(INT_MAX, 0, &parameter));
	parameter.sched_priority = 100;
	show("too high", sched_setscheduler(0, SCHED_FIFO, &parameter));
	parameter.sched_priority = 1;
	show("not in real time", sched_setparam(0, &parameter));
	show("deadline, least", sched_get_priority_min(6));
	show("deadline, most", sched_get_priority_max(6));
	show("no such policy", sched_get_priority_max(9));
	show("attributes", syscall(SYS_sched_setattr, 0, &attribute, 0));
	memset(&attribute, 0, sizeof attribute);
	show("attributes",
	     syscall(SYS_sched_getattr, 0, &attribute, sizeof attribute, 0));
	printf("policy %u, nice %d, size %u\n", attribute.policy,
	       attribute.nice, attribute.size);
	attribute.size = 47;
	show("short", syscall(SYS_sched_setattr, 0, &attribute, 0));
	printf("should be %u\n", attribute.size);
	setresuid(65534, 65534, 65534);
	show("real time", sched_setscheduler(0, SCHED_RR, &parameter));
	show("its parent's processors",
	     sched_setaffinity(getppid(), 8, (cpu_set_t *)"\1\0\0\0\0\0\0"));
	return 0;
}

/* ---- Timers and time ---- */

static void timers(void)
{
	struct sigevent event = { .sigev_notify = 77, .sigev_signo = SIGUSR1 };
	struct itimerspec when = { { 0, 0 }, { 1, 0 } };
	struct timespec second = { 1, 0 };
	int file = timerfd_create(CLOCK_MONOTONIC, 0);
	long id = 0;

	show("unknown notification",
	     syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &id));
	event.sigev_notify = SIGEV_SIGNAL;
	event.sigev_signo = 200;
	show("unknown signal",
	     syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &id));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = SIGUSR1;
	show("unknown thread",
	     syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &id));
	show("a timer", syscall(SYS_timer_create, CLOCK_TAI, NULL, &id));
	show("no time", syscall(SYS_timer_settime, id, 0, NULL, NULL));
	show("unknown flags", timerfd_settime(file, 64, &when, NULL));
	errno = clock_nanosleep(CLOCK_MONOTONIC_RAW, 0, &second, NULL);
	show("raw sleep", -1);
	errno = clock_nanosleep(99, 0, &second, NULL);
	show("no clock", -1);
}

static void caught(int number)
{
	static const char text[] = "caught\n";

	write(1, text, sizeof text - 1);
}

static void atomic_time(void)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1,
	};
	struct itimerspec when = { { 0, 0 }, { 0, 5000000 } };
	sigset_t set;
	timer_t id;

	signal(SIGUSR1, caught);
	sigemptyset(&set);
	fflush(stdout);
	show("international atomic time", timer_create(CLOCK_TAI, &event, &id));
	fflush(stdout);
	timer_settime(id, 0, &when, NULL);
	sigsuspend(&set);
}

static void sticky(void)
{
	struct timeval time = { 0, 1000 };
	int old = personality(-1);

	personality(STICKY_TIMEOUTS);
	select(0, NULL, NULL, NULL, &time);
	personality(old);
	printf("a timeout that sticks: %ld\n", (long)time.tv_usec);
}

static int spend(void)
{
	struct rlimit limit = { 1, 2 };

	signal(SIGXCPU, caught);
	setrlimit(RLIMIT_CPU, &limit);
	for (;;)
		;
	return 0;
}

/* ---- Processes ---- */

static int queue_signals(void)
{
	struct rlimit limit = { 0, 0 };
	sigset_t set;
	siginfo_t information = { .si_code = SI_QUEUE };

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	show("queue", syscall(SYS_rt_sigqueueinfo, getpid(), SIGRTMIN,
			      &information));
	setrlimit(RLIMIT_SIGPENDING, &limit);
	show("full", syscall(SYS_tgkill, getpid(), getpid(), SIGRTMIN));
	show("nothing", syscall(SYS_tgkill, getpid(), getpid(), 0));
	return 0;
}

static int slack(void)
{
	printf("slack %d\n", prctl(PR_GET_TIMERSLACK));
	prctl(PR_SET_TIMERSLACK, 0);
	printf("default %d\n", prctl(PR_GET_TIMERSLACK));
	return 0;
}

static void groups(char *program)
{
	int ends[2], child;

	show("no such group", setpgid(0, INT_MAX / 2));
	pipe2(ends, O_CLOEXEC);
	fflush(stdout);
	child = fork();
	if (!child) {
		execl(program, program, "wait", NULL);
		_exit(9);
	}
	close(ends[1]);
	read(ends[0], &ends[1], 1); /* it has executed */
	show("too late", setpgid(child, child));
	show("not a child", setpgid(getppid(), 0));
	kill(child, SIGKILL);
	wait(NULL);
	show("no such group", waitpid(INT_MIN, NULL, 0));
}

static void others(void)
{
	int value = 0;

	prctl(PR_SET_TIMERSLACK, 70000);
	in_child(slack);
	show("tsc", prctl(PR_GET_TSC, &value));
	printf("tsc %d\n", value);
	show("flags", syscall(SYS_membarrier, 0, 1));
	show("not registered", syscall(SYS_membarrier, 8, 0));
	show("register", syscall(SYS_membarrier, 16, 0));
	show("barrier", syscall(SYS_membarrier, 8, 0));
}

/* ---- Files ---- */

static void written_program(char *self)
{
	int to, from = open("/proc/self/exe", O_RDONLY);
	char bytes[4096];
	ssize_t size;
	char name[] = "/tmp/rules-XXXXXX";

	to = mkstemp(name);
	while ((size = read(from, bytes, sizeof bytes)) > 0)
		write(to, bytes, size);
	fchmod(to, 0700);
	fflush(stdout);
	if (fork() == 0) {
		execl(name, name, "nothing", NULL);
		show("written program", -1);
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
	/* fchmodat2 came with Linux 6.6. */
	show("mode", syscall(452, AT_FDCWD, name, 0600, 0) && errno != ENOSYS);
	printf("mode, flags: %d\n",
	       (int)syscall(452, AT_FDCWD, name, 0600, 1));
	unlink(name);
	close(to);
	close(from);
}

/* How often a file of /proc says something. */
static void says(const char *name, const char *what)
{
	FILE *in = fopen(name, "r");
	char line[300];
	int count = 0;

	while (in && fgets(line, sizeof line, in))
		count += strstr(line, what) != NULL;
	if (in)
		fclose(in);
	printf("%s: %d\n", what, count);
}

static void proc(void)
{
	int watch = inotify_init1(0), id;
	char name[40];

	inotify_add_watch(watch, "/", IN_CREATE);
	snprintf(name, sizeof name, "/proc/self/fdinfo/%d", watch);
	says(name, "inotify wd:1 ");
	says(name, "mnt_id:");
	id = shmget(0x6d32732a, 5000, IPC_CREAT | 0600);
	says("/proc/sysvipc/shm", "1832022826 ");
	shmctl(id, IPC_RMID, NULL);
	close(watch);
}

static int foreign(void)
{
	int parent;

	setresuid(65534, 65534, 65534);
	parent = syscall(434, getppid(), 0); /* pidfd_open */
	show("a parent's descriptor", syscall(438, parent, 0, 0));
	return 0;
}

static void execute(void)
{
	char *const none[] = { NULL };
	int here = open("/tmp", O_RDONLY);
	char name[] = "/tmp/rules-XXXXXX";

	close(mkstemp(name));
	unlink(name);
	symlink("/bin/true", name);
	show("flags", syscall(SYS_execveat, here, "true", none, none, 1));
	show("a link", syscall(SYS_execveat, here, name + 5, none, none,
			       AT_SYMLINK_NOFOLLOW));
	show("nothing", syscall(SYS_execveat, here, "", none, none, 0));
	show("a folder", syscall(SYS_execveat, AT_FDCWD, "", none, none,
				 AT_EMPTY_PATH));
	show("below a file", syscall(SYS_execveat, 0, "true", none, none, 0));
	unlink(name);
	close(here);
}

static void interfaces(void)
{
	int end = socket(AF_INET, SOCK_DGRAM, 0);
	struct ifreq list[20];
	struct ifconf all = { sizeof list, { (char *)list } };
	struct ifconf none = { 0 };

	show("interfaces", ioctl(end, SIOCGIFCONF, &all));
	printf("%d bytes, %.10s\n", all.ifc_len, list[0].ifr_name);
	show("interfaces", ioctl(end, SIOCGIFCONF, &none));
	printf("%d bytes\n", none.ifc_len);
	show("bad address", ioctl(end, SIOCGIFCONF, 8));
	show("level", getsockopt(end, 500, 1, list, &(socklen_t){ 4 }));
	close(end);
}

static void names(void)
{
	int end = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_un here = { AF_UNIX, "." };

	show("a folder as address",
	     bind(end, (struct sockaddr *)&here, sizeof here));
	show("both", syscall(SYS_renameat2, AT_FDCWD, "none", AT_FDCWD, "none",
			     3));
	show("unknown", syscall(SYS_renameat2, AT_FDCWD, "none", AT_FDCWD,
				"none", 64));
	close(end);
}

static void volumes(void)
{
	char buffer[32];
	char name[64] = "?";

	show("no volume", syscall(SYS_ustat, 0xffff, buffer));
	show("volume types", syscall(SYS_sysfs, 3));
	syscall(SYS_sysfs, 2, 0, name);
	printf("the first: %s\n", name);
	show("its number", syscall(SYS_sysfs, 1, name));
	show("no such", syscall(SYS_sysfs, 1, "none such"));
	show("no such", syscall(SYS_sysfs, 4));
	show("cached", syscall(451, 99, buffer, name, 0));
}

static void futexes(void)
{
	char *page = mmap(NULL, 4096, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int word = 0;

	show("hidden", syscall(SYS_futex, page, FUTEX_WAKE, 1));
	show("hidden, private",
	     syscall(SYS_futex, page, FUTEX_WAKE_PRIVATE, 1));
	show("hidden aim", syscall(SYS_futex, &word, FUTEX_CMP_REQUEUE, 1, 1,
				   page, 0));
	munmap(page, 4096);
	show("not there", syscall(SYS_futex, page, FUTEX_WAKE, 1));
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		if (!strcmp(argv[1], "wait"))
			pause();
		return 0;
	}
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	in_child(policies);
	timers();
	atomic_time();
	sticky();
	printf("spent: %x\n", in_child(spend));
	in_child(queue_signals);
	groups(argv[0]);
	others();
	written_program(argv[0]);
	proc();
	in_child(foreign);
	execute();
	interfaces();
	names();
	volumes();
	futexes();
	return 0;
}
