/* Descriptors beyond plain files: locks, pidfds, sockets' times and rights,
 * splicing, epoll's modes, attributes, vectored reads with flags. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition)                                                       \
	do {                                                                   \
		errno = 0;                                                     \
		if (!(condition))                                              \
			printf("line %d: %s: %s\n", __LINE__, #condition,      \
			       strerror(errno));                               \
	} while (0)
#define FAILS(call, number) CHECK((call) < 0 && errno == (number))

static int child(int (*body)(void *), void *argument)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(body(argument));
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- Record locks ---- */

static int lock(int file, int command, int type, long start, long length)
{
	struct flock l = { .l_type = type, .l_whence = SEEK_SET,
			   .l_start = start, .l_len = length };

	return fcntl(file, command, &l);
}

static int try_lock(void *argument)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET,
			   .l_start = 5, .l_len = 10 };
	int file = *(int *)argument;

	if (lock(file, F_SETLK, F_WRLCK, 5, 10) == 0)
		return 1;
	if (errno != EAGAIN && errno != EACCES)
		return 2;
	if (fcntl(file, F_GETLK, &l) != 0 || l.l_type != F_WRLCK ||
	    l.l_start != 0 || l.l_len != 10 || l.l_pid != getppid())
		return 3;
	if (lock(file, F_SETLK, F_RDLCK, 20, 5) != 0)
		return 4;
	return lock(file, F_SETLK, F_WRLCK, 10, 5) == 0 ? 0 : 5;
}

static int wait_lock(void *argument)
{
	return lock(*(int *)argument, F_SETLKW, F_WRLCK, 0, 0) ? 1 : 0;
}

static int own_file_lock(void *argument)
{
	/* The same open file: no conflict; another one: conflict. */
	int file = *(int *)argument, other = open("locked", O_RDWR);

	if (lock(file, F_OFD_SETLK, F_WRLCK, 0, 10) != 0)
		return 1;
	if (lock(other, F_OFD_SETLK, F_WRLCK, 0, 10) == 0)
		return 2;
	if (lock(other, F_SETLK, F_RDLCK, 9, 1) == 0)
		return 3;
	return 0;
}

static void locks(void)
{
	struct flock far = { .l_type = F_RDLCK, .l_whence = SEEK_END,
			     .l_start = (off_t)INT64_MAX };
	int file = open("locked", O_RDWR | O_CREAT, 0600), other, status;
	pid_t pid;

	CHECK(lock(file, F_SETLK, F_WRLCK, 0, 10) == 0);
	CHECK(lock(file, F_SETLK, F_RDLCK, 18, 12) == 0);
	CHECK(child(try_lock, &file) == 0);
	/* Splitting and joining. */
	CHECK(lock(file, F_SETLK, F_UNLCK, 3, 4) == 0);
	CHECK(lock(file, F_SETLK, F_WRLCK, 0, 10) == 0);
	CHECK(child(try_lock, &file) == 0);
	/* Closing any descriptor of the file drops them all. */
	other = open("locked", O_RDONLY);
	FAILS(lock(other, F_SETLK, F_WRLCK, 50, 1), EBADF);
	close(other);
	CHECK(child(try_lock, &file) == 1);
	/* Waiting ends when the holder unlocks, or ends. */
	CHECK(lock(file, F_SETLK, F_WRLCK, 0, 0) == 0);
	pid = fork();
	if (!pid)
		_exit(wait_lock(&file));
	usleep(20000);
	CHECK(waitpid(pid, &status, WNOHANG) == 0);
	CHECK(lock(file, F_SETLK, F_UNLCK, 0, 0) == 0);
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	CHECK(lock(file, F_OFD_SETLK, F_WRLCK, 0, 10) == 0);
	CHECK(child(own_file_lock, &file) == 0);
	FAILS(lock(file, F_SETLK, F_WRLCK, -5, 2), EINVAL);
	FAILS(lock(-1, F_SETLK, F_WRLCK, 0, 0), EBADF);
	/* Ranges at the end of what an offset can be. */
	CHECK(write(file, "x", 1) == 1);
	if (sizeof(off_t) == 8) {
		FAILS(fcntl(file, F_SETLK, &far), EOVERFLOW);
		far.l_whence = SEEK_SET;
		far.l_len = 2;
		FAILS(fcntl(file, F_SETLK, &far), EOVERFLOW);
		far.l_len = (off_t)INT64_MIN;
		FAILS(fcntl(file, F_SETLK, &far), EINVAL);
		far.l_len = 1;
		CHECK(fcntl(file, F_SETLK, &far) == 0);
		CHECK(lock(file, F_SETLK, F_UNLCK, 0, 0) == 0);
	}
	close(file);
	puts("locks");
}

