/* Expressions on this machine. */
#include <string.h>

#include "codegen/random/run.h"

uint32_t index_of(const struct run *run, const struct node *node, unsigned lane)
{
	struct value value;

	evaluate(run, node, lane, &value);
	return (uint32_t)value.bits[0];
}

uint8_t *zone_place(const struct run *run, struct type type, uint32_t index,
		    bool aligned, unsigned lane)
{
	unsigned item = run->group * GROUP + lane, element;

	if (aligned)
		element = index % (16 / type.width) * type.width;
	else
		element = type.width == 1   ? index % 16
			  : type.width < 16 ? index % 8
					    : 0;
	return run->memory->output[element_buffer(type.element)] +
	       (item * ZONE + 16 + element) * (element_bits(type.element) / 8);
}

static void evaluate_memory(const struct run *run, const struct node *node,
			    unsigned lane, struct value *result)
{
	struct type type = node->type;
	uint32_t index = index_of(run, node->kids[0], lane);
	unsigned bytes = element_bits(type.element) / 8;
	const uint8_t *from;

	switch (node->kind) {
	case NODE_ARRAY:
		*result = run->arrays[node->number][lane][index % ARRAY];
		return;
	case NODE_TABLE:
		for (unsigned i = 0; i < type.width; i++)
			table_value(type.element,
				    index % (ENTRIES / table_step(type.width)) *
						    type.width +
					    i,
				    result, i);
		return;
	case NODE_PLACES:
		index %= PLACES;
		result->bits[0] = element_cut(
			UINT, table_entry(place_of(index)) + index);
		return;
	case NODE_SHARED:
		index %= run->kernel->shared[node->number].width
				 ? GROUP
				 : SHARED_COUNTERS;
		*result = run->shared[node->number][index];
		return;
	case NODE_OWN:
		from = zone_place(run, type, index, node->number, lane);
		break;
	default:
		from = run->memory->input[element_buffer(type.element)] +
		       (type.width == 1 ? index % INPUTS
					: index % 16 * type.width) *
			       bytes;
		break;
	}
	for (unsigned i = 0; i < type.width; i++)
		element_load(type.element, from + i * bytes, result, i);
}

static bool compare(const struct node *node, const struct value *a,
		    const struct value *b, unsigned i)
{
	enum element element = node->kids[0]->type.element;
	bool less, equal;

	if (element_is_real(element)) {
		less = a->real[i] < b->real[i];
		equal = a->real[i] == b->real[i];
	} else {
		less = element_is_signed(element)
			       ? (int64_t)a->bits[i] < (int64_t)b->bits[i]
			       : a->bits[i] < b->bits[i];
		equal = a->bits[i] == b->bits[i];
	}
	switch (node->comparison) {
	case LESS:
		return less;
	case LESS_EQUAL:
		return less || equal;
	case EQUAL:
		return equal;
	default:
		return !equal;
	}
}

static void bits_of(const struct node *node, const struct value *operand,
		    struct value *result)
{
	enum element real = element_bits(node->type.element) == 32 ? FLOAT
								   : DOUBLE;
	struct type type = { real, node->type.width };
	struct value converted;

	evaluate_convert(node->kids[0]->type, type, false, operand,
			 &converted);
	for (unsigned i = 0; i < type.width; i++) {
		uint8_t bytes[8];

		element_store(real, bytes, &converted, i);
		element_load(node->type.element, bytes, result, i);
	}
}

static void choose(const struct node *node, const struct value *kids,
		   struct value *result)
{
	for (unsigned i = 0; i < node->type.width; i++) {
		bool yes = node->type.width == 1
				   ? kids[0].bits[0] != 0
				   : (int64_t)kids[0].bits[i] < 0;

		result->bits[i] = kids[yes ? 1 : 2].bits[i];
	}
}

static void evaluate_kids(const struct run *run, const struct node *node,
			  unsigned lane, struct value *result)
{
	struct value kids[4];

	for (unsigned k = 0; k < node->kid_count; k++)
		evaluate(run, node->kids[k], lane, &kids[k]);
	switch (node->kind) {
	case NODE_OPERATION:
		evaluate_operation(node->operation, node->type, kids, result);
		break;
	case NODE_COMPARE:
		for (unsigned i = 0; i < node->type.width; i++)
			result->bits[i] =
				!compare(node, &kids[0], &kids[1], i) ? 0
				: node->type.width == 1
					? 1
					: UINT64_MAX;
		break;
	case NODE_CHOOSE:
		choose(node, kids, result);
		break;
	case NODE_BITS_OF:
		bits_of(node, &kids[0], result);
		break;
	case NODE_PICK:
		for (unsigned i = 0; i < node->type.width; i++)
			result->bits[i] = kids[0].bits[node->lanes[i]];
		break;
	case NODE_BUILD:
		for (unsigned i = 0; i < node->type.width; i++)
			result->bits[i] =
				kids[node->kid_count > 1 ? i : 0].bits[0];
		break;
	default:
		evaluate_convert(node->kids[0]->type, node->type,
				 node->kind == NODE_SATURATE, &kids[0],
				 result);
		break;
	}
}

void evaluate(const struct run *run, const struct node *node, unsigned lane,
	      struct value *result)
{
	if (node->zero) {
		memset(result, 0, sizeof *result);
		return;
	}
	switch (node->kind) {
	case NODE_CONSTANT:
		*result = node->constant;
		break;
	case NODE_VARIABLE:
		*result = run->variables[node->number][lane];
		break;
	case NODE_LOCAL_ID:
		result->bits[0] = lane;
		break;
	case NODE_GLOBAL_ID:
		result->bits[0] = run->group * GROUP + lane;
		break;
	case NODE_ARGUMENT:
		result->bits[0] = (uint64_t)run->memory->argument;
		break;
	case NODE_ARRAY:
	case NODE_INPUT:
	case NODE_TABLE:
	case NODE_PLACES:
	case NODE_OWN:
	case NODE_SHARED:
		evaluate_memory(run, node, lane, result);
		break;
	default:
		evaluate_kids(run, node, lane, result);
		break;
	}
}
