/* The checker that executes each instruction again as it retires: it finds
 * nothing where execution ahead, held stores and wrong paths are right, and
 * finds each fault that is put in. */
#include <string.h>

#include "unit/harness.h"
#include "x86/hex.h"
#include "x86/timing/check/check.h"

enum { CODE = 0x10000, DATA = 0x20000, THREADS = 2, STEPS = 4000 };

enum fault {
	NONE,
	REGISTER,  /* a bit of a register */
	FLAG,
	VECTOR,
	LOST,      /* stores that are not published */
	MEMORY,    /* a byte of memory, where no instruction looks again */
	ROLLBACK,  /* a wrong path that is not taken back */
	LATE,      /* another thread's store that was not told */
	FAULTS
};

struct guest {
	struct space *space;
	struct x86_emulator *emulator;
	struct thread {
		struct x86_cpu *cpu;
		struct x86_ring *ring;
		struct x86_check *check;
		uint64_t retired; /* record */
	} thread[THREADS];
	struct x86_check *all[THREADS];
};

static unsigned random_state;

static unsigned next_random(void)
{
	random_state = random_state * 1664525 + 1013904223;
	return random_state >> 16;
}

/* inc eax; mov [rdi], eax; imul ebx, eax, 7; add [rdi + rcx*4 + 64], ebx;
 * mov edx, [rsi]; add ebp, edx; lock add [r8], eax; pxor xmm0, xmm1;
 * paddd xmm1, xmm0; movups [rdi + 32], xmm1; inc ecx; and ecx, 31; jmp CODE */
static const char code[] =
	"ff c0 89 07 6b d8 07 01 5c 8f 40 8b 16 01 d5 f0 41 01 00 66 0f ef c1 "
	"66 0f fe c8 0f 11 4f 20 ff c1 83 e1 1f eb da";

static void begin(struct guest *guest)
{
	uint8_t bytes[128];
	size_t size = hex(code, bytes);

	guest->space = space_create(UINT64_C(1) << 32, NULL);
	guest->emulator =
		x86_emulator_create(guest->space, X86_MODE_64, NULL, NULL);
	space_map(guest->space, CODE, 0x1000,
		  SPACE_READ | SPACE_WRITE | SPACE_EXECUTE, false, -1, 0, "");
	space_map(guest->space, DATA, 0x3000, SPACE_READ | SPACE_WRITE, false,
		  -1, 0, "");
	space_write(guest->space, CODE, bytes, size);
	for (unsigned i = 0; i < THREADS; i++) {
		struct thread *thread = &guest->thread[i];
		struct x86_cpu *cpu = x86_cpu_create(guest->emulator);

		thread->cpu = cpu;
		thread->ring = x86_ring_create(1024);
		thread->check = guest->all[i] = x86_check_create();
		thread->retired = 0;
		cpu->rip = CODE;
		cpu->reg[X86_RDI] = DATA + 0x1000 * i;
		/* The other one's counter. */
		cpu->reg[X86_RSI] = DATA + 0x1000 * (1 - i);
		cpu->reg[X86_R8] = DATA + 0x2000;
		cpu->vector[1].u64[0] = 1 + i;
		x86_check_join(thread->check, guest->all, THREADS);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		CU_ASSERT_EQUAL(x86_check_enter(guest->thread[i].check,
						guest->thread[i].cpu), 0);
		x86_stores_hold(guest->thread[i].cpu, true);
	}
}

static void end(struct guest *guest)
{
	for (unsigned i = 0; i < THREADS; i++) {
		x86_check_free(guest->thread[i].check);
		x86_ring_free(guest->thread[i].ring);
		x86_cpu_free(guest->thread[i].cpu);
	}
	x86_emulator_free(guest->emulator);
	space_free(guest->space);
}

static void execute(struct thread *thread)
{
	struct x86_ring *ring = thread->ring;
	uint64_t from = ring->head;

	x86_observe(thread->cpu, ring, 1, 0);
	for (; from < ring->head; from++)
		x86_check_executed(thread->check, thread->cpu, ring,
				   &ring->record[from & ring->mask]);
}

static bool retire(struct thread *thread)
{
	struct x86_ring *ring = thread->ring;
	bool same = x86_check_retired(
		thread->check, ring, &ring->record[thread->retired & ring->mask]);

	ring->tail = ++thread->retired;
	return same;
}

