/* What reaches and leaves caches besides plain loads and stores, for
 * tests/x86/caching.sh. Arguments:
 *	load, flush      loads of one line; flush: after CLFLUSH and MFENCE each
 *	opt              CLFLUSHOPT of many lines, and loads of them
 *	store, stream    stores to whole lines; stream: non-temporal
 *	parts            non-temporal stores to a part of each of many lines
 *	quiet, call      a thread loads lines again and again; call: read(2) of another
 *	                 thread writes them in between. Prints the loads' cycles.
 *	pages            walks of mapped memory, one byte in each page of 4 KB
 * Prints a sum of what is in memory. */
#include <emmintrin.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <x86intrin.h>

enum { MAPPED = 8 << 20, LINES = 1024, TIMES = 64, ROUNDS = 8 };

static char memory[64 * LINES] __attribute__((aligned(4096)));
static volatile int turn;
static int ends[2];

static void flush_opt(void *line)
{
	__asm__ volatile(".byte 0x66; clflush (%0)" : : "r"(line) : "memory");
}

static unsigned long loads(unsigned count)
{
	unsigned long start, junk = 0;

	_mm_mfence();
	start = __rdtsc();
	for (unsigned i = 0; i < count; i++)
		junk += *(volatile long *)(memory + 64 * i + (junk & 0));
	_mm_lfence();
	return __rdtsc() - start + (junk & 0);
}

static void *reader(void *unused)
{
	unsigned long cycles = 0;

	(void)unused;
	loads(TIMES);
	for (int round = 0; round < ROUNDS; round++) {
		turn = 1;
		while (turn != 2)
			_mm_pause();
		cycles += loads(TIMES);
	}
	turn = 3;
	printf("cycles %lu\n", cycles);
	return NULL;
}

static void writer(int calls)
{
	static char bytes[64 * TIMES];
	pthread_t thread;

	pipe(ends);
	pthread_create(&thread, NULL, reader, NULL);
	for (int round = 0; round < ROUNDS; round++) {
		while (turn != 1)
			_mm_pause();
		memset(bytes, round, sizeof bytes);
		write(ends[1], bytes, sizeof bytes);
		read(ends[0], calls ? memory : bytes, sizeof bytes);
		turn = 2;
	}
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	__m128i four = _mm_set1_epi32(4);
	unsigned long sum = 0;

	for (unsigned i = 0; i < sizeof memory; i += 4)
		*(volatile int *)(memory + i) = 0x01010101;
	if (!strcmp(what, "load"))
		for (int i = 0; i < TIMES; i++)
			sum += *(volatile char *)memory;
	if (!strcmp(what, "flush"))
		for (int i = 0; i < TIMES; i++) {
			_mm_clflush(memory);
			_mm_mfence();
			sum += *(volatile char *)memory;
		}
	if (!strcmp(what, "opt")) {
		for (int i = 0; i < TIMES; i++)
			flush_opt(memory + 64 * i);
		_mm_mfence();
		loads(TIMES);
	}
	if (!strcmp(what, "store"))
		for (int i = 0; i < 4 * LINES; i++)
			_mm_store_si128((__m128i *)memory + i, four);
	if (!strcmp(what, "stream"))
		for (int i = 0; i < 4 * LINES; i++)
			_mm_stream_si128((__m128i *)memory + i, four);
	if (!strcmp(what, "parts"))
		for (int i = 0; i < LINES; i++)
			_mm_stream_si32((int *)(memory + 64 * i), 4);
	if (!strcmp(what, "pages")) {
		char *map = mmap(NULL, MAPPED, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		for (int i = 0; i < 3 * MAPPED; i += 4096)
			sum += ++map[i % MAPPED];
		munmap(map + MAPPED / 2, 4096);
		for (int i = 0; i < MAPPED / 2; i += 4096)
			sum += map[i];
	}
	_mm_sfence();
	if (!strcmp(what, "quiet") || !strcmp(what, "call"))
		writer(*what == 'c');
	for (unsigned i = 0; i < sizeof memory; i += 4)
		sum += memory[i];
	printf("sum %lu\n", sum);
	return 0;
}
