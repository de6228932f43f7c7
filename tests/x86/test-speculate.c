/* Wrong paths and stores that are held back: they leave nothing behind, and
 * what they compute is what the right path would. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unit/harness.h"
#include "x86/emu/block.h"
#include "x86/emu/observe/stores.h"
#include "x86/emu/run.h"
#include "x86/emu/step.h"
#include "x86/hex.h"

enum {
	CODE = 0x10000,
	DATA = 0x20000, /* four pages; behind them nothing */
	DATA_SIZE = 0x4000,
	STACK = 0x30000,
	STACK_SIZE = 0x2000,
	MEMORY = DATA_SIZE + STACK_SIZE,
	RW = SPACE_READ | SPACE_WRITE,
	RX = SPACE_READ | SPACE_EXECUTE,
	RWX = RW | SPACE_EXECUTE,
};

/* Host signals that reached the emulator: this program is linked so that the
 * calls come here. */
static unsigned host_faults;
enum x86_outcome __real_x86_host_fault(struct x86_cpu *cpu,
				       const struct host_fault *fault,
				       bool keep);
enum x86_outcome __wrap_x86_host_fault(struct x86_cpu *cpu,
				       const struct host_fault *fault,
				       bool keep);

enum x86_outcome __wrap_x86_host_fault(struct x86_cpu *cpu,
				       const struct host_fault *fault,
				       bool keep)
{
	host_faults++;
	return __real_x86_host_fault(cpu, fault, keep);
}

static uint32_t random_state = 1;

static uint32_t next_random(void)
{
	random_state = random_state * 1664525 + 1013904223;
	return random_state >> 16; /* the lower bits repeat soon */
}

struct guest {
	struct space *space;
	struct x86_emulator *emulator;
	struct x86_cpu *cpu;
	struct x86_ring *ring;
};

static struct guest start(enum x86_mode mode, int protection,
			  const char *code)
{
	struct x86_model model;
	struct guest guest;
	uint8_t bytes[256], data[MEMORY];
	size_t size = hex(code, bytes);

	x86_model_everything(&model);
	guest.space = space_create(mode == X86_MODE_64 ?
				   1ull << SPACE_X86_64_BITS : 1ull << 32,
				   NULL);
	guest.emulator = x86_emulator_create(guest.space, mode, &model, NULL);
	guest.cpu = x86_cpu_create(guest.emulator);
	guest.ring = x86_ring_create(256);
	space_map(guest.space, CODE, 0x2000, RWX, false, -1, 0, "");
	space_map(guest.space, DATA, DATA_SIZE, RW, false, -1, 0, "");
	space_map(guest.space, STACK, STACK_SIZE, RW, false, -1, 0, "");
	random_state = 1;
	for (unsigned i = 0; i < MEMORY; i++)
		data[i] = (uint8_t)next_random();
	memset(data + 0x300, 0, 64); /* the header of an XSAVE area */
	space_write(guest.space, DATA, data, DATA_SIZE);
	space_write(guest.space, STACK, data + DATA_SIZE, STACK_SIZE);
	space_write(guest.space, CODE, bytes, size);
	space_protect(guest.space, CODE, 0x2000, protection);
	guest.cpu->rip = CODE;
	guest.cpu->reg[X86_RSP] = STACK + 0x1000;
	guest.cpu->reg[X86_RDI] = DATA + 0x100;
	guest.cpu->reg[X86_RSI] = DATA + 0x1000;
	guest.cpu->reg[X86_RBP] = STACK + 0x1800;
	for (unsigned i = 0; i < 8; i++)
		for (unsigned k = 0; k < 4; k++)
			guest.cpu->vector[i].u64[k] =
				UINT64_C(0x8123456789abcdef) * (i + 1 + k);
	return guest;
}

static void finish(struct guest *guest)
{
	x86_ring_free(guest->ring);
	x86_cpu_free(guest->cpu);
	x86_emulator_free(guest->emulator);
	space_free(guest->space);
}

static void read_memory(struct guest *guest, uint8_t bytes[MEMORY])
{
	CU_ASSERT_EQUAL(space_read(guest->space, DATA, bytes, DATA_SIZE), 0);
	CU_ASSERT_EQUAL(space_read(guest->space, STACK, bytes + DATA_SIZE,
				   STACK_SIZE), 0);
}

/* What a program can see of the registers. */
static bool same_registers(const struct x86_cpu *a, const struct x86_cpu *b)
{
	return a->rip == b->rip && !memcmp(a->reg, b->reg, sizeof a->reg) &&
	       x86_eflags(a) == x86_eflags(b) && a->mxcsr == b->mxcsr &&
	       !memcmp(a->vector, b->vector, sizeof a->vector) &&
	       a->x87.status == b->x87.status &&
	       a->x87.control == b->x87.control &&
	       a->x87.top == b->x87.top && a->x87.empty == b->x87.empty &&
	       !memcmp(a->x87.reg, b->x87.reg, sizeof a->x87.reg) &&
	       !memcmp(a->segment, b->segment, sizeof a->segment) &&
	       x86_instructions(a) == x86_instructions(b);
}

static struct x86_cpu *snapshot(const struct x86_cpu *cpu)
{
	struct x86_cpu *copy = aligned_alloc(alignof(struct x86_cpu),
					     sizeof *copy);

	*copy = *cpu;
	return copy;
}

