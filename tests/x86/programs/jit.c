/* A small compiler to machine code in memory: code that is made, run, changed
 * while it runs, mapped twice, made writable and executable in turn, and
 * moved; for both ABIs. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Runs a stack program on its argument; values are 32 bits wide, which makes
 * the code the same for both ABIs. The argument arrives in %eax. */
typedef int __attribute__((regparm(1))) function32(int);

struct code {
	uint8_t *at, *start;
};

static void byte(struct code *c, int value)
{
	*c->at++ = (uint8_t)value;
}

static void bytes(struct code *c, const char *text, size_t size)
{
	memcpy(c->at, text, size);
	c->at += size;
}

static void word(struct code *c, uint32_t value)
{
	memcpy(c->at, &value, 4);
	c->at += 4;
}

#define EMIT(c, text) bytes(c, text, sizeof text - 1)

static void begin(struct code *c)
{
#ifdef __x86_64__
	EMIT(c, "\x89\xf8"); /* mov %edi, %eax */
#endif
}

/* Compiles a postfix expression of x, digits, + - * & ^. */
static void compile(struct code *c, const char *text)
{
	begin(c);
	EMIT(c, "\x89\xc1"); /* mov %eax, %ecx: x */
	for (; *text; text++) {
		if (*text == 'x') {
			EMIT(c, "\x51"); /* push */
		} else if (*text >= '0' && *text <= '9') {
			EMIT(c, "\x6a");
			byte(c, *text - '0');
		} else {
			EMIT(c, "\x5a\x58"); /* pop %edx, pop %eax */
			switch (*text) {
			case '+': EMIT(c, "\x01\xd0"); break;
			case '-': EMIT(c, "\x29\xd0"); break;
			case '*': EMIT(c, "\x0f\xaf\xc2"); break;
			case '&': EMIT(c, "\x21\xd0"); break;
			case '^': EMIT(c, "\x31\xd0"); break;
			}
			EMIT(c, "\x50");
		}
	}
	EMIT(c, "\x58\xc3"); /* pop %eax; ret */
}

static int interpret(const char *text, int x)
{
	uint32_t stack[64];
	int depth = 0;

	for (; *text; text++) {
		if (*text == 'x') {
			stack[depth++] = (uint32_t)x;
			continue;
		}
		if (*text >= '0' && *text <= '9') {
			stack[depth++] = (uint32_t)(*text - '0');
			continue;
		}
		depth--;
		switch (*text) {
		case '+': stack[depth - 1] += stack[depth]; break;
		case '-': stack[depth - 1] -= stack[depth]; break;
		case '*': stack[depth - 1] *= stack[depth]; break;
		case '&': stack[depth - 1] &= stack[depth]; break;
		case '^': stack[depth - 1] ^= stack[depth]; break;
		}
	}
	return (int)stack[0];
}

static uint32_t state = 1;

static uint32_t next(void)
{
	return state = state * 1664525 + 1013904223;
}

static void make_expression(char *text, int operations)
{
	int depth = 0;

	while (operations > 0 || depth > 1) {
		if (depth > 1 && (next() >> 16 & 1 || operations <= 0)) {
			*text++ = "+-*&^"[(next() >> 16) % 5];
			depth--;
		} else {
			*text++ = "x0123456789x"[(next() >> 16) % 12];
			depth++;
			operations--;
		}
		if (depth > 60)
			operations = 0;
	}
	*text = 0;
}

static void *executable(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		exit(99);
	return memory;
}

/* The same place again and again. */
static void expressions(void)
{
	uint8_t *memory = executable(8192);
	int wrong = 0;
	uint32_t sum = 0;

	for (int i = 0; i < 2000; i++) {
		char text[400];
		struct code c = { memory + i * 13 % 5000, NULL };

		c.start = c.at;
		make_expression(text, 3 + i % 40);
		compile(&c, text);
		for (int x = -3; x < 4; x++) {
			int got = ((function32 *)(void *)c.start)(x * 1001);

			wrong += got != interpret(text, x * 1001);
			sum = sum * 31 + (uint32_t)got;
		}
	}
	printf("expressions: %d wrong, sum %u\n", wrong, sum);
	munmap(memory, 8192);
}

/* Code that changes the immediate of an instruction in front of it: in the
 * same basic block, and in a loop. */
static void self_modifying(void)
{
	struct code c = { executable(4096), NULL };
	uint8_t *where;
	int total = 0;

	c.start = c.at;
	begin(&c);
	EMIT(&c, "\x89\xc2"); /* mov %eax, %edx */
#ifdef __x86_64__
	EMIT(&c, "\x89\x15"); /* mov %edx, 1(%rip): the immediate below */
	word(&c, 1);
#else
	EMIT(&c, "\x89\x15");
	word(&c, (uint32_t)(uintptr_t)c.at + 5);
#endif
	where = c.at;
	EMIT(&c, "\xb8"); /* mov $imm, %eax */
	word(&c, 0xdeadbeef);
	EMIT(&c, "\xc3");
	(void)where;
	for (int i = 0; i < 5000; i++)
		total += ((function32 *)(void *)c.start)(i);
	printf("same block: %d\n", total);

	/* Counts an immediate up by itself: incl the imm, loop. */
	c.at = c.start;
	begin(&c);
	EMIT(&c, "\x89\xc1"); /* mov %eax, %ecx */
#ifdef __x86_64__
	EMIT(&c, "\x83\x05"); /* addl $1, 2(%rip) */
	word(&c, 1);
	byte(&c, 3);
#else
	EMIT(&c, "\x83\x05");
	word(&c, (uint32_t)(uintptr_t)c.at + 6);
	byte(&c, 3);
#endif
	EMIT(&c, "\xb8");
	word(&c, 0);
	EMIT(&c, "\x49"); /* dec %ecx, or a REX prefix in 64-bit code */
	c.at--;
	EMIT(&c, "\xff\xc9\x75"); /* dec %ecx; jnz to the addl */
#ifdef __x86_64__
	byte(&c, -(7 + 5 + 4));
#else
	byte(&c, -(7 + 5 + 4));
#endif
	EMIT(&c, "\xc3");
	printf("own loop: %d\n", ((function32 *)(void *)c.start)(1000));
	printf("own loop: %d\n", ((function32 *)(void *)c.start)(20));
	munmap(c.start, 4096);
}

