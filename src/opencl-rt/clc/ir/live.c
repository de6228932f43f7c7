#include "opencl-rt/clc/ir/live.h"

#include <stdlib.h>

#include "base/memory.h"

/* --- From values to numbers --------------------------------------------- */

struct live_entry {
	LLVMValueRef value;
	uint32_t number; /* position, or index of a block */
};

static size_t table_place(const struct live *live, LLVMValueRef value)
{
	size_t place = ((uintptr_t)value >> 4) * 0x9e3779b1u;

	for (;; place++) {
		place &= live->table_size - 1;
		if (!live->table[place].value ||
		    live->table[place].value == value)
			return place;
	}
}

static void remember(struct live *live, LLVMValueRef value, uint32_t number)
{
	live->table[table_place(live, value)] =
		(struct live_entry){ value, number };
}

static uint32_t number_of(const struct live *live, LLVMValueRef value)
{
	const struct live_entry *entry =
		&live->table[table_place(live, value)];

	return entry->value ? entry->number : UINT32_MAX;
}

uint32_t live_position(const struct live *live, LLVMValueRef value)
{
	return LLVMIsAInstruction(value) ? number_of(live, value) : UINT32_MAX;
}

static uint32_t index_of_block(const struct live *live,
			       LLVMBasicBlockRef block)
{
	return number_of(live, LLVMBasicBlockAsValue(block));
}

/* --- Blocks ------------------------------------------------------------- */

static void find_blocks(struct live *live, LLVMValueRef kernel)
{
	LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(kernel);
	uint32_t at = 0;

	for (size_t b = 0; block; b++, block = LLVMGetNextBasicBlock(block)) {
		remember(live, LLVMBasicBlockAsValue(block), (uint32_t)b);
		live->blocks[b].first = at;
		while (at < live->insts.count &&
		       LLVMGetInstructionParent(live->insts.items[at]) ==
			       block) {
			remember(live, live->insts.items[at], at);
			live->block_of[at++] = (uint32_t)b;
		}
		live->blocks[b].last = at - 1;
	}
}

static void connect(struct live *live, uint32_t from, uint32_t to)
{
	struct live_block *block = &live->blocks[to];

	ARRAY_GROW(block->before, block->before_count,
		   block->before_capacity);
	block->before[block->before_count++] = from;
	/* Loops are what lies between a branch back and where it goes: blocks
	 * come in the program's order. */
	for (uint32_t b = to; b <= from; b++)
		live->blocks[b].depth++;
}

static void connect_blocks(struct live *live)
{
	for (uint32_t b = 0; b < live->block_count; b++) {
		LLVMValueRef end = live->insts.items[live->blocks[b].last];

		for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
			connect(live, b,
				index_of_block(live,
					       LLVMGetSuccessor(end, i)));
	}
}

/* --- Values ------------------------------------------------------------- */

/* Dwords of the registers that hold a value of a type. */
static uint32_t dwords_of(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMVoidTypeKind:
		return 0;
	case LLVMIntegerTypeKind:
		return (LLVMGetIntTypeWidth(type) + 31) / 32;
	case LLVMDoubleTypeKind:
		return 2;
	case LLVMVectorTypeKind:
		return LLVMGetVectorSize(type) *
		       dwords_of(LLVMGetElementType(type));
	default:
		return 1;
	}
}

/* Private variables are addresses, and no values. */
static uint32_t dwords_of_value(LLVMValueRef inst)
{
	return LLVMIsAAllocaInst(inst) ? 0 : dwords_of(LLVMTypeOf(inst));
}

uint32_t live_use_position(const struct live *live, LLVMUseRef use)
{
	LLVMValueRef user = LLVMGetUser(use), value = LLVMGetUsedValue(use);

	if (!LLVMIsAPHINode(user))
		return live_position(live, user);
	/* The uses of one phi come in any order; each is somewhere. */
	for (unsigned i = 0; i < LLVMCountIncoming(user); i++)
		if (LLVMGetOperandUse(user, i) == use)
			return live->blocks[index_of_block(
						    live,
						    LLVMGetIncomingBlock(user,
									 i))]
				.last;
	return live_position(live, value);
}

/* What is known of one value while its spans are found. */
struct search {
	uint32_t *end;       /* for each block: 1 + last position there, or 0 */
	uint32_t *touched;   /* blocks where that is not 0 */
	uint32_t *waiting;   /* blocks at whose start the value lives */
	size_t touched_count, waiting_count;
};

