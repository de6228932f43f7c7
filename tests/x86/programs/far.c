/* Memory at addresses of the program's choice, up to 47 bits: reservations of
 * terabytes, accesses that straddle multiples of 4 GiB, calls, files, code,
 * faults there. With 32 bits the same within 3 GB. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#if __LP64__
#define AT(tera, giga) ((char *)(((uintptr_t)(tera) << 40) + \
				 ((uintptr_t)(giga) << 30)))
#define HUGE ((size_t)16 << 40)
#else
#define AT(tera, giga) ((char *)0x60000000 + ((tera) + (giga)) % 20 * 0x2000000)
#define HUGE ((size_t)16 << 20)
#endif

enum { KB = 1024, PAGE = 4096, RW = PROT_READ | PROT_WRITE };

static char *map(char *at, size_t size, int protection, int flags, int file)
{
	char *map = mmap(at, size, protection,
			 MAP_FIXED | MAP_NORESERVE | flags |
				 (file < 0 ? MAP_ANONYMOUS : 0), file, 0);

	if (map != at)
		printf("no memory at %p: %s\n", at, strerror(errno));
	return map;
}

static unsigned sum_of(const char *bytes, size_t size)
{
	unsigned sum = 0;

	for (size_t i = 0; i < size; i++)
		sum = sum * 31 + (unsigned char)bytes[i];
	return sum;
}

static void fill(char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = (char)(i * 7 + i / 256);
}

/* Both sides are touched alone before anything straddles the middle. */
static void straddle(char *middle)
{
	volatile uint64_t *across = (void *)(middle - 3);
	uint64_t value = 0x1122334455667788;

	map(middle - 64 * KB, 128 * KB, RW, MAP_PRIVATE, -1);
	middle[-100] = 1;
	middle[100] = 2;
	*across = value;
	printf("across %d %llx", *across == value,
	       (unsigned long long)*(uint64_t *)(middle - 8));
	__asm__ volatile("lock; addl $5, (%0)" : : "r"(middle - 2) : "memory");
	printf(" %x\n", *(uint32_t *)(middle - 2));
	fill(middle - 5000, 10000);
	memmove(middle - 4990, middle - 5000, 9000);
	printf("moved %08x\n", sum_of(middle - 6000, 12000));
}

static void calls(char *middle, char *other)
{
	struct iovec list[3] = {
		{ middle - 50, 100 }, { other - 70, 50 }, { other - 20, 50 },
	};
	char name[] = "/tmp/m2s-far-XXXXXX";
	int file = mkstemp(name);
	char buffer[300];

	unlink(name);
	map(other - 64 * KB, 128 * KB, RW, MAP_PRIVATE, -1);
	fill(buffer, sizeof buffer);
	other[-9] = other[9] = 1;
	printf("write %zd", write(file, buffer, sizeof buffer));
	lseek(file, 0, SEEK_SET);
	printf(" readv %zd", readv(file, list, 3));
	printf(" %08x", sum_of(middle - 50, 100) + sum_of(other - 70, 100));
	printf(" pwrite %zd", pwrite(file, other - 70, 100, 1000));
	printf(" pread %zd", pread(file, middle - 10, 100, 1000));
	printf(" %08x\n", sum_of(middle - 50, 150));
	close(file);
}

static void reservation(char *at)
{
	char *middle = at + HUGE / 2;
	int status;

	map(at, HUGE, PROT_NONE, MAP_PRIVATE, -1);
	printf("protect %d\n", mprotect(middle, 1 << 20, RW));
	middle[5] = 5;
	middle[(1 << 20) - 1] = 6;
	at = middle + 8 * PAGE;
	fill(at, PAGE);
	fflush(stdout);
	if (!fork()) {
		printf("child %d %d %08x", middle[5], middle[(1 << 20) - 1],
		       sum_of(at, PAGE));
		at[1] = 77;
		middle[5 * PAGE] = 9;
		printf(" %08x\n", sum_of(middle, 1 << 20));
		fflush(stdout);
		_exit(7);
	}
	at[2] = 88;
	wait(&status);
	printf("parent %08x\n", sum_of(middle, 1 << 20));
	printf("forget %d", madvise(at, PAGE, MADV_DONTNEED));
	printf(" %08x\n", sum_of(at, PAGE));
	printf("unmap %d\n", munmap(middle - HUGE / 2, HUGE));
}

