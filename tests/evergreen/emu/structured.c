/* Trees, and what they mean. */
#include "evergreen/emu/structured.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { DEPTH_MAX = 5, LOOPS_MAX = 3, COST_MAX = 2500 };

/* --- Random trees --------------------------------------------------------- */

/* What a body being made stands in. */
struct around {
	struct tree *tree;
	uint32_t *random;    /* xorshift */
	int function;        /* or -1 */
	unsigned depth, loops;
	bool has_index;      /* in a loop that sets aL */
	uint64_t weight;     /* times that it is executed, at most */
};

static uint32_t bits(const struct around *around)
{
	uint32_t x = *around->random;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return *around->random = x;
}

static struct node *new_node(const struct around *around, enum node_kind kind)
{
	struct node *node = xcalloc(1, sizeof *node);

	node->kind = kind;
	node->factor = bits(around) | 1;
	node->term = bits(around);
	node->mask = 1u << bits(around) % 32 | 1u << bits(around) % 32;
	node->tail_factor = bits(around) | 1;
	node->tail_term = bits(around);
	node->style = bits(around) >> 4;
	node->has_tail = bits(around) >> 7 & 1;
	node->level = around->loops;
	return node;
}

static struct node *random_body(struct around around);

static struct around inside(const struct around *around, unsigned times)
{
	struct around inner = *around;

	inner.depth++;
	inner.weight *= times;
	return inner;
}

static struct node *random_if(const struct around *around)
{
	unsigned dice = bits(around) % 8;
	struct node *node = new_node(around, dice < 5   ? NODE_IF
					     : dice < 6 ? NODE_IF_IF
							: NODE_IF_BOOL);

	node->factor = 1u << bits(around) % 32;
	node->place = bits(around) % 32;
	node->yes = random_body(inside(around, 1));
	if (node->kind != NODE_IF_IF && bits(around) % 2)
		node->no = random_body(inside(around, 1));
	return node;
}

static struct node *random_loop(const struct around *around)
{
	struct around inner = inside(around, 5);
	bool counted = bits(around) % 3;
	struct tree *tree = around->tree;
	struct node *node;

	if (around->loops == LOOPS_MAX || around->weight > COST_MAX / 20 ||
	    (counted && tree->loop_count == STRUCTURED_LOOPS))
		return new_node(around, NODE_OP);
	node = new_node(around, counted ? NODE_COUNTED : NODE_LOOP);
	inner.loops++;
	if (counted) {
		int32_t *loop = tree->loops[tree->loop_count];
		int32_t trips = (int32_t)(bits(around) % 6);
		int32_t last = trips > 1 ? (STRUCTURED_ARRAY - 1) / (trips - 1)
					 : 7;
		int32_t step = (int32_t)(bits(around) % (uint32_t)(last + 1));

		node->by_index = bits(around) % 3 != 0;
		inner.has_index |= node->by_index;
		node->place = tree->loop_count++;
		loop[0] = trips;
		loop[1] = 0;
		loop[2] = step;
		if (bits(around) % 2 && trips) { /* backwards */
			loop[1] = (trips - 1) * step;
			loop[2] = -step;
		}
	}
	node->yes = random_body(inner);
	return node;
}

static struct node *random_switch(const struct around *around)
{
	struct node *node = new_node(around, NODE_SWITCH);

	node->place = bits(around) % 3;
	node->yes = random_body(inside(around, 1));
	node->no = random_body(inside(around, 1));
	node->other = random_body(inside(around, 1));
	return node;
}

static struct node *random_call(const struct around *around)
{
	unsigned first = (unsigned)(around->function + 1);
	struct node *node;
	unsigned place;

	if (first >= STRUCTURED_FUNCTIONS)
		return new_node(around, NODE_OP);
	place = first + bits(around) % (STRUCTURED_FUNCTIONS - first);
	if (around->weight * around->tree->cost[place] > COST_MAX)
		return new_node(around, NODE_OP);
	node = new_node(around, NODE_CALL);
	node->place = place;
	return node;
}

