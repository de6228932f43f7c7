/* One kernel that is being assembled: its control-flow instructions and clauses
 * before they have addresses. Internal to the assembler. */
#ifndef M2S_EVERGREEN_ASM_UNIT_H
#define M2S_EVERGREEN_ASM_UNIT_H

#include "evergreen/asm/asm.h"
#include "evergreen/kernel/kernel.h"

struct asm_cf {
	struct evg_cf_inst inst;
	struct evg_label_use use;
	unsigned line;
	uint32_t address;        /* its own address, 64-bit units */
	size_t first, count;     /* its clause: words[first ...] of the unit */
	unsigned fetches;
};

struct asm_label {
	char name[EVG_WORD_SIZE];
	size_t cf;               /* index of the CF instruction behind it */
};

struct asm_unit {
	struct asm_cf *cf;
	size_t cf_count, cf_capacity;
	struct asm_label *labels;
	size_t label_count, label_capacity;
	uint32_t *words;         /* of all clauses, in the order of the text */
	size_t word_count, word_capacity;
	uint32_t next_address;   /* of the next CF instruction */
	/* The group that is being read. */
	struct evg_alu_group group;
	struct evg_literals literals;
	unsigned group_line;
	uint32_t registers;      /* used so far */
	uint32_t pushes;
};

void asm_unit_clear(struct asm_unit *unit);

/* Reads one line, which holds an instruction, a label or END_OF_PROGRAM. */
int asm_unit_line(struct asm_unit *unit, struct evg_scan *scan);

/* Closes the last group, gives every instruction its address, and encodes the
 * kernel. The code, *size bytes, which the caller frees with free(); NULL and
 * the error. */
uint8_t *asm_unit_end(struct asm_unit *unit, struct evg_scan *scan,
		      uint32_t *size);

#endif
