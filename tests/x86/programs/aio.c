/* Asynchronous input and output by the kernel's own calls. */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void show(const char *what, long result)
{
	printf("%s: ", what);
	if (result < 0)
		printf("%s\n", strerror(errno));
	else
		printf("%ld\n", result);
}

static long submit(aio_context_t id, long count, struct iocb **list)
{
	return syscall(SYS_io_submit, id, count, list);
}

static struct iocb request(int operation, int file, const void *buffer,
			   size_t size, long offset)
{
	return (struct iocb){
		.aio_data = 1000 + operation, .aio_lio_opcode = operation,
		.aio_fildes = file, .aio_buf = (uintptr_t)buffer,
		.aio_nbytes = size, .aio_offset = offset,
	};
}

static void events_in(aio_context_t id, long least, long most,
		      struct timespec soon)
{
	struct io_event list[8] = { 0 };
	long count = syscall(SYS_io_getevents, id, least, most, list, &soon);

	show("events", count);
	for (long i = 0; i < count; i++)
		printf("  data %d, result %d, more %d\n", (int)list[i].data,
		       (int)list[i].res, (int)list[i].res2);
}

static void events(aio_context_t id, long least, long most)
{
	events_in(id, least, most, (struct timespec){ 20, 0 });
}

static void contexts(void)
{
	aio_context_t id = 0, none = 0;

	show("no events", syscall(SYS_io_setup, 0, &id));
	show("bad address", syscall(SYS_io_setup, 1, -1));
	show("too many", syscall(SYS_io_setup, 1 << 20, &id));
	show("set up", syscall(SYS_io_setup, 4, &id));
	show("not fresh", syscall(SYS_io_setup, 4, &id));
	show("none", syscall(SYS_io_destroy, none));
	show("submit to none", submit(none, 0, NULL));
	show("submit less", submit(id, -1, NULL));
	show("submit nothing", submit(id, 0, NULL));
	show("bad list", submit(id, 1, (struct iocb **)8));
	show("events of none",
	     syscall(SYS_io_getevents, none, 0, 1, NULL, NULL));
	show("fewer than no events",
	     syscall(SYS_io_getevents, id, -1, 1, NULL, NULL));
	show("more than most",
	     syscall(SYS_io_getevents, id, 2, 1, NULL, NULL));
	events_in(id, 1, 2, (struct timespec){ 0, 1000000 });
	show("destroy", syscall(SYS_io_destroy, id));
	show("destroy", syscall(SYS_io_destroy, id));
}

static void files(void)
{
	char name[] = "/tmp/aio-XXXXXX", to[40] = "", part[2][4] = { "", "" };
	int file = mkstemp(name), counter = eventfd(0, EFD_NONBLOCK);
	struct iovec vectors[2] = { { part[0], 3 }, { part[1], 3 } };
	struct iocb write = request(IOCB_CMD_PWRITE, file, "hello, world", 12,
				    5);
	struct iocb read = request(IOCB_CMD_PREAD, file, to, 20, 5);
	struct iocb both = request(IOCB_CMD_PREADV, file, vectors, 2, 12);
	struct iocb sync = request(IOCB_CMD_FSYNC, file, NULL, 0, 0);
	struct iocb lost = request(IOCB_CMD_PREAD, file, (void *)8, 4, 5);
	struct iocb *list[] = { &write, &read, &both, &sync, &lost };
	aio_context_t id = 0;
	uint64_t count = 0;

	syscall(SYS_io_setup, 8, &id);
	write.aio_flags = IOCB_FLAG_RESFD;
	write.aio_resfd = counter;
	write.aio_key = 7;
	show("submit", submit(id, 1, list));
	events(id, 1, 8);
	printf("key %u\n", write.aio_key);
	show("counter", syscall(SYS_read, counter, &count, 8));
	printf("counted %d\n", (int)count);
	for (int i = 1; i < 5; i++) {
		show("submit", submit(id, 1, list + i));
		events(id, 1, 8);
	}
	printf("read %s, %s, %s\n", to, part[0], part[1]);
	show("cancel", syscall(SYS_io_cancel, id, &read, to));
	show("cancel nothing", syscall(SYS_io_cancel, id, -1, to));
	/* What is wrong at once. */
	read.aio_fildes = 99;
	show("no file", submit(id, 1, list + 1));
	list[0] = &sync;
	show("one of two", submit(id, 2, list));
	events(id, 1, 8);
	read.aio_fildes = open(name, O_WRONLY);
	show("not for reading", submit(id, 1, list + 1));
	read.aio_fildes = file;
	read.aio_lio_opcode = 99;
	show("no such request", submit(id, 1, list + 1));
	read.aio_lio_opcode = IOCB_CMD_PREAD;
	read.aio_reserved2 = 1;
	show("reserved", submit(id, 1, list + 1));
	read.aio_reserved2 = 0;
	read.aio_flags = IOCB_FLAG_RESFD;
	read.aio_resfd = file;
	show("not a counter", submit(id, 1, list + 1));
	read.aio_flags = 0;
	read.aio_offset = -1;
	show("offset", submit(id, 1, list + 1));
	syscall(SYS_io_destroy, id);
	unlink(name);
}

/* A pipe that is not ready is waited for, in the middle of a list. */
static void pipes(void)
{
	int ends[2];
	char first[8] = "", second[8] = "";
	struct iocb write, one, two, *list[] = { &write, &one, &two };
	aio_context_t id = 0;

	pipe(ends);
	write = request(IOCB_CMD_PWRITE, ends[1], "abc", 3, 0);
	one = request(IOCB_CMD_PREAD, ends[0], first, 3, 0);
	two = request(IOCB_CMD_PREAD, ends[0], second, 8, 0);
	syscall(SYS_io_setup, 8, &id);
	fflush(stdout);
	if (fork() == 0) {
		aio_context_t mine = id;

		show("a parent's context", submit(mine, 0, NULL));
		fflush(stdout);
		usleep(30000);
		_exit(write.aio_nbytes != 3 ||
		      syscall(SYS_write, ends[1], "later", 5) != 5);
	}
	show("submit", submit(id, 3, list));
	printf("read %s, %s\n", first, second);
	events(id, 3, 8);
	wait(NULL);
	syscall(SYS_io_destroy, id);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	contexts();
	files();
	pipes();
	return 0;
}
