/* Calls that Linux refuses, or does, for reasons that lie elsewhere: in other
 * processes, in what was done before, in settings. */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_mseal
#define SYS_mseal 462
#endif

static void say(const char *what, long result)
{
	printf("%s: %s\n", what, result < 0 ? strerror(errno) : "done");
	fflush(stdout);
}

/* A group that others are still in cannot become a session. */
static void sessions(void)
{
	pid_t pid = fork(), inner;

	if (pid) {
		waitpid(pid, NULL, 0);
		return;
	}
	setpgid(0, 0);
	inner = fork();
	if (!inner) {
		pause();
		_exit(0);
	}
	setpgid(0, getppid());
	setpgid(0, getpgid(getppid()));
	say("setsid while the group lives", setsid());
	kill(inner, SIGKILL);
	waitpid(inner, NULL, 0);
	say("setsid afterwards", setsid());
	_exit(0);
}

static void program_file(void)
{
	int file = open("/proc/self/exe", O_RDONLY);
	char name[4096];
	ssize_t length = readlink("/proc/self/exe", name, sizeof name - 1);

	name[length > 0 ? length : 0] = 0;
	close(file);
	say("writing to the program", open(name, O_WRONLY));
	say("reading it", open(name, O_RDONLY));
}

static void tracing(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		raise(SIGSTOP);
		_exit(7);
	}
	waitpid(pid, &status, WUNTRACED);
	say("attach to one who is stopped", ptrace(PTRACE_ATTACH, pid, 0, 0));
	say("a request at once",
	    ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, u_debugreg[0]),
		   1L));
	say("detach", ptrace(PTRACE_DETACH, pid, 0, 0));
	kill(pid, SIGCONT);
	waitpid(pid, &status, 0);
	printf("it ended with %x\n", status);
}

