/* A guest of hand-made code: its address space, emulator, processor and ring. */
#ifndef M2S_TESTS_X86_GUEST_H
#define M2S_TESTS_X86_GUEST_H

#include "x86/emu/step.h"

enum {
	CODE = 0x10000, /* two pages */
	DATA = 0x20000, /* two pages */
	STACK = 0x30000,
	RW = SPACE_READ | SPACE_WRITE,
	RX = SPACE_READ | SPACE_EXECUTE,
	RWX = RW | SPACE_EXECUTE,
};

struct guest {
	struct space *space;
	struct x86_emulator *emulator;
	struct x86_cpu *cpu;
	struct x86_ring *ring;
};

/* A guest with this code, in hexadecimal digits, at CODE, whose pages get these
 * rights. Its processor has all instructions, or those of the default model. */
struct guest guest_start(enum x86_mode mode, bool everything, int protection,
			 const char *code);
void guest_finish(struct guest *guest);
/* More code. */
void guest_put_code(struct guest *guest, uint64_t address, const char *text);

/* The oldest record that is left in the ring, and its references; an empty one when
 * there is none. */
struct x86_record guest_take(struct guest *guest,
			     const struct x86_reference **list);
/* Whether a reference is this one; prints it if not. */
bool is_reference(const struct x86_reference *r, uint64_t address,
		  unsigned count, unsigned size, unsigned direction);

#endif
