/* Random statements, and the kernels of them. */
#include <stdlib.h>

#include "base/memory.h"
#include "codegen/random/make.h"

static const struct type integer = { INT, 1 };

static struct statement *make_list(struct maker *maker, unsigned count,
				   unsigned depth, bool uniform);

static struct statement *make_statement(struct maker *maker,
					enum statement_kind kind)
{
	struct statement *statement = make(maker, sizeof *statement);

	statement->kind = kind;
	return statement;
}

unsigned make_variable(struct maker *maker, enum variable_kind kind,
		       struct type type)
{
	unsigned number = maker->kernel->variable_count;
	unsigned *home = &maker->homes[element_buffer(type.element)];
	struct variable *variable = &maker->kernel->variables[number];

	if (number == VARIABLES_MAX ||
	    (kind == PLAIN && *home + type.width > 16))
		return VARIABLES_MAX;
	variable->kind = kind;
	variable->type = type;
	if (kind == PLAIN) {
		variable->home = *home;
		*home += type.width;
		variable->start = make_expression(maker, type, 2);
	}
	maker->visible[number] = true;
	maker->kernel->variable_count++;
	return number;
}

/* --- Without others in them ----------------------------------------------- */

static struct statement *make_assignment(struct maker *maker)
{
	struct statement *statement = make_statement(maker, STATEMENT_ASSIGN);
	unsigned number = draw_variable(maker, PLAIN, NULL);
	const struct variable *variable = &maker->kernel->variables[number];
	struct type type = variable->type;
	unsigned first;

	statement->number = number;
	if (type.width > 1 && !draw(maker, 3)) {
		statement->kind = STATEMENT_PART;
		first = draw(maker, type.width);
		type.width = type.width - first > 1 && draw(maker, 2) ? 2 : 1;
		for (unsigned i = 0; i < type.width; i++)
			statement->lanes[i] = (uint8_t)(first + i);
	}
	statement->value = make_expression(maker, type, 3);
	return statement;
}

static struct statement *make_array(struct maker *maker)
{
	struct statement *statement = make_statement(maker, STATEMENT_ARRAY);
	unsigned number = draw_variable(maker, PRIVATE_ARRAY, NULL);

	if (number == VARIABLES_MAX)
		return make_assignment(maker);
	statement->number = number;
	statement->index = make_index(maker);
	statement->value = make_expression(
		maker, maker->kernel->variables[number].type, 2);
	return statement;
}

static struct statement *make_store(struct maker *maker)
{
	struct statement *statement = make_statement(maker, STATEMENT_STORE);

	statement->type = draw_type(maker);
	statement->aligned = statement->type.width != 3 && draw(maker, 2);
	statement->index = make_index(maker);
	statement->value = make_expression(maker, statement->type, 2);
	return statement;
}

static struct statement *make_atomic(struct maker *maker)
{
	unsigned number = draw_variable(maker, PLAIN, &integer);
	bool result = number != VARIABLES_MAX && draw(maker, 2);
	struct statement *statement = make_statement(
		maker, result ? STATEMENT_RESULT : STATEMENT_ATOMIC);

	statement->number = number;
	statement->atomic =
		(enum atomic)draw(maker, result ? ATOMICS : EXCHANGE);
	statement->index = make_index(maker);
	statement->value = make_expression(maker, integer, 2);
	return statement;
}

static struct statement *make_jump(struct maker *maker)
{
	unsigned kind = draw(maker, 5);

	if (maker->loops && kind < 2 && !maker->in_switch)
		return make_statement(maker, STATEMENT_BREAK);
	if (maker->loops && kind < 4)
		return make_statement(maker, STATEMENT_CONTINUE);
	if (!maker->barriers && kind == 4)
		return make_statement(maker, STATEMENT_RETURN);
	return make_assignment(maker);
}

/* --- With others ---------------------------------------------------------- */

static struct statement *make_if(struct maker *maker, unsigned depth,
				 bool uniform)
{
	struct statement *statement = make_statement(
		maker, uniform ? STATEMENT_UNIFORM_IF : STATEMENT_IF);

	statement->value =
		uniform ? make_node(maker, NODE_ARGUMENT, integer)
			: make_expression(maker, integer, 3);
	statement->sides[0] =
		make_list(maker, 1 + draw(maker, 4), depth - 1, uniform);
	if (draw(maker, 2))
		statement->sides[1] = make_list(maker, 1 + draw(maker, 4),
						depth - 1, uniform);
	return statement;
}

static struct statement *make_switch(struct maker *maker, unsigned depth)
{
	struct statement *statement = make_statement(maker, STATEMENT_SWITCH);
	bool before = maker->in_switch;

	statement->value = make_expression(maker, integer, 2);
	statement->falls = draw(maker, 2);
	maker->in_switch = true;
	for (unsigned k = 0; k < 3; k++)
		statement->sides[k] = make_list(maker, 1 + draw(maker, 3),
						depth - 1, false);
	maker->in_switch = before;
	return statement;
}

