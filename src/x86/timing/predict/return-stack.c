#include "x86/timing/predict/return-stack.h"

#include <stdlib.h>

#include "base/memory.h"

enum { ADDRESS_BITS = 48 };

size_t return_stack_bytes(const struct predict_config *config)
{
	return (config->ras_size + (size_t)1) * sizeof(uint64_t);
}

uint64_t return_stack_bits(const struct predict_config *config)
{
	unsigned pointer = 0;

	while (1u << pointer < config->ras_size)
		pointer++;
	return (uint64_t)config->ras_size * ADDRESS_BITS + pointer;
}

void return_stack_init(struct return_stack *stack,
		       const struct predict_config *config)
{
	stack->config = config;
	stack->state = xcalloc_aligned(return_stack_bytes(config));
}

void return_stack_free(struct return_stack *stack)
{
	free(stack->state);
	stack->state = NULL;
}

uint64_t return_stack_fetch(struct return_stack *stack,
			    struct return_record *record,
			    enum branch_kind kind, uint64_t next)
{
	uint32_t size = stack->config->ras_size;
	uint64_t *pointer = &stack->state[0], *ring = &stack->state[1];

	record->pointer = (uint32_t)*pointer;
	record->top = ring[*pointer];
	record->pushed = kind == BRANCH_CALL || kind == BRANCH_INDIRECT_CALL;
	if (record->pushed) {
		*pointer = *pointer + 1 == size ? 0 : *pointer + 1;
		record->overwritten = ring[*pointer];
		ring[*pointer] = next;
	} else if (kind == BRANCH_RETURN) {
		*pointer = *pointer ? *pointer - 1 : size - 1;
		return record->top;
	}
	return 0;
}

static void undo(struct return_stack *stack, const struct return_record *record)
{
	uint64_t *ring = &stack->state[1];

	if (record->pushed)
		ring[stack->state[0]] = record->overwritten;
	stack->state[0] = record->pointer;
}

void return_stack_repair(struct return_stack *stack,
			 const struct return_record *records, size_t count)
{
	if (!count || stack->config->ras_repair == RAS_REPAIR_NONE)
		return;
	if (stack->config->ras_repair == RAS_REPAIR_FULL) {
		while (count-- > 0)
			undo(stack, &records[count]);
		return;
	}
	stack->state[0] = records[0].pointer;
	if (stack->config->ras_repair == RAS_REPAIR_TOP)
		stack->state[1 + records[0].pointer] = records[0].top;
}
