#include "native.h"

#include <cpuid.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

/* What the stub exchanges with C, at the arena's first page. */
struct exchange {
	uint64_t in[16], out[16];
	uint64_t in_flags, out_flags;
	uint64_t host_rsp;
	uint32_t far_offset;
	uint16_t far_selector;
};

struct native {
	enum x86_mode mode;
	struct exchange *exchange;
	uint8_t *code, *data, *stack;
	struct space *space;
	struct x86_emulator *emulator;
	struct x86_cpu *cpu;
};

enum {
	/* Behind the code under test, in its page. */
	EPILOGUE_ROOM = 0x200,
	FAR_STACK = ARENA + 0xff0, /* top of the first page */
};

/* ---- The stub ---- */

struct emitter {
	uint8_t *at;
};

static void emit(struct emitter *e, const char *hex)
{
	for (; *hex; hex += hex[2] == ' ' ? 3 : 2) {
		unsigned byte;

		sscanf(hex, "%2x", &byte);
		*e->at++ = (uint8_t)byte;
	}
}

static void emit32(struct emitter *e, uint32_t value)
{
	memcpy(e->at, &value, 4);
	e->at += 4;
}

#define FIELD(field) (ARENA + (uint32_t)offsetof(struct exchange, field))

/* opcode 8b loads, 89 stores register `reg` at an absolute address. */
static void emit_move(struct emitter *e, bool wide, uint8_t opcode, int reg,
		      uint32_t address)
{
	if (wide) {
		*e->at++ = (uint8_t)(0x48 | (reg >> 3) << 2);
		*e->at++ = opcode;
		*e->at++ = (uint8_t)(4 | (reg & 7) << 3);
		*e->at++ = 0x25;
	} else {
		*e->at++ = opcode;
		*e->at++ = (uint8_t)(5 | reg << 3);
	}
	emit32(e, address);
}

static void emit_move_all(struct emitter *e, bool wide, uint8_t opcode,
			  uint32_t address)
{
	for (int i = 0; i < (wide ? 16 : 8); i++)
		emit_move(e, wide, opcode, i, address + (uint32_t)i * 8);
}

static void emit_flags(struct emitter *e, bool wide, bool load)
{
	/* push [in_flags]; popf or pushf; pop [out_flags] */
	if (load) {
		emit(e, wide ? "ff 34 25" : "ff 35");
		emit32(e, FIELD(in_flags));
		emit(e, "9d");
	} else {
		emit(e, "9c");
		emit(e, wide ? "8f 04 25" : "8f 05");
		emit32(e, FIELD(out_flags));
	}
}

/* Lays out: entry (in the first page, behind the exchange), load state, jump
 * to the code; behind the code: save state, return. Returns the entry. */
static void *build(struct native *native, size_t size)
{
	bool wide = native->mode == X86_MODE_64;
	struct emitter e = { (uint8_t *)native->exchange + 0x400 };
	uint8_t *entry = e.at, *inner = NULL;

	emit(&e, "53 55 41 54 41 55 41 56 41 57"); /* callee-saved */
	emit_move(&e, true, 0x89, 4, FIELD(host_rsp));
	if (!wide) {
		/* The stack must be low; DS and ES must not be null. */
		emit(&e, "b8 2b 00 00 00 8e d8 8e c0 bc");
		emit32(&e, FAR_STACK);
		emit(&e, "ff 1c 25"); /* lcall */
		emit32(&e, FIELD(far_offset));
		emit_move(&e, true, 0x8b, 4, FIELD(host_rsp));
		emit(&e, "fc 41 5f 41 5e 41 5d 41 5c 5d 5b c3");
		inner = e.at;
		native->exchange->far_offset = (uint32_t)(uintptr_t)inner;
		native->exchange->far_selector = 0x23;
		emit_move(&e, false, 0x89, 4, FIELD(host_rsp) + 0x20);
	}
	emit_flags(&e, wide, true);
	emit_move_all(&e, wide, 0x8b, FIELD(in));
	emit(&e, "e9"); /* jmp code */
	emit32(&e, (uint32_t)(ARENA_CODE - (uintptr_t)e.at - 4));

	e.at = native->code + size;
	emit_move_all(&e, wide, 0x89, FIELD(out));
	emit_move(&e, wide, 0x8b, 4,
		  wide ? FIELD(host_rsp) : FIELD(host_rsp) + 0x20);
	emit_flags(&e, wide, false);
	if (wide)
		emit(&e, "fc 41 5f 41 5e 41 5d 41 5c 5d 5b c3");
	else
		emit(&e, "cb"); /* lret */
	return entry;
}