static struct statement *make_loop(struct maker *maker, unsigned depth,
				   bool uniform)
{
	struct statement *statement = make_statement(
		maker, uniform	       ? STATEMENT_UNIFORM_FOR
		       : draw(maker, 3) ? STATEMENT_FOR
					: STATEMENT_WHILE);
	bool before = maker->in_switch;
	unsigned number = make_variable(maker, COUNTER, integer);

	if (number == VARIABLES_MAX)
		return make_assignment(maker);
	statement->number = number;
	statement->value =
		uniform ? make_node(maker, NODE_ARGUMENT, integer)
			: make_expression(maker, integer, 2);
	maker->loops += !uniform;
	maker->in_switch = false;
	statement->sides[0] =
		make_list(maker, 1 + draw(maker, 5), depth - 1, uniform);
	maker->loops -= !uniform;
	maker->in_switch = before;
	maker->visible[number] = false;
	return statement;
}

static struct statement *append(struct statement *last,
				struct statement *statement)
{
	last->next = statement;
	while (statement->next)
		statement = statement->next;
	return statement;
}

/* Every work-item writes, all wait, some read others' data, all wait. */
static struct statement *make_phase(struct maker *maker, unsigned depth)
{
	unsigned number = maker->kernel->shared_count;
	struct type type = draw_type(maker);
	struct statement *first, *last;
	bool counts = !draw(maker, 3);

	if (number == SHARED_MAX)
		return make_assignment(maker);
	if (type.width > 4)
		type.width = 1;
	maker->kernel->shared_count++;
	maker->kernel->shared[number] =
		counts ? (struct type){ INT, 0 } : type;
	first = last = make_statement(maker, counts ? STATEMENT_CLEAR
						    : STATEMENT_SHARE);
	first->number = number;
	if (counts) {
		struct statement *within = make_statement(maker, STATEMENT_IF);
		struct statement *count =
			make_statement(maker, STATEMENT_COUNT);

		last = append(last, make_statement(maker, STATEMENT_BARRIER));
		within->value = make_expression(maker, integer, 2);
		count->number = number;
		count->atomic = (enum atomic)draw(maker, EXCHANGE);
		count->index = make_index(maker);
		count->value = make_expression(maker, integer, 2);
		within->sides[0] = count;
		last = append(last, within);
	} else {
		first->value = make_expression(maker, type, 2);
	}
	last = append(last, make_statement(maker, STATEMENT_BARRIER));
	maker->readable[number] = true;
	last = append(last, make_list(maker, 2 + draw(maker, 3), depth - 1,
				      false));
	maker->readable[number] = false;
	append(last, make_statement(maker, STATEMENT_BARRIER));
	return first;
}

/* `uniform`: all work-items of the group come here. */
static struct statement *make_any(struct maker *maker, unsigned depth,
				  bool uniform)
{
	bool plain = !depth || !maker->budget;

	switch (draw(maker, plain ? 8 : 14)) {
	case 0:
		return make_store(maker);
	case 1:
		return make_atomic(maker);
	case 2:
	case 3:
		return make_array(maker);
	case 4:
		return draw(maker, 2) ? make_jump(maker)
				      : make_assignment(maker);
	case 8:
	case 9:
		return make_if(maker, depth, false);
	case 10:
		return make_loop(maker, depth, false);
	case 11:
		return make_switch(maker, depth);
	case 12:
	case 13:
		if (!uniform || !maker->barriers)
			return make_if(maker, depth, false);
		if (draw(maker, 3))
			return make_phase(maker, depth);
		return draw(maker, 2) ? make_if(maker, depth, true)
				      : make_loop(maker, depth, true);
	default:
		return make_assignment(maker);
	}
}

static struct statement *make_list(struct maker *maker, unsigned count,
				   unsigned depth, bool uniform)
{
	struct statement *first = NULL, *last = NULL;

	while (count-- && (maker->budget || !first)) {
		struct statement *made;

		maker->budget -= maker->budget > 0;
		made = make_any(maker, depth, uniform);
		if (last)
			last->next = made;
		else
			first = made;
		for (last = made; last->next; last = last->next)
			;
		/* Nothing comes behind a jump. */
		if (made->kind == STATEMENT_BREAK ||
		    made->kind == STATEMENT_CONTINUE ||
		    made->kind == STATEMENT_RETURN)
			break;
	}
	return first;
}

struct kernel *kernel_make(uint64_t seed, unsigned number)
{
	struct kernel *kernel = xcalloc(1, sizeof *kernel);
	struct maker maker = { .kernel = kernel, .state = seed };

	kernel->number = number;
	maker.barriers = draw(&maker, 2);
	maker.budget = 4 + draw(&maker, 24);
	make_variable(&maker, PLAIN, integer);
	for (unsigned i = 2 + draw(&maker, 8); i--;)
		make_variable(&maker, PLAIN, draw_type(&maker));
	if (!draw(&maker, 3))
		make_variable(&maker, PRIVATE_ARRAY, draw_type(&maker));
	kernel->body = make_list(&maker, 3 + draw(&maker, 6),
				 1 + draw(&maker, 3), true);
	return kernel;
}

void kernel_free(struct kernel *kernel)
{
	void **block = kernel->allocated;

	while (block) {
		void **next = *block;

		free(block);
		block = next;
	}
	free(kernel);
}
