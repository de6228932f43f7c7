#include "x86/timing/blocks/machine.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"

enum {
	/* The contents of registers and memory (ithemal/bhive,
	 * timing-harness/run_test.nasm, `initialize`). */
	PATTERN = 0x2324000,
	RING = 4096,
	LONGEST = 4096, /* most instructions of a block, and most pages */
	MXCSR = 0x1f80 | 0x8040, /* all masked; flush to zero, denormals are
	                          * zero */
};
/* Far from the addresses that a block reaches with PATTERN in its registers. */
#define CODE UINT64_C(0x700000000000)
#define MANY_ITERATIONS "a repeated instruction with many iterations"

int block_machine_open(struct block_machine *machine, struct error *error)
{
	struct x86_model model;

	*machine = (struct block_machine){ .page = -1, .code = CODE };
	x86_model_everything(&model);
	machine->space = space_create_far(1ull << SPACE_X86_64_BITS,
					  1ull << 47, error);
	if (!machine->space)
		return -1;
	machine->emulator = x86_emulator_create(machine->space, X86_MODE_64,
						&model, error);
	if (!machine->emulator)
		return -1;
	machine->cpu = x86_cpu_create(machine->emulator);
	machine->ring = x86_ring_create(RING);
	machine->page = memfd_create("m2s-block", MFD_CLOEXEC);
	if (machine->page < 0 || ftruncate(machine->page, SPACE_PAGE))
		return error_set(error, "no memory for the page of a block");
	return 0;
}

void block_machine_close(struct block_machine *machine)
{
	if (machine->ring)
		x86_ring_free(machine->ring);
	if (machine->cpu)
		x86_cpu_free(machine->cpu);
	if (machine->emulator)
		x86_emulator_free(machine->emulator);
	if (machine->space)
		space_free(machine->space);
	if (machine->page >= 0)
		close(machine->page);
}

static int fill_page(struct block_machine *machine)
{
	uint64_t words[SPACE_PAGE / 8];

	for (unsigned i = 0; i < SPACE_PAGE / 8; i++)
		words[i] = PATTERN;
	return pwrite(machine->page, words, sizeof words, 0) ==
		       (ssize_t)sizeof words ? 0 : -1;
}

static void set_registers(struct x86_cpu *cpu)
{
	for (unsigned i = 0; i < 16; i++)
		cpu->reg[i] = PATTERN;
	/* rsp and rbp point to the middle of the page. */
	cpu->reg[X86_RSP] = PATTERN + SPACE_PAGE / 2;
	cpu->reg[X86_RBP] = PATTERN + SPACE_PAGE / 2 - 16;
	memset(cpu->vector, 0, sizeof cpu->vector);
	cpu->mxcsr = MXCSR;
	cpu->x87.control = 0x37f;
	cpu->x87.status = 0;
	cpu->x87.top = 0;
	cpu->x87.empty = 0xff;
	x86_eflags_set(cpu, X86_FIXED_1 | X86_IF);
	memset(cpu->x87.reg, 0, sizeof cpu->x87.reg);
}

static int stopped(struct block_machine *machine, enum x86_stop stop,
		   struct error *error);

/* Executes the code that comes before a block once. */
static int execute_setup(struct block_machine *machine, uint64_t address,
			 size_t size, struct error *error)
{
	struct x86_ring *ring = machine->ring;
	struct x86_cpu *cpu = machine->cpu;

	cpu->rip = address;
	for (unsigned tries = 0; cpu->rip != address + size; tries++) {
		if (tries > LONGEST || cpu->rip < address ||
		    cpu->rip > address + size)
			return error_set(error, "the setup of a block jumps, or "
						"does not end with a whole "
						"instruction");
		if (stopped(machine, x86_step(cpu, ring, 0), error))
			return -1;
		ring->tail = ring->head;
	}
	return 0;
}

int block_machine_load(struct block_machine *machine, const uint8_t *code,
		       size_t size, const uint8_t *setup, size_t setup_size,
		       struct error *error)
{
	uint8_t page[SPACE_PAGE];
	size_t gap = 16; /* of breakpoints, between both */

