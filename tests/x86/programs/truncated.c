/* Pointers into a mapping whose file has been cut: every call answers as on
 * Linux, and the program goes on. With an argument also RLIMIT_FSIZE, which
 * the shell has set, and what exceeds it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, SIZE = 16 * PAGE };

static void show(const char *what, long result)
{
	int error = errno;

	printf("%s: %ld%s%s\n", what, result, result < 0 ? " " : "",
	       result < 0 ? strerror(error) : "");
}

#define SHOW(call) (errno = 0, show(#call, (long)(call)))

/* A mapping of which the first `left` pages still have bytes. */
static char *cut(int left)
{
	char name[] = "/tmp/m2s-truncated-XXXXXX";
	int file = mkstemp(name);
	char *map;

	unlink(name);
	ftruncate(file, SIZE);
	map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	map[0] = 1;
	ftruncate(file, left * PAGE);
	close(file);
	return map;
}

static long reads(const char *path, void *to, size_t size)
{
	int file = open(path, O_RDONLY);
	long result = read(file, to, size);

	close(file);
	return result;
}

static long lists(const char *path, void *to, size_t size)
{
	int folder = open(path, O_RDONLY | O_DIRECTORY);
	long result = syscall(SYS_getdents64, folder, to, size);

	close(folder);
	return result;
}

static long names(const char *from)
{
	int file = open("/proc/self/comm", O_WRONLY);
	long result = write(file, from, 8);

	close(file);
	return result;
}

static void calls(void)
{
	char *m = cut(0), *half = cut(1) + PAGE - 100, own[PAGE];
	int pipes[2], pair[2];
	struct iovec here = { m, PAGE }, there = { own, PAGE };

	pipe(pipes);
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	SHOW(getrandom(m, PAGE, 0));
	SHOW(getrandom(half, 100, 0));
	SHOW(reads("/dev/urandom", m, PAGE));
	SHOW(reads("/dev/zero", m, PAGE));
	SHOW(reads("/proc/self/comm", m, PAGE));
	SHOW(lists("/proc/self", m, PAGE));
	SHOW(lists("/", m, PAGE));
	SHOW(names(m));
	SHOW(write(pipes[1], m, PAGE));
	SHOW(syscall(SYS_getcwd, m, PAGE));
	SHOW(open(m, O_RDONLY));
	SHOW(poll((struct pollfd *)m, 10, 0));
	SHOW(select(64, (fd_set *)m, NULL, NULL, &(struct timeval){ 0, 0 }));
	SHOW(readv(pipes[0], (struct iovec *)m, 3));
	SHOW(send(pair[0], m, PAGE, 0));
	write(pair[0], "abcd", 4);
	SHOW(recv(pair[1], m, PAGE, 0));
	SHOW(sendmsg(pair[0], (struct msghdr *)m, 0));
	SHOW(syscall(SYS_process_vm_readv, getpid(), &here, 1, &there, 1, 0));
	SHOW(syscall(SYS_process_vm_readv, getpid(), &there, 1, &here, 1, 0));
	SHOW(syscall(SYS_process_vm_writev, getpid(), &here, 1, &there, 1,
		     0));
	SHOW(syscall(SYS_rt_sigprocmask, SIG_BLOCK, m, NULL, 8));
	SHOW(listxattr("/", m, PAGE));
	SHOW(syscall(SYS_clock_gettime, CLOCK_REALTIME, m));
	/* A request to the simulator, which Linux does not know. */
	printf("%d\n", syscall(0x0d325343, m) == -1);
}

/* Between two processes either side may be cut. */
static void other_process(void)
{
	int ready[2], done[2];
	char *m = cut(0), byte, own[PAGE];
	struct iovec here = { m, PAGE }, there = { own, PAGE };
	pid_t child;

	pipe(ready);
	pipe(done);
	fflush(stdout);
	child = fork();
	if (!child) {
		write(ready[1], "", 1);
		read(done[0], &byte, 1);
		_exit(0);
	}
	read(ready[0], &byte, 1);
	SHOW(syscall(SYS_process_vm_readv, child, &here, 1, &there, 1, 0));
	SHOW(syscall(SYS_process_vm_writev, child, &here, 1, &there, 1, 0));
	SHOW(syscall(SYS_process_vm_readv, child, &there, 1, &here, 1, 0));
	write(done[1], "", 1);
	waitpid(child, NULL, 0);
}

static volatile sig_atomic_t exceeded;

static void count(int signal)
{
	(void)signal;
	exceeded++;
}

static void limited(void)
{
	static char bytes[3000];
	char name[] = "/tmp/m2s-limited-XXXXXX";
	int file = mkstemp(name), from = open("/proc/self/exe", O_RDONLY);
	struct rlimit limit;
	off_t start = 0;

	signal(SIGXFSZ, count);
	getrlimit(RLIMIT_FSIZE, &limit);
	printf("limit %ld %ld\n", (long)limit.rlim_cur, (long)limit.rlim_max);
	SHOW(write(file, bytes, sizeof bytes));
	SHOW(write(file, bytes, sizeof bytes));
	SHOW(write(file, bytes, sizeof bytes));
	printf("%d signals\n", exceeded);
	SHOW(pwrite(file, bytes, 10, 5000));
	SHOW(ftruncate(file, 4000));
	SHOW(ftruncate(file, 5000));
	SHOW(truncate(name, 5000));
	printf("%d signals\n", exceeded);
	SHOW(sendfile(file, from, &start, 3000));
	printf("%d signals\n", exceeded);
	/* What is left of a copy may count as another try. */
	lseek(file, 2000, SEEK_SET);
	SHOW(sendfile(file, from, &start, 3000));
	exceeded = 0;
	SHOW(fallocate(file, FALLOC_FL_KEEP_SIZE, 0, 10000));
	SHOW(ftruncate(open("/proc/self/exe", O_RDONLY), 1 << 30));
	/* The superuser, or here anybody, may have less. */
	limit.rlim_cur = 1000;
	setrlimit(RLIMIT_FSIZE, &limit);
	SHOW(ftruncate(file, 3000));
	SHOW(pwrite(file, bytes, 100, 950));
	SHOW(pwrite(file, bytes, 100, 1000));
	printf("%d signals\n", exceeded);
	signal(SIGXFSZ, SIG_IGN);
	SHOW(pwrite(file, bytes, 100, 1000));
	unlink(name);
	signal(SIGXFSZ, SIG_DFL);
	fflush(stdout);
	pwrite(file, bytes, 100, 1000);
	puts("not reached");
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	double start = seconds();

	if (argc > 1) {
		limited();
		return 0;
	}
	calls();
	other_process();
	/* Time-outs are ints: what is above bit 31 does not count. */
	if (sizeof(long) == 8)
		syscall(SYS_poll, NULL, 0, 0x1000000000 | 5);
	printf("poll waited %s\n", seconds() - start < 5 ? "less" : "more");
	return 0;
}
