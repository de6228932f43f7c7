/* Code that changes: by its own stores, through another mapping, by system
 * calls, by other threads and processes, by mprotect() and mremap(). */
#include <fcntl.h>
#include <pthread.h>
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

enum { PAGE = 4096, ALL = PROT_READ | PROT_WRITE | PROT_EXEC };

/* mov $value, %eax; ret */
static void put(uint8_t *at, int value)
{
	at[0] = 0xb8;
	memcpy(at + 1, &value, 4);
	at[5] = 0xc3;
	__builtin___clear_cache((char *)at, (char *)at + 6);
}

static int call(void *at)
{
	return ((int (*)(void))at)();
}

static uint8_t *pages(int count, int protection)
{
	uint8_t *at = mmap(NULL, (size_t)count * PAGE, protection,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		exit(3);
	return at;
}

static void own_stores(void)
{
	uint8_t *code = pages(1, ALL);
	long sum = 0;

	for (int i = 0; i < 100; i++) {
		put(code, i);
		sum += call(code);
	}
	printf("own stores %ld\n", sum);
	/* One function stays while its neighbours change. */
	put(code + 64, 1000);
	for (int i = 0; i < 100; i++) {
		put(code + 128, i);
		sum += call(code + 64) + call(code + 128);
	}
	printf("neighbours %ld\n", sum);
}

/* The store changes the very next instruction. */
static void next_instruction(void)
{
	uint8_t *code = pages(1, ALL);
	long sum = 0;

	for (int i = 0; i < 40; i++) {
#ifdef __x86_64__
		/* movl $i, 1(%rip): the immediate of the mov behind it */
		static const uint8_t text[] = { 0xc7, 0x05, 1, 0, 0, 0 };
		size_t at = sizeof text;

		memcpy(code, text, at);
#else
		size_t at = 6;
		uint32_t where = (uint32_t)(code + at + 4 + 1);

		code[0] = 0xc7;
		code[1] = 0x05;
		memcpy(code + 2, &where, 4);
#endif
		memcpy(code + at, &i, 4);
		put(code + at + 4, -1);
		sum += call(code);
	}
	printf("next instruction %ld\n", sum);
}

/* A loop that counts in its own immediate. */
static void counting_loop(void)
{
	uint8_t *code = pages(1, ALL);
	uint8_t *at = code;
	int count = 50;

	*at++ = 0xb9; /* mov $count, %ecx */
	memcpy(at, &count, 4);
	at += 4;
	uint8_t *loop = at;

#ifdef __x86_64__
	static const uint8_t text[] = { 0xff, 0x05, 1, 0, 0, 0 };

	memcpy(at, text, 6); /* incl 1(%rip) */
	at += 6;
#else
	uint32_t where = (uint32_t)(at + 6 + 1);

	*at++ = 0xff;
	*at++ = 0x05;
	memcpy(at, &where, 4);
	at += 4;
#endif
	*at++ = 0xb8; /* mov $0, %eax */
	memset(at, 0, 4);
	at += 4;
	*at++ = 0xe2; /* loop */
	*at = (uint8_t)(loop - at - 1);
	at++;
	*at++ = 0xc3;
	printf("counting loop %d", call(code));
	printf(" %d\n", call(code));
}

/* rep movsb over the code behind it. */
static void string_over_code(void)
{
	uint8_t *code = pages(1, ALL), from[16];
	uint8_t *at = code;
	uintptr_t values[3] = { (uintptr_t)from, 0, 6 };

	put(from, 4321);
	*at++ = 0x56; /* push %esi, %edi: callee-saved in i386 */
	*at++ = 0x57;
	for (int i = 0; i < 3; i++) {
		static const uint8_t op[] = { 0xbe, 0xbf, 0xb9 };

#ifdef __x86_64__
		*at++ = 0x48;
#endif
		*at++ = op[i];
		if (i == 1)
			values[1] = (uintptr_t)(at + sizeof(void *) + 1 +
						(sizeof(void *) == 8) +
						sizeof(void *) + 2 + 2);
		memcpy(at, &values[i], sizeof values[i]);
		at += sizeof values[i];
	}
	*at++ = 0xf3;
	*at++ = 0xa4;
	*at++ = 0x5f;
	*at++ = 0x5e;
	put(at, 1);
	printf("string %d", at == (uint8_t *)values[1]);
	printf(" %d\n", call(code));
}

static int shared_file(void)
{
	int file = memfd_create("code", 0);

	if (file < 0 || ftruncate(file, 2 * PAGE))
		exit(4);
	return file;
}

static void two_mappings(void)
{
	int file = shared_file();
	uint8_t *write = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
			      file, 0);
	uint8_t *run = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED,
			    file, 0);
	uint8_t *other = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED,
			      file, 0);
	uint8_t bytes[6];
	long sum = 0;

	for (int i = 0; i < 60; i++) {
		put(write, i);
		sum += call(run) + 2 * call(other);
	}
	printf("two mappings %ld", sum);
	for (int i = 0; i < 60; i++) {
		put(bytes, i);
		if (pwrite(file, bytes, 6, 0) != 6)
			exit(5);
		sum += call(run);
	}
	printf(" file %ld\n", sum);
}

static void toggled(void)
{
	uint8_t *code = pages(1, PROT_READ | PROT_WRITE);
	long sum = 0;

	for (int i = 0; i < 40; i++) {
		mprotect(code, PAGE, PROT_READ | PROT_WRITE);
		put(code + i, i);
		mprotect(code, PAGE, PROT_READ | PROT_EXEC);
		sum += call(code + i);
	}
	printf("toggled %ld\n", sum);
}

