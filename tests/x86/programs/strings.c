/* The C library's string functions, which it has in versions for each level of
 * the instruction set, against plain loops: all small lengths and alignments,
 * with operands that end right before a page that must not be touched, or
 * begin right behind one. */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

enum { PAGE = 4096, ROOM = 2 * PAGE };

/* The loops must stay loops. */
#define PLAIN __attribute__((noinline, optimize("no-tree-loop-distribute-patterns", "no-tree-vectorize")))

static unsigned long checks, failures, digest = 5381;

static void check(const char *what, long is, long right, size_t a, size_t b)
{
	checks++;
	digest = digest * 33 + (unsigned long)is;
	if (is == right)
		return;
	if (failures++ < 20)
		printf("%s: %ld instead of %ld (at %zu, %zu)\n", what, is,
		       right, a, b);
}

static int sign(int value)
{
	return (value > 0) - (value < 0);
}

/* Two pages between two that are not accessible. */
static unsigned char *make_room(void)
{
	unsigned char *all = mmap(NULL, ROOM + 2 * PAGE, PROT_NONE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (all == MAP_FAILED ||
	    mprotect(all + PAGE, ROOM, PROT_READ | PROT_WRITE)) {
		perror("mmap");
		exit(1);
	}
	return all + PAGE;
}

static uint64_t state = 88172645463325252u;

static unsigned next(unsigned below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state >> 20) % below;
}

/* No zeros. */
static PLAIN void fill(unsigned char *at, size_t size)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (unsigned char)(1 + next(255));
}

static PLAIN int plain_compare(const unsigned char *a, const unsigned char *b,
			       size_t size, int text)
{
	for (size_t i = 0; i < size; i++) {
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
		if (text && !a[i])
			return 0;
	}
	return 0;
}

static PLAIN long plain_find(const unsigned char *a, int c, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (a[i] == c)
			return (long)i;
	return -1;
}

static PLAIN long plain_find_last(const unsigned char *a, int c, size_t size)
{
	for (size_t i = size; i-- > 0;)
		if (a[i] == c)
			return (long)i;
	return -1;
}

#define AT(pointer, base) \
	((pointer) ? (long)((const char *)(pointer) - (const char *)(base)) : -1)

/* Searches in `size` bytes at `at` and, with a zero behind, in a string. */
static void search(unsigned char *at, size_t size, int with_end)
{
	int c = size && next(3) ? at[next((unsigned)size)] : 'x';
	char *text = (char *)at;
	long length, found;

	check("memchr", AT(memchr(at, c, size), at), plain_find(at, c, size),
	      size, 0);
	check("memrchr", AT(memrchr(at, c, size), at),
	      plain_find_last(at, c, size), size, 0);
	check("strnlen", (long)strnlen(text, size), (long)size, size, 0);
	if (!with_end)
		return;
	length = (long)size;
	at[size] = 0;
	found = plain_find(at, c, size);
	check("strlen", (long)strlen(text), length, size, 1);
	check("strnlen", (long)strnlen(text, SIZE_MAX / 2), length, size, 1);
	check("rawmemchr", AT(rawmemchr(at, 0), at), length, size, 1);
	check("strchr", AT(strchr(text, c), at), found, size, 1);
	check("strchrnul", AT(strchrnul(text, c), at),
	      found < 0 ? length : found, size, 1);
	check("strrchr", AT(strrchr(text, c), at),
	      plain_find_last(at, c, size), size, 1);
	check("strchr of 0", AT(strchr(text, 0), at), length, size, 1);
	if (size >= 3) {
		char part[4] = { text[size - 3], text[size - 2], 0, 0 };
		long where = -1;

		for (long i = 0; i + 2 <= length && where < 0; i++)
			if (text[i] == part[0] && text[i + 1] == part[1])
				where = i;
		check("strstr", AT(strstr(text, part), at), where, size, 2);
		check("memmem", AT(memmem(at, size, part, 2), at), where,
		      size, 2);
		where = 0;
		while (where < length && text[where] != part[0] &&
		       text[where] != part[1])
			where++;
		check("strcspn", (long)strcspn(text, part), where, size, 2);
		check("strpbrk", AT(strpbrk(text, part), at),
		      where < length ? where : -1, size, 2);
	}
}

static void compare(unsigned char *a, unsigned char *b, size_t size)
{
	int right;

	memcpy(b, a, size);
	if (size && next(4))
		b[next((unsigned)size)] = (unsigned char)(1 + next(255));
	right = plain_compare(a, b, size, 0);
	check("memcmp", sign(memcmp(a, b, size)), right, size, 0);
	check("bcmp", bcmp(a, b, size) != 0, right != 0, size, 0);
	check("strncmp", sign(strncmp((char *)a, (char *)b, size)), right,
	      size, 0);
	if (!size)
		return;
	a[size - 1] = b[size - 1] = 0;
	right = plain_compare(a, b, size, 1);
	check("strcmp", sign(strcmp((char *)a, (char *)b)), right, size, 1);
	check("strcoll", sign(strcoll((char *)a, (char *)b)), right, size, 1);
	for (size_t i = 0; i + 1 < size; i++) {
		a[i] = (unsigned char)('a' + a[i] % 26);
		b[i] = (unsigned char)(a[i] - (next(2) ? 32 : 0));
	}
	check("strcasecmp", strcasecmp((char *)a, (char *)b), 0, size, 1);
	check("strncasecmp", strncasecmp((char *)a, (char *)b, size), 0, size,
	      1);
}

