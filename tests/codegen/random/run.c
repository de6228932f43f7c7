/* Kernels on this machine: all work-items of a group go through each statement
 * together, so that barriers need nothing. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "codegen/random/run.h"

/* What is assigned or stored: real numbers are kept in bounds. */
static void evaluate_bound(const struct run *run, const struct node *node,
			   unsigned lane, struct value *result)
{
	double bound = element_bound(node->type.element);

	evaluate(run, node, lane, result);
	if (!element_is_real(node->type.element))
		return;
	for (unsigned i = 0; i < node->type.width; i++)
		result->real[i] =
			fmin(fmax(rint(result->real[i]), -bound), bound);
}

static uint32_t apply(enum atomic atomic, uint32_t old, uint32_t value)
{
	switch (atomic) {
	case ADD_TO:
		return old + value;
	case SUB_FROM:
		return old - value;
	case MIN_OF:
		return (int32_t)old < (int32_t)value ? old : value;
	case MAX_OF:
		return (int32_t)old > (int32_t)value ? old : value;
	case AND_TO:
		return old & value;
	case OR_TO:
		return old | value;
	case XOR_TO:
		return old ^ value;
	case INCREMENT:
		return old + 1;
	case DECREMENT:
		return old - 1;
	case EXCHANGE:
		return value;
	default:
		return old == (value & 3) ? value : old;
	}
}

static void store(const struct run *run, const struct statement *statement,
		  unsigned lane)
{
	struct type type = statement->type;
	struct value value;
	uint8_t *to;

	evaluate_bound(run, statement->value, lane, &value);
	to = zone_place(run, type, index_of(run, statement->index, lane),
			statement->aligned, lane);
	for (unsigned i = 0; i < type.width; i++)
		element_store(type.element,
			      to + i * (element_bits(type.element) / 8),
			      &value, i);
}

static void run_atomic(struct run *run, const struct statement *statement,
		       unsigned lane)
{
	uint32_t value = index_of(run, statement->value, lane);
	uint32_t index = index_of(run, statement->index, lane);
	uint32_t item = run->group * GROUP + lane;
	uint64_t *bits;
	uint32_t *place;

	if (statement->kind == STATEMENT_COUNT) {
		bits = &run->shared[statement->number][index % SHARED_COUNTERS]
				.bits[0];
		*bits = element_cut(INT, apply(statement->atomic,
					       (uint32_t)*bits, value));
		return;
	}
	place = statement->kind == STATEMENT_RESULT
			? &run->memory->own[item * 4 + index % 4]
			: &run->memory->counters[statement->atomic * COUNTERS +
						 index % COUNTERS];
	if (statement->kind == STATEMENT_RESULT)
		run->variables[statement->number][lane].bits[0] =
			element_cut(INT, *place);
	*place = apply(statement->atomic, *place, value);
}

static void run_part(struct run *run, const struct statement *statement,
		     unsigned lane)
{
	struct value value;

	evaluate_bound(run, statement->value, lane, &value);
	for (unsigned i = 0; i < statement->value->type.width; i++)
		run->variables[statement->number][lane]
			.bits[statement->lanes[i]] = value.bits[i];
}

/* One work-item's part of a statement without others in it. */
static void run_simple(struct run *run, const struct statement *statement,
		       unsigned lane)
{
	unsigned number = statement->number;
	struct value value;

	switch (statement->kind) {
	case STATEMENT_ASSIGN:
		evaluate_bound(run, statement->value, lane, &value);
		run->variables[number][lane] = value;
		break;
	case STATEMENT_PART:
		run_part(run, statement, lane);
		break;
	case STATEMENT_ARRAY:
		evaluate_bound(run, statement->value, lane, &value);
		run->arrays[number][lane][index_of(run, statement->index,
						   lane) %
					  ARRAY] = value;
		break;
	case STATEMENT_STORE:
		store(run, statement, lane);
		break;
	case STATEMENT_SHARE:
		evaluate_bound(run, statement->value, lane,
			       &run->shared[number][lane]);
		break;
	case STATEMENT_CLEAR:
		if (lane < SHARED_COUNTERS)
			run->shared[number][lane].bits[0] = 0;
		break;
	case STATEMENT_ATOMIC:
	case STATEMENT_RESULT:
	case STATEMENT_COUNT:
		run_atomic(run, statement, lane);
		break;
	default:
		break;
	}
}

static uint64_t run_list(struct run *run, const struct statement *first,
			 uint64_t mask);

/* The work-items whose value has one of its low bits. */
static uint64_t test(const struct run *run, const struct node *node,
		     uint64_t mask)
{
	uint64_t yes = 0;

	for (unsigned lane = 0; lane < GROUP; lane++)
		if (mask >> lane & 1 && index_of(run, node, lane))
			yes |= UINT64_C(1) << lane;
	return yes;
}

