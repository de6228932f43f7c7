/* Counts how often a cache line has to come from another processor: what code
 * compiled with -fsanitize=thread calls instead of the race detector.
 *
 * Each line of 64 bytes is with the threads that have used it since it was last
 * written, in caches that never forget. A use by a thread that does not have
 * it, while another one has written it, is a move, counted for the place in the
 * program; and so is a write to what others have. Written to the file that
 * M2S_LINES names, when the program ends: a line with the number of moves, then
 * lines `address reads writes before`, where `before` is the place that used the
 * line last. Threads before the second one count nothing. See doc/debugging.md. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LINE_BITS = 6,
	TABLE_BITS = 22,
	PLACE_BITS = 16,
	MOST_THREADS = 64,
	MOST_PROBES = 256,
	MOST_ROWS = 150,
};

struct line {
	_Atomic uint64_t name; /* number + 1; 0: free */
	_Atomic uint32_t lock;
	bool written; /* by the only one who has it */
	uint64_t threads; /* that have it, one bit each */
	void *place;
};

struct place {
	_Atomic(void *) address;
	_Atomic uint64_t reads, writes;
	_Atomic(void *) before;
};

static struct line lines[1u << TABLE_BITS];
static struct place places[1u << PLACE_BITS];
static _Atomic uint64_t moves;
static _Atomic int threads;
static _Thread_local int thread = -1;

static uint32_t hash(uint64_t value, unsigned bits)
{
	return (uint32_t)(value * 0x9e3779b97f4a7c15u >> (64 - bits));
}

/* NULL: the table is full around there. */
static struct line *line_find(uint64_t number)
{
	uint32_t at = hash(number, TABLE_BITS);

	for (int i = 0; i < MOST_PROBES; i++) {
		struct line *line = &lines[at];
		uint64_t name = line->name;

		if (!name &&
		    atomic_compare_exchange_strong(&line->name, &name,
						   number + 1))
			return line;
		if (name == number + 1)
			return line;
		at = (at + 1) & ((1u << TABLE_BITS) - 1);
	}
	return NULL;
}

static struct place *place_find(void *address)
{
	uint32_t at = hash((uintptr_t)address, PLACE_BITS);

	for (;;) {
		struct place *place = &places[at];
		void *there = place->address;

		if (!there && atomic_compare_exchange_strong(&place->address,
							     &there, address))
			return place;
		if (there == address)
			return place;
		at = (at + 1) & ((1u << PLACE_BITS) - 1);
	}
}

static void count_move(struct line *line, bool writes, void *address)
{
	struct place *place = place_find(address);

	moves++;
	if (writes)
		place->writes++;
	else
		place->reads++;
	if (line->place != address)
		place->before = line->place;
}

static void use(uint64_t number, bool writes, void *address)
{
	struct line *line = line_find(number);
	uint64_t own = UINT64_C(1) << thread;

	/* Looked at without the lock: nearly always nothing changes. */
	if (!line || (writes ? line->threads == own && line->written
			     : line->threads & own))
		return;
	while (atomic_exchange(&line->lock, 1))
		;
	if (line->threads & ~own && (writes || line->written))
		count_move(line, writes, address);
	line->threads = writes ? own : line->threads | own;
	line->written = writes;
	line->place = address;
	atomic_store(&line->lock, 0);
}

static void access(const volatile void *memory, size_t size, bool writes,
		   void *address)
{
	uint64_t first = (uintptr_t)memory >> LINE_BITS;
	uint64_t last = ((uintptr_t)memory + size - 1) >> LINE_BITS;

	if (thread < 0)
		thread = threads++ % MOST_THREADS;
	if (threads < 2 || !size)
		return;
	for (; first <= last; first++)
		use(first, writes, address);
}

/* --- At the end --------------------------------------------------------- */

static int more_moves(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	uint64_t x = a->reads + a->writes, y = b->reads + b->writes;

	return x < y ? 1 : x > y ? -1 : 0;
}

static void report(void)
{
	const char *name = getenv("M2S_LINES");
	FILE *stream = name ? fopen(name, "w") : NULL;

	if (!stream)
		return;
	fprintf(stream, "%llu\n", (unsigned long long)moves);
	qsort(places, 1u << PLACE_BITS, sizeof *places, more_moves);
	for (int i = 0; i < MOST_ROWS && places[i].address; i++)
		fprintf(stream, "%p %llu %llu %p\n", places[i].address,
			(unsigned long long)places[i].reads,
			(unsigned long long)places[i].writes,
			places[i].before);
	fclose(stream);
}

/* --- What the compiler calls -------------------------------------------- */

#define CALLER __builtin_return_address(0)

void __tsan_init(void);
void __tsan_init(void)
{
	static _Atomic bool done;

	if (!atomic_exchange(&done, true))
		atexit(report);
}

