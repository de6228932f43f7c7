/* Registers and selects, as all kinds of instructions write them. */
#ifndef M2S_EVERGREEN_ASM_OPERAND_H
#define M2S_EVERGREEN_ASM_OPERAND_H

#include "evergreen/asm/scan.h"
#include "evergreen/isa/inst.h"

struct evg_register {
	uint8_t number;
	bool relative;
	uint8_t mode;  /* of a relative one */
};

/* "R5", "T0", "R[5+AR]", "R[5+aL]", "G[5]", "G[5+AR]": 0, or -1. */
int evg_scan_register(struct evg_scan *scan, struct evg_register *reg);

/* ".xy0_" with `count` letters. */
int evg_scan_selects(struct evg_scan *scan, uint8_t *select, unsigned count);

/* "+idx0" and "+idx1": 1 and 2; 0 when neither follows. */
uint8_t evg_scan_index(struct evg_scan *scan);

/* The number of a data format by name or number, or -1. */
int evg_data_format_find(const char *word);

#endif