static void time_stamps(void)
{
	int state = 0, status;
	pid_t pid = fork();

	if (!pid) {
		say("hide the time stamps", prctl(PR_SET_TSC, PR_TSC_SIGSEGV));
		prctl(PR_GET_TSC, &state);
		printf("hidden: %d\n", state == PR_TSC_SIGSEGV);
		fflush(stdout);
		__builtin_ia32_rdtsc();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	printf("reading them: %x\n", status & 0x7f);
	say("a state that there is not", prctl(PR_SET_TSC, 3));
}

static void seals(void)
{
	const size_t page = 4096;
	char *at = mmap(NULL, 8 * page, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (syscall(SYS_mseal, at, 0, 0) < 0 && errno == ENOSYS) {
		puts("mseal: none");
		return;
	}
	strcpy(at + 2 * page, "kept");
	say("seal unaligned", syscall(SYS_mseal, at + 1, page, 0));
	say("seal with flags", syscall(SYS_mseal, at, page, 1));
	say("seal", syscall(SYS_mseal, at + 2 * page, page, 0));
	say("seal again", syscall(SYS_mseal, at + 2 * page, page, 0));
	say("sealed: munmap", munmap(at, 8 * page));
	say("sealed: mprotect", mprotect(at + page, 4 * page, PROT_NONE));
	say("sealed: mmap",
	    (long)mmap(at + 2 * page, page, PROT_READ,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == -1
		    ? -1 : 0);
	say("sealed: mremap",
	    mremap(at + 2 * page, page, 2 * page, MREMAP_MAYMOVE) == MAP_FAILED
		    ? -1 : 0);
	printf("sealed: %s\n", at + 2 * page);
	say("sealed but writable: clear",
	    madvise(at + 2 * page, page, MADV_DONTNEED));
	printf("cleared: '%s'\n", at + 2 * page);
	mprotect(at + 4 * page, page, PROT_READ);
	say("seal", syscall(SYS_mseal, at + 4 * page, page, 0));
	say("sealed for reading: clear",
	    madvise(at + 4 * page, page, MADV_DONTNEED));
	munmap(at, page);
	say("seal a hole", syscall(SYS_mseal, at, 2 * page, 0));
}

/* Ready descriptors get turns when not all can be told at once. */
static void turns(void)
{
	int epoll = epoll_create1(0), count[7] = { 0 };
	struct epoll_event events[3];

	for (int i = 0; i < 7; i++) {
		struct epoll_event event = { EPOLLIN, { .u32 = i } };
		int ends[2];

		pipe(ends);
		write(ends[1], "x", 1);
		epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
	}
	for (int i = 0; i < 7; i++) {
		int ready = epoll_wait(epoll, events, 3, 0);

		for (int j = 0; j < ready; j++)
			count[events[j].data.u32]++;
	}
	for (int i = 0; i < 7; i++)
		printf("descriptor %d: told %d times\n", i, count[i]);
}

static void clocks(void)
{
	const int list[] = { CLOCK_REALTIME_ALARM, CLOCK_BOOTTIME_ALARM };
	struct timespec time;
	timer_t timer;

	for (int i = 0; i < 2; i++) {
		struct timespec none = { 0 };

		say("alarm clock: resolution", clock_getres(list[i], &time));
		say("alarm clock: time", clock_gettime(list[i], &time));
		say("alarm clock: timer",
		    timer_create(list[i], NULL, &timer));
		errno = clock_nanosleep(list[i], 0, &none, NULL);
		say("alarm clock: sleep", errno ? -1 : 0);
	}
}

static void interfaces(void)
{
	int local = socket(AF_INET, SOCK_DGRAM, 0);

	say("flags of an interface, from nowhere",
	    ioctl(local, SIOCSIFFLAGS, (void *)8));
}

static void roots(void)
{
	char text[4096];
	pid_t pid = fork();

	if (!pid) {
		mkdir("jail", 0755);
		if (chroot("jail") == 0) {
			printf("folder above the root: %s\n",
			       syscall(SYS_getcwd, text, sizeof text) > 0 &&
					       !strncmp(text, "(unreachable)/",
							14)
				       ? "unreachable" : text);
			say("getcwd", getcwd(text, sizeof text) ? 0 : -1);
		}
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void many_mappings(void)
{
	char *at = mmap(NULL, 4 * 65600 * 4096L, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	int i, made = 0;

	if (at == MAP_FAILED)
		return;
	for (i = 0; i < 65600; i++)
		if (mprotect(at + 4L * i * 4096, 4096, PROT_READ) == 0)
			made++;
		else
			break;
	printf("mappings: %s, %s\n", i < 65600 ? strerror(errno) : "all",
	       made > 32000 && made < 33000 ? "about half of 65530" : "not so");
	say("mappings: one into two", munmap(at + 4L * 65500 * 4096, 4096));
	munmap(at, 4 * 65600 * 4096L);
}

static void policies(void)
{
	unsigned long mask = 1, more = 2, none = 0, got = 77;
	char *at = mmap(NULL, 4 * 4096, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int mode = 9;

	if (syscall(SYS_get_mempolicy, &mode, NULL, 0, NULL, 0) < 0 &&
	    errno == ENOSYS) {
		puts("policies: none");
		return;
	}
	for (int i = -1; i < 6; i++) {
		if (i == 5) /* needs more than one node */
			break;
		say("policy with node 0",
		    syscall(SYS_set_mempolicy, i, &mask, 64));
		say("policy with node 1",
		    syscall(SYS_set_mempolicy, i, &more, 64));
		say("policy without nodes",
		    syscall(SYS_set_mempolicy, i, &none, 64));
		say("policy with static nodes",
		    syscall(SYS_set_mempolicy, i | 0x8000, &mask, 64));
		got = 77;
		say("policy now",
		    syscall(SYS_get_mempolicy, &mode, &got, 64, NULL, 0));
		printf("it is %x of %lx\n", mode, got);
	}
	syscall(SYS_set_mempolicy, 0, NULL, 0);
	say("bind a page", syscall(SYS_mbind, at + 4096, 4096, 2, &mask, 64, 0));
	say("bind a hole", syscall(SYS_mbind, at - 4096 * 1024L * 1024, 4096, 2,
				   &mask, 64, 0));
	say("bind with flags", syscall(SYS_mbind, at, 4096, 2, &mask, 64, 64));
	for (int i = 0; i < 3; i++) {
		got = 77;
		syscall(SYS_get_mempolicy, &mode, &got, 64, at + 4096 * i, 2);
		printf("page %d: %x of %lx\n", i, mode, got);
	}
	if (!fork()) {
		got = 77;
		syscall(SYS_get_mempolicy, &mode, &got, 64, at + 4096, 2);
		printf("in a child: %x of %lx\n", mode, got);
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
	*at = 1;
	say("node of a page", syscall(SYS_get_mempolicy, &mode, NULL, 0, at, 3));
	printf("it is %d\n", mode);
	say("migrate", syscall(SYS_migrate_pages, 0, 64, &mask, &mask));
	say("migrate nowhere", syscall(SYS_migrate_pages, 0, 64, &mask, &none));
	say("migrate nobody",
	    syscall(SYS_migrate_pages, 0x7ffffff0, 64, &mask, &mask));
}

/* listmount and statmount. */
static void mounts(void)
{
	struct {
		uint32_t size, namespace;
		uint64_t id, what;
	} request = { 24, 0, UINT64_MAX, 0 };
	uint64_t ids[64] = { 0 }, answer[64] = { 0 };
	long count;

	if (syscall(458, &request, ids, 64, 0) < 0 && errno == ENOSYS) {
		puts("mounts: none");
		return;
	}
	count = syscall(458, &request, ids, 64, 0);
	printf("%ld mounts, the first one is %lx\n", count,
	       (unsigned long)ids[0]);
	say("with flags", syscall(458, &request, ids, 64, 6));
	say("to nowhere", syscall(458, &request, 8, 64, 0));
	say("request from nowhere", syscall(458, 8, ids, 64, 0));
	request.id = ids[0];
	request.what = 2; /* STATMOUNT_MNT_BASIC */
	say("one of them", syscall(457, &request, answer, sizeof answer, 0));
	printf("%lx\n", (unsigned long)answer[0]);
	say("one there is not",
	    (request.id = 1, syscall(457, &request, answer, sizeof answer, 0)));
	request.size = 3;
	say("short request", syscall(457, &request, answer, sizeof answer, 0));
}

/* One mapping of a program's own, by ioctl. */
static void one_mapping(void)
{
	struct {
		uint64_t size, flags, address, start, end, permissions, page,
			offset, inode;
		uint32_t major, minor, name_size, build_size;
		uint64_t name, build;
	} query = { .size = 104 };
	int file = open("/proc/self/maps", O_RDONLY);
	int other = open("/proc/self/stat", O_RDONLY);
	char name[4096], *at = mmap(NULL, 3 * 4096, PROT_READ,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(at + 4096, 4096);
	mprotect(at, 4096, PROT_READ | PROT_WRITE);
	query.address = (uint64_t)(uintptr_t)at;
	if (ioctl(file, 0xc0686611, &query) < 0 && errno == ENOTTY) {
		puts("mapping: none");
		return;
	}
	printf("mapping: %d, permissions %d, page %d, inode %d\n",
	       query.start == (uint64_t)(uintptr_t)at ||
		       query.end == (uint64_t)(uintptr_t)at + 4096,
	       (int)query.permissions, (int)query.page, (int)query.inode);
	query.address += 4096;
	say("a hole", ioctl(file, 0xc0686611, &query));
	query.flags = 16;
	say("behind it", ioctl(file, 0xc0686611, &query));
	printf("permissions %d, as expected: %d\n", (int)query.permissions,
	       query.start == (uint64_t)(uintptr_t)at + 8192);
	query.address = (uint64_t)(uintptr_t)at + 8192;
	query.flags = 2;
	say("one to be written", ioctl(file, 0xc0686611, &query));
	query.flags = 64;
	say("unknown flag", ioctl(file, 0xc0686611, &query));
	query.flags = 0;
	query.name_size = 4096;
	say("a name that goes nowhere", ioctl(file, 0xc0686611, &query));
	query.name = (uint64_t)(uintptr_t)name;
	say("no name", ioctl(file, 0xc0686611, &query));
	printf("size %d\n", (int)query.name_size);
	query.address = (uint64_t)(uintptr_t)one_mapping;
	query.name_size = 4096;
	say("a name", ioctl(file, 0xc0686611, &query));
	printf("%d, %s\n", query.name_size == strlen(name) + 1,
	       strrchr(name, '/'));
	query.name_size = 3;
	say("a long name", ioctl(file, 0xc0686611, &query));
	query.size = 8;
	say("a short one", ioctl(file, 0xc0686611, &query));
	say("another file", ioctl(other, 0xc0686611, &query));
}

static void modules(void)
{
	uint64_t ids[32];
	uint32_t size = sizeof ids, small = 4;
	long count = syscall(461, ids, &size, 0);

	if (count < 0 && errno == ENOSYS) {
		puts("modules: none");
	} else {
		printf("modules: %d\n", count > 0 && count * 8 == size);
		say("modules: flags", syscall(461, ids, &size, 1));
		say("modules: no room", syscall(461, ids, &small, 0));
		printf("modules: size %d\n", small == size);
		say("modules: nowhere", syscall(461, NULL, &size, 0));
		say("modules: no size", syscall(461, ids, NULL, 0));
	}
	say("speculation", prctl(PR_GET_SPECULATION_CTRL, 0, 0, 0, 0));
	say("speculation of nothing",
	    prctl(PR_GET_SPECULATION_CTRL, 9, 0, 0, 0));
	say("too many arguments", prctl(PR_GET_SPECULATION_CTRL, 0, 1, 0, 0));
	say("setting too much", prctl(PR_SET_SPECULATION_CTRL, 0, 1, 1, 0));
}

int main(void)
{
	modules();
	one_mapping();
	mounts();
	policies();
	sessions();
	program_file();
	tracing();
	time_stamps();
	seals();
	turns();
	clocks();
	interfaces();
	roots();
	many_mappings();
	return 0;
}