/* Executes up to `count`, by steps or in batches. */
static enum x86_stop go(struct guest *guest, unsigned count, bool batches,
			unsigned before)
{
	enum x86_stop stop = X86_STOP_QUANTUM;
	uint64_t end = x86_instructions(guest->cpu) + count;

	while (stop == X86_STOP_QUANTUM &&
	       x86_instructions(guest->cpu) < end) {
		stop = batches ? x86_observe(guest->cpu, guest->ring,
					     end - x86_instructions(guest->cpu),
					     before)
			       : x86_step(guest->cpu, guest->ring, before);
		guest->ring->tail = guest->ring->head;
	}
	return stop;
}

/* ---- The log ---- */

/* Random stores, publications and rollbacks against the simplest model. */
static void test_log(void)
{
	enum { SIZE = 600, MOST = 200, LARGEST = 80 };
	static struct { unsigned at, size; uint8_t byte[LARGEST]; } log[MOST];
	uint8_t memory[SIZE] = { 0 }, seen[SIZE], expected[SIZE];
	struct x86_stores *stores = x86_stores_create();
	unsigned first = 0, count = 0, wrong = 0;

	for (unsigned round = 0; round < 200000; round++) {
		unsigned what = next_random() % 8;

		if (what < 4 && count < MOST) {
			unsigned slot = (first + count++) % MOST;

			log[slot].size = 1 + next_random() %
						 (what ? 16 : LARGEST);
			log[slot].at = next_random() % (SIZE - LARGEST);
			for (unsigned i = 0; i < log[slot].size; i++)
				log[slot].byte[i] = (uint8_t)next_random();
			x86_stores_append(stores, log[slot].at, log[slot].byte,
					  log[slot].size);
		} else if (what < 7 && count) {
			uint64_t address;
			size_t size;
			const uint8_t *bytes = x86_stores_oldest(
				stores, &address, &size);

			wrong += address != log[first].at ||
				 size != log[first].size ||
				 memcmp(bytes, log[first].byte, size);
			memcpy(memory + address, bytes, size);
			x86_stores_remove_oldest(stores);
			first = (first + 1) % MOST;
			count--;
		} else if (next_random() % 16 == 0) {
			count = next_random() % (count + 1);
			x86_stores_keep(stores, count);
		}
		wrong += x86_stores_count(stores) != count;
		if (round % 16)
			continue;
		memcpy(expected, memory, SIZE);
		for (unsigned i = 0; i < count; i++) {
			unsigned slot = (first + i) % MOST;

			memcpy(expected + log[slot].at, log[slot].byte,
			       log[slot].size);
		}
		memcpy(seen, memory, SIZE);
		x86_stores_over(stores, 0, seen, SIZE);
		wrong += memcmp(seen, expected, SIZE) != 0;
		wrong += x86_stores_touch(stores, 0, SIZE) != !!count;
	}
	CU_ASSERT_EQUAL(wrong, 0);
	x86_stores_free(stores);
}

/* ---- Wrong paths ---- */

/* Instructions that store, and load what they stored. */
static const struct {
	const char *name, *code;
	unsigned count;
	bool mode32;
} works[] = {
	{ "moves", "48 89 07 48 8b 1f 88 4f 03 8b 57 01 66 89 57 3f "
		   "48 8b 4f 3d", 6, false },
	{ "arithmetic", "01 07 11 47 04 d1 27 ff 47 08 f7 5f 0c 48 0f ab 07 "
			"48 03 1f", 7, false },
	{ "stack", "50 53 58 5b c8 10 00 03 c9 68 78 56 34 12 9c 59 5a", 9,
	  false },
	{ "all registers", "60 61 60 8b 44 24 10 61", 4, true },
	{ "a string", "b9 00 03 00 00 f3 a4 8b 87 00 fd ff ff", 3, false },
	{ "a string onto itself",
	  "48 8d 77 fb b9 c8 00 00 00 f3 a4 8b 47 f0", 4, false },
	{ "a long string", "b9 00 05 00 00 f3 48 a5 8b 47 e0", 3, false },
	{ "a filled string", "b9 40 01 00 00 f3 48 ab 48 8b 47 f1", 3,
	  false },
	{ "a string downwards", "fd b9 40 00 00 00 f3 a5 fc 8b 47 05", 5,
	  false },
	{ "comparison of strings",
	  "48 89 f7 c6 46 20 55 b9 80 00 00 00 f3 a6", 4, false },
	{ "exchange without LOCK", "0f c1 07 0f b0 0f 48 0f c7 0f 8b 1f", 4,
	  false },
	{ "CMPXCHG16B", "31 c0 31 d2 48 89 07 48 89 57 08 b3 5a 48 0f c7 0f "
			"48 8b 1f 48 0f c7 0f", 8, false },
	{ "vectors", "0f 11 07 0f 10 4f 07 66 0f d6 57 03 f3 0f 6f 1f "
		     "0f 29 1f", 5, false },
	{ "wide vectors", "c5 fc 11 07 c5 fc 10 4f 05 c5 fc 29 4f 20 "
			  "c5 fd 6f 57 20", 4, false },
	{ "masked moves", "c4 e2 75 8e 07 c4 e2 75 8c 17 66 0f f7 c1 "
			  "f3 0f 6f 1f", 4, false },
	{ "a gather", "c5 fc 11 07 c5 e5 ef db c5 dd 76 e4 "
		      "c4 e2 5d 92 14 9f", 4, false },
	{ "FXSAVE", "0f ae 07 8b 47 18 c7 87 a0 00 00 00 44 33 22 11 0f ae 0f",
	  4, false },
	{ "XSAVE", "b8 07 00 00 00 31 d2 0f ae 27 48 8b 9f 00 02 00 00 "
		   "c7 87 a0 00 00 00 44 33 22 11 0f ae 2f", 6, false },
	{ "XSAVEC", "b8 07 00 00 00 31 d2 0f c7 27 0f ae 2f", 4, false },
	{ "x87", "d9 e8 d9 eb dd 1f db 7f 10 dd 07 db 6f 10 dd 77 20 "
		 "dd 67 20 d9 77 20 d9 67 20 df 77 40", 11, false },
	{ "bits in memory", "b8 40 00 00 00 0f bb 07 0f ab 47 10 "
			    "48 8b 5f 08", 4, false },
};
enum { WORKS = sizeof works / sizeof works[0] };

