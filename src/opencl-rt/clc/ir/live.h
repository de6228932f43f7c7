/* How long the values of a kernel live, and how many registers they take. */
#ifndef M2S_OPENCL_RT_CLC_IR_LIVE_H
#define M2S_OPENCL_RT_CLC_IR_LIVE_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opencl-rt/clc/ir/rewrite.h"

/* Positions count the instructions of a kernel from 0 in their order; a value
 * that lives at a position is wanted there or later. */
struct live_span {
	uint32_t first, last;
};

struct live_block {
	uint32_t first, last; /* its instructions */
	uint32_t *before;     /* blocks that branch here */
	size_t before_count, before_capacity;
	unsigned depth; /* of loops around it */
};

struct live {
	struct list insts;
	uint32_t *block_of; /* each instruction */
	struct live_block *blocks;
	size_t block_count;
	/* The spans of the value of instruction i are spans[start[i]] up to
	 * spans[start[i + 1]], in rising order, none touching the next. */
	struct live_span *spans;
	size_t *start;
	size_t span_count, span_capacity;
	/* Dwords that all values take at each position, and each of them. */
	uint32_t *pressure, *dwords;
	/* Where code for an instruction can be put before it and after it: the
	 * ends of the operation on doubles that it is part of (place.c). */
	uint32_t *before, *after;
	/* From values to positions and blocks: a hash table. */
	struct live_entry *table;
	size_t table_size;
};

/* For a kernel as it is now; live_end frees everything. */
void live_start(struct live *live, LLVMValueRef kernel);
void live_end(struct live *live);

/* The position of an instruction, or UINT32_MAX for other values. */
uint32_t live_position(const struct live *live, LLVMValueRef value);
/* Where a use takes its value: at the user, or for a phi at the end of the
 * block that the value comes from. */
uint32_t live_use_position(const struct live *live, LLVMUseRef use);

/* In place.c: sets `before` and `after`. */
void live_find_places(struct live *live);

#endif
