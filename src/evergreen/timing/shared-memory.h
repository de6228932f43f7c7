/* Accesses to buffers that are memory of a program, of a GPU that shares one memory
 * with the cores: they take the coherent way (CoherentModule), with the addresses
 * that the program's pages have there. Internal to evergreen/timing. */
#ifndef M2S_EVERGREEN_TIMING_SHARED_MEMORY_H
#define M2S_EVERGREEN_TIMING_SHARED_MEMORY_H

#include "evergreen/timing/compute-unit.h"

/* Of a block_access's kind: its address is of such a buffer. */
enum { ACCESS_SHARED = 0x80 };

/* How many bytes of an access from this address on lie in such a buffer and in one
 * block of the memory. 0: none. */
uint32_t shared_part(const struct compute_unit *cu, uint32_t address,
		     uint32_t size);

/* Starts an access to such a part, as module_access_by() does. */
bool shared_start(struct compute_unit *cu, const struct block_access *access,
		  module_done *done);

#endif
