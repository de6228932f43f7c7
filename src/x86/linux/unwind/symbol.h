/* Names of a program's addresses. */
#ifndef M2S_X86_LINUX_UNWIND_SYMBOL_H
#define M2S_X86_LINUX_UNWIND_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct linux_system;
struct space;

/* "name+0x12 in library" of a guest address, or "". */
void symbol_describe(struct linux_system *system, struct space *space,
		     uint64_t address, char *text, size_t size);
/* symbol_describe() of a return address, which may lie behind its function's
 * end. */
void symbol_describe_return(struct linux_system *system, struct space *space,
			    uint64_t address, char *text, size_t size);
/* The address of a symbol that a mapped ELF file defines. False if none
 * does. */
bool symbol_find(struct linux_system *system, const struct space *space,
		 const char *name, uint64_t *address);
/* The start of the function or other symbol at an address, or 0. */
uint64_t symbol_start(struct linux_system *system, const struct space *space,
		      uint64_t address);
/* Guest address of the .eh_frame_hdr that covers an address, or 0. */
uint64_t symbol_unwind_table(struct linux_system *system,
			     const struct space *space, uint64_t address);

#endif
