/* Operands and operations of ALU clauses that concern the wavefront more than
 * its lanes: operands by aL, CF index or in shared registers, source selectors
 * that ask the machine, and the operations that set CF index registers and the
 * bounds of local memory. Rare, and therefore compiled once. */
#ifndef M2S_EVERGREEN_EMU_MEMORY_INDEXED_H
#define M2S_EVERGREEN_EMU_MEMORY_INDEXED_H

#include "evergreen/emu/state.h"

enum { EVG_SHARED_REGISTERS = 128 };

/* struct evg_indexed: into row `dest`; from source 0. */
evg_body evg_indexed_load, evg_indexed_store;
/* struct evg_special: a selector's value into row `dest`. */
evg_body evg_machine_value;
/* struct evg_special: CF index register `which` = AR of the first lane. */
evg_body evg_set_cf_index;
/* Local memory begins at byte source 0 and has source 1 bytes. */
evg_body evg_set_local_bounds;

#endif
