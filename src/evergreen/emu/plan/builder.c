/* What a plan is made of: memory, rows, operands and constants. */
#include "evergreen/emu/plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct evg_arena {
	struct evg_arena *next;
	size_t used, size;
	alignas(64) uint8_t bytes[];
};

void *plan_allocate(struct evg_plan *plan, size_t size)
{
	struct evg_arena *arena = plan->arena;
	void *place;

	size = (size + 63) & ~(size_t)63;
	if (!arena || arena->used + size > arena->size) {
		size_t room = size > 32768 ? size : 32768;

		arena = aligned_alloc(64, sizeof *arena + room);
		if (!arena)
			arena = xmalloc(SIZE_MAX); /* reports and ends */
		arena->next = plan->arena;
		arena->used = 0;
		arena->size = room;
		plan->arena = arena;
	}
	place = arena->bytes + arena->used;
	arena->used += size;
	memset(place, 0, size);
	return place;
}

const char *plan_text(struct evg_plan *plan, const char *format, ...)
{
	char text[256], *copy;
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	copy = plan_allocate(plan, strlen(text) + 1);
	strcpy(copy, text);
	return copy;
}

uint32_t plan_rows(struct plan_builder *builder, uint32_t count)
{
	uint32_t row = builder->plan->row_count * EVG_ROW_BYTES;

	builder->plan->row_count += count;
	return row;
}

uint32_t plan_row(struct plan_builder *builder, uint32_t *row)
{
	if (*row == EVG_NO_ROW)
		*row = plan_rows(builder, 1);
	return *row;
}

uint32_t plan_register(struct plan_builder *builder, unsigned gpr,
		       unsigned channel)
{
	if (gpr < builder->plan->register_count)
		return (4 * gpr + channel) * EVG_ROW_BYTES;
	if (gpr < EVG_FIRST_TEMPORARY || gpr > EVG_FIRST_TEMPORARY + 3)
		return EVG_NO_ROW;
	return plan_row(
	    builder,
	    &builder->temporary_row[gpr - EVG_FIRST_TEMPORARY][channel]);
}

struct evg_operand plan_state(uint32_t row)
{
	return (struct evg_operand){row, EVG_BASE_STATE, 0xff};
}

static struct evg_operand pool_entry(struct plan_builder *builder,
				     struct evg_constant wanted)
{
	struct evg_plan *plan = builder->plan;
	uint32_t i;

	for (i = 0; i < plan->constant_count; i++)
		if (plan->constants[i].kind == wanted.kind &&
		    plan->constants[i].value == wanted.value &&
		    plan->constants[i].bank == wanted.bank)
			break;
	if (i == plan->constant_count) {
		ARRAY_GROW(plan->constants, plan->constant_count,
			   builder->constant_capacity);
		plan->constants[plan->constant_count++] = wanted;
	}
	return (struct evg_operand){i * EVG_CONSTANT_BYTES, EVG_BASE_POOL, 0};
}

struct evg_operand plan_constant(struct plan_builder *builder,
				 enum evg_constant_kind kind, uint32_t value)
{
	return pool_entry(builder, (struct evg_constant){kind, value, 0});
}

struct evg_operand plan_buffer_constant(struct plan_builder *builder,
					unsigned bank, uint32_t dword)
{
	return pool_entry(builder,
			  (struct evg_constant){EVG_CONSTANT_BUFFER, dword,
						(uint8_t)bank});
}

void plan_memory_free(struct evg_plan *plan)
{
	for (struct evg_arena *arena = plan->arena, *next; arena;
	     arena = next) {
		next = arena->next;
		free(arena);
	}
	free(plan->constants);
}