/* Written through one mapping, run through another. */
static void two_mappings(void)
{
	int file = (int)syscall(SYS_memfd_create, "code", 0);
	uint8_t *writable, *runnable;
	int total = 0;

	if (ftruncate(file, 8192))
		exit(98);
	writable = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file,
			0);
	runnable = mmap(NULL, 8192, PROT_READ | PROT_EXEC, MAP_SHARED, file,
			0);
	for (int i = 0; i < 300; i++) {
		struct code c = { writable + 4090, NULL };

		EMIT(&c, "\xb8"); /* spans the page's end */
		word(&c, (uint32_t)i);
		EMIT(&c, "\xc3");
		total += ((function32 *)(void *)(runnable + 4090))(0);
	}
	/* ... by the kernel. */
	lseek(file, 4091, SEEK_SET);
	if (write(file, "\x10\x27", 2) != 2)
		exit(97);
	total += ((function32 *)(void *)(runnable + 4090))(0);
	printf("two mappings: %d\n", total);
	munmap(writable, 8192);
	munmap(runnable, 8192);
	close(file);
}

/* W^X: never both. And the kernel writes code: read(). */
static void in_turn(void)
{
	uint8_t *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t piece[6] = { 0xb8, 0, 0, 0, 0, 0xc3 };
	int total = 0, ends[2];

	for (int i = 0; i < 200; i++) {
		struct code c = { memory, NULL };

		EMIT(&c, "\xb8");
		word(&c, (uint32_t)i);
		EMIT(&c, "\xc3");
		mprotect(memory, 4096, PROT_READ | PROT_EXEC);
		total += ((function32 *)(void *)memory)(0);
		mprotect(memory, 4096, PROT_READ | PROT_WRITE);
	}
	printf("in turn: %d\n", total);
	mprotect(memory, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
	if (pipe(ends))
		exit(96);
	for (int i = 0; i < 200; i++) {
		piece[1] = (uint8_t)i;
		if (write(ends[1], piece, 6) != 6 ||
		    read(ends[0], memory, 6) != 6)
			exit(95);
		total += ((function32 *)(void *)memory)(0);
	}
	printf("by the kernel: %d\n", total);
	/* Moved elsewhere, and something else in its place. */
	for (int i = 0; i < 50; i++) {
		uint8_t *moved;

		memory[1] = (uint8_t)i;
		total += ((function32 *)(void *)memory)(0);
		moved = mremap(memory, 4096, 4096,
			       MREMAP_MAYMOVE | MREMAP_FIXED,
			       memory + (16 << 20) + (i % 2 ? -8192 : 4096));
		if (moved == MAP_FAILED)
			exit(94);
		total += ((function32 *)(void *)moved)(0);
		mmap(memory, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		memcpy(memory, moved, 6);
		memory[1] = 77;
		total += ((function32 *)(void *)memory)(0);
		munmap(moved, 4096);
	}
	printf("moved: %d\n", total);
	munmap(memory, 4096);
}

/* Many functions that call each other by direct jumps patched later. */
static void linked(void)
{
	enum { COUNT = 3000, SIZE = 16 };
	uint8_t *memory = executable(COUNT * SIZE + SIZE);
	long total = 0;

	for (int i = 0; i < COUNT; i++) {
		struct code c = { memory + i * SIZE, NULL };

		EMIT(&c, "\x83\xc0");
		byte(&c, i % 7);  /* add $n, %eax */
		EMIT(&c, "\xc3"); /* to be a jump */
	}
	for (int i = 0; i < COUNT; i++) {
		struct code c = { memory + i * SIZE + 3, NULL };
		int target = (i * 1103 + 7) % COUNT;

#ifdef __x86_64__
		uint8_t stub[] = { 0x89, 0xf8, 0xe9 };
		struct code s = { memory + COUNT * SIZE, NULL };

		s.start = s.at;
		bytes(&s, (char *)stub, 3);
		word(&s, (uint32_t)((memory + i * SIZE) - (s.at + 4)));
		total += ((function32 *)(void *)s.start)(i);
#else
		total += ((function32 *)(void *)(memory + i * SIZE))(i);
#endif
		if (target > i) { /* no loops */
			byte(&c, 0xe9);
			word(&c, (uint32_t)((memory + target * SIZE) -
					    (c.at + 4)));
		}
	}
	printf("linked: %ld\n", total);
	munmap(memory, COUNT * SIZE + SIZE);
}

int main(void)
{
	expressions();
	self_modifying();
	two_mappings();
	in_turn();
	linked();
	return 3;
}
