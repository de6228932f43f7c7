/* How m2s handles every instruction that the decoder knows: the list of
 * --x86-isa and doc/x86-instructions.md, made from the tables. */
#ifndef M2S_X86_EMU_ISA_LIST_H
#define M2S_X86_EMU_ISA_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "x86/isa/features.h"

enum x86_isa_state {
	X86_ISA_NEVER,       /* an undefined opcode: no model has it */
	X86_ISA_FAULTS,      /* faults in user mode, as on hardware */
	X86_ISA_NO_OP,       /* has no effect that user code sees */
	X86_ISA_EXECUTED,
	X86_ISA_PARTLY,      /* some forms are executed, some unsupported */
	X86_ISA_UNSUPPORTED, /* the program gets SIGILL and the user a warning */
};
const char *x86_isa_state_name(enum x86_isa_state state);

struct x86_isa_entry {
	const char *name;    /* the mnemonic in lower case */
	enum x86_isa_state state;
	bool modes[2];       /* exists in 32-bit, 64-bit mode */
	const char *model;   /* the first CPU model that has it, or "" */
	const char *set;     /* Zydis' name of the instruction set */
	unsigned forms;      /* rows of the tables */
};

/* Lists every mnemonic that Zydis can decode, sorted by name. The caller frees
 * *list. Takes about a second, because it decodes some ten million
 * encodings. */
int x86_isa_list(struct x86_isa_entry **list, size_t *count,
		 struct error *error);

/* Writes the list for --x86-isa, or with `page` as a page of documentation. */
int x86_isa_print(FILE *stream, bool page, struct error *error);

#endif