/* On a wrong path each computes what it does on the right one, and nothing is
 * left of it. */
static void test_works(void)
{
	static uint8_t before[MEMORY], after[MEMORY], right[MEMORY];

	for (unsigned i = 0; i < 2 * WORKS; i++) {
		bool batches = i & 1;
		struct guest guest = start(works[i / 2].mode32 ? X86_MODE_32
							       : X86_MODE_64,
					   RX, works[i / 2].code);
		unsigned count = works[i / 2].count, level;
		struct x86_cpu *old, *wrong;

		if (!x86_host_has(X86_FEATURE_AVX2) &&
		    (strstr(works[i / 2].name, "wide") ||
		     strstr(works[i / 2].name, "masked") ||
		     strstr(works[i / 2].name, "gather"))) {
			finish(&guest);
			continue;
		}
		old = snapshot(guest.cpu);
		read_memory(&guest, before);
		host_faults = 0;
		level = x86_speculate_begin(guest.cpu, CODE);
		CU_ASSERT_EQUAL(level, 1);
		if (go(&guest, count, batches, 0) != X86_STOP_QUANTUM) {
			printf("# %s: it ends at %llx\n", works[i / 2].name,
			       (unsigned long long)guest.cpu->rip);
			CU_FAIL("an end");
		}
		CU_ASSERT(x86_stores_held(guest.cpu) > 0);
		read_memory(&guest, after);
		CU_ASSERT(!memcmp(before, after, MEMORY));
		wrong = snapshot(guest.cpu);
		x86_speculate_end(guest.cpu, level);
		CU_ASSERT(same_registers(guest.cpu, old));
		CU_ASSERT_EQUAL(x86_stores_held(guest.cpu), 0);
		CU_ASSERT_EQUAL(host_faults, 0);
		/* The right path. */
		CU_ASSERT_EQUAL(go(&guest, count, batches, 0),
				X86_STOP_QUANTUM);
		if (!same_registers(guest.cpu, wrong)) {
			printf("# %s: other registers\n", works[i / 2].name);
			CU_FAIL("registers");
		}
		read_memory(&guest, right);
		CU_ASSERT(memcmp(before, right, MEMORY));
		/* The same with stores that are held. */
		space_write(guest.space, DATA, before, DATA_SIZE);
		space_write(guest.space, STACK, before + DATA_SIZE,
			    STACK_SIZE);
		x86_cpu_copy(guest.cpu, old);
		x86_stores_hold(guest.cpu, true);
		CU_ASSERT_EQUAL(go(&guest, count, batches, 0),
				X86_STOP_QUANTUM);
		CU_ASSERT(!memcmp(guest.cpu->reg, wrong->reg,
				  sizeof wrong->reg));
		x86_stores_hold(guest.cpu, false);
		read_memory(&guest, after);
		if (memcmp(right, after, MEMORY)) {
			printf("# %s: other memory\n", works[i / 2].name);
			CU_FAIL("memory");
		}
		free(old);
		free(wrong);
		finish(&guest);
	}
}

