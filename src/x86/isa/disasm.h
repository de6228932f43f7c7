/* x86 machine code as text, by Zydis. */
#ifndef M2S_X86_ISA_DISASM_H
#define M2S_X86_ISA_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Formats the instruction at `code` in Intel syntax. `size` bytes are readable
 * there. Returns the instruction's length in bytes, or 0 when the bytes are no
 * instruction (the text then says so). */
size_t x86_disasm(bool mode64, uint64_t address, const uint8_t *code,
		  size_t size, char *text, size_t text_size);

/* The target of a direct jump or call. False for other instructions. */
bool x86_branch_target(bool mode64, uint64_t address, const uint8_t *code,
		       size_t size, uint64_t *target);

/* Formats "mnemonic operands (bytes 0f 0b) at 0x401000" for messages. */
void x86_disasm_describe(bool mode64, uint64_t address, const uint8_t *code,
			 size_t size, char *text, size_t text_size);

#endif
