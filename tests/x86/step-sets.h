/* Compares what descriptions say of instructions (x86/emu/inst.h) with what
 * their execution does. */
#ifndef M2S_TESTS_X86_STEP_SETS_H
#define M2S_TESTS_X86_STEP_SETS_H

#include "native.h"

struct sets;

/* An emulator of its own, with the arena of native.h. */
struct sets *sets_create(enum x86_mode mode);
void sets_free(struct sets *sets);

/* Executes the code step by step from and into *machine and for each
 * instruction checks that
 * - all registers, flags and bytes that it changed are in what it writes,
 * - it does the same whatever is in places that it does not read,
 * - the references are those that Zydis' operands tell,
 * - it does the same with its stores held back and on a wrong path, of which
 *   nothing remains.
 * Differences are printed and counted. Looked at are the instructions in the
 * `length` bytes at `from`. */
void sets_check(struct sets *sets, const char *name, const uint8_t *code,
		size_t size, size_t from, size_t length,
		struct machine *machine);

/* So far. */
unsigned sets_differences(const struct sets *sets);
unsigned sets_checked(const struct sets *sets); /* instructions */

#endif
