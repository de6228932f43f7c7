/* Marks that m2s-clc leaves in the code for its own last step.
 *
 * LLVM's back end cannot select an atomic with a result, nor WAIT_ACK, and it
 * loses END_OF_PROGRAM when nothing is stored before the end. However, it
 * selects the intrinsic llvm.r600.rat.store.typed(data, index, RAT number)
 * anywhere. The hardware has RATs 0 to 11, so stores to higher numbers can
 * serve as marks. lower.c writes the marks; patch.c turns them into the real
 * instructions, all of which have 64 bits:
 *
 *   MARKER_TAIL     before every return: becomes NOP and keeps the
 *                   END_OF_PROGRAM bit
 *   MARKER_ATOMIC   becomes MEM_RAT <operation>_RTN on RAT 0, acknowledged
 *   MARKER_WAIT     becomes WAIT_ACK 0
 *   MARKER_SCRATCH  becomes MEM_WR_SCRATCH of one dword
 *
 * An atomic with a result is MARKER_ATOMIC (data x: operand, w: comparand;
 * index x: dword index), MARKER_WAIT, and a volatile load from the address
 * MARKER_LOAD + 4 * operation (an index into atomics.def), which becomes the
 * fetch of the result.
 *
 * Scratch memory is counted in dwords, each work-item has its own from 0.
 * MARKER_SCRATCH is a store (data x; index x: which dword). A fetch of one
 * dword of the kernel's parameters with the offset MARKER_SCRATCH_LOAD, which no
 * parameter has, becomes READ_SCRATCH with the index in the fetch's source.
 *
 * Likewise the back end cannot select LD, a fetch by integer coordinates:
 * each SAMPLE_C (which compares, as only shadow maps do) becomes LD.
 *
 * One ALU instruction is a mark, too: RECIPSQRT_CLAMPED becomes SQRT_IEEE
 * (float.c).
 *
 * The result. On Evergreen a *_RTN operation leaves the old value in the RAT's
 * immediate return buffer, and a vertex fetch reads it there. The convention
 * here: resource CLC_RESOURCE_RETURN + RAT number is that buffer (Mesa binds
 * the same number); it has one dword for each lane of the wavefront, written by
 * every *_RTN operation that the lane executes; a fetch from it gives each lane
 * its own dword in x. The fetch's address and the return index (RW_GPR.y) are
 * ignored; both are 0 or undefined. So a launch reserves no memory for them. */
#ifndef M2S_OPENCL_RT_CLC_IR_MARKER_H
#define M2S_OPENCL_RT_CLC_IR_MARKER_H

#include <stdint.h>

#include "opencl-rt/codegen/target.h"

enum {
	MARKER_TAIL = 12,
	MARKER_ATOMIC = 13,
	MARKER_WAIT = 14,
	MARKER_SCRATCH = 15,
	/* A constant address below 32 K becomes the fetch's offset field. No
	 * dword lies at an odd address. */
	MARKER_LOAD = 0x7f01,
	/* The parameters of a kernel end before this offset. */
	MARKER_SCRATCH_LOAD = 0x7000,
};

/* Indices into atomics.def. */
enum atomic_operation {
#define ATOMIC(id, ...) ATOMIC_##id,
#include "opencl-rt/clc/ir/atomics.def"
	ATOMIC_COUNT
};

#endif
