/* Any bytes as x86 code, from any state: x86_run() comes back, has counted
 * exactly, and gives the same result when the code is run again, run in two
 * parts, and run one instruction at a time.
 *
 * The input: eight bytes that choose how (struct setup), eight for the seed
 * of registers and memory, the rest is code. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xmmintrin.h>

#include "fuzz/fuzz.h"
#include "fuzz/x86-input.h"
#include "x86/emu/emu.h"

/* The guest's memory; all else is not mapped. */
enum {
	CODE = 0x10001000,         /* two pages, the second not always */
	DATA = 0x10010000,         /* two pages */
	READ_ONLY = 0x10012000,    /* right behind: one page */
	STACK = 0x10020000,        /* two pages */
	SIZE = 2 * SPACE_PAGE,     /* of all but READ_ONLY */
};

struct setup {
	enum x86_mode mode;
	enum x86_level level;
	int code_protection;
	bool shared;         /* blocks that compare their bytes */
	bool code_behind;    /* the second page of code is executable */
	uint64_t entry;
	uint64_t instructions, part;
	uint64_t seed;
	const uint8_t *code;
	size_t code_size;
};

static void read_setup(struct setup *setup, const uint8_t *data, size_t size)
{
	static const int protection[] = {
		SPACE_READ | SPACE_EXECUTE,
		SPACE_READ | SPACE_WRITE | SPACE_EXECUTE,
	};

	setup->mode = data[0] & 1 ? X86_MODE_64 : X86_MODE_32;
	setup->level = (enum x86_level)((data[0] >> 1) % X86_LEVEL_COUNT);
	setup->code_protection = protection[data[1] & 1];
	setup->shared = data[1] & 2;
	setup->code_behind = data[1] & 4;
	setup->code = data + FUZZ_X86_HEADER;
	setup->code_size = size - FUZZ_X86_HEADER;
	if (setup->code_size > SPACE_PAGE)
		setup->code_size = SPACE_PAGE;
	setup->entry = CODE;
	if (data[1] & 8) /* ends with the page */
		setup->entry += SPACE_PAGE - setup->code_size;
	else if (data[1] & 16) /* spans both pages */
		setup->entry += SPACE_PAGE - setup->code_size / 2;
	setup->instructions = 1 + 4 * data[2];
	setup->part = 1 + data[3] % setup->instructions;
	memcpy(&setup->seed, data + 8, sizeof setup->seed);
}

/* ---- A machine ---- */

struct machine {
	struct space *space;
	struct x86_emulator *emulator;
	struct x86_cpu *cpu;
	enum x86_stop stop;
};

static const struct { uint64_t address; size_t size; } areas[] = {
	{ CODE, SIZE }, { DATA, SIZE }, { READ_ONLY, SPACE_PAGE },
	{ STACK, SIZE },
};

static void map(struct space *space, uint64_t address, size_t size,
		int protection, bool shared)
{
	int file = -1;

	if (shared) {
		file = memfd_create("fuzz", MFD_CLOEXEC);
		if (file < 0 || ftruncate(file, (off_t)size))
			fuzz_fail("no memory file");
	}
	if (space_map(space, address, size, protection, shared, file, 0, ""))
		fuzz_fail("cannot map guest memory");
	if (file >= 0)
		close(file);
}

/* Numbers that arithmetic finds interesting. */
static uint64_t corner(uint64_t *seed)
{
	uint64_t random = random_draw(seed), power = random >> 8 & 63;

	switch (random & 7) {
	case 0:
		return 0;
	case 1:
		return UINT64_MAX;
	case 2:
		return UINT64_C(1) << power;
	case 3:
		return (UINT64_C(1) << power) - 1;
	case 4:
		return 0 - (UINT64_C(1) << power);
	case 5:
		return random >> 16 & 0xff;
	default:
		return random_draw(seed);
	}
}

static uint64_t register_value(uint64_t *seed)
{
	uint64_t random = random_draw(seed);
	uint64_t small = random >> 8 & 0xff;

	switch (random & 15) {
	case 0: case 1: case 2:
		return DATA + (random >> 8) % SIZE;
	case 3: case 4:
		return DATA + (small & 0xf0);
	case 5:
		return READ_ONLY - small % 20;
	case 6:
		return READ_ONLY + (random >> 8) % SPACE_PAGE;
	case 7:
		return CODE + (random >> 8) % SIZE;
	case 8:
		return DATA - small % 20;
	case 9:
		return STACK + (random >> 8) % SIZE;
	case 10:
		return small % 16;
	default:
		return corner(seed);
	}
}

