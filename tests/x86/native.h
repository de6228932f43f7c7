/* Runs a few instructions on the host CPU and in the emulator from the same
 * state, for tests that compare the two.
 *
 * Both see the same addresses: the arena below is mapped at its own address
 * in this process, and at the same guest address in the emulator's space.
 * 32-bit code runs natively through a far call into the kernel's 32-bit code
 * segment. */
#ifndef M2S_TESTS_X86_NATIVE_H
#define M2S_TESTS_X86_NATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unit/random.h"
#include "x86/emu/emu.h"

enum {
	ARENA = 0x10000000,
	ARENA_CODE = ARENA + 0x1000,  /* the instructions, one page */
	ARENA_DATA = ARENA + 0x3000,  /* two pages; those around are not */
	ARENA_DATA_SIZE = 0x2000,     /* mapped */
	ARENA_STACK = ARENA + 0x6000, /* one page */
	ARENA_STACK_SIZE = 0x1000,
};

struct machine {
	uint64_t reg[16];
	uint64_t rip;
	uint32_t eflags;
	int signal;    /* 0, or how the code ended */
	/* Set by faults only. */
	int code;      /* si_code and si_addr */
	uint64_t address;
	uint32_t mxcsr;
	union x86_vector vector[16];
	uint8_t data[ARENA_DATA_SIZE];
	uint8_t stack[ARENA_STACK_SIZE];
};

struct native;
/* NULL when this host cannot do it (a 64-bit kernel without 32-bit code, or
 * no x86-64 at all). */
struct native *native_create(enum x86_mode mode);
void native_free(struct native *native);
/* Whether the host is of the vendor whose results the emulator has where the
 * manuals leave them open. */
bool native_is_intel(void);

/* Executes the code, which must fall through its end, from and into
 * *machine. */
void native_execute(struct native *native, struct machine *machine,
		    const uint8_t *code, size_t size);
void native_emulate(struct native *native, struct machine *machine,
		    const uint8_t *code, size_t size);
struct x86_cpu *native_cpu(struct native *native);

/* On another vendor's host, take what FXSAVE, XSAVE and the like store otherwise
 * there from `native` into `emulated`, both in the layout of FXSAVE: the x87
 * opcode and pointers (`wide` as with REX.W: of 64 bits, no selectors), and
 * what MXCSR may hold. */
void native_leave_out_pointers(bool wide, const uint8_t *native,
			       uint8_t *emulated);
void native_leave_out_mxcsr_mask(const uint8_t *native, uint8_t *emulated);

/* Cases for one of `rows` rows of a mnemonic: `usual`, or in a long run
 * (M2S_TEST_FAMILY=N) its share of N for the whole family, half of it in each
 * mode where `both` have it. */
unsigned family_cases(unsigned rows, bool both, unsigned usual);
/* What a long run prints about a family. */
struct family {
	unsigned rows, cases, faults, differing;
};
void family_print(const char *mnemonic, bool wide,
		  const struct family *family);

/* Values such as 0, -1, 2^n, and sometimes others. */
uint64_t random_corner(uint64_t *state);

#endif
