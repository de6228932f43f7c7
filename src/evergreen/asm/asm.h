/* The assembler of one instruction: the inverse of the disassembler in
 * isa/format-*.c. It also writes exact text, which assembles to the same
 * words. */
#ifndef M2S_EVERGREEN_ASM_ASM_H
#define M2S_EVERGREEN_ASM_ASM_H

#include "evergreen/asm/scan.h"
#include "evergreen/isa/inst.h"

/* A label in place of an address: "ADDR(@name)". */
struct evg_label_use {
	char name[EVG_WORD_SIZE]; /* "": the text has a number or no address */
	bool has_address, has_count;
};

/* Reads a CF instruction up to the end of the line. The address and the length
 * of the clause stay 0 where the text gives none. */
int evg_cf_parse(struct evg_scan *scan, struct evg_cf_inst *inst,
		 struct evg_label_use *label);

/* Reads a fetch instruction of any layout up to the end of the line. */
int evg_fetch_parse(struct evg_scan *scan, struct evg_fetch_inst *inst);

/* The literals of a group that is being assembled. */
struct evg_literals {
	uint32_t value[4];
	uint8_t taken;   /* bit c: channel c has a value */
};

/* Reads the line of one slot, from behind the group's number on: "x: ADD R0.x,
 * R1.x, 2.0f". */
int evg_alu_parse(struct evg_scan *scan, struct evg_alu_inst *inst,
		  unsigned *slot, struct evg_literals *literals);

/* evg_group_add adds an instruction to a group. evg_group_end completes the
 * group: it sets LAST, the order and the literals. */
int evg_group_add(struct evg_scan *scan, struct evg_alu_group *group,
		  const struct evg_alu_inst *inst, unsigned slot);
void evg_group_end(struct evg_alu_group *group,
		   const struct evg_literals *literals);

/* Write the text of evg_cf_format(), evg_alu_group_format() and
 * evg_fetch_format(), followed by those fields that this text does not tell
 * ("SRC1_SEL=4"). Parsing the result gives the same instruction. */
size_t evg_cf_format_exact(char *text, size_t size,
			   const struct evg_cf_inst *inst);
size_t evg_fetch_format_exact(char *text, size_t size,
			      const struct evg_fetch_inst *inst);
size_t evg_alu_group_format_exact(char *text, size_t size,
				  const struct evg_alu_group *group,
				  unsigned number);

#endif