/* ---- Processes as descriptors ---- */

static int pidfd_open_(pid_t pid, unsigned flags)
{
	return (int)syscall(SYS_pidfd_open, pid, flags);
}

static void pidfds(void)
{
	pid_t pid = fork();
	siginfo_t information = { 0 };
	struct pollfd poller;
	int descriptor, file;

	if (!pid) {
		pause();
		_exit(1);
	}
	CHECK((descriptor = pidfd_open_(pid, 0)) >= 0);
	CHECK(fcntl(descriptor, F_GETFD) == FD_CLOEXEC);
	poller = (struct pollfd){ .fd = descriptor, .events = POLLIN };
	CHECK(poll(&poller, 1, 0) == 0);
	FAILS(read(descriptor, &file, 4), EINVAL);
	CHECK((file = (int)syscall(SYS_pidfd_getfd, descriptor, 1, 0)) >= 0);
	close(file);
	FAILS(syscall(SYS_pidfd_send_signal, descriptor, 99, NULL, 0),
	      EINVAL);
	CHECK(syscall(SYS_pidfd_send_signal, descriptor, 0, NULL, 0) == 0);
	CHECK(syscall(SYS_pidfd_send_signal, descriptor, SIGTERM, NULL, 0) ==
	      0);
	CHECK(poll(&poller, 1, 5000) == 1 && poller.revents == POLLIN);
	CHECK(waitid(P_PIDFD, (id_t)descriptor, &information, WEXITED) == 0);
	CHECK(information.si_pid == pid && information.si_status == SIGTERM &&
	      information.si_code == CLD_KILLED);
	FAILS(waitid(P_PIDFD, (id_t)descriptor, &information, WEXITED),
	      ECHILD);
	FAILS(pidfd_open_(pid, 0), ESRCH);
	FAILS(pidfd_open_(0, 0), EINVAL);
	close(descriptor);
	puts("pidfd");
}

/* ---- Sockets ---- */

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * INT64_C(1000) + time.tv_nsec / 1000000;
}

static void times(void)
{
	struct timeval time = { 0, 50000 }, got;
	socklen_t size = sizeof got;
	char bytes[65536] = { 0 };
	int pair[2];
	int64_t start;

	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	CHECK(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &time,
			 sizeof time) == 0);
	CHECK(getsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &got, &size) ==
		      0 &&
	      got.tv_sec == 0 && got.tv_usec >= 50000 && size == sizeof got);
	start = now();
	FAILS(recv(pair[0], bytes, 1, 0), EAGAIN);
	FAILS(read(pair[0], bytes, 1), EAGAIN);
	CHECK(now() - start >= 99);
	CHECK(setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &time,
			 sizeof time) == 0);
	while (send(pair[0], bytes, sizeof bytes, 0) == sizeof bytes)
		;
	FAILS(send(pair[0], bytes, sizeof bytes, 0), EAGAIN);
	close(pair[0]);
	close(pair[1]);
	puts("socket times");
}

