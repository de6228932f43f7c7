/* Operands and operations of ALU clauses that concern the wavefront more than
 * its lanes: operands indexed by aL or by CF index registers, operands in
 * shared registers, source selectors for facts about the machine, and the
 * operations that set CF index registers and the bounds of local memory. They
 * are rare and therefore compiled once. */
#ifndef M2S_EVERGREEN_EMU_MEMORY_INDEXED_H
#define M2S_EVERGREEN_EMU_MEMORY_INDEXED_H

#include "evergreen/emu/state.h"

enum { EVG_SHARED_REGISTERS = 128 };

/* Of struct evg_indexed: load into row `dest`; store from source 0. */
evg_body evg_indexed_load, evg_indexed_store;
/* Of struct evg_special: puts a selector's value into row `dest`. */
evg_body evg_machine_value;
/* Of struct evg_special: sets CF index register `which` to AR of the first
 * lane. */
evg_body evg_set_cf_index;
/* Sets the bounds of local memory: source 0 is its first byte, source 1 its
 * number of bytes. */
evg_body evg_set_local_bounds;

#endif