/* Where a wrong path ends by itself. */
static void test_ends(void)
{
	static const struct {
		const char *code;
		unsigned before;
		enum x86_stop stop;
		unsigned retired;
	} cases[] = {
		{ "8b 04 25 00 00 09 00", 0, X86_STOP_FAULT, 0 }, /* nothing */
		{ "89 04 25 00 00 09 00", 0, X86_STOP_FAULT, 0 },
		{ "88 05 00 00 00 00", 0, X86_STOP_FAULT, 0 },  /* read only */
		{ "48 8b 87 fc 3e 00 00", 0, X86_STOP_FAULT, 0 }, /* the end */
		{ "48 89 87 fc 3e 00 00", 0, X86_STOP_FAULT, 0 },
		{ "c6 07 01 48 c7 87 fc 3e 00 00 00 00 00 00", 0,
		  X86_STOP_FAULT, 1 },
		{ "b9 00 40 00 00 f3 aa", 0, X86_STOP_FAULT, 1 },
		{ "31 c9 f7 f1", 0, X86_STOP_FAULT, 1 },
		{ "0f 0b", 0, X86_STOP_FAULT, 0 },
		{ "f4", 0, X86_STOP_FAULT, 0 },
		{ "ec", 0, X86_STOP_FAULT, 0 },                  /* IN */
		{ "cc", 0, X86_STOP_FAULT, 1 },
		{ "ff e6", 0, X86_STOP_FAULT, 1 }, /* to what has no code */
		{ "48 b8 00 00 00 00 00 80 00 00 8b 00", 0, X86_STOP_FAULT, 1 },
		{ "48 b8 00 00 00 00 00 00 00 80 89 00", 0, X86_STOP_FAULT, 1 },
		{ "48 83 c8 ff 8b 00", 0, X86_STOP_FAULT, 1 },
		{ "48 83 c8 ff 50 ff e0", 0, X86_STOP_FAULT, 3 },
		{ "0f 29 47 01", 0, X86_STOP_FAULT, 0 },        /* not aligned */
		{ "0f 05", 0, X86_STOP_ASKED, 0 },
		{ "cd 80", 0, X86_STOP_ASKED, 0 },
		{ "f0 ff 07", 0, X86_STOP_ASKED, 0 },
		{ "87 07", 0, X86_STOP_ASKED, 0 },
		{ "0f ae f0", X86_FENCE, X86_STOP_ASKED, 0 },
		{ "0f 31", X86_READS_TIME, X86_STOP_ASKED, 0 },
		{ "9c 81 0c 24 00 01 00 00 9d 90", 0, X86_STOP_ASKED, 3 },
		/* divisions by zero with exceptions that are not masked */
		{ "31 c0 89 07 0f ae 17 0f 57 c0 0f 5e c8 c7 07 80 1f 00 00",
		  0, X86_STOP_QUANTUM, 6 },
		{ "0f c7 f0 0f c7 f3", 0, X86_STOP_QUANTUM, 2 }, /* RDRAND */
	};

	for (unsigned i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
		static uint8_t before[MEMORY], after[MEMORY];
		struct guest guest = start(X86_MODE_64, RX,
					   cases[i / 2].code);
		struct x86_cpu *old = snapshot(guest.cpu);
		unsigned retired = cases[i / 2].retired, level;
		enum x86_stop stop;

		read_memory(&guest, before);
		host_faults = 0;
		level = x86_speculate_begin(guest.cpu, CODE);
		stop = go(&guest,
			  cases[i / 2].stop == X86_STOP_QUANTUM ? retired : 50,
			  i & 1, cases[i / 2].before);
		if (stop != cases[i / 2].stop ||
		    x86_instructions(guest.cpu) != retired || host_faults)
			printf("# %s: stop %d after %llu, %u host faults\n",
			       cases[i / 2].code, stop,
			       (unsigned long long)x86_instructions(guest.cpu),
			       host_faults);
		CU_ASSERT_EQUAL(stop, cases[i / 2].stop);
		CU_ASSERT_EQUAL(x86_instructions(guest.cpu), retired);
		CU_ASSERT_EQUAL(host_faults, 0);
		CU_ASSERT_EQUAL(x86_run(guest.cpu, 1), X86_STOP_ASKED);
		x86_speculate_end(guest.cpu, level);
		CU_ASSERT(same_registers(guest.cpu, old));
		CU_ASSERT_EQUAL(guest.emulator->random_count, 0);
		read_memory(&guest, after);
		CU_ASSERT(!memcmp(before, after, MEMORY));
		free(old);
		finish(&guest);
	}
}

/* Paths inside each other: each end puts back its own beginning. */
static void test_levels(void)
{
	/* 0: inc byte [rdi]; 2: mov al, [rdi]; 4: jmp 0 */
	struct guest guest = start(X86_MODE_64, RX, "fe 07 8a 07 eb fa");
	struct x86_cpu *cpu = guest.cpu;
	uint8_t byte, now;
	unsigned level[64];

	space_read(guest.space, DATA + 0x100, &byte, 1);
	for (unsigned i = 0; i < 64; i++) {
		level[i] = x86_speculate_begin(cpu, CODE);
		CU_ASSERT_EQUAL(level[i], i + 1);
		CU_ASSERT_EQUAL(x86_speculating(cpu), i + 1);
		CU_ASSERT_EQUAL(go(&guest, 2, i & 1, 0), X86_STOP_QUANTUM);
		CU_ASSERT_EQUAL((uint8_t)cpu->reg[X86_RAX],
				(uint8_t)(byte + i + 1));
	}
	CU_ASSERT_EQUAL(x86_speculate_begin(cpu, CODE), 0);
	x86_speculate_end(cpu, level[40]);
	CU_ASSERT_EQUAL(x86_speculating(cpu), 40);
	CU_ASSERT_EQUAL((uint8_t)cpu->reg[X86_RAX], (uint8_t)(byte + 40));
	x86_speculate_redirect(cpu, CODE + 2);
	CU_ASSERT_EQUAL(go(&guest, 1, false, 0), X86_STOP_QUANTUM);
	CU_ASSERT_EQUAL((uint8_t)cpu->reg[X86_RAX], (uint8_t)(byte + 40));
	x86_speculate_end(cpu, level[0]);
	CU_ASSERT_EQUAL(x86_speculating(cpu), 0);
	CU_ASSERT_EQUAL(cpu->reg[X86_RAX], 0);
	CU_ASSERT_EQUAL(cpu->rip, CODE);
	space_read(guest.space, DATA + 0x100, &now, 1);
	CU_ASSERT_EQUAL(now, byte);
	finish(&guest);
}

/* ---- Held stores ---- */