static void mapped_anew(void)
{
	uint8_t *code = pages(2, ALL), *moved;
	int file = shared_file();
	uint8_t bytes[6];
	long sum = 0;

	put(bytes, 77);
	if (pwrite(file, bytes, 6, 0) != 6)
		exit(5);
	for (int i = 0; i < 20; i++) {
		put(code, i);
		sum += call(code);
		mmap(code, PAGE, PROT_READ | PROT_EXEC,
		     MAP_PRIVATE | MAP_FIXED, file, 0);
		sum += call(code);
		mmap(code, PAGE, ALL, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		     -1, 0);
		put(code, 5);
		sum += call(code);
		madvise(code, PAGE, MADV_DONTNEED);
		put(code + 8, 6);
		sum += call(code + 8) + code[0];
	}
	printf("mapped anew %ld", sum);
	put(code, 99);
	sum = call(code);
	moved = mremap(code, PAGE, 3 * PAGE, MREMAP_MAYMOVE);
	sum += call(moved);
	put(moved, 1);
	printf(" moved %ld\n", sum + call(moved));
}

static void by_calls(void)
{
	uint8_t *code = pages(2, ALL), bytes[6];
	struct iovec parts[2] = { { code, 3 }, { code + 3, 3 } };
	int ends[2];
	long sum = 0;

	if (pipe(ends))
		exit(6);
	put(code, 1);
	sum = call(code);
	for (int i = 0; i < 40; i++) {
		put(bytes, i);
		if (write(ends[1], bytes, 6) != 6 ||
		    (i & 1 ? readv(ends[0], parts, 2)
			   : read(ends[0], code, 6)) != 6)
			exit(7);
		sum += call(code);
	}
	printf("by system calls %ld\n", sum);
}

static void across_pages(void)
{
	uint8_t *code = pages(2, ALL);
	long sum = 0;

	for (int before = 1; before < 6; before++) {
		uint8_t *at = code + PAGE - before;

		put(at, 0x01010101);
		sum += call(at);
		for (int i = 0; i < 20; i++) {
			/* only the bytes in the second page */
			if (before < 5)
				code[PAGE + 4 - before] = (uint8_t)i;
			sum += call(at);
		}
	}
	printf("across pages %ld\n", sum);
}

static sigjmp_buf back;
static uint8_t *forbidden;
static int faults;

static void allow(int number, siginfo_t *information, void *context)
{
	(void)number;
	(void)context;
	faults++;
	if ((uint8_t *)information->si_addr != forbidden)
		_exit(8);
	mprotect(forbidden, PAGE, PROT_READ | PROT_EXEC);
}

static void forbidden_code(void)
{
	struct sigaction action = { .sa_sigaction = allow,
				    .sa_flags = SA_SIGINFO };
	long sum = 0;

	sigaction(SIGSEGV, &action, NULL);
	forbidden = pages(1, ALL);
	put(forbidden, 11);
	for (int i = 0; i < 5; i++) {
		sum += call(forbidden);
		mprotect(forbidden, PAGE, i & 1 ? PROT_NONE : PROT_READ);
		sum += call(forbidden);
	}
	signal(SIGSEGV, SIG_DFL);
	printf("forbidden %ld, faults %d\n", sum, faults);
}

static void other_process(void)
{
	uint8_t *own = pages(1, ALL);
	uint8_t *common = mmap(NULL, PAGE, ALL, MAP_SHARED | MAP_ANONYMOUS,
			       -1, 0);
	int status;

	put(own, 1);
	put(common, 2);
	printf("processes %d %d", call(own), call(common));
	fflush(stdout);
	if (!fork()) {
		put(own, 10);
		put(common, 20);
		_exit(call(own) + call(common));
	}
	wait(&status);
	printf(" %d %d %d\n", WEXITSTATUS(status), call(own), call(common));
}

static uint8_t *patched;
static volatile int ready;

static void *patch(void *argument)
{
	for (int i = 0; i < 30; i++) {
		while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) != 2 * i)
			usleep(10);
		put(patched, i);
		__atomic_store_n(&ready, 2 * i + 1, __ATOMIC_RELEASE);
	}
	return argument;
}

static void other_thread(void)
{
	pthread_t thread;
	long sum = 0;

	patched = pages(1, ALL);
	put(patched, -1);
	sum = call(patched);
	pthread_create(&thread, NULL, patch, NULL);
	for (int i = 0; i < 30; i++) {
		while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) != 2 * i + 1)
			usleep(10);
		sum += call(patched);
		__atomic_store_n(&ready, 2 * i + 2, __ATOMIC_RELEASE);
	}
	pthread_join(thread, NULL);
	printf("other thread %ld\n", sum);
}

/* The same bytes from two beginnings, then changed. */
static void overlapping(void)
{
	uint8_t *code = pages(1, ALL);
	long sum = 0;

	for (int i = 0; i < 20; i++) {
		/* mov $0xc300xxb8, %eax ... ; from + 1: mov, ret */
		put(code + 1, i);
		code[0] = 0x90;
		sum += call(code) + 3 * call(code + 1);
	}
	printf("overlapping %ld\n", sum);
}

int main(void)
{
	own_stores();
	next_instruction();
	counting_loop();
	string_over_code();
	two_mappings();
	toggled();
	mapped_anew();
	by_calls();
	across_pages();
	forbidden_code();
	other_process();
	other_thread();
	overlapping();
	return 0;
}