static void rights(void)
{
	char text[8] = "", control[CMSG_SPACE(2 * sizeof(int))] = { 0 };
	struct iovec vector = { "x", 1 };
	struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof control };
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	int pair[2], pipes[2], got[2];

	CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
	CHECK(pipe(pipes) == 0);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(2 * sizeof(int));
	memcpy(CMSG_DATA(header), pipes, sizeof pipes);
	CHECK(sendmsg(pair[0], &message, 0) == 1);
	vector.iov_base = text;
	memset(control, 0, sizeof control);
	message.msg_controllen = sizeof control;
	CHECK(recvmsg(pair[1], &message, MSG_CMSG_CLOEXEC) == 1);
	header = CMSG_FIRSTHDR(&message);
	CHECK(header && header->cmsg_type == SCM_RIGHTS &&
	      header->cmsg_len == CMSG_LEN(2 * sizeof(int)));
	memcpy(got, CMSG_DATA(header), sizeof got);
	CHECK(fcntl(got[0], F_GETFD) == FD_CLOEXEC);
	CHECK(write(got[1], "pipe", 4) == 4 && read(pipes[0], text, 8) == 4);
	/* A pipe that came this way blocks as the other does. */
	if (fork() == 0) {
		usleep(10000);
		_exit(write(pipes[1], "late", 4) != 4);
	}
	CHECK(read(got[0], text, 8) == 4 && !memcmp(text, "late", 4));
	wait(NULL);
	puts("rights");
}

static void several(void)
{
	struct mmsghdr messages[3] = { 0 };
	struct iovec vectors[3];
	char texts[3][8] = { "one", "two", "three" };
	int pair[2];

	CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
	for (int i = 0; i < 3; i++) {
		vectors[i] = (struct iovec){ texts[i], strlen(texts[i]) };
		messages[i].msg_hdr.msg_iov = vectors + i;
		messages[i].msg_hdr.msg_iovlen = 1;
	}
	CHECK(sendmmsg(pair[0], messages, 3, 0) == 3);
	for (int i = 0; i < 3; i++)
		vectors[i].iov_len = 8;
	CHECK(recvmmsg(pair[1], messages, 2, 0, NULL) == 2 &&
	      messages[1].msg_len == 3);
	CHECK(recvmmsg(pair[1], messages, 3, MSG_WAITFORONE, NULL) == 1 &&
	      messages[0].msg_len == 5);
	FAILS(recvmmsg(pair[1], messages, 3, MSG_DONTWAIT, NULL), EAGAIN);
	close(pair[0]);
	close(pair[1]);
	puts("several messages");
}

/* ---- Copies ---- */

static void copies(void)
{
	int from = open("from", O_RDWR | O_CREAT | O_TRUNC, 0600);
	int to = open("to", O_RDWR | O_CREAT | O_TRUNC, 0600), a[2], b[2];
	struct iovec vectors[2] = { { "abc", 3 }, { "defg", 4 } };
	char text[32] = "";
	off_t offset = 2;
	loff_t in = 1, out = 20;

	CHECK(write(from, "0123456789", 10) == 10);
	CHECK(sendfile(to, from, &offset, 4) == 4 && offset == 6);
	CHECK(copy_file_range(from, &in, to, &out, 5, 0) == 5 && in == 6 &&
	      out == 25);
	CHECK(pread(to, text, 32, 0) == 25 && !memcmp(text, "2345", 4) &&
	      !memcmp(text + 20, "12345", 5));
	CHECK(pipe(a) == 0 && pipe(b) == 0);
	in = 3;
	CHECK(splice(from, &in, a[1], NULL, 4, 0) == 4 && in == 7);
	CHECK(tee(a[0], b[1], 10, 0) == 4);
	CHECK(read(b[0], text, 32) == 4 && !memcmp(text, "3456", 4));
	CHECK(splice(a[0], NULL, to, NULL, 2, 0) == 2);
	CHECK(read(a[0], text, 32) == 2 && !memcmp(text, "56", 2));
	CHECK(vmsplice(a[1], vectors + 1, 1, 0) == 4);
	CHECK(read(a[0], text, 32) == 4 && !memcmp(text, "defg", 4));
	FAILS(splice(from, NULL, to, NULL, 2, 0), EINVAL);
	FAILS(tee(from, a[1], 2, 0), EINVAL);
	vectors[0].iov_base = text;
	CHECK(preadv2(from, vectors, 1, 4, 0) == 3 && !memcmp(text, "456", 3));
	CHECK(lseek(from, 8, SEEK_SET) == 8 &&
	      preadv2(from, vectors, 1, -1, 0) == 2 && text[0] == '8');
	FAILS(preadv2(from, vectors, 1, 0, 0x4000), EOPNOTSUPP);
	FAILS(preadv(from, vectors, 1, -1), EINVAL);
	vectors[0].iov_base = "XYZ";
	CHECK(pwritev2(from, vectors, 1, 0, RWF_APPEND) == 3);
	CHECK(lseek(from, 0, SEEK_END) == 13);
	CHECK(fallocate(from, FALLOC_FL_KEEP_SIZE, 0, 100000) == 0 &&
	      lseek(from, 0, SEEK_END) == 13);
	CHECK(fallocate(from, 0, 0, 1000) == 0 &&
	      lseek(from, 0, SEEK_END) == 1000);
	close(from);
	close(to);
	puts("copies");
}