static void test_held(void)
{
	/* mov [rdi], eax; mov ebx, [rdi]; inc eax; mov [rdi + 2], eax;
	 * mov ecx, [rdi]; lock inc dword [rdi + 8] */
	struct guest guest = start(X86_MODE_64, RX,
				   "89 07 8b 1f ff c0 89 47 02 8b 0f "
				   "f0 ff 47 08");
	struct x86_cpu *cpu = guest.cpu;
	uint32_t old, now, counter;
	unsigned level;

	/* Code that is decoded anew would publish. */
	cpu->rip = CODE + 9;
	CU_ASSERT_EQUAL(go(&guest, 1, false, 0), X86_STOP_QUANTUM);
	cpu->rip = CODE;
	space_read(guest.space, DATA + 0x100, &old, 4);
	space_read(guest.space, DATA + 0x108, &counter, 4);
	cpu->reg[X86_RAX] = 0x11223344;
	x86_stores_hold(cpu, true);
	CU_ASSERT_EQUAL(go(&guest, 5, true, X86_LOCKED), X86_STOP_QUANTUM);
	CU_ASSERT_EQUAL(cpu->reg[X86_RBX], 0x11223344);
	CU_ASSERT_EQUAL(cpu->reg[X86_RCX], 0x33453344);
	CU_ASSERT_EQUAL(x86_stores_held(cpu), 2);
	space_read(guest.space, DATA + 0x100, &now, 4);
	CU_ASSERT_EQUAL(now, old);
	/* A wrong path sees them, and they drain meanwhile. */
	level = x86_speculate_begin(cpu, CODE);
	CU_ASSERT_EQUAL(go(&guest, 1, false, 0), X86_STOP_QUANTUM);
	x86_speculate_redirect(cpu, CODE + 9);
	CU_ASSERT_EQUAL(go(&guest, 1, false, 0), X86_STOP_QUANTUM);
	CU_ASSERT_EQUAL(cpu->reg[X86_RCX], 0x11223345);
	CU_ASSERT_EQUAL(x86_stores_held(cpu), 3);
	x86_stores_publish(cpu, 1);
	space_read(guest.space, DATA + 0x100, &now, 4);
	CU_ASSERT_EQUAL(now, 0x11223344);
	x86_stores_publish(cpu, 9); /* not the wrong path's */
	space_read(guest.space, DATA + 0x100, &now, 4);
	CU_ASSERT_EQUAL(now, 0x33453344);
	CU_ASSERT_EQUAL(x86_stores_held(cpu), 1);
	x86_speculate_end(cpu, level);
	CU_ASSERT_EQUAL(x86_stores_held(cpu), 0);
	CU_ASSERT_EQUAL(cpu->rip, CODE + 11);
	/* Somebody else's store is seen once one's own has been published. */
	old = 77;
	space_write(guest.space, DATA + 0x100, &old, 4);
	cpu->rip = CODE + 9;
	CU_ASSERT_EQUAL(go(&guest, 1, false, 0), X86_STOP_QUANTUM);
	CU_ASSERT_EQUAL(cpu->reg[X86_RCX], 77);
	/* A locked operation publishes what is older. */
	cpu->rip = CODE;
	CU_ASSERT_EQUAL(go(&guest, 1, false, 0), X86_STOP_QUANTUM);
	CU_ASSERT_EQUAL(x86_stores_held(cpu), 1);
	cpu->rip = CODE + 11;
	CU_ASSERT_EQUAL(go(&guest, 1, false, 0), X86_STOP_QUANTUM);
	CU_ASSERT_EQUAL(x86_stores_held(cpu), 0);
	space_read(guest.space, DATA + 0x108, &now, 4);
	CU_ASSERT_EQUAL(now, counter + 1);
	/* x86_run() too. */
	cpu->rip = CODE;
	CU_ASSERT_EQUAL(go(&guest, 1, false, 0), X86_STOP_QUANTUM);
	CU_ASSERT_EQUAL(x86_stores_held(cpu), 1);
	CU_ASSERT_EQUAL(x86_run(cpu, 1), X86_STOP_QUANTUM);
	CU_ASSERT_EQUAL(x86_stores_held(cpu), 0);
	CU_ASSERT_EQUAL(cpu->reg[X86_RBX], (uint32_t)cpu->reg[X86_RAX]);
	finish(&guest);
}

/* Two cpus with a store buffer each: total store order, by the manual's own
 * examples. What may be seen is seen, what may not is not. */