static uint64_t run_switch(struct run *run, const struct statement *statement,
			   uint64_t mask)
{
	uint64_t cases[3] = { 0 }, left = 0, first;

	for (unsigned lane = 0; lane < GROUP; lane++) {
		uint32_t value;

		if (!(mask >> lane & 1))
			continue;
		value = index_of(run, statement->value, lane) & 7;
		cases[value < 2 ? value : 2] |= UINT64_C(1) << lane;
	}
	first = run_list(run, statement->sides[0], cases[0]);
	if (statement->falls)
		cases[1] |= first;
	else
		left = first;
	left |= run_list(run, statement->sides[1], cases[1]);
	return left | run_list(run, statement->sides[2], cases[2]);
}

static uint64_t run_loop(struct run *run, const struct statement *statement,
			 uint64_t mask)
{
	uint64_t outer = run->continued, inside = mask;
	unsigned turns[GROUP], counter = statement->number;

	for (unsigned lane = 0; lane < GROUP; lane++) {
		turns[lane] = 5;
		/* Its own bound may read it. */
		if (mask >> lane & 1)
			run->variables[counter][lane].bits[0] = 0;
		if (statement->kind != STATEMENT_WHILE && mask >> lane & 1)
			turns[lane] =
				index_of(run, statement->value, lane) & 7;
	}
	for (unsigned turn = 0; turn < 8 && inside; turn++) {
		for (unsigned lane = 0; lane < GROUP; lane++) {
			run->variables[counter][lane].bits[0] = turn;
			if (turn >= turns[lane])
				inside &= ~(UINT64_C(1) << lane);
		}
		if (statement->kind == STATEMENT_WHILE)
			inside = test(run, statement->value, inside);
		run->continued = 0;
		inside = run_list(run, statement->sides[0], inside);
		inside |= run->continued;
	}
	run->continued = outer;
	return mask & ~run->returned;
}

/* Runs a statement with a set of work-items: those that go on behind it. */
static uint64_t run_statement(struct run *run,
			      const struct statement *statement, uint64_t mask)
{
	uint64_t yes;

	switch (statement->kind) {
	case STATEMENT_IF:
	case STATEMENT_UNIFORM_IF:
		yes = test(run, statement->value, mask);
		mask &= ~yes;
		yes = run_list(run, statement->sides[0], yes);
		return yes | run_list(run, statement->sides[1], mask);
	case STATEMENT_SWITCH:
		return run_switch(run, statement, mask);
	case STATEMENT_FOR:
	case STATEMENT_UNIFORM_FOR:
	case STATEMENT_WHILE:
		return run_loop(run, statement, mask);
	case STATEMENT_BREAK:
		return 0;
	case STATEMENT_CONTINUE:
		run->continued |= mask;
		return 0;
	case STATEMENT_RETURN:
		run->returned |= mask;
		return 0;
	default:
		for (unsigned lane = 0; lane < GROUP; lane++)
			if (mask >> lane & 1)
				run_simple(run, statement, lane);
		return mask;
	}
}

static uint64_t run_list(struct run *run, const struct statement *first,
			 uint64_t mask)
{
	for (; first && mask; first = first->next)
		if (!first->gone)
			mask = run_statement(run, first, mask);
	return mask;
}

static void store_homes(const struct run *run, unsigned lane)
{
	unsigned item = run->group * GROUP + lane;

	for (unsigned v = 0; v < run->kernel->variable_count; v++) {
		const struct variable *variable = &run->kernel->variables[v];
		enum element element = variable->type.element;
		unsigned bytes = element_bits(element) / 8;
		uint8_t *to = run->memory->output[element_buffer(element)] +
			      (item * ZONE + variable->home) * bytes;

		for (unsigned i = 0;
		     variable->kind == PLAIN && i < variable->type.width; i++)
			element_store(element, to + i * bytes,
				      &run->variables[v][lane], i);
	}
}

static void run_group(struct run *run)
{
	const struct kernel *kernel = run->kernel;
	uint64_t left;

	for (unsigned v = 0; v < kernel->variable_count; v++)
		for (unsigned lane = 0;
		     kernel->variables[v].kind == PLAIN && lane < GROUP; lane++)
			evaluate_bound(run, kernel->variables[v].start, lane,
				       &run->variables[v][lane]);
	left = run_list(run, kernel->body, UINT64_MAX);
	for (unsigned lane = 0; lane < GROUP; lane++)
		if (left >> lane & 1)
			store_homes(run, lane);
}

void kernel_run(const struct kernel *kernel, struct memory *memory)
{
	struct run *run;

	for (unsigned group = 0; group < GROUPS; group++) {
		run = xcalloc(1, sizeof *run);
		run->kernel = kernel;
		run->memory = memory;
		run->group = group;
		run_group(run);
		free(run);
	}
}