static void fill_memory(struct space *space, const struct setup *setup,
			uint64_t *seed)
{
	for (size_t i = 0; i < sizeof areas / sizeof areas[0]; i++)
		for (size_t at = 0; at < areas[i].size; at += 8) {
			uint64_t value = at % 64 < 32 ? random_draw(seed)
						      : corner(seed);

			memcpy(space->base + areas[i].address + at, &value,
			       sizeof value);
		}
	memcpy(space->base + setup->entry, setup->code, setup->code_size);
}

static void fill_cpu(struct x86_cpu *cpu, const struct setup *setup,
		     uint64_t *seed)
{
	bool wide = setup->mode == X86_MODE_64;

	for (int i = 0; i < (wide ? 16 : 8); i++) {
		cpu->reg[i] = register_value(seed);
		if (!wide)
			cpu->reg[i] = (uint32_t)cpu->reg[i];
	}
	if (random_draw(seed) % 8)
		cpu->reg[X86_RSP] = STACK + SPACE_PAGE +
				    (random_draw(seed) & 0x1f8);
	cpu->rip = setup->entry;
	x86_eflags_set(cpu, (uint32_t)random_draw(seed) & ~(uint32_t)X86_TF);
	for (int i = 0; i < (wide ? 16 : 8); i++)
		for (size_t at = 0; at < sizeof cpu->vector[i].u64 / 8; at++)
			cpu->vector[i].u64[at] = corner(seed);
	for (int i = 0; i < 8; i++) {
		cpu->x87.reg[i].mantissa = corner(seed);
		cpu->x87.reg[i].sign_exponent = (uint16_t)corner(seed);
	}
	if (random_draw(seed) & 1) {
		cpu->x87.empty = (uint8_t)random_draw(seed);
		cpu->x87.top = random_draw(seed) & 7;
	}
	if (!(random_draw(seed) & 3)) {
		cpu->x87.control = (uint16_t)((random_draw(seed) & 0xf3f) |
					      0x40);
		cpu->mxcsr = random_draw(seed) & 0xffff;
	}
	if (wide && random_draw(seed) & 1)
		cpu->segment[X86_FS].base = DATA + 0x100;
	cpu->tls[0].present = true;
	cpu->tls[0].base = DATA + 0x200;
}

static void create(struct machine *machine, const struct setup *setup)
{
	uint64_t seed = setup->seed;
	struct x86_model model;
	struct error error;

	machine->space = space_create(
		UINT64_C(1) << (setup->mode == X86_MODE_64 ? SPACE_X86_64_BITS
							   : 32), &error);
	if (!machine->space)
		fuzz_fail("%s", error.text);
	x86_model_init(&model, setup->level);
	if (x86_model_check(&model, &error))
		x86_model_init(&model, X86_LEVEL_V2);
	machine->emulator = x86_emulator_create(machine->space, setup->mode,
						&model, &error);
	if (!machine->emulator)
		fuzz_fail("%s", error.text);
	for (size_t i = 0; i < sizeof areas / sizeof areas[0]; i++)
		map(machine->space, areas[i].address, areas[i].size,
		    SPACE_READ | SPACE_WRITE, setup->shared && !i);
	fill_memory(machine->space, setup, &seed);
	space_protect(machine->space, CODE, SPACE_PAGE,
		      setup->code_protection);
	space_protect(machine->space, CODE + SPACE_PAGE, SPACE_PAGE,
		      setup->code_behind ? setup->code_protection : SPACE_READ);
	space_protect(machine->space, READ_ONLY, SPACE_PAGE, SPACE_READ);
	machine->cpu = x86_cpu_create(machine->emulator);
	fill_cpu(machine->cpu, setup, &seed);
}

static void destroy(struct machine *machine)
{
	x86_cpu_free(machine->cpu);
	x86_emulator_free(machine->emulator);
	space_free(machine->space);
}

/* ---- What must hold after each x86_run() ---- */

static void run(struct machine *machine, uint64_t instructions)
{
	struct x86_cpu *cpu = machine->cpu;
	uint64_t before = x86_instructions(cpu), done;

	machine->stop = x86_run(cpu, instructions);
	done = x86_instructions(cpu) - before;
	if (done > instructions ||
	    (machine->stop == X86_STOP_QUANTUM && done != instructions))
		fuzz_fail("asked for %llu instructions, %llu counted",
			  (unsigned long long)instructions,
			  (unsigned long long)done);
	if (cpu->reg[X86_ZERO])
		fuzz_fail("the zero register was written");
	if (cpu->mode == X86_MODE_32) {
		for (int i = 0; i < 16; i++)
			if (i < 8 ? cpu->reg[i] >> 32 : cpu->reg[i])
				fuzz_fail("register %d is wider than 32 bits",
					  i);
		if (cpu->rip >> 32)
			fuzz_fail("rip is wider than 32 bits");
	}
	if ((x86_eflags(cpu) & (X86_FIXED_1 | X86_IF | 0x28)) !=
	    (X86_FIXED_1 | X86_IF))
		fuzz_fail("impossible flags %08x", x86_eflags(cpu));
	if (cpu->x87.top > 7)
		fuzz_fail("x87 stack top %u", cpu->x87.top);
	if (cpu->mxcsr >> 16)
		fuzz_fail("reserved bits in MXCSR %08x", cpu->mxcsr);
	if (_mm_getcsr() != 0x1f80)
		fuzz_fail("the host's MXCSR is left at %08x", _mm_getcsr());
	if (machine->stop == X86_STOP_FAULT && cpu->fault.signal != SIGSEGV &&
	    cpu->fault.signal != SIGBUS && cpu->fault.signal != SIGFPE &&
	    cpu->fault.signal != SIGILL && cpu->fault.signal != SIGTRAP)
		fuzz_fail("a fault without a signal");
}