/* ---- Faults of the native code ---- */

static sigjmp_buf caught;
static volatile sig_atomic_t armed;
static struct machine *victim;

/* The vector registers in a signal frame: an FXSAVE image and, if the kernel
 * says so, an XSAVE header with the upper halves at their usual place. */
static void take_vectors(const uint8_t *image, union x86_vector *vector)
{
	enum { XMM = 160, MAGIC = 464, XSTATE_BV = 512, UPPER = 576 };
	uint32_t magic, features;
	bool upper;

	memcpy(&magic, image + MAGIC, 4);
	upper = magic == 0x46505853;
	if (upper) {
		memcpy(&features, image + XSTATE_BV, 4);
		upper = features & 4;
	}
	for (int i = 0; i < 16; i++) {
		memcpy(vector[i].u8, image + XMM + 16 * i, 16);
		memset(vector[i].u8 + 16, 0, 16);
		if (upper)
			memcpy(vector[i].u8 + 16, image + UPPER + 16 * i, 16);
	}
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
	ucontext_t *user = context;
	static const int order[16] = {
		REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
		REG_RSI, REG_RDI, REG_R8, REG_R9, REG_R10, REG_R11,
		REG_R12, REG_R13, REG_R14, REG_R15
	};

	if (!armed) {
		sigaction(signal, &(struct sigaction){ .sa_handler = SIG_DFL },
			  NULL);
		return;
	}
	armed = 0;
	for (int i = 0; i < 16; i++)
		victim->reg[i] = (uint64_t)user->uc_mcontext.gregs[order[i]];
	victim->eflags = (uint32_t)user->uc_mcontext.gregs[REG_EFL];
	victim->rip = (uint64_t)user->uc_mcontext.gregs[REG_RIP];
	victim->signal = signal;
	victim->code = info->si_code;
	victim->address = (uint64_t)(uintptr_t)info->si_addr;
	memcpy(&victim->mxcsr, (const uint8_t *)user->uc_mcontext.fpregs + 24,
	       sizeof victim->mxcsr);
	take_vectors((const uint8_t *)user->uc_mcontext.fpregs,
		     victim->vector);
	siglongjmp(caught, 1);
}

/* The signal handlers are in place only while native code runs: the
 * emulator has its own. */
static void catch(struct sigaction *saved, bool on)
{
	static const int signals[] = { SIGSEGV, SIGFPE, SIGILL, SIGTRAP,
				       SIGBUS };
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_ONSTACK |
						SA_NODEFER };

	action.sa_sigaction = on_fault;
	for (int i = 0; i < 5; i++)
		sigaction(signals[i], on ? &action : &saved[i],
			  on ? &saved[i] : NULL);
}

