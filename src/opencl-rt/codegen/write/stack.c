#include "opencl-rt/codegen/write/stack.h"

/* Elements of open branches: beside one each, one more where there are any
 * (Mesa, r600: callstack_update_max_depth). */
static unsigned of_branches(unsigned branches)
{
	return branches ? branches + 1 : 0;
}

static void measure(struct write_stack *stack)
{
	unsigned elements = stack->loops * evg_chip_info[stack->chip].entry +
			    of_branches(stack->branches);

	if (elements > stack->most)
		stack->most = elements;
}

void write_stack_loop(struct write_stack *stack)
{
	stack->loops++;
	measure(stack);
}

void write_stack_branch(struct write_stack *stack)
{
	stack->branches++;
	measure(stack);
}

void write_stack_end(struct write_stack *stack, bool is_loop)
{
	if (is_loop)
		stack->loops--;
	else
		stack->branches--;
}

/* The fault shows at two elements of an entry; as LLVM does, and since nobody
 * has published more than what helps, no clause saves a mask behind the first
 * entry at all. */
bool write_stack_clause_saves(const struct write_stack *stack)
{
	const struct evg_chip_info *chip = &evg_chip_info[stack->chip];

	return !chip->push_fault ||
	       of_branches(stack->branches + 1) < chip->entry;
}

unsigned write_stack_entries(const struct write_stack *stack)
{
	unsigned entry = evg_chip_info[stack->chip].entry;

	return (stack->most + entry - 1) / entry;
}