/* The value lives in a block up to a position. */
static void reach(const struct live *live, struct search *search,
		  uint32_t definition, uint32_t position)
{
	uint32_t block = live->block_of[position];
	uint32_t old = search->end[block];

	if (old > position)
		return;
	search->end[block] = position + 1;
	if (old)
		return;
	search->touched[search->touched_count++] = block;
	if (block != live->block_of[definition] || position <= definition)
		search->waiting[search->waiting_count++] = block;
}

static int compare_blocks(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void add_span(struct live *live, size_t start, uint32_t first,
		     uint32_t last)
{
	if (live->span_count > start &&
	    live->spans[live->span_count - 1].last + 1 == first) {
		live->spans[live->span_count - 1].last = last;
		return;
	}
	ARRAY_GROW(live->spans, live->span_count, live->span_capacity);
	live->spans[live->span_count++] = (struct live_span){ first, last };
}

/* From the uses back to the definition. */
static void find_spans(struct live *live, struct search *search,
		       uint32_t definition)
{
	LLVMValueRef inst = live->insts.items[definition];
	uint32_t home = live->block_of[definition];

	search->touched_count = search->waiting_count = 0;
	for (LLVMUseRef use = LLVMGetFirstUse(inst); use;
	     use = LLVMGetNextUse(use))
		reach(live, search, definition, live_use_position(live, use));
	while (search->waiting_count) {
		const struct live_block *block =
			&live->blocks[search->waiting[--search->waiting_count]];

		for (size_t i = 0; i < block->before_count; i++)
			reach(live, search, definition,
			      live->blocks[block->before[i]].last);
	}
	qsort(search->touched, search->touched_count, sizeof(uint32_t),
	      compare_blocks);
	for (size_t i = 0; i < search->touched_count; i++) {
		uint32_t block = search->touched[i];
		uint32_t last = search->end[block] - 1;
		uint32_t first = live->blocks[block].first;

		search->end[block] = 0;
		if (block == home && last > definition)
			first = definition + 1;
		add_span(live, live->start[definition], first, last);
	}
}

static void find_values(struct live *live)
{
	struct search search = {
		xcalloc(live->block_count, sizeof(uint32_t)),
		xcalloc(live->block_count, sizeof(uint32_t)),
		xcalloc(live->block_count, sizeof(uint32_t)), 0, 0,
	};

	for (uint32_t i = 0; i < live->insts.count; i++) {
		live->start[i] = live->span_count;
		live->dwords[i] = dwords_of_value(live->insts.items[i]);
		if (live->dwords[i])
			find_spans(live, &search, i);
		for (size_t s = live->start[i]; s < live->span_count; s++)
			for (uint32_t at = live->spans[s].first;
			     at <= live->spans[s].last; at++)
				live->pressure[at] += live->dwords[i];
	}
	live->start[live->insts.count] = live->span_count;
	free(search.end);
	free(search.touched);
	free(search.waiting);
}

/* ------------------------------------------------------------------------ */

void live_start(struct live *live, LLVMValueRef kernel)
{
	size_t count;

	*live = (struct live){ .insts = function_instructions(kernel) };
	count = live->insts.count;
	live->block_count = LLVMCountBasicBlocks(kernel);
	live->blocks = xcalloc(live->block_count, sizeof *live->blocks);
	live->block_of = xcalloc(count, sizeof(uint32_t));
	live->start = xcalloc(count + 1, sizeof *live->start);
	live->pressure = xcalloc(count, sizeof(uint32_t));
	live->dwords = xcalloc(count, sizeof(uint32_t));
	live->before = xcalloc(count, sizeof(uint32_t));
	live->after = xcalloc(count, sizeof(uint32_t));
	live->table_size = 1;
	while (live->table_size < 2 * (count + live->block_count))
		live->table_size *= 2;
	live->table = xcalloc(live->table_size, sizeof *live->table);
	find_blocks(live, kernel);
	connect_blocks(live);
	find_values(live);
	live_find_places(live);
}

void live_end(struct live *live)
{
	for (size_t b = 0; b < live->block_count; b++)
		free(live->blocks[b].before);
	free(live->insts.items);
	free(live->blocks);
	free(live->block_of);
	free(live->spans);
	free(live->start);
	free(live->pressure);
	free(live->dwords);
	free(live->before);
	free(live->after);
	free(live->table);
}