void native_execute(struct native *native, struct machine *machine,
		    const uint8_t *code, size_t size)
{
	struct exchange *x = native->exchange;
	struct sigaction saved[5];
	stack_t stack = { .ss_size = 1 << 16 }, old_stack;
	void (*entry)(void);
	void *made;

	memcpy(native->code, code, size);
	made = build(native, size);
	memcpy(&entry, &made, sizeof entry);
	memcpy(x->in, machine->reg, sizeof x->in);
	x->in_flags = machine->eflags;
	memcpy(native->data, machine->data, sizeof machine->data);
	memcpy(native->stack, machine->stack, sizeof machine->stack);
	machine->signal = 0;
	victim = machine;
	stack.ss_sp = malloc(stack.ss_size);
	sigaltstack(&stack, &old_stack);
	catch(saved, true);
	armed = 1;
	if (sigsetjmp(caught, 1) == 0) {
		entry();
		armed = 0;
		if (__builtin_cpu_supports("avx"))
			__asm__ volatile("vzeroupper");
		memcpy(machine->reg, x->out, sizeof x->out);
		machine->eflags = (uint32_t)x->out_flags;
		machine->rip = ARENA_CODE + size;
	}
	__asm__ volatile("cld");
	if (native->mode == X86_MODE_32)
		memset(machine->reg + 8, 0, 8 * sizeof x->out[0]);
	catch(saved, false);
	sigaltstack(&old_stack, NULL);
	free(stack.ss_sp);
	memcpy(machine->data, native->data, sizeof machine->data);
	memcpy(machine->stack, native->stack, sizeof machine->stack);
}

/* ---- The emulator ---- */

void native_emulate(struct native *native, struct machine *machine,
		    const uint8_t *code, size_t size)
{
	static const uint8_t int80[] = { 0xcd, 0x80 };
	struct x86_cpu *cpu = native->cpu;
	struct space *space = native->space;

	space_write(space, ARENA_CODE, code, size);
	space_write(space, ARENA_CODE + size, int80, sizeof int80);
	space_write(space, ARENA_DATA, machine->data, sizeof machine->data);
	space_write(space, ARENA_STACK, machine->stack,
		    sizeof machine->stack);
	memcpy(cpu->reg, machine->reg, sizeof machine->reg);
	x86_eflags_set(cpu, machine->eflags);
	cpu->rip = ARENA_CODE;
	machine->signal = 0;
	switch (x86_run(cpu, 100000)) {
	case X86_STOP_INT80:
		cpu->rip -= sizeof int80;
		break;
	case X86_STOP_FAULT:
		machine->signal = cpu->fault.signal;
		machine->code = cpu->fault.code;
		machine->address = cpu->fault.address;
		machine->mxcsr = cpu->mxcsr;
		memcpy(machine->vector, cpu->vector, sizeof machine->vector);
		break;
	default:
		machine->signal = -1;
	}
	memcpy(machine->reg, cpu->reg, sizeof machine->reg);
	machine->rip = cpu->rip;
	machine->eflags = x86_eflags(cpu);
	space_read(space, ARENA_DATA, machine->data, sizeof machine->data);
	space_read(space, ARENA_STACK, machine->stack, sizeof machine->stack);
}

struct x86_cpu *native_cpu(struct native *native)
{
	return native->cpu;
}

/* ---- What is left out on AMD's hosts ---- */

/* AMD's have opcode and pointers only of an instruction with a pending
 * exception, else zeros (AMD64 Architecture Programmer's Manual: FXSAVE, and
 * RstrFpErrPtrs of CPUID), and then the selectors too, which Intel's no longer
 * store (SDM volume 1, 8.1.8; CPUID leaf 7, EBX bit 13). */
void native_leave_out_pointers(bool wide, const uint8_t *native,
			       uint8_t *emulated)
{
	enum {
		STATUS = 2, OPCODE = 6, CODE_SELECTOR = 12, DATA_SELECTOR = 20,
		POINTERS_END = 24, SUMMARY = 0x80,
	};

	if (native_is_intel())
		return;
	if (!(native[STATUS] & SUMMARY))
		memcpy(emulated + OPCODE, native + OPCODE,
		       POINTERS_END - OPCODE);
	if (!wide) {
		memcpy(emulated + CODE_SELECTOR, native + CODE_SELECTOR, 2);
		memcpy(emulated + DATA_SELECTOR, native + DATA_SELECTOR, 2);
	}
}

/* AMD's MXCSR has a bit 17, for misaligned operands (the same, volume 1, MXCSR
 * Register). */
void native_leave_out_mxcsr_mask(const uint8_t *native, uint8_t *emulated)
{
	enum { MASK = 28, MISALIGNED = 1 << 1 };

	if (!native_is_intel())
		emulated[MASK + 2] |= native[MASK + 2] & MISALIGNED;
}

