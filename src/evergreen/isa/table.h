/* From operation codes to the ids of the instruction tables. Each function
 * returns -1 for a code that no instruction has. */
#ifndef M2S_EVERGREEN_ISA_TABLE_H
#define M2S_EVERGREEN_ISA_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "evergreen/isa/inst.h"

/* Any code may be asked for, also one outside a table's range. */
int evg_cf_find(bool is_alu, unsigned code);
int evg_alu_find(bool op3, unsigned code);
int evg_lds_find(unsigned code);
int evg_rat_find(unsigned code);
int evg_fetch_find(enum evg_fetch_layout layout, unsigned code, unsigned mod,
		   unsigned gds_op);

/* Whether a CF instruction of this kind starts a clause. */
bool evg_cf_has_alu_clause(enum evg_cf_op op);
bool evg_cf_has_fetch_clause(enum evg_cf_op op); /* GDS included */
/* Whether it waits until writes are acknowledged, before anything else. */
bool evg_cf_waits(enum evg_cf_op op);
/* Whether ADDR of this instruction is a target of control. ADDR of POP names
 * the instruction behind it. */
bool evg_cf_has_target(enum evg_cf_op op);

#endif