static void test_order(void)
{
	enum { ANY = 99 };
	static const struct {
		const char *name, *first, *second;
		/* Seen by the two in eax and ebx; ANY does not matter. */
		unsigned first_eax, second_eax, second_ebx;
		bool allowed;
	} cases[] = {
		/* mov dword [rdi], 1; mov eax, [rsi], and the other way */
		{ "stores and loads", "c7 07 01 00 00 00 8b 06",
		  "c7 06 01 00 00 00 8b 07", 0, 0, 9, true },
		{ "... with MFENCE", "c7 07 01 00 00 00 0f ae f0 8b 06",
		  "c7 06 01 00 00 00 0f ae f0 8b 07", 0, 0, 9, false },
		{ "... with CPUID", "c7 07 01 00 00 00 31 c0 0f a2 8b 06",
		  "c7 06 01 00 00 00 31 c0 0f a2 8b 07", 0, 0, ANY, false },
		{ "... with XCHG", "b9 01 00 00 00 87 0f 8b 06",
		  "b9 01 00 00 00 87 0e 8b 07", 0, 0, 9, false },
		/* mov dword [rdi], 1; mov dword [rsi], 1, and
		 * mov eax, [rsi]; mov ebx, [rdi] */
		{ "a message", "c7 07 01 00 00 00 c7 06 01 00 00 00",
		  "8b 06 8b 1f", 9, 1, 0, false },
		{ "a message that has come",
		  "c7 07 01 00 00 00 c7 06 01 00 00 00", "8b 06 8b 1f", 9, 1,
		  1, true },
		/* mov eax, [rdi]; mov dword [rsi], 1, and the other way */
		{ "loads and stores", "8b 07 c7 06 01 00 00 00",
		  "8b 06 c7 07 01 00 00 00", 1, 1, 9, false },
		/* mov dword [rdi], 1; mov eax, [rdi]; mov ebx, [rsi] */
		{ "one's own store first",
		  "c7 07 01 00 00 00 8b 07 8b 1e",
		  "c7 06 01 00 00 00 8b 06 8b 1f", 1, 1, 0, true },
	};

	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct guest guest = start(X86_MODE_64, RWX, cases[i].first);
		struct x86_cpu *cpu[2] = { guest.cpu,
					   x86_cpu_create(guest.emulator) };
		static const uint8_t zeros[0x1000];
		unsigned seen = 0, length[2];
		uint8_t code[64];

		length[0] = (unsigned)hex(cases[i].first, code);
		length[1] = (unsigned)hex(cases[i].second, code);
		space_write(guest.space, CODE + 0x1000, code, length[1]);
		for (unsigned round = 0; round < 1000; round++) {
			bool goes_on = true;

			space_write(guest.space, DATA, zeros, sizeof zeros);
			for (unsigned k = 0; k < 2; k++) {
				cpu[k]->rip = CODE + 0x1000 * k;
				cpu[k]->reg[X86_RAX] = 9;
				cpu[k]->reg[X86_RBX] = 9;
				cpu[k]->reg[X86_RDI] = DATA;
				cpu[k]->reg[X86_RSI] = DATA + 0x100;
				x86_stores_hold(cpu[k], true);
			}
			while (goes_on) {
				unsigned k = next_random() & 1;

				if (next_random() & 1)
					x86_stores_publish(cpu[k], 1);
				else if (cpu[k]->rip <
					 CODE + 0x1000 * k + length[k])
					x86_step(cpu[k], guest.ring, 0);
				guest.ring->tail = guest.ring->head;
				goes_on = cpu[0]->rip < CODE + length[0] ||
					  cpu[1]->rip <
						  CODE + 0x1000 + length[1];
			}
			x86_stores_hold(cpu[0], false);
			x86_stores_hold(cpu[1], false);
			seen += cpu[0]->reg[X86_RAX] == cases[i].first_eax &&
				cpu[1]->reg[X86_RAX] == cases[i].second_eax &&
				(cases[i].second_ebx == ANY ||
				 cpu[1]->reg[X86_RBX] == cases[i].second_ebx);
		}
		if (!seen == cases[i].allowed)
			printf("# %s: seen %u times\n", cases[i].name, seen);
		CU_ASSERT(!seen != cases[i].allowed);
		x86_cpu_free(cpu[1]);
		finish(&guest);
	}
}

/* A store's fault comes with the instruction, and held code takes effect when
 * it is published. */
static void test_held_faults(void)
{
	/* mov [rdi], al; nop; inc eax */
	struct guest guest = start(X86_MODE_64, RWX, "88 07 90 ff c0");
	struct x86_cpu *cpu = guest.cpu;

	x86_stores_hold(cpu, true);
	cpu->reg[X86_RDI] = 0x90000;
	CU_ASSERT_EQUAL(go(&guest, 1, true, 0), X86_STOP_FAULT);
	CU_ASSERT_EQUAL(cpu->fault.address, 0x90000);
	CU_ASSERT_EQUAL(cpu->fault.error_code & 2, 2);
	CU_ASSERT_EQUAL(x86_stores_held(cpu), 0);
	cpu->reg[X86_RDI] = CODE + 3;
	cpu->reg[X86_RAX] = 0xfe; /* inc al instead */
	CU_ASSERT_EQUAL(go(&guest, 3, true, X86_CODE_STORE), X86_STOP_ASKED);
	CU_ASSERT_EQUAL(cpu->rip, CODE);
	CU_ASSERT_EQUAL(go(&guest, 1, true, 0), X86_STOP_QUANTUM);
	x86_stores_publish(cpu, 1);
	CU_ASSERT_EQUAL(go(&guest, 2, true, 0), X86_STOP_QUANTUM);
	CU_ASSERT_EQUAL(cpu->rip, CODE + 5);
	cpu->reg[X86_RAX] = 0xff;
	cpu->rip = CODE + 3;
	CU_ASSERT_EQUAL(go(&guest, 1, true, 0), X86_STOP_QUANTUM);
	CU_ASSERT_EQUAL(cpu->reg[X86_RAX], 0);
	finish(&guest);
}

/* Code that was written just now is executed as it was written: decoding it
 * publishes the stores, also when a wrong path comes there first. */