/* ---- epoll ---- */

static void epolls(void)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET,
				     .data.u32 = 7 }, got[4];
	int epoll = epoll_create1(EPOLL_CLOEXEC), outer = epoll_create1(0);
	int counter = eventfd(0, EFD_NONBLOCK), once = eventfd(1, 0);
	uint64_t value = 1;

	CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, counter, &event) == 0);
	FAILS(epoll_ctl(epoll, EPOLL_CTL_ADD, counter, &event), EEXIST);
	FAILS(epoll_ctl(epoll, EPOLL_CTL_ADD, epoll, &event), EINVAL);
	CHECK(epoll_wait(epoll, got, 4, 0) == 0);
	CHECK(write(counter, &value, 8) == 8);
	CHECK(epoll_wait(epoll, got, 4, 1000) == 1 && got[0].data.u32 == 7);
	CHECK(epoll_wait(epoll, got, 4, 10) == 0); /* edge: told once */
	CHECK(write(counter, &value, 8) == 8);
	CHECK(epoll_wait(epoll, got, 4, 1000) == 1);
	event = (struct epoll_event){ .events = EPOLLIN | EPOLLONESHOT,
				      .data.u32 = 8 };
	CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, once, &event) == 0);
	CHECK(epoll_wait(epoll, got, 4, 0) == 1 && got[0].data.u32 == 8);
	CHECK(epoll_wait(epoll, got, 4, 0) == 0);
	CHECK(epoll_ctl(epoll, EPOLL_CTL_MOD, once, &event) == 0);
	event = (struct epoll_event){ .events = EPOLLIN, .data.u32 = 9 };
	CHECK(epoll_ctl(outer, EPOLL_CTL_ADD, epoll, &event) == 0);
	CHECK(epoll_wait(outer, got, 4, 0) == 1 && got[0].data.u32 == 9);
	CHECK(epoll_ctl(epoll, EPOLL_CTL_DEL, once, NULL) == 0);
	FAILS(epoll_ctl(epoll, EPOLL_CTL_DEL, once, NULL), ENOENT);
	FAILS(epoll_wait(counter, got, 4, 0), EINVAL);
	CHECK(read(counter, &value, 8) == 8 && value == 2);
	FAILS(read(counter, &value, 8), EAGAIN);
	close(epoll);
	close(outer);
	puts("epoll");
}

