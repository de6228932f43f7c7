/* The chips of the family, and what of the instruction set each has. */
#ifndef M2S_EVERGREEN_ISA_CHIP_H
#define M2S_EVERGREEN_ISA_CHIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "evergreen/isa/inst.h"

/* The first is what everything is made for unless something else is said. */
enum evg_chip {
#define CHIP(id, ...) EVG_CHIP_##id,
#include "evergreen/isa/chip.def"
	EVG_CHIP_COUNT
};

/* See chip.def. */
struct evg_chip_info {
	const char *name, *title;
	uint32_t number;
	unsigned wavefront; /* work-items */
	unsigned entry;     /* elements */
	bool fma, fp64, push_fault;
};

extern const struct evg_chip_info evg_chip_info[EVG_CHIP_COUNT];

/* -1: no chip has the name. */
int evg_chip_find(const char *name, size_t length);
/* The chip with a number of ELF headers; -1: none. */
int evg_chip_by_number(uint32_t number);
/* "cypress, juniper, ... or sumo", to be freed. */
char *evg_chip_names(void);
/* What an operation needs and the chip lacks, for messages: "FMA" or
 * "double-precision units". NULL: the chip has the operation. */
const char *evg_chip_lacks(enum evg_chip chip, enum evg_alu_op op);

#endif