/* A wrong path, whose records are dropped. */
static void go_wrong(struct thread *thread, bool back)
{
	uint64_t head = thread->ring->head;
	unsigned level = x86_speculate_begin(thread->cpu, CODE + 4);

	x86_observe(thread->cpu, thread->ring, 5, 0);
	thread->cpu->reg[X86_RBX]++;
	if (back) {
		x86_speculate_end(thread->cpu, level);
	} else {
		struct x86_cpu kept = *thread->cpu;

		x86_speculate_end(thread->cpu, level);
		thread->cpu->reg[X86_RBX] = kept.reg[X86_RBX];
	}
	thread->ring->head = head;
}

static void put_in(struct guest *guest, enum fault fault)
{
	struct thread *thread = &guest->thread[0];
	uint8_t byte = 0x5a;

	switch (fault) {
	case REGISTER:
		thread->cpu->reg[X86_RBP] ^= 1 << 17;
		break;
	case FLAG:
		x86_eflags_set(thread->cpu,
			       x86_eflags(thread->cpu) ^ X86_DF);
		break;
	case VECTOR:
		thread->cpu->vector[9].u32[3] ^= 4;
		break;
	case LOST:
		/* All that is held is forgotten in place of published. */
		for (int i = 0; x86_stores_held(thread->cpu) < 3 && i < 50; i++)
			execute(thread);
		space_protect(guest->space, DATA, 0x1000, SPACE_READ);
		x86_stores_publish(thread->cpu, UINT64_MAX);
		space_protect(guest->space, DATA, 0x1000,
			      SPACE_READ | SPACE_WRITE);
		break;
	case MEMORY:
		space_write(guest->space, DATA + 0xf00, &byte, 1);
		break;
	case ROLLBACK:
		go_wrong(thread, false);
		break;
	case LATE:
		space_write(guest->space, DATA + 0x1000 + 64, &byte, 1);
		break;
	default:
		break;
	}
}

/* Runs two threads in random steps; whether the checkers find a difference. */
static bool finds(enum fault fault, unsigned seed)
{
	struct guest guest;
	bool same = true;

	random_state = seed;
	begin(&guest);
	for (unsigned step = 0; same && step < STEPS; step++) {
		struct thread *thread = &guest.thread[next_random() & 1];
		uint64_t ahead = thread->ring->head - thread->retired;

		if (step == STEPS / 2)
			put_in(&guest, fault);
		switch (next_random() % 4) {
		case 0:
		case 1:
			if (ahead < 100)
				execute(thread);
			break;
		case 2:
			if (ahead)
				same = retire(thread);
			break;
		default:
			if (next_random() & 1)
				go_wrong(thread, true);
			else
				x86_stores_publish(thread->cpu,
						   next_random() % 3);
		}
	}
	for (unsigned i = 0; i < THREADS; i++) {
		struct thread *thread = &guest.thread[i];

		x86_stores_publish(thread->cpu, UINT64_MAX);
		while (same && thread->retired < thread->ring->head)
			same = retire(thread);
	}
	for (unsigned i = 0; same && i < THREADS; i++)
		same = x86_check_drained(guest.thread[i].check,
					 guest.thread[i].cpu);
	if (same) {
		const struct x86_check_counts *counts =
			x86_check_counts(guest.thread[0].check);

		CU_ASSERT(counts->instructions > STEPS / 8);
		CU_ASSERT(counts->foreign > 20 && counts->stores > 50);
		CU_ASSERT_EQUAL(counts->adopted, 0);
	}
	end(&guest);
	return !same;
}

static void test_right(void)
{
	for (unsigned seed = 1; seed <= 20; seed++)
		CU_ASSERT(!finds(NONE, seed));
}

static void test_faults(void)
{
	for (enum fault fault = NONE + 1; fault < FAULTS; fault++)
		for (unsigned seed = 1; seed <= 5; seed++)
			if (!finds(fault, seed)) {
				printf("# fault %d is not found\n", fault);
				CU_FAIL("a fault is not found");
			}
}

static CU_TestInfo tests[] = {
	{ "nothing is found where all is right", test_right },
	{ "each fault is found", test_faults },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = {
		{ "x86 lockstep check", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
