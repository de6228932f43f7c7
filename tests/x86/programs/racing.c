/* racing KIND: threads and processes that race in many ways. What comes out depends
 * on who is first, and must not depend on how many host threads simulate. Prints
 * what it has seen. */
#include <immintrin.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, STEPS = 300, BYTES = 1 << 14 };

static _Alignas(64) volatile uint64_t shared[8];
static _Alignas(64) volatile uint64_t counters[THREADS][8];
static volatile int here, signals;
static uint64_t seen[THREADS];
static unsigned char *code;

static void mix(uint64_t *sum, uint64_t value)
{
	*sum = (*sum ^ value) * 0x9e3779b97f4a7c15u;
	*sum ^= *sum >> 29;
}

static void meet(void)
{
	__atomic_fetch_add(&here, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&here, __ATOMIC_SEQ_CST) < THREADS)
		_mm_pause();
}

/* Not locked: increments are lost. */
static void plain(unsigned self, uint64_t *sum)
{
	for (unsigned i = 0; i < STEPS * 4; i++) {
		shared[i % 3]++;
		mix(sum, shared[(i + self) % 3]);
	}
}

static void locked(unsigned self, uint64_t *sum)
{
	for (unsigned i = 0; i < STEPS; i++) {
		mix(sum, __atomic_fetch_add(&shared[i % 2], 1,
					    __ATOMIC_SEQ_CST));
		if ((i + self) % 5 == 0)
			_mm_mfence();
	}
}

/* What threads share beside memory: random numbers, serializing instructions,
 * comparing and exchanging without LOCK, clocks. */
static void odd(unsigned self, uint64_t *sum)
{
	for (unsigned i = 0; i < STEPS / 4; i++) {
		unsigned long long number = 0;
		uint64_t old = shared[3];
		unsigned a = 0, b, c, d;

		__asm__ volatile("rdrand %0" : "=r"(number) : : "cc");
		mix(sum, number);
		__asm__ volatile("cmpxchg %2, %1"
				 : "+a"(old), "+m"(shared[3])
				 : "r"(old + self + 1) : "cc");
		mix(sum, old);
		__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
		mix(sum, __builtin_ia32_rdtsc());
	}
}

/* One thread writes code that the others execute. */
static void jit(unsigned self, uint64_t *sum)
{
	for (unsigned i = 0; i < STEPS / 4; i++) {
		unsigned char *at = code + (i % 64) * 64;

		if (self == 0) {
			uint32_t value = i * 3 + 1;

			memcpy(at + 1, &value, sizeof value);
			shared[4]++;
		} else {
			mix(sum, (uint64_t)((int (*)(void))(void *)at)());
		}
	}
}

/* Pages come and go, are touched for the first time, and change their rights. */
static void mappings(unsigned self, uint64_t *sum)
{
	for (unsigned i = 0; i < STEPS / 30; i++) {
		unsigned char *page = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		for (unsigned k = 0; k < BYTES; k += 4096)
			page[k] = (unsigned char)(i + self);
		mix(sum, page[4096 * (i % 4)] + shared[0]++);
		mprotect(page, 4096, PROT_READ);
		munmap(page, BYTES);
	}
}

static void on_signal(int number)
{
	(void)number;
	signals++;
}

static pthread_t thread[THREADS];

static void told(unsigned self, uint64_t *sum)
{
	for (unsigned i = 0; i < STEPS / 10; i++) {
		if (i % 10 == self)
			pthread_kill(thread[(self + 1) % THREADS], SIGUSR1);
		for (unsigned k = 0; k < 200; k++)
			counters[self][0]++;
		mix(sum, signals);
	}
}

/* Nothing is shared. */
static void apart(unsigned self, uint64_t *sum)
{
	for (unsigned i = 0; i < STEPS * 10; i++) {
		counters[self][i % 8] += i * i;
		mix(sum, counters[self][(i + 1) % 8]);
	}
}

static const struct {
	const char *name;
	void (*run)(unsigned self, uint64_t *sum);
} kinds[] = {
	{ "plain", plain }, { "locked", locked }, { "odd", odd },
	{ "jit", jit }, { "mappings", mappings }, { "told", told },
	{ "apart", apart },
};
static unsigned kind;

static void *run(void *argument)
{
	unsigned self = (unsigned)(uintptr_t)argument;
	uint64_t sum = self;

	meet();
	kinds[kind].run(self, &sum);
	seen[self] = sum;
	return NULL;
}

static void threads(void)
{
	for (unsigned i = 1; i < THREADS; i++)
		pthread_create(&thread[i], NULL, run, (void *)(uintptr_t)i);
	thread[0] = pthread_self();
	run((void *)0);
	for (unsigned i = 1; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (unsigned i = 0; i < THREADS; i++)
		printf("%016llx\n", (unsigned long long)seen[i]);
}

/* Processes race on memory that they share. */
static void processes(void)
{
	volatile uint64_t *common = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	for (unsigned i = 0; i < THREADS; i++) {
		if (fork())
			continue;
		uint64_t sum = i;

		for (unsigned k = 0; k < STEPS * 2; k++) {
			common[k % 4]++;
			mix(&sum, common[(k + i) % 4]);
			if (k % 100 == 0)
				mix(&sum, (uint64_t)getpid());
		}
		common[8 + i] = sum;
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
	for (unsigned i = 0; i < 8 + THREADS; i++)
		printf("%016llx\n", (unsigned long long)common[i]);
}

/* Processes that are ended at any time: while they start, execute, or are in the
 * kernel. */
static void ended(void)
{
	for (unsigned i = 0; i < STEPS / 10; i++) {
		pid_t child = fork();
		int status = 0;

		if (!child)
			for (;;)
				counters[1][0] += (uint64_t)getppid();
		for (unsigned k = 0; k < i * 40; k++)
			counters[0][0]++;
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
		printf("%x\n", (unsigned)status);
	}
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "plain";

	signal(SIGUSR1, on_signal);
	code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (unsigned i = 0; i < 4096; i += 64) {
		code[i] = 0xb8;     /* mov eax, 0 */
		code[i + 5] = 0xc3; /* ret */
	}
	if (!strcmp(name, "processes")) {
		processes();
		return 0;
	}
	if (!strcmp(name, "ended")) {
		ended();
		return 0;
	}
	while (kind < sizeof kinds / sizeof kinds[0] &&
	       strcmp(kinds[kind].name, name))
		kind++;
	if (kind == sizeof kinds / sizeof kinds[0])
		return 1;
	threads();
	return 0;
}