static void timers_and_signals(void)
{
	struct itimerspec time = { { 0, 5000000 }, { 0, 5000000 } }, left;
	struct signalfd_siginfo information;
	int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK), signals;
	uint64_t count;
	sigset_t set;

	FAILS(read(timer, &count, 8), EAGAIN);
	CHECK(timerfd_settime(timer, 0, &time, NULL) == 0);
	usleep(23000);
	CHECK(read(timer, &count, 8) == 8 && count >= 4);
	CHECK(timerfd_gettime(timer, &left) == 0 &&
	      left.it_interval.tv_nsec == 5000000 &&
	      left.it_value.tv_nsec <= 5000000);
	FAILS(read(timer, &count, 4), EINVAL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	CHECK((signals = signalfd(-1, &set, SFD_NONBLOCK)) >= 0);
	FAILS(read(signals, &information, sizeof information), EAGAIN);
	CHECK(sigqueue(getpid(), SIGUSR1, (union sigval){ .sival_int = 42 }) ==
	      0);
	CHECK(read(signals, &information, sizeof information) ==
		      sizeof information &&
	      information.ssi_signo == SIGUSR1 &&
	      information.ssi_int == 42 &&
	      information.ssi_pid == (uint32_t)getpid() &&
	      information.ssi_code == SI_QUEUE);
	close(timer);
	close(signals);
	puts("timerfd, signalfd");
}

static void attributes(void)
{
	char text[64] = "";
	int file = open("from", O_RDWR);

	if (setxattr("from", "user.one", "first", 5, XATTR_CREATE) != 0) {
		puts("attributes"); /* this file system has none */
		return;
	}
	FAILS(setxattr("from", "user.one", "x", 1, XATTR_CREATE), EEXIST);
	FAILS(setxattr("from", "user.two", "x", 1, XATTR_REPLACE), ENODATA);
	CHECK(fsetxattr(file, "user.two", "second", 6, 0) == 0);
	CHECK(getxattr("from", "user.two", text, 64) == 6 &&
	      !memcmp(text, "second", 6));
	CHECK(fgetxattr(file, "user.one", NULL, 0) == 5);
	FAILS(getxattr("from", "user.two", text, 3), ERANGE);
	CHECK(listxattr("from", text, 64) >= 18);
	CHECK(removexattr("from", "user.one") == 0);
	FAILS(lremovexattr("from", "user.one"), ENODATA);
	CHECK(fremovexattr(file, "user.two") == 0);
	close(file);
	puts("attributes");
}

static void watches(void)
{
	char bytes[512] __attribute__((aligned(8)));
	const struct inotify_event *event = (void *)bytes;
	int watcher = inotify_init1(IN_NONBLOCK), watch;

	CHECK((watch = inotify_add_watch(watcher, ".", IN_CREATE)) == 1);
	FAILS(read(watcher, bytes, sizeof bytes), EAGAIN);
	close(creat("watched", 0600));
	CHECK(read(watcher, bytes, sizeof bytes) > 0 &&
	      !strcmp(event->name, "watched") && event->mask == IN_CREATE);
	CHECK(inotify_rm_watch(watcher, watch) == 0);
	FAILS(inotify_rm_watch(watcher, watch), EINVAL);
	close(watcher);
	puts("inotify");
}

static void paths(void)
{
	int file = open(".", O_PATH), got;
	char text[16];

	FAILS(read(file, text, 1), EBADF);
	FAILS(fchmod(file, 0700), EBADF);
	CHECK((got = openat(file, "from", O_RDONLY)) >= 0);
	CHECK(fcntl(file, F_GETFL) & O_PATH);
	FAILS(fcntl(file, F_SETFL, O_NONBLOCK), EBADF);
	FAILS(fcntl(got, 12345, 0), EINVAL);
	CHECK(fcntl(got, F_SETOWN, getpid()) == 0 &&
	      fcntl(got, F_GETOWN) == getpid());
	CHECK(syscall(SYS_close_range, got, got, 0) == 0);
	FAILS(close(got), EBADF);
	close(file);
	puts("O_PATH, fcntl");
}

int main(void)
{
	char folder[] = "/tmp/m2s-descriptors-XXXXXX";

	setvbuf(stdout, NULL, _IOLBF, 0);
	CHECK(mkdtemp(folder) && chdir(folder) == 0);
	locks();
	pidfds();
	times();
	rights();
	several();
	copies();
	epolls();
	timers_and_signals();
	attributes();
	watches();
	paths();
	unlink("locked");
	unlink("from");
	unlink("to");
	unlink("watched");
	CHECK(chdir("/") == 0 && rmdir(folder) == 0);
	return 0;
}
