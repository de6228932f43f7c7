/* What steps and batches cost: three loops by x86_run(), x86_observe() and
 * x86_step(), with held stores in batches of 32, and on wrong paths of 8
 * instructions, for tests/bench-x86. Shows, does not judge. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "hex.h"
#include "x86/emu/step.h"

enum { CODE = 0x10000, DATA = 0x20000, ROUNDS = 3 };

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* So that the records are read. */
static uint64_t sum;

static void consume(struct x86_ring *ring)
{
	for (; ring->tail != ring->head; ring->tail++) {
		const struct x86_record *record =
			&ring->record[ring->tail & ring->mask];

		sum += record->next + record->references;
	}
}

enum way { RUN, OBSERVE, STEP, HELD, WRONG, WAYS };

/* Eight instructions that did not happen. */
static void go_wrong(struct x86_cpu *cpu, struct x86_ring *ring)
{
	unsigned level = x86_speculate_begin(cpu, CODE);

	x86_observe(cpu, ring, 8, 0);
	consume(ring);
	x86_speculate_end(cpu, level);
}

/* Nanoseconds an instruction. */
static double measure(struct x86_cpu *cpu, struct x86_ring *ring,
		      enum way way)
{
	uint64_t before = x86_instructions(cpu);
	enum x86_stop stop = X86_STOP_QUANTUM;
	double time;

	cpu->rip = CODE;
	cpu->reg[X86_RDI] = DATA;
	cpu->reg[X86_RCX] = way == RUN ? 30000000 : 3000000;
	x86_stores_hold(cpu, way == HELD);
	time = now();
	if (way == WRONG) {
		for (int i = 0; i < 200000; i++)
			go_wrong(cpu, ring);
		return (now() - time) * 1e9 / (200000 * 8);
	}
	while (stop == X86_STOP_QUANTUM) {
		if (way == RUN)
			stop = x86_run(cpu, UINT64_C(1) << 40);
		else if (way == OBSERVE)
			stop = x86_observe(cpu, ring, 4096, 0);
		else if (way == STEP)
			stop = x86_step(cpu, ring, 0);
		else
			stop = x86_observe(cpu, ring, 32, 0);
		consume(ring);
		if (way == HELD)
			x86_stores_publish(cpu, UINT64_MAX);
	}
	return (now() - time) * 1e9 / (double)(x86_instructions(cpu) - before);
}

int main(void)
{
	static const struct {
		const char *name, *code;
	} loops[] = {
		/* add rax, rbx; xor rbx, rax; lea rdx, [rbx+rcx*4+16];
		 * dec ecx; jnz */
		{ "registers",
		  "48 01 d8 48 31 c3 48 8d 54 8b 10 ff c9 75 f1 cd 80" },
		/* mov rax, [rdi]; add [rdi+8], rax; mov [rdi+16], rax;
		 * dec ecx; jnz */
		{ "memory",
		  "48 8b 07 48 01 47 08 48 89 47 10 ff c9 75 f1 cd 80" },
		/* addps xmm0, xmm1; mulps xmm1, xmm2; dec ecx; jnz */
		{ "floating point", "0f 58 c1 0f 59 ca ff c9 75 f6 cd 80" },
	};
	static const char *const ways[] = { "run", "observe", "step", "held",
					    "wrong" };

	printf("%-24s %8s %8s %8s\n", "steps and batches", "", "ns/inst",
	       "MIPS");
	for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
		struct space *space =
			space_create(UINT64_C(1) << SPACE_X86_64_BITS, NULL);
		struct x86_emulator *emulator = x86_emulator_create(
			space, X86_MODE_64, NULL, NULL);
		struct x86_cpu *cpu = x86_cpu_create(emulator);
		struct x86_ring *ring = x86_ring_create(4096);
		uint8_t code[64];
		size_t size = hex(loops[i].code, code);

		space_map(space, CODE, 0x1000,
			  SPACE_READ | SPACE_WRITE | SPACE_EXECUTE, false, -1,
			  0, "");
		space_map(space, DATA, 0x1000, SPACE_READ | SPACE_WRITE, false,
			  -1, 0, "");
		space_write(space, CODE, code, size);
		for (enum way way = RUN; way < WAYS; way++) {
			double best = 1e9;

			for (int round = 0; round < ROUNDS; round++) {
				double time = measure(cpu, ring, way);

				best = time < best ? time : best;
			}
			printf("%-24s %8s %8.2f %8.0f\n", loops[i].name,
			       ways[way], best, 1e3 / best);
		}
		x86_ring_free(ring);
		x86_cpu_free(cpu);
		x86_emulator_free(emulator);
		space_free(space);
	}
	return sum == 1; /* never */
}
