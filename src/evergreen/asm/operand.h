/* Registers and selects, which instructions of all kinds write alike. */
#ifndef M2S_EVERGREEN_ASM_OPERAND_H
#define M2S_EVERGREEN_ASM_OPERAND_H

#include "evergreen/asm/scan.h"
#include "evergreen/isa/inst.h"

struct evg_register {
	uint8_t number;
	bool relative;
	uint8_t mode;  /* INDEX_MODE of a relative register */
};

/* Reads a register: "R5", "T0", "R[5+AR]", "R[5+aL]", "G[5]" or "G[5+AR]". 0,
 * or -1 and the error. */
int evg_scan_register(struct evg_scan *scan, struct evg_register *reg);

/* Reads ".xy0_" with `count` letters. 0, or -1 and the error. */
int evg_scan_selects(struct evg_scan *scan, uint8_t *select, unsigned count);

/* Reads an index mode: 1 for "+idx0", 2 for "+idx1", 0 when neither follows. */
uint8_t evg_scan_index(struct evg_scan *scan);

/* The code of a data format, which `word` gives as a name or a number; -1 for
 * an unknown one. */
int evg_data_format_find(const char *word);

#endif