static PLAIN int all_are(const unsigned char *at, int c, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (at[i] != c)
			return 0;
	return 1;
}

static void copy(unsigned char *to, unsigned char *from, size_t size)
{
	fill(from, size);
	check("memcpy", plain_compare(memcpy(to, from, size), from, size, 0),
	      0, size, 0);
	memset(to, 0x5a, size);
	check("memset", all_are(to, 0x5a, size), 1, size, 0);
	check("mempcpy", AT(mempcpy(to, from, size), to), (long)size, size, 0);
	check("mempcpy", plain_compare(to, from, size, 0), 0, size, 0);
	if (!size)
		return;
	from[size - 1] = 0;
	memset(to, 0x33, size);
	check("stpcpy", AT(stpcpy((char *)to, (char *)from), to),
	      (long)size - 1, size, 0);
	check("stpcpy", plain_compare(to, from, size, 0), 0, size, 0);
	memset(to, 0x33, size);
	strncpy((char *)to, (char *)from, size);
	check("strncpy", plain_compare(to, from, size, 0), 0, size, 0);
	to[0] = 0;
	strcat((char *)to, (char *)from);
	check("strcat", plain_compare(to, from, size, 0), 0, size, 0);
}

static void move(unsigned char *room, size_t from, size_t to, size_t size)
{
	static unsigned char saved[ROOM];

	fill(room, ROOM);
	for (size_t i = 0; i < size; i++)
		saved[i] = room[from + i];
	memmove(room + to, room + from, size);
	check("memmove", plain_compare(room + to, saved, size, 0), 0, from,
	      to);
}

static void wide(unsigned char *room, size_t length)
{
	wchar_t *text = (wchar_t *)(room + ROOM) - length - 1, *found;
	wchar_t copy[300];

	for (size_t i = 0; i < length; i++)
		text[i] = (wchar_t)(1 + next(INT_MAX - 1));
	text[length] = 0;
	check("wcslen", (long)wcslen(text), (long)length, length, 0);
	check("wcsnlen", (long)wcsnlen(text, length + 7), (long)length, length,
	      0);
	found = wcschr(text, length ? text[length / 2] : 1);
	check("wcschr", found ? found - text : -1,
	      length ? (long)(length / 2) : -1, length, 0);
	found = wmemchr(text, length ? text[length / 2] : 1, length);
	check("wmemchr", found ? found - text : -1,
	      length ? (long)(length / 2) : -1, length, 0);
	found = wcsrchr(text, 0);
	check("wcsrchr", found - text, (long)length, length, 0);
	wmemset(copy, L'!', 300);
	check("wmemset", copy[299], L'!', length, 0);
	wcscpy(copy, text);
	check("wcscmp", wcscmp(copy, text), 0, length, 0);
	check("wmemcmp", wmemcmp(copy, text, length + 1), 0, length, 0);
	if (length) {
		copy[length - 1] ^= 0x40000000;
		check("wcsncmp", sign(wcsncmp(copy, text, length)),
		      copy[length - 1] < text[length - 1] ? -1 : 1, length, 0);
	}
}

int main(int argc, char **argv)
{
	unsigned char *one = make_room(), *other = make_room();
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1;

	for (unsigned round = 0; round < rounds; round++) {
		for (size_t size = 0; size < 300; size++) {
			size_t at[] = { 0, ROOM - size, PAGE - size / 2,
					next(ROOM - 300), PAGE - next(64) };

			fill(one, ROOM);
			for (size_t i = 0; i < 5; i++) {
				size_t b = at[(i + round) % 5];

				search(one + at[i], size, i != 1);
				compare(one + at[i], other + b, size);
				copy(other + b, one + at[i], size);
				move(one, at[i], next((unsigned)(ROOM - size)),
				     size);
			}
			if (size < 290)
				wide(other, size);
		}
		for (unsigned i = 0; i < 40; i++) {
			size_t size = 300 + next(3 * PAGE / 2);
			size_t a = next((unsigned)(ROOM - size));
			size_t b = i & 1 ? ROOM - size :
					   next((unsigned)(ROOM - size));

			fill(one, ROOM);
			search(one + a, size, 1);
			compare(one + a, other + b, size);
			copy(other + b, one + a, size);
			move(one, a, b, size);
		}
	}
	printf("%lu checks, %lu failures, digest %lx\n", checks, failures,
	       digest);
	return failures != 0;
}