/* ---- Creation ---- */

static void *map_at(uint64_t address, size_t size, int protection)
{
	void *got = mmap((void *)(uintptr_t)address, size, protection,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
			 -1, 0);

	return got == MAP_FAILED ? NULL : got;
}

struct native *native_create(enum x86_mode mode)
{
	struct native *native = calloc(1, sizeof *native);
	const int all = PROT_READ | PROT_WRITE | PROT_EXEC;
	struct machine *machine;
	struct x86_model model;
	bool works;

	native->mode = mode;
	native->exchange = map_at(ARENA, 0x1000, all);
	native->code = map_at(ARENA_CODE, 0x1000, all);
	native->data = map_at(ARENA_DATA, ARENA_DATA_SIZE,
			      PROT_READ | PROT_WRITE);
	native->stack = map_at(ARENA_STACK, ARENA_STACK_SIZE,
			       PROT_READ | PROT_WRITE);
	native->space = space_create(mode == X86_MODE_64 ?
				     1ull << SPACE_X86_64_BITS : 1ull << 32,
				     NULL);
	x86_model_everything(&model);
	native->emulator = x86_emulator_create(native->space, mode, &model,
					       NULL);
	native->cpu = x86_cpu_create(native->emulator);
	space_map(native->space, ARENA_CODE, 0x1000,
		  SPACE_READ | SPACE_WRITE | SPACE_EXECUTE, false, -1, 0, "");
	space_map(native->space, ARENA_DATA, ARENA_DATA_SIZE,
		  SPACE_READ | SPACE_WRITE, false, -1, 0, "");
	space_map(native->space, ARENA_STACK, ARENA_STACK_SIZE,
		  SPACE_READ | SPACE_WRITE, false, -1, 0, "");
	/* inc eax; natively, if this host can. */
	machine = calloc(1, sizeof *machine);
	machine->reg[X86_RSP] = ARENA_STACK + 0x800;
	machine->eflags = 0x202;
	native_execute(native, machine, (const uint8_t *)"\xff\xc0", 2);
	works = machine->signal == 0 && machine->reg[X86_RAX] == 1;
	free(machine);
	if (works)
		return native;
	native_free(native);
	return NULL;
}

bool native_is_intel(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(0, &a, &b, &c, &d) && b == signature_INTEL_ebx &&
	       c == signature_INTEL_ecx && d == signature_INTEL_edx;
}

void native_free(struct native *native)
{
	if (!native)
		return;
	x86_cpu_free(native->cpu);
	x86_emulator_free(native->emulator);
	space_free(native->space);
	munmap(native->exchange, 0x1000);
	munmap(native->code, 0x1000);
	munmap(native->data, ARENA_DATA_SIZE);
	munmap(native->stack, ARENA_STACK_SIZE);
	free(native);
}

/* ---- Long runs ---- */

unsigned family_cases(unsigned rows, bool both, unsigned usual)
{
	const char *text = getenv("M2S_TEST_FAMILY");
	unsigned share;

	if (!text || !rows)
		return usual;
	share = (unsigned)atoi(text) / (both ? 2 : 1);
	share = (share + rows - 1) / rows;
	return share > usual ? share : usual;
}

void family_print(const char *mnemonic, bool wide, const struct family *family)
{
	if (getenv("M2S_TEST_FAMILY"))
		printf("# family %s, %d-bit: %u cases of %u forms, %u faulted, "
		       "%u differ\n", mnemonic, wide ? 64 : 32, family->cases,
		       family->rows, family->faults, family->differing);
}

/* ---- Random numbers ---- */

uint64_t random_corner(uint64_t *state)
{
	uint64_t r = random_draw(state);
	unsigned bit = (unsigned)(r >> 8) & 63;

	switch (r & 7) {
	case 0:
		return 0;
	case 1:
		return UINT64_MAX;
	case 2:
		return 1ull << bit;
	case 3:
		return (1ull << bit) - 1;
	case 4:
		return -(1ull << bit);
	case 5:
		return r >> 16 & 255;
	default:
		return random_draw(state);
	}
}
