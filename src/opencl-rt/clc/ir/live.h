/* The lifetimes of the values of a kernel, and the registers that they take. */
#ifndef M2S_OPENCL_RT_CLC_IR_LIVE_H
#define M2S_OPENCL_RT_CLC_IR_LIVE_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opencl-rt/clc/ir/rewrite.h"

/* Positions number the instructions of a kernel from 0 in their order. A value
 * is live at a position when that position or a later one uses it. */
struct live_span {
	uint32_t first, last;
};

struct live_block {
	uint32_t first, last; /* its instructions */
	uint32_t *before;     /* predecessors */
	size_t before_count, before_capacity;
	unsigned depth; /* nesting of the loops around it */
};

struct live {
	struct list insts;
	uint32_t *block_of; /* block of each instruction */
	struct live_block *blocks;
	size_t block_count;
	/* The spans of the value of instruction i are spans[start[i]] up to
	 * spans[start[i + 1]], in rising order, none touching the next. */
	struct live_span *spans;
	size_t *start;
	size_t span_count, span_capacity;
	/* The dwords of all live values at each position, and the dwords of
	 * each value. */
	uint32_t *pressure, *dwords;
	/* The positions where code can be inserted before and after an
	 * instruction: the ends of the operation on doubles that it is part of
	 * (place.c). */
	uint32_t *before, *after;
	/* From values to positions and blocks: a hash table. */
	struct live_entry *table;
	size_t table_size;
};

/* Analyses a kernel in its current form; live_end frees everything. */
void live_start(struct live *live, LLVMValueRef kernel);
void live_end(struct live *live);

/* The position of an instruction, or UINT32_MAX for other values. */
uint32_t live_position(const struct live *live, LLVMValueRef value);
/* The position at which a use reads its value: at the user, or for a phi at the
 * end of the incoming block. */
uint32_t live_use_position(const struct live *live, LLVMUseRef use);

/* In place.c: sets `before` and `after`. */
void live_find_places(struct live *live);

#endif
