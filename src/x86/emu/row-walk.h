/* Every instruction that the decoder knows, one after the other. */
#ifndef M2S_X86_EMU_ROW_WALK_H
#define M2S_X86_EMU_ROW_WALK_H

#include <stdint.h>

#include "base/error.h"
#include "x86/emu/inst.h"

/* `code` is as long as an instruction can be, the rest of it `filler`. */
typedef void x86_look(void *owner, const uint8_t *code);

/* One- to three-byte opcodes with prefixes and every ModRM byte, then VEX, XOP
 * and EVEX. Some ten million; most decode to nothing. */
void x86_encodings_walk(x86_look *look, void *owner, uint8_t filler);

/* Up to eight instructions of each row of the tables that has an encoding of
 * its own (not: short cuts for known flags), as they would be described at
 * 0x1000, with immediates of 0x11. -1 and *error when no decoder starts. */
int x86_rows_walk(void (*visit)(void *owner, const struct x86_inst *inst),
		  void *owner, struct error *error);

#endif