static void run_steps(struct machine *machine, uint64_t instructions)
{
	do {
		run(machine, 1);
	} while (--instructions && machine->stop == X86_STOP_QUANTUM);
}

static void run_parts(struct machine *machine, uint64_t first,
		      uint64_t instructions)
{
	run(machine, first);
	if (machine->stop == X86_STOP_QUANTUM && first < instructions)
		run(machine, instructions - first);
}

/* ---- Comparing ---- */

static void compare(const struct setup *setup, const struct machine *one,
		    const struct machine *two, const char *how)
{
	const struct x86_cpu *a = one->cpu, *b = two->cpu;

#define SAME(what, x, y) \
	do { \
		if ((x) != (y)) \
			fuzz_fail("%s: %s %llx, in one go %llx", how, what, \
				  (unsigned long long)(y), \
				  (unsigned long long)(x)); \
	} while (0)
	SAME("stop", one->stop, two->stop);
	SAME("rip", a->rip, b->rip);
	SAME("instructions", x86_instructions(a), x86_instructions(b));
	for (int i = 0; i < 16; i++)
		SAME("register", a->reg[i], b->reg[i]);
	SAME("flags", x86_eflags(a), x86_eflags(b));
	SAME("MXCSR", a->mxcsr, b->mxcsr);
	SAME("vectors",
	     memcmp(a->vector, b->vector, sizeof a->vector) != 0, 0);
	for (int i = 0; i < 8; i++)
		SAME("x87 register", memcmp(a->x87.reg[i].bytes,
					    b->x87.reg[i].bytes, 10) != 0, 0);
	SAME("x87 control", a->x87.control, b->x87.control);
	SAME("x87 status", a->x87.status, b->x87.status);
	SAME("x87 top", a->x87.top, b->x87.top);
	SAME("x87 tags", a->x87.empty, b->x87.empty);
	SAME("x87 opcode", a->x87.opcode, b->x87.opcode);
	SAME("x87 instruction", a->x87.instruction_pointer,
	     b->x87.instruction_pointer);
	SAME("x87 operand", a->x87.data_pointer, b->x87.data_pointer);
	for (int i = 0; i < X86_SEGMENT_COUNT; i++) {
		SAME("selector", a->segment[i].selector,
		     b->segment[i].selector);
		SAME("segment base", a->segment[i].base, b->segment[i].base);
	}
	if (one->stop == X86_STOP_FAULT) {
		SAME("signal", a->fault.signal, b->fault.signal);
		SAME("code", a->fault.code, b->fault.code);
		SAME("fault address", a->fault.address, b->fault.address);
		SAME("vector", a->fault.vector, b->fault.vector);
		SAME("error code", a->fault.error_code, b->fault.error_code);
	}
	for (size_t i = 0; i < sizeof areas / sizeof areas[0]; i++)
		if (memcmp(one->space->base + areas[i].address,
			   two->space->base + areas[i].address,
			   areas[i].size))
			fuzz_fail("%s: memory at %llx differs", how,
				  (unsigned long long)areas[i].address);
	(void)setup;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct machine whole, again, parts, steps;
	struct setup setup;
	char text[256];

	if (size <= FUZZ_X86_HEADER)
		return 0;
	read_setup(&setup, data, size);
	create(&whole, &setup);
	run(&whole, setup.instructions);
	x86_describe_instruction(whole.cpu, text, sizeof text);

	create(&again, &setup);
	run(&again, setup.instructions);
	compare(&setup, &whole, &again, "run again");
	destroy(&again);

	create(&parts, &setup);
	run_parts(&parts, setup.part, setup.instructions);
	compare(&setup, &whole, &parts, "run in two parts");
	destroy(&parts);

	create(&steps, &setup);
	run_steps(&steps, setup.instructions);
	compare(&setup, &whole, &steps, "run in steps");
	destroy(&steps);
	destroy(&whole);
	return 0;
}