#define NOTHING(name, ...) \
	void name(__VA_ARGS__); \
	void name(__VA_ARGS__) {}
NOTHING(__tsan_func_entry, void *caller __attribute__((unused)))
NOTHING(__tsan_func_exit, void)
NOTHING(__tsan_atomic_thread_fence, int order __attribute__((unused)))
NOTHING(__tsan_atomic_signal_fence, int order __attribute__((unused)))

#define ACCESS(name, size, writes) \
	void name(void *memory); \
	void name(void *memory) { access(memory, size, writes, CALLER); }
#define ACCESSES(size) \
	ACCESS(__tsan_read##size, size, false) \
	ACCESS(__tsan_write##size, size, true) \
	ACCESS(__tsan_unaligned_read##size, size, false) \
	ACCESS(__tsan_unaligned_write##size, size, true) \
	ACCESS(__tsan_volatile_read##size, size, false) \
	ACCESS(__tsan_volatile_write##size, size, true)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

#define RANGE(name, writes) \
	void name(void *memory, size_t size); \
	void name(void *memory, size_t size) \
	{ \
		access(memory, size, writes, CALLER); \
	}
RANGE(__tsan_read_range, false)
RANGE(__tsan_write_range, true)

#define ATOMIC_LOAD(bits, type) \
	type __tsan_atomic##bits##_load(const volatile type *at, int order); \
	type __tsan_atomic##bits##_load(const volatile type *at, \
					int order __attribute__((unused))) \
	{ \
		access(at, sizeof *at, false, CALLER); \
		return __atomic_load_n(at, __ATOMIC_SEQ_CST); \
	}
#define ATOMIC_STORE(bits, type) \
	void __tsan_atomic##bits##_store(volatile type *at, type value, \
					 int order); \
	void __tsan_atomic##bits##_store(volatile type *at, type value, \
					 int order __attribute__((unused))) \
	{ \
		access(at, sizeof *at, true, CALLER); \
		__atomic_store_n(at, value, __ATOMIC_SEQ_CST); \
	}
#define ATOMIC_CHANGE(bits, type, name, builtin) \
	type __tsan_atomic##bits##_##name(volatile type *at, type value, \
					  int order); \
	type __tsan_atomic##bits##_##name(volatile type *at, type value, \
					  int order __attribute__((unused))) \
	{ \
		access(at, sizeof *at, true, CALLER); \
		return builtin(at, value, __ATOMIC_SEQ_CST); \
	}
#define ATOMIC_EXCHANGE_IF(bits, type, name) \
	int __tsan_atomic##bits##_##name(volatile type *at, type *expected, \
					 type value, int order, int failed); \
	int __tsan_atomic##bits##_##name( \
		volatile type *at, type *expected, type value, \
		int order __attribute__((unused)), \
		int failed __attribute__((unused))) \
	{ \
		access(at, sizeof *at, true, CALLER); \
		return __atomic_compare_exchange_n(at, expected, value, false, \
						   __ATOMIC_SEQ_CST, \
						   __ATOMIC_SEQ_CST); \
	}
#define ATOMICS(bits, type) \
	ATOMIC_LOAD(bits, type) \
	ATOMIC_STORE(bits, type) \
	ATOMIC_CHANGE(bits, type, exchange, __atomic_exchange_n) \
	ATOMIC_CHANGE(bits, type, fetch_add, __atomic_fetch_add) \
	ATOMIC_CHANGE(bits, type, fetch_sub, __atomic_fetch_sub) \
	ATOMIC_CHANGE(bits, type, fetch_and, __atomic_fetch_and) \
	ATOMIC_CHANGE(bits, type, fetch_or, __atomic_fetch_or) \
	ATOMIC_CHANGE(bits, type, fetch_xor, __atomic_fetch_xor) \
	ATOMIC_EXCHANGE_IF(bits, type, compare_exchange_strong) \
	ATOMIC_EXCHANGE_IF(bits, type, compare_exchange_weak)
ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

/* The linker sends calls of these here (--wrap). */
void *__real_memcpy(void *to, const void *from, size_t size);
void *__real_memmove(void *to, const void *from, size_t size);
void *__real_memset(void *to, int value, size_t size);
void *__wrap_memcpy(void *to, const void *from, size_t size);
void *__wrap_memmove(void *to, const void *from, size_t size);
void *__wrap_memset(void *to, int value, size_t size);

void *__wrap_memcpy(void *to, const void *from, size_t size)
{
	access(from, size, false, CALLER);
	access(to, size, true, CALLER);
	return __real_memcpy(to, from, size);
}

void *__wrap_memmove(void *to, const void *from, size_t size)
{
	access(from, size, false, CALLER);
	access(to, size, true, CALLER);
	return __real_memmove(to, from, size);
}

void *__wrap_memset(void *to, int value, size_t size)
{
	access(to, size, true, CALLER);
	return __real_memset(to, value, size);
}
