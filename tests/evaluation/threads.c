/* A program of N threads for the evaluation of cores, which divide the work: each
 * adds up its part of an array again and again (`private`), all of them count in
 * one histogram with locked operations, too (`shared`), or each follows links, one
 * load after the other (`links`). usage: threads private|shared|links N [ROUNDS] */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 1 << 16, BINS = 64, MOST = 64, AWAY = 16 * 1013 + 1 };

static uint32_t data[WORDS];
static atomic_uint bins[BINS];
static unsigned threads, shared, links, rounds = 12;
static uint64_t sums[MOST][8]; /* on lines of their own */

static void *work(void *number)
{
	unsigned me = (unsigned)(uintptr_t)number;
	unsigned first = WORDS / threads * me, end = first + WORDS / threads;
	uint64_t sum = first;

	for (unsigned i = 0; links && i < (end - first) * rounds; i++)
		sum = data[sum];
	for (unsigned round = 0; !links && round < rounds; round++)
		for (unsigned i = first; i < end; i++) {
			sum = sum * 5 + (data[i] ^ sum >> 7);
			if (shared && i % 16 == 0)
				atomic_fetch_add(&bins[sum % BINS], 1);
		}
	sums[me][0] = sum;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[MOST];
	uint64_t sum = 0;

	if (argc < 3)
		return 2;
	if (argc > 3)
		rounds = (unsigned)atoi(argv[3]);
	shared = !strcmp(argv[1], "shared");
	links = !strcmp(argv[1], "links");
	threads = (unsigned)atoi(argv[2]);
	if (!threads || threads > MOST)
		return 2;
	for (unsigned i = 0; i < WORDS; i++)
		data[i] = links ? (i + AWAY) % WORDS : i * 2654435761u;
	for (unsigned i = 1; i < threads; i++)
		pthread_create(&thread[i], NULL, work, (void *)(uintptr_t)i);
	work(NULL);
	for (unsigned i = 1; i < threads; i++)
		pthread_join(thread[i], NULL);
	for (unsigned i = 0; i < threads; i++)
		sum ^= sums[i][0];
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