static struct node *random_node(const struct around *around)
{
	unsigned dice = bits(around) % (around->depth < DEPTH_MAX ? 20 : 8);
	struct node *node;

	if (dice < 3 && around->has_index) {
		node = new_node(around,
				(enum node_kind)(NODE_LOOP_INDEX + dice));
		node->place = 16 + bits(around) % 40;
		return node;
	}
	if (dice < 5 && around->loops)
		return new_node(around, dice == 3 ? NODE_BREAK_IF
						  : NODE_CONTINUE_IF);
	if (dice < 8)
		return new_node(around, NODE_OP);
	if (dice < 13)
		return random_if(around);
	if (dice < 17)
		return random_loop(around);
	return dice < 18 ? random_switch(around) : random_call(around);
}

/* Break, continue and return stand last in a body. */
static struct node *random_exit(const struct around *around)
{
	unsigned dice = bits(around) % 7;

	if (dice == 0 && around->loops)
		return new_node(around, NODE_BREAK);
	if (dice == 1 && around->loops)
		return new_node(around, NODE_CONTINUE);
	if (dice == 2 && around->function >= 0)
		return new_node(around, NODE_RETURN);
	return NULL;
}

static struct node *random_body(struct around around)
{
	struct node *first = new_node(&around, NODE_OP);
	struct node **last = &first->next;
	unsigned count = bits(&around) % 3 + (around.depth == 0 ? 3 : 0);

	while (count--) {
		*last = random_node(&around);
		last = &(*last)->next;
	}
	if (around.depth > 1)
		*last = random_exit(&around);
	return first;
}

static uint64_t body_cost(const struct tree *tree, const struct node *node)
{
	uint64_t cost = 0;

	for (; node; node = node->next) {
		uint64_t inner = body_cost(tree, node->yes) +
				 body_cost(tree, node->no) +
				 body_cost(tree, node->other);

		cost += 1;
		cost += node->kind == NODE_CALL ? tree->cost[node->place]
			: node->kind == NODE_LOOP ||
				node->kind == NODE_COUNTED
				? 5 * inner
				: inner;
	}
	return cost;
}

void tree_random(struct tree *tree, uint32_t seed)
{
	uint32_t state = seed * 2654435761u | 1;
	struct around around = { .tree = tree, .random = &state, .weight = 1 };

	memset(tree, 0, sizeof *tree);
	tree->bools = bits(&around);
	for (int i = STRUCTURED_FUNCTIONS; i--;) {
		around.function = i;
		around.depth = 1;
		around.weight = 8;
		tree->function[i] = random_body(around);
		tree->cost[i] = body_cost(tree, tree->function[i]);
	}
	around.function = -1;
	around.depth = 0;
	around.weight = 1;
	tree->main = random_body(around);
}

static void free_nodes(struct node *node)
{
	while (node) {
		struct node *next = node->next;

		free_nodes(node->yes);
		free_nodes(node->no);
		free_nodes(node->other);
		free(node);
		node = next;
	}
}

void tree_free(struct tree *tree)
{
	free_nodes(tree->main);
	for (int i = 0; i < STRUCTURED_FUNCTIONS; i++)
		free_nodes(tree->function[i]);
}

static void count_nodes(const struct node *node, uint64_t counts[NODE_KINDS])
{
	for (; node; node = node->next) {
		counts[node->kind]++;
		count_nodes(node->yes, counts);
		count_nodes(node->no, counts);
		count_nodes(node->other, counts);
	}
}

void tree_count(const struct tree *tree, uint64_t counts[NODE_KINDS])
{
	count_nodes(tree->main, counts);
	for (int i = 0; i < STRUCTURED_FUNCTIONS; i++)
		count_nodes(tree->function[i], counts);
}

/* --- The reference -------------------------------------------------------- */

enum way { GO_ON, BREAK, CONTINUE, RETURN };

struct interpreter {
	const struct tree *tree;
	struct item *item;
	uint32_t (*data)(unsigned index);
};

static enum way interpret(const struct interpreter *in,
			  const struct node *node, uint32_t index);