static void test_held_code(void)
{
	for (unsigned wrong = 0; wrong < 2; wrong++) {
		/* mov [rdi], eax; jmp rdi */
		struct guest guest = start(X86_MODE_64, RWX, "89 07 ff e7");
		struct x86_cpu *cpu = guest.cpu;
		uint64_t published = x86_stores_published(cpu);

		cpu->reg[X86_RDI] = CODE + 0x800;
		cpu->reg[X86_RAX] = 0x90c0ff48; /* inc rax; nop */
		cpu->reg[X86_RBX] = 0;
		x86_stores_hold(cpu, true);
		CU_ASSERT_EQUAL(go(&guest, 1, true, 0), X86_STOP_QUANTUM);
		CU_ASSERT_EQUAL(x86_stores_held(cpu), 1);
		if (wrong) {
			unsigned level =
				x86_speculate_begin(cpu, CODE + 0x800);

			CU_ASSERT_EQUAL(go(&guest, 1, true, 0),
					X86_STOP_QUANTUM);
			CU_ASSERT_EQUAL(cpu->reg[X86_RAX], 0x90c0ff49);
			x86_speculate_end(cpu, level);
		}
		CU_ASSERT_EQUAL(go(&guest, 2, true, 0), X86_STOP_QUANTUM);
		CU_ASSERT_EQUAL(cpu->rip, CODE + 0x803);
		CU_ASSERT_EQUAL(cpu->reg[X86_RAX], 0x90c0ff49);
		CU_ASSERT_EQUAL(x86_stores_held(cpu), 0);
		CU_ASSERT_EQUAL(x86_stores_published(cpu), published + 1);
		finish(&guest);
	}
}

/* ---- Stores to code that is compared instead of watched ---- */

/* In pages that were written over often. */
static void test_written_code(void)
{
	/* 0: mov byte [rdi], al; 2: nop; 3: jmp 0 */
	struct guest guest = start(X86_MODE_64, RWX, "88 07 90 eb fb");
	struct x86_cpu *cpu = guest.cpu;
	uint64_t retired;

	cpu->reg[X86_RDI] = CODE + 2;
	cpu->reg[X86_RAX] = 0x90;
	CU_ASSERT_EQUAL(go(&guest, 300, true, 0), X86_STOP_QUANTUM);
	CU_ASSERT(x86_code_unwatched(guest.emulator, CODE));
	retired = x86_instructions(cpu);
	for (int i = 0; i < 20; i++) {
		CU_ASSERT_EQUAL(go(&guest, 10, i & 1, X86_CODE_STORE),
				X86_STOP_ASKED);
		CU_ASSERT_EQUAL(cpu->rip, CODE);
		CU_ASSERT_EQUAL(go(&guest, 1, i & 1, 0), X86_STOP_QUANTUM);
		CU_ASSERT_EQUAL(cpu->rip, CODE + 2);
	}
	CU_ASSERT_EQUAL(x86_instructions(cpu), retired + 20 * 3 - 2);
	/* Beside the code there is nothing to stop at. */
	cpu->reg[X86_RDI] = CODE + 0x100;
	CU_ASSERT_EQUAL(go(&guest, 10, true, X86_CODE_STORE),
			X86_STOP_QUANTUM);
	cpu->rip = CODE;
	cpu->reg[X86_RDI] = CODE + 4; /* the jump's own distance */
	CU_ASSERT_EQUAL(go(&guest, 10, true, X86_CODE_STORE), X86_STOP_ASKED);
	finish(&guest);
}

/* In memory that is mapped twice, as those do who make code. */
static void test_mapped_twice(void)
{
	enum { OTHER = 0x50000 };
	struct guest guest = start(X86_MODE_64, RX, "90");
	struct x86_cpu *cpu = guest.cpu;
	int file = memfd_create("code", 0);
	uint8_t code[16];
	size_t size = hex("c6 07 f8 90 eb fa", code); /* mov byte [rdi], .. */

	CU_ASSERT(ftruncate(file, 0x2000) == 0 &&
		  pwrite(file, code, size, 0x1000) == (ssize_t)size);
	CU_ASSERT_EQUAL(space_map(guest.space, CODE, 0x1000, RX, true, file,
				  0x1000, ""), 0);
	CU_ASSERT_EQUAL(space_map(guest.space, OTHER, 0x2000, RW, true, file,
				  0, ""), 0);
	cpu->reg[X86_RDI] = OTHER + 0x1008;
	CU_ASSERT_EQUAL(go(&guest, 9, true, X86_CODE_STORE),
			X86_STOP_QUANTUM);
	cpu->reg[X86_RDI] = OTHER + 3;
	CU_ASSERT_EQUAL(go(&guest, 9, true, X86_CODE_STORE),
			X86_STOP_QUANTUM);
	cpu->reg[X86_RDI] = OTHER + 0x1003;
	CU_ASSERT_EQUAL(go(&guest, 9, true, X86_CODE_STORE), X86_STOP_ASKED);
	CU_ASSERT_EQUAL(cpu->rip, CODE);
	close(file);
	finish(&guest);
}

/* On a wrong path code does not change, and if asked it stops there. */
static void test_wrong_code(void)
{
	/* mov byte [rdi], al; nop; inc eax */
	struct guest guest = start(X86_MODE_64, RWX, "88 07 90 ff c0");
	struct x86_cpu *cpu = guest.cpu;
	const struct x86_inst *inst = x86_inst_at(guest.emulator, CODE);
	unsigned level;

	cpu->reg[X86_RDI] = CODE + 2;
	cpu->reg[X86_RAX] = 0xcc;
	host_faults = 0;
	level = x86_speculate_begin(cpu, CODE);
	CU_ASSERT_EQUAL(go(&guest, 3, true, 0), X86_STOP_QUANTUM);
	CU_ASSERT_EQUAL(cpu->reg[X86_RAX], 0xcd);
	x86_speculate_redirect(cpu, CODE);
	CU_ASSERT_EQUAL(go(&guest, 3, true, X86_CODE_STORE), X86_STOP_ASKED);
	x86_speculate_end(cpu, level);
	CU_ASSERT_EQUAL(host_faults, 0);
	CU_ASSERT(!x86_inst_stale(inst));
	x86_inst_release(inst);
	CU_ASSERT_EQUAL(go(&guest, 2, true, 0), X86_STOP_FAULT);
	CU_ASSERT_EQUAL(cpu->fault.signal, SIGTRAP);
	finish(&guest);
}

