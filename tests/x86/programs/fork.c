/* What a process writes after fork() is its own: a family of processes changes
 * copies of one arena at the same time, by writing, mprotect, madvise, mremap,
 * munmap and mmap, and each prints what it sees. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ABSENT = 8, PAGE = 4096, BLOCK = 16, BLOCKS = 24, DEPTH = 3, STEPS = 400 };

static uint32_t state = 12345;
static char *arena;       /* BLOCKS of BLOCK pages, a free page after each */
static int protection[BLOCKS][BLOCK];
static char file_name[] = "/tmp/m2s-fork-XXXXXX";
static int file;
static char data[64 * PAGE] = "initialized";

static uint32_t draw(uint32_t limit)
{
	state = state * 1664525 + 1013904223;
	return (state >> 8) % limit;
}

static char *page_of(int block, int page)
{
	return arena + ((size_t)block * (BLOCK + 1) + page) * PAGE;
}

static void set_protection(int block, int first, int count, int flags)
{
	for (int i = first; i < first + count; i++)
		protection[block][i] = flags;
}

static void map_block(int block)
{
	int from_file = draw(4) == 0;

	mmap(page_of(block, 0), BLOCK * PAGE, PROT_READ | PROT_WRITE,
	     MAP_FIXED | MAP_PRIVATE | (from_file ? 0 : MAP_ANONYMOUS),
	     from_file ? file : -1, 0);
	set_protection(block, 0, BLOCK, PROT_READ | PROT_WRITE);
}

static uint32_t sum_of(const char *bytes, size_t size)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < size; i += 8)
		sum = sum * 31 + *(const uint32_t *)(bytes + i);
	return sum;
}

static uint32_t see(void)
{
	uint32_t sum = sum_of(data, sizeof data);

	for (int block = 0; block < BLOCKS; block++)
		for (int i = 0; i < BLOCK; i++)
			if (protection[block][i] & PROT_READ)
				sum = sum * 7 + sum_of(page_of(block, i), PAGE);
	return sum;
}

static void write_some(int block)
{
	for (int i = draw(BLOCK), count = 1 + draw(5); count--;
	     i = (i + 1 + draw(3)) % BLOCK)
		if (protection[block][i] & PROT_WRITE)
			*(uint32_t *)(page_of(block, i) + draw(1000) * 4) =
				state;
	data[draw(sizeof data)] = (char)state;
}

/* The kernel writes, too. */
static void read_into(int block)
{
	int page = draw(BLOCK - 1);

	if ((protection[block][page] & protection[block][page + 1] &
	     PROT_WRITE))
		if (pread(file, page_of(block, page) + 100, PAGE,
			  draw(8) * 1000) != PAGE)
			puts("short read");
}

static void protect_some(int block)
{
	static const int kinds[] = { PROT_NONE, PROT_READ,
				     PROT_READ | PROT_WRITE };
	int first = draw(BLOCK), count = 1 + draw(BLOCK - first);
	int flags = kinds[draw(3)];

	for (int i = first; i < first + count; i++)
		if (protection[block][i] == ABSENT)
			return;
	mprotect(page_of(block, first), count * PAGE, flags);
	set_protection(block, first, count, flags);
}

static void forget_some(int block)
{
	int first = draw(BLOCK), count = 1 + draw(BLOCK - first);

	if (draw(2)) {
		madvise(page_of(block, first), count * PAGE, MADV_DONTNEED);
	} else {
		munmap(page_of(block, first), count * PAGE);
		set_protection(block, first, count, ABSENT);
	}
}

/* One page goes to another block's place. */
static void move_one(int block)
{
	int to = draw(BLOCKS), page = draw(BLOCK), place = draw(BLOCK);

	if (to == block || protection[block][page] == ABSENT)
		return;
	if (mremap(page_of(block, page), PAGE, PAGE,
		   MREMAP_MAYMOVE | MREMAP_FIXED,
		   page_of(to, place)) == MAP_FAILED)
		perror("mremap");
	protection[to][place] = protection[block][page];
	protection[block][page] = ABSENT;
}

static void step(void)
{
	int block = draw(BLOCKS);

	switch (draw(9)) {
	case 0:
		map_block(block);
		break;
	case 1:
		protect_some(block);
		break;
	case 2:
		forget_some(block);
		break;
	case 3:
		move_one(block);
		break;
	case 4:
		read_into(block);
		break;
	default:
		write_some(block);
	}
}

static void live(int depth, int out);

/* A child that lives while its parent goes on; what it says comes through a
 * pipe. */
static int start_child(int depth, pid_t *child)
{
	int ends[2];

	if (pipe(ends))
		exit(1);
	*child = fork();
	if (!*child) {
		close(ends[0]);
		state += 77;
		live(depth + 1, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	return ends[0];
}

static void finish_child(pid_t child, int in, int out)
{
	char text[256];
	ssize_t size;

	while ((size = read(in, text, sizeof text)) > 0)
		if (write(out, text, size) != size)
			exit(1);
	close(in);
	waitpid(child, NULL, 0);
}

static void live(int depth, int out)
{
	pid_t child[3];
	int in[3], children = 0;
	char line[64];

	for (int i = 0; i < STEPS; i++) {
		step();
		if (depth < DEPTH && children < 3 && i % 90 == 50)
			in[children] = start_child(depth, child + children),
			children++;
		if (children && draw(150) == 0) {
			children--;
			finish_child(child[children], in[children], out);
		}
	}
	while (children--)
		finish_child(child[children], in[children], out);
	if (write(out, line, sprintf(line, "%d %08x\n", depth, see())) < 0)
		exit(1);
}

/* A block that grows after a fork; memory that shrinks and comes back is new. */
static void grow(void)
{
	char *block = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *end = sbrk(4 * PAGE);

	memset(block, 1, 8 * PAGE);
	memset(end, 2, 4 * PAGE);
	for (int i = 0; i < 3; i++) {
		if (!fork())
			_exit(0);
		block = mremap(block, 8 * PAGE, 64 * PAGE, MREMAP_MAYMOVE);
		printf("grown %08x\n", sum_of(block, 64 * PAGE));
		if (i == 1)
			wait(NULL);
		block[40 * PAGE] = 3;
		block = mremap(block, 64 * PAGE, 8 * PAGE, 0);
		sbrk(-2 * PAGE);
		sbrk(2 * PAGE);
		printf("break %08x\n", sum_of(end, 4 * PAGE));
		end[i * PAGE] = 4;
	}
}

int main(void)
{
	char content[3 * PAGE];

	file = mkstemp(file_name);
	unlink(file_name);
	for (size_t i = 0; i < sizeof content; i++)
		content[i] = (char)(i * 7);
	for (int i = 0; i < 8; i++)
		if (write(file, content, sizeof content) < 0)
			return 1;
	arena = mmap(NULL, BLOCKS * (BLOCK + 1) * PAGE, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int block = 0; block < BLOCKS; block++) {
		munmap(page_of(block, BLOCK), PAGE);
		map_block(block);
	}
	live(0, 1);
	fflush(stdout);
	grow();
	return 0;
}
