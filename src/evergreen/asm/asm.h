/* The assembler of one instruction: the inverse of the disassembler in
 * isa/format-*.c, and the exact text, from which the same words come back. */
#ifndef M2S_EVERGREEN_ASM_ASM_H
#define M2S_EVERGREEN_ASM_ASM_H

#include "evergreen/asm/scan.h"
#include "evergreen/isa/inst.h"

/* A name in place of an address: "ADDR(@name)". */
struct evg_label_use {
	char name[EVG_WORD_SIZE]; /* "" when there was a number, or nothing */
	bool has_address, has_count;
};

/* Reads a CF instruction up to the end of the line. The clause's address and
 * length stay 0 where the text has none. */
int evg_cf_parse(struct evg_scan *scan, struct evg_cf_inst *inst,
		 struct evg_label_use *label);

/* Reads a fetch instruction (any layout) up to the end of the line. */
int evg_fetch_parse(struct evg_scan *scan, struct evg_fetch_inst *inst);

/* Literals of a group in the making. */
struct evg_literals {
	uint32_t value[4];
	uint8_t taken;   /* bit c: channel c has a value */
};

/* Reads one slot's line, behind the number: "x: ADD  R0.x,  R1.x,  2.0f". */
int evg_alu_parse(struct evg_scan *scan, struct evg_alu_inst *inst,
		  unsigned *slot, struct evg_literals *literals);

/* Adds an instruction to a group, or completes it: sets LAST, order and
 * literals. */
int evg_group_add(struct evg_scan *scan, struct evg_alu_group *group,
		  const struct evg_alu_inst *inst, unsigned slot);
void evg_group_end(struct evg_alu_group *group,
		   const struct evg_literals *literals);

/* As evg_cf_format() and so on, followed by the fields ("SRC1_SEL=4") that
 * the plain text does not tell, if there are any: parsing the result gives the
 * same instruction. */
size_t evg_cf_format_exact(char *text, size_t size,
			   const struct evg_cf_inst *inst);
size_t evg_fetch_format_exact(char *text, size_t size,
			      const struct evg_fetch_inst *inst);
size_t evg_alu_group_format_exact(char *text, size_t size,
				  const struct evg_alu_group *group,
				  unsigned number);

#endif