/* ---- Anything ---- */

/* Random bytes from random places: whatever they are, nothing remains. */
static void test_random(void)
{
	static uint8_t before[MEMORY], after[MEMORY];
	const uint64_t wild[] = { 0x10001, UINT64_C(0x1000100010001) };
	unsigned executed = 0, stops[X86_STOP_ASKED + 1] = { 0 };

	for (unsigned mode = 0; mode < 2; mode++) {
		struct guest guest = start(mode ? X86_MODE_64 : X86_MODE_32,
					   RW, "90");
		struct x86_cpu *cpu = guest.cpu;
		struct x86_cpu *old;
		uint8_t code[0x2000];

		random_state = 12345 + mode;
		host_faults = 0;
		read_memory(&guest, before);
		for (unsigned round = 0; round < 20; round++) {
			for (unsigned i = 0; i < sizeof code; i++)
				code[i] = (uint8_t)next_random();
			space_protect(guest.space, CODE, 0x2000, RW);
			space_write(guest.space, CODE, code, sizeof code);
			space_protect(guest.space, CODE, 0x2000,
				      round & 1 ? RWX : RX);
			for (unsigned i = 0; i < 500; i++) {
				unsigned level;
				enum x86_stop stop;

				for (unsigned r = 0; r < (mode ? 16 : 8); r++)
					cpu->reg[r] = next_random() % 4
						? DATA + next_random() %
							  DATA_SIZE
						: wild[mode] * next_random();
				cpu->eflags = X86_FIXED_1 | X86_IF |
					      (next_random() & X86_ARITHMETIC);
				cpu->mxcsr = next_random() & 0xffc0;
				old = snapshot(cpu);
				level = x86_speculate_begin(
					cpu, CODE + next_random() % 0x2010);
				stop = go(&guest, 30, i & 1,
					  i & 2 ? X86_CODE_STORE : 0);
				stops[stop]++;
				executed += (unsigned)(x86_instructions(cpu) -
						       x86_instructions(old));
				x86_speculate_end(cpu, level);
				if (!same_registers(cpu, old))
					CU_FAIL("registers remain");
				free(old);
			}
			read_memory(&guest, after);
			CU_ASSERT(!memcmp(before, after, MEMORY));
			CU_ASSERT_EQUAL(space_read(guest.space, CODE, after,
						   sizeof code), 0);
			CU_ASSERT(!memcmp(after, code, sizeof code));
		}
		CU_ASSERT_EQUAL(host_faults, 0);
		finish(&guest);
	}
	printf("# %u random instructions; %u faults, %u stops, %u ends\n",
	       executed, stops[X86_STOP_FAULT], stops[X86_STOP_ASKED],
	       stops[X86_STOP_QUANTUM]);
	CU_ASSERT(executed > 10000);
}

/* Records of wrong paths that are dropped leave their room and nothing else. */
static void test_rewind(void)
{
	/* 0: mov eax, [rdi]; 2: mov eax, [rsi]; 4: jmp 0 */
	struct guest guest = start(X86_MODE_64, RX, "8b 07 8b 06 eb fa");
	struct x86_ring *ring = guest.ring;

	CU_ASSERT_EQUAL(x86_observe(guest.cpu, ring, 2, 0), X86_STOP_QUANTUM);
	/* more than the ring has room for */
	for (unsigned i = 0; i < 1000; i++) {
		unsigned level = x86_speculate_begin(guest.cpu, CODE);

		CU_ASSERT_EQUAL(x86_observe(guest.cpu, ring, 3, 0),
				X86_STOP_QUANTUM);
		CU_ASSERT_EQUAL(ring->head, 5);
		x86_speculate_end(guest.cpu, level);
		x86_ring_rewind(ring, 2);
		CU_ASSERT_EQUAL(ring->head, 2);
	}
	CU_ASSERT_EQUAL(x86_observe(guest.cpu, ring, 2, 0), X86_STOP_QUANTUM);
	CU_ASSERT_EQUAL(ring->head, 4);
	for (unsigned i = 0; i < 4; i++) {
		const struct x86_record *record = &ring->record[i];
		uint64_t address = i == 1 ? DATA + 0x1000 : DATA + 0x100;

		CU_ASSERT_EQUAL(record->inst->address,
				CODE + (i == 3 ? 0 : 2 * i));
		CU_ASSERT_EQUAL(record->references, i != 2);
		if (record->references)
			CU_ASSERT_EQUAL(ring->reference[record->first].address,
					address);
	}
	finish(&guest);
}

static CU_TestInfo tests[] = {
	{ "the log of stores", test_log },
	{ "what wrong paths compute", test_works },
	{ "where wrong paths end", test_ends },
	{ "wrong paths inside each other", test_levels },
	{ "dropped records of wrong paths", test_rewind },
	{ "held stores", test_held },
	{ "total store order", test_order },
	{ "faults and code of held stores", test_held_faults },
	{ "new code in held stores", test_held_code },
	{ "stores to code that is often written", test_written_code },
	{ "stores to code that is mapped twice", test_mapped_twice },
	{ "stores to code on wrong paths", test_wrong_code },
	{ "random wrong paths", test_random },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = {
		{ "x86 wrong paths", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
