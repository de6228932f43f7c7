/* DWARF call frame information (DWARF 5, section 6.4): how .eh_frame describes
 * the way out of a frame. Internal to unwind.c and cfi-*.c.
 *
 * All input is the guest's: malformed input sets `failed` or returns false. */
#ifndef M2S_X86_LINUX_UNWIND_CFI_H
#define M2S_X86_LINUX_UNWIND_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "x86/linux/state.h"

enum {
	CFI_REGISTERS = 17,        /* in DWARF numbers, with the return address */
	CFI_ENTRY_MAX = 65536,     /* bytes of a CIE or FDE */
};

/* The registers of a frame. */
struct cfi_machine {
	const struct space *space;
	bool wide;
	unsigned word;          /* bytes */
	unsigned sp, bp, ra;    /* DWARF numbers */
	uint64_t reg[CFI_REGISTERS];
};

/* Bytes of an entry, copied from the guest. */
struct cfi_reader {
	const uint8_t *at, *end;
	uint64_t address;       /* guest address of `end` */
	bool failed;
};

enum cfi_rule_kind {
	CFI_RULE_SAME, CFI_RULE_UNDEFINED, CFI_RULE_OFFSET, CFI_RULE_VALUE_OFFSET,
	CFI_RULE_REGISTER, CFI_RULE_EXPRESSION, CFI_RULE_VALUE_EXPRESSION,
};

struct cfi_rule {
	enum cfi_rule_kind kind;
	int64_t value;          /* offset or register */
	struct cfi_reader expression;
};

/* Rules for finding the registers of the calling frame. */
struct cfi_rules {
	unsigned cfa_register;
	int64_t cfa_offset;
	bool cfa_is_expression;
	struct cfi_reader cfa_expression;
	struct cfi_rule reg[CFI_REGISTERS];
};

/* An FDE and its CIE. */
struct cfi_entry {
	uint64_t code_align;
	int64_t data_align;
	uint8_t encoding;       /* of addresses */
	bool augmented, signal;
	uint64_t start, size;   /* the code that the entry covers */
	struct cfi_reader initial, own; /* instructions */
};

/* ---- cfi-entry.c ---- */
/* Read the next value. Behind the end they return 0 and set `failed`. */
uint64_t cfi_get(struct cfi_reader *reader, unsigned size);
int64_t cfi_get_signed(struct cfi_reader *reader, unsigned size);
uint64_t cfi_get_uleb(struct cfi_reader *reader);
int64_t cfi_get_sleb(struct cfi_reader *reader);
uint64_t cfi_get_pointer(struct cfi_reader *reader, uint8_t encoding,
			 const struct cfi_machine *machine);
/* Takes a block of bytes that begins with its length. */
struct cfi_reader cfi_take_block(struct cfi_reader *reader);
/* Reads a word of the guest's memory. Sets `failed` when it cannot be read. */
uint64_t cfi_load(const struct cfi_machine *machine, uint64_t address,
		  unsigned size, bool *failed);
/* Address of the FDE for a code address, from the sorted table of an
 * .eh_frame_hdr; 0: none. */
uint64_t cfi_search(const struct cfi_machine *machine, uint64_t header,
		    uint64_t address);
/* Reads the FDE at an address, and its CIE, into `bytes`: 2 * CFI_ENTRY_MAX,
 * which must live as long as the entry. */
bool cfi_read(const struct cfi_machine *machine, uint64_t address,
	      uint8_t *bytes, struct cfi_entry *entry);

/* ---- cfi-rules.c ---- */
/* The rules at an address of the entry's code; false: malformed. */
bool cfi_find_rules(const struct cfi_entry *entry,
		    const struct cfi_machine *machine, uint64_t address,
		    struct cfi_rules *rules);
/* Steps out of a frame. False: the frame is the outermost, or malformed. */
bool cfi_apply(struct cfi_machine *machine, const struct cfi_rules *rules);

#endif
