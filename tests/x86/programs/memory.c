/* malloc in many sizes, mmap, mremap, mprotect, brk, large stacks, mappings at
 * high addresses. */
#include <alloca.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static uint32_t state = 1;

static uint32_t next(void)
{
	return state = state * 1664525 + 1013904223;
}

static void churn(void)
{
	enum { SLOTS = 500 };
	unsigned char *block[SLOTS] = { 0 };
	size_t size[SLOTS] = { 0 };
	uint64_t sum = 0;

	for (int i = 0; i < 20000; i++) {
		size_t slot = next() % SLOTS;

		if (block[slot]) {
			for (size_t j = 0; j < size[slot]; j += 64)
				sum += block[slot][j];
			if (next() % 2) {
				free(block[slot]);
				block[slot] = NULL;
				continue;
			}
		}
		size[slot] = next() % (next() % 100 ? 2000 : 400000) + 1;
		block[slot] = realloc(block[slot], size[slot]);
		memset(block[slot], (int)slot, size[slot]);
	}
	for (int i = 0; i < SLOTS; i++)
		free(block[i]);
	printf("churn %llu\n", (unsigned long long)sum);
}

static int depth(int n)
{
	volatile char space[1000];

	space[0] = space[999] = (char)n;
	return n ? depth(n - 1) + (space[0] == space[999]) : 0;
}

/* Far above what programs commonly use, with memory in use elsewhere; a child
 * has it too. */
static void high(void)
{
	uintptr_t at = sizeof(void *) == 8 ? (uintptr_t)0x1000 << 32
					   : 0xe0000000;
	size_t size = 3 << 20;
	char *kept = malloc(1000), *map;
	int status = 0;

	strcpy(kept, "kept while the space grows");
	map = mmap((void *)at, size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	printf("high %d %s", map == (void *)at, kept);
	strcpy(map + size - 100, "at the end");
	printf(" %s\n", map + size - 100);
	fflush(stdout);
	if (fork() == 0) {
		printf("child %s\n", map + size - 100);
		fflush(stdout);
		strcpy(map + size - 100, "changed");
		_exit(3);
	}
	wait(&status);
	printf("parent %s %d\n", map + size - 100, WEXITSTATUS(status));
	printf("unmap %d\n", munmap(map, size));
	free(kept);
}

int main(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *map, *moved, *large;
	void *old;

	churn();
	printf("depth %d\n", depth(5000));
	large = alloca(3 << 20);
	memset(large, 7, 3 << 20);
	printf("alloca %d\n", large[12345]);
	map = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	strcpy(map + page, "kept");
	printf("zero %d,", map[0]);
	printf(" protect %d\n", mprotect(map, page, PROT_NONE));
	moved = mremap(map + page, page, 64 * page, MREMAP_MAYMOVE);
	printf("moved \"%s\" %d\n", moved, moved[63 * page]);
	printf("unmap %d %d\n", munmap(map, 4 * page),
	       munmap(moved, 64 * page));
	printf("bad %d\n",
	       mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
		       MAP_FAILED);
	old = sbrk(0);
	large = sbrk(100000);
	printf("brk %d", large == old);
	memset(old, 1, 100000);
	printf(" %d\n", (int)((char *)sbrk(0) - (char *)old));
	printf("huge %s\n", malloc(SIZE_MAX / 4) ? "given" : "refused");
	large = calloc(1, 32 << 20);
	large[31 << 20] = 1;
	printf("calloc %d\n", large[30 << 20]);
	free(large);
	high();
	return 0;
}