/* A body and the operation that ends it. */
static enum way interpret_body(const struct interpreter *in,
			       const struct node *node,
			       const struct node *body, uint32_t index)
{
	enum way way = interpret(in, body, index);

	if (way == GO_ON && node->has_tail)
		in->item->value = in->item->value * node->tail_factor +
				  node->tail_term;
	return way;
}

static enum way interpret_loop(const struct interpreter *in,
			       const struct node *node, uint32_t index)
{
	const int32_t *loop = in->tree->loops[node->place];
	bool counted = node->kind == NODE_COUNTED;
	uint32_t trips = counted ? (uint32_t)loop[0] : in->item->value & 3;
	uint32_t inner = counted && node->by_index ? (uint32_t)loop[1] : index;

	for (uint32_t trip = 0; trip < trips; trip++) {
		enum way way = interpret(in, node->yes, inner);

		if (way == RETURN)
			return RETURN;
		if (way == BREAK)
			return GO_ON;
		if (counted && node->by_index)
			inner += (uint32_t)loop[2];
	}
	return GO_ON;
}

static enum way interpret_if(const struct interpreter *in,
			     const struct node *node, uint32_t index)
{
	uint32_t value = in->item->value;
	bool taken = value & node->mask;

	if (node->kind == NODE_IF_BOOL) {
		taken = in->tree->bools >> node->place & 1;
		return interpret(in, taken ? node->yes : node->no, index);
	}
	if (node->kind == NODE_IF_IF)
		taken = taken && value & node->factor;
	return taken ? interpret_body(in, node, node->yes, index)
		     : interpret(in, node->no, index);
}

static enum way interpret_switch(const struct interpreter *in,
				 const struct node *node, uint32_t index)
{
	const struct node *bodies[] = { node->yes, node->no, node->other };

	return interpret(in, bodies[node->place], index);
}

static enum way interpret_one(const struct interpreter *in,
			      const struct node *node, uint32_t index)
{
	struct item *item = in->item;

	switch (node->kind) {
	case NODE_OP:
		item->value = item->value * node->factor + node->term;
		return GO_ON;
	case NODE_LOOP_INDEX:
		item->value = item->value * 3 + index;
		return GO_ON;
	case NODE_ARRAY:
		item->array[index] += item->value;
		item->value ^= item->array[index];
		return GO_ON;
	case NODE_DATA:
		item->value += in->data(node->place + 4 * index);
		return GO_ON;
	case NODE_IF:
	case NODE_IF_IF:
	case NODE_IF_BOOL:
		return interpret_if(in, node, index);
	case NODE_LOOP:
	case NODE_COUNTED:
		return interpret_loop(in, node, index);
	case NODE_SWITCH:
		return interpret_switch(in, node, index);
	case NODE_BREAK:
		return BREAK;
	case NODE_CONTINUE:
		return CONTINUE;
	case NODE_BREAK_IF:
		return item->value & node->mask ? GO_ON : BREAK;
	case NODE_CONTINUE_IF:
		return item->value & node->mask ? GO_ON : CONTINUE;
	case NODE_CALL:
		interpret(in, in->tree->function[node->place], 0);
		return GO_ON;
	default:
		return RETURN;
	}
}

static enum way interpret(const struct interpreter *in,
			  const struct node *node, uint32_t index)
{
	for (; node; node = node->next) {
		enum way way = interpret_one(in, node, index);

		if (way != GO_ON)
			return way;
	}
	return GO_ON;
}

void tree_interpret(const struct tree *tree, struct item *item,
		    uint32_t (*data)(unsigned index))
{
	const struct interpreter in = { tree, item, data };

	interpret(&in, tree->main, 0);
}

/* --- Arguments -------------------------------------------------------------- */

void tree_range_read(struct tree_range *range, int argc, char **argv)
{
	if (argc > 1)
		range->count = (unsigned)strtoul(argv[1], NULL, 0);
	if (argc > 2)
		range->first_seed = (unsigned)strtoul(argv[2], NULL, 0);
}