	if (!size || size + setup_size > SPACE_PAGE - 2 * gap)
		return error_set(error, "the block has %zu bytes, expected 1 "
					"to %zu",
				 size + setup_size, SPACE_PAGE - 2 * gap);
	while (machine->mapped_count)
		space_unmap(machine->space,
			    machine->mapped[--machine->mapped_count],
			    SPACE_PAGE);
	machine->ring->tail = machine->ring->head;
	memset(page, 0xcc, sizeof page);
	memcpy(page, code, size);
	if (setup_size)
		memcpy(page + size + gap, setup, setup_size);
	if (space_map(machine->space, CODE, SPACE_PAGE,
		      SPACE_READ | SPACE_WRITE, false, -1, 0, "") ||
	    space_write(machine->space, CODE, page, sizeof page) ||
	    space_protect(machine->space, CODE, SPACE_PAGE,
			  SPACE_READ | SPACE_EXECUTE) ||
	    fill_page(machine))
		return error_set(error, "no memory for a block");
	set_registers(machine->cpu);
	machine->end = CODE + size;
	machine->instructions = 0;
	return execute_setup(machine, CODE + size + gap, setup_size, error);
}

/* Maps a missing page of an access. */
static int map_missed(struct block_machine *machine, struct error *error)
{
	const struct x86_fault *fault = &machine->cpu->fault;
	uint64_t address = fault->address / SPACE_PAGE * SPACE_PAGE;

	if (fault->signal == SIGFPE)
		return error_set(error, "an instruction raises a division "
				 "error");
	if (fault->signal == SIGILL)
		return error_set(error, "an instruction is undefined");
	if (fault->signal == SIGTRAP)
		return error_set(error, "the block has a breakpoint "
				 "instruction");
	if (fault->vector != 14)
		return error_set(error, "an instruction raises exception %u",
					fault->vector);
	if (fault->error_code & 16)
		return error_set(error, "the code leaves the block");
	if (address == machine->code)
		return error_set(error, "the block writes to its own code");
	if (machine->mapped_count == ARRAY_SIZE(machine->mapped))
		return error_set(error, "the block touches more than %zu pages",
				 ARRAY_SIZE(machine->mapped));
	if (space_map(machine->space, address, SPACE_PAGE,
		      SPACE_READ | SPACE_WRITE, true, machine->page, 0, ""))
		return error_set(error, "address 0x%llx cannot be mapped",
				 (unsigned long long)fault->address);
	machine->mapped[machine->mapped_count++] = address;
	return 0;
}

static int stopped(struct block_machine *machine, enum x86_stop stop,
		   struct error *error)
{
	switch (stop) {
	case X86_STOP_QUANTUM:
		return 0;
	case X86_STOP_FAULT:
		return map_missed(machine, error);
	case X86_STOP_UNSUPPORTED:
		return error_set(error, "an instruction is not supported");
	case X86_STOP_INT80:
	case X86_STOP_SYSCALL:
	case X86_STOP_SYSENTER:
		return error_set(error, "the block makes a system call");
	default:
		return error_set(error, "an instruction cannot be executed on "
					"its own");
	}
}

/* The first execution, which counts the instructions. */
static int count(struct block_machine *machine, struct error *error)
{
	struct x86_ring *ring = machine->ring;
	struct x86_cpu *cpu = machine->cpu;

	for (unsigned tries = 0; cpu->rip != machine->end; tries++) {
		const struct x86_record *record;
		uint64_t head = ring->head;

		if (tries > LONGEST)
			return error_set(error, "the block has too many "
						"instructions");
		if (stopped(machine, x86_step(cpu, ring, 0), error))
			return -1;
		if (ring->head == head)
			continue; /* a page has been mapped */
		record = &ring->record[head & ring->mask];
		if (record->unfinished)
			return error_set(error, MANY_ITERATIONS);
		if (cpu->rip != record->inst->address + record->inst->length ||
		    cpu->rip > machine->end)
			return error_set(error, "the block jumps, or does not "
						"end with a whole instruction");
		machine->instructions++;
	}
	return 0;
}

static int check_records(const struct block_machine *machine,
			 struct error *error)
{
	const struct x86_ring *ring = machine->ring;

	for (uint64_t i = ring->tail; i != ring->head; i++)
		if (ring->record[i & ring->mask].unfinished)
			return error_set(error, MANY_ITERATIONS);
	return 0;
}

int block_machine_execute(struct block_machine *machine, struct error *error)
{
	struct x86_ring *ring = machine->ring;
	struct x86_cpu *cpu = machine->cpu;
	uint64_t wanted;

	cpu->rip = machine->code;
	if (!machine->instructions)
		return count(machine, error);
	wanted = ring->head + machine->instructions;
	while (ring->head < wanted) {
		uint64_t before = ring->head;

		if (stopped(machine,
			    x86_observe(cpu, ring, wanted - ring->head, 0),
			    error))
			return -1;
		if (check_records(machine, error))
			return -1;
		if (ring->head == before && !x86_ring_room(ring))
			return error_set(error, "the block makes too many "
						"memory references");
	}
	if (cpu->rip != machine->end)
		return error_set(error, "the block jumps");
	return 0;
}