static void files(char *middle)
{
	char name[] = "/tmp/m2s-far-XXXXXX";
	int file = mkstemp(name);

	unlink(name);
	for (int i = 0; i < 32; i++) {
		char page[PAGE];

		memset(page, i + 1, PAGE);
		if (write(file, page, PAGE) != PAGE)
			return;
	}
	map(middle - 16 * PAGE, 32 * PAGE, RW, MAP_PRIVATE, file);
	printf("private %08x", sum_of(middle - 100, 200));
	middle[-1] = 99;
	map(middle - 16 * PAGE, 32 * PAGE, RW, MAP_SHARED, file);
	printf(" shared %08x", sum_of(middle - 100, 200));
	strcpy(middle - 4, "to the file");
	printf(" sync %d\n", msync(middle - 16 * PAGE, 32 * PAGE, MS_SYNC));
	map(middle - 16 * PAGE, 32 * PAGE, RW, MAP_SHARED, file);
	printf("%s\n", middle - 4);
	close(file);
}

static void moves(char *at, char *to)
{
	char *low;

	map(at, 8 * PAGE, RW, MAP_PRIVATE, -1);
	fill(at, 8 * PAGE);
	at = mremap(at, 8 * PAGE, 16 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	printf("moved %d %08x\n", at == to, sum_of(to, 16 * PAGE));
	low = mmap(NULL, 16 * PAGE, RW, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	fill(low, 16 * PAGE);
	low[3] = 3;
	at = mremap(low, 16 * PAGE, 4 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
		    to + PAGE);
	printf("again %d %08x\n", at == to + PAGE, sum_of(to, 16 * PAGE));
}

static sigjmp_buf environment;
static siginfo_t seen;

static void handler(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	seen = *info;
	siglongjmp(environment, 1);
}

static void touch(const char *what, volatile char *at)
{
	if (!sigsetjmp(environment, 1)) {
		*at = 1;
		printf("%s: written\n", what);
	} else {
		printf("%s: signal %d code %d here %d\n", what, seen.si_signo,
		       seen.si_code, seen.si_addr == (void *)at);
	}
}

static void faults(char *end)
{
	struct sigaction action = { .sa_sigaction = handler,
				    .sa_flags = SA_SIGINFO };

	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	map(end - 4 * PAGE, 4 * PAGE, RW, MAP_PRIVATE, -1);
	mprotect(end - 4 * PAGE, PAGE, PROT_READ);
	touch("mapped", end - 1);
	touch("not mapped", end);
	touch("read only", end - 4 * PAGE);
	touch("nowhere near", AT(90, 4));
	munmap(end - PAGE, PAGE);
	touch("unmapped", end - 1);
	signal(SIGSEGV, SIG_DFL);
}

static void code(char *at)
{
	/* mov $42, %eax; fld1; fstp %st; ret */
	static const unsigned char bytes[] = { 0xb8, 42, 0, 0, 0, 0xd9, 0xe8,
					       0xdd, 0xd8, 0xc3 };

	map(at, PAGE, RW | PROT_EXEC, MAP_PRIVATE, -1);
	memcpy(at, bytes, sizeof bytes);
	printf("code %d", ((int (*)(void))at)());
	at[1] = 43;
	printf(" %d", ((int (*)(void))at)());
	for (int i = 0; i < 40; i++)
		at[1] = (char)i, ((int (*)(void))at)();
	printf(" %d\n", ((int (*)(void))at)());
}

int main(void)
{
	straddle(AT(96, 4));
	straddle(AT(1, 0));
	straddle(AT(0, 64));
	calls(AT(96, 4), AT(32, 4));
	reservation(AT(21, 1));
	files(AT(100, 13));
	moves(AT(101, 2), AT(102, 3));
	faults(AT(103, 4));
	code(AT(104, 2));
	/* What lay there when it was far is near now. */
	map(AT(0, 512), PAGE, RW, MAP_PRIVATE, -1);
	printf("near %08x %08x\n", sum_of(AT(1, 0) - 6000, 12000),
	       sum_of(AT(0, 64) - 6000, 12000));
	return 0;
}
