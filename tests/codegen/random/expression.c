/* Random expressions. */
#include <stdlib.h>

#include "base/memory.h"
#include "codegen/random/make.h"
#include "unit/random.h"

static const struct type integer = { INT, 1 };

unsigned draw(struct maker *maker, unsigned count)
{
	return (unsigned)(random_draw(&maker->state) >> 33) % count;
}

void *make(struct maker *maker, size_t size)
{
	void **block = xcalloc(1, sizeof *block + size);

	*block = maker->kernel->allocated;
	maker->kernel->allocated = block;
	return block + 1;
}

struct type draw_type(struct maker *maker)
{
	static const uint8_t widths[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1,  1,
					  2, 2, 3, 3, 4, 4, 4, 8, 16, 1 };
	static const enum element elements[] = {
		CHAR, UCHAR, SHORT, USHORT, INT,  INT,	 UINT,
		UINT, LONG,  ULONG, FLOAT,  FLOAT, DOUBLE,
	};
	enum element element = elements[draw(maker, 13)];
	uint8_t width = widths[draw(maker, 20)];

	if (element_bits(element) == 64 && width > 4)
		width = 2;
	return (struct type){ element, width };
}

unsigned draw_variable(struct maker *maker, enum variable_kind kind,
		       const struct type *type)
{
	unsigned found = VARIABLES_MAX, count = 0;

	for (unsigned v = 0; v < maker->kernel->variable_count; v++)
		if (maker->visible[v] &&
		    maker->kernel->variables[v].kind == kind &&
		    (!type ||
		     same_type(maker->kernel->variables[v].type, *type)) &&
		    !draw(maker, ++count))
			found = v;
	return found;
}

struct node *make_node(struct maker *maker, enum node_kind kind,
		       struct type type)
{
	struct node *node = make(maker, sizeof *node);

	node->kind = kind;
	node->type = type;
	return node;
}

struct node *make_kid(struct maker *maker, struct node *node, struct type type,
		      unsigned depth)
{
	node->kids[node->kid_count++] = make_expression(maker, type, depth);
	return node;
}

struct node *make_index(struct maker *maker)
{
	return make_expression(maker, integer, draw(maker, 2));
}

/* --- Leaves --------------------------------------------------------------- */

static struct node *make_constant(struct maker *maker, struct type type)
{
	static const uint64_t marked[] = {
		0, 1, 2, 3, UINT64_MAX, 0x7f, 0x80, 0xff, 0x7fff, 0x8000,
		0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
		UINT64_C(0x7fffffffffffffff), UINT64_C(0x8000000000000000),
	};
	struct node *node = make_node(maker, NODE_CONSTANT, type);

	for (unsigned i = 0; i < type.width; i++) {
		uint64_t bits = draw(maker, 3) ? marked[draw(maker, 16)]
					       : random_draw(&maker->state);

		if (element_is_real(type.element))
			node->constant.real[i] =
				((double)draw(maker, 4096) - 2048) / 8;
		else
			node->constant.bits[i] =
				element_cut(type.element, bits);
	}
	return node;
}

static struct node *make_memory(struct maker *maker, struct type type)
{
	struct node *node;

	if (!draw(maker, 4)) {
		node = make_node(maker, NODE_TABLE, type);
	} else if (same_type(type, (struct type){ UINT, 1 }) &&
		   !draw(maker, 3)) {
		node = make_node(maker, NODE_PLACES, type);
	} else {
		node = make_node(maker, draw(maker, 4) ? NODE_INPUT : NODE_OWN,
				 type);
		node->number = type.width != 3 && draw(maker, 2);
	}
	node->kids[node->kid_count++] = make_index(maker);
	return node;
}

static struct node *make_shared(struct maker *maker, struct type type)
{
	unsigned number = draw(maker, SHARED_MAX);
	const struct type *shared = &maker->kernel->shared[number];
	struct node *node;

	if (!maker->readable[number] ||
	    !same_type(shared->width ? *shared : integer, type))
		return NULL;
	node = make_node(maker, NODE_SHARED, type);
	node->number = number;
	node->comparison = !shared->width; /* counters */
	node->kids[node->kid_count++] = make_index(maker);
	return node;
}

static struct node *make_part(struct maker *maker, struct type type)
{
	struct node *node = make_node(maker, NODE_PICK, type);
	static const uint8_t widths[] = { 2, 3, 4, 4, 8, 16 };
	struct type from = { type.element, widths[draw(maker, 6)] };
	unsigned number = draw_variable(maker, PLAIN, &from);

	if (number == VARIABLES_MAX)
		return NULL;
	for (unsigned i = 0; i < type.width; i++)
		node->lanes[i] = (uint8_t)draw(maker, from.width);
	node->kids[node->kid_count++] = make_node(maker, NODE_VARIABLE, from);
	node->kids[0]->number = number;
	return node;
}

static struct node *make_named(struct maker *maker, enum variable_kind kind,
			       struct type type)
{
	unsigned number = draw_variable(maker, kind, &type);
	struct node *node;

	if (number == VARIABLES_MAX)
		return NULL;
	node = make_node(maker,
			 kind == PRIVATE_ARRAY ? NODE_ARRAY : NODE_VARIABLE,
			 type);
	node->number = number;
	if (kind == PRIVATE_ARRAY)
		node->kids[node->kid_count++] = make_index(maker);
	return node;
}

static struct node *make_leaf(struct maker *maker, struct type type)
{
	struct node *node = NULL;

	switch (draw(maker, 10)) {
	case 0:
		return make_constant(maker, type);
	case 1:
		return make_memory(maker, type);
	case 2:
		node = make_shared(maker, type);
		break;
	case 3:
		node = make_part(maker, type);
		break;
	case 4:
		node = make_named(maker, PRIVATE_ARRAY, type);
		break;
	case 5:
		node = make_named(maker, COUNTER, type);
		break;
	case 6:
		if (same_type(type, integer))
			return make_node(maker, (enum node_kind)(NODE_LOCAL_ID + draw(maker, 3)),
					 type);
		break;
	default:
		break;
	}
	if (!node)
		node = make_named(maker, PLAIN, type);
	if (!node && same_type(type, integer))
		node = make_node(maker, NODE_GLOBAL_ID, type);
	if (!node && !draw(maker, 3))
		node = make_memory(maker, type);
	return node ? node : make_constant(maker, type);
}

/* --- Operations ----------------------------------------------------------- */

static bool operation_fits(enum operation operation, struct type type)
{
	const struct operation_info *info = &operation_info[operation];

	if (info->style == OWN && type.width > 1)
		return false;
	if (info->domain == LONGS)
		return type.element == LONG || type.element == ULONG;
	switch (operation) {
	case MUL24:
	case MAD24:
		return type.element == UINT;
	/* Sums that overflow mean nothing where they are signed. */
	case MAD_HI:
		return !element_is_real(type.element) &&
		       !element_is_signed(type.element);
	default:
		return info->domain == BOTH ||
		       (info->domain == REALS) ==
			       element_is_real(type.element);
	}
}

static struct node *make_operation(struct maker *maker, struct type type,
				   unsigned depth)
{
	struct node *node = make_node(maker, NODE_OPERATION, type);

	do
		node->operation = (enum operation)draw(
			maker, draw(maker, 2) ? OPERATIONS : NOT);
	while (!operation_fits(node->operation, type));
	for (unsigned k = 0; k < operation_info[node->operation].operands; k++)
		make_kid(maker, node, type, depth - 1);
	return node;
}

/* The element of a comparison's result: of the same size, signed. */
static enum element mask_element(enum element element)
{
	return element == FLOAT	   ? INT
	       : element == DOUBLE ? LONG
				   : (enum element)(element & ~1U);
}

static struct node *make_compare(struct maker *maker, struct type type,
				 unsigned depth)
{
	struct node *node;
	struct type kid;

	if (type.element != (enum element)(type.element & ~1U) ||
	    element_is_real(type.element) ||
	    (type.width == 1 && type.element != INT))
		return NULL;
	node = make_node(maker, NODE_COMPARE, type);
	do
		kid.element = (enum element)draw(maker, ELEMENTS);
	while (type.width > 1 && mask_element(kid.element) != type.element);
	kid.width = type.width;
	node->comparison = (enum comparison)draw(maker, 4);
	make_kid(maker, node, kid, depth - 1);
	return make_kid(maker, node, kid, depth - 1);
}

static struct node *make_choice(struct maker *maker, struct type type,
				unsigned depth)
{
	struct node *node = make_node(maker, NODE_CHOOSE, type);
	struct type mask = { mask_element(type.element), type.width };

	node->kids[0] = make_compare(
		maker, type.width == 1 ? integer : mask, depth);
	node->kid_count = 1;
	make_kid(maker, node, type, depth - 1);
	return make_kid(maker, node, type, depth - 1);
}

/* A real number comes from a bounded one: an integer of 16 bits, or a
 * leaf. */
static struct node *make_conversion(struct maker *maker, struct type type,
				    unsigned depth)
{
	struct type from = { (enum element)draw(maker, ELEMENTS), type.width };
	struct node *node;

	if (element_is_real(type.element)) {
		if (!element_is_real(from.element))
			from.element %= 4;
		else
			depth = 1;
		node = make_node(maker, NODE_CONVERT, type);
	} else {
		node = make_node(maker,
				 element_is_real(from.element) ||
						 draw(maker, 2)
					 ? NODE_SATURATE
					 : NODE_CONVERT,
				 type);
	}
	return make_kid(maker, node, from, depth - 1);
}

static struct node *make_bits(struct maker *maker, struct type type,
			      unsigned depth)
{
	struct type from = { (enum element)draw(maker, FLOAT), type.width };

	if (element_is_real(type.element) || element_bits(type.element) < 32)
		return NULL;
	return make_kid(maker, make_node(maker, NODE_BITS_OF, type), from,
			depth - 1);
}

static struct node *make_vector(struct maker *maker, struct type type,
				unsigned depth)
{
	struct type part = { type.element, 1 };
	struct node *node;
	unsigned count = type.width <= 4 && draw(maker, 2) ? type.width : 1;

	if (type.width == 1)
		return NULL;
	node = make_node(maker, NODE_BUILD, type);
	for (unsigned k = 0; k < count; k++)
		make_kid(maker, node, part, depth - 1);
	return node;
}

struct node *make_expression(struct maker *maker, struct type type,
			     unsigned depth)
{
	struct node *node = NULL;

	/* Products stay below what a float can hold. */
	if (element_is_real(type.element) && depth > 2)
		depth = 2;
	if (!depth || !draw(maker, 5))
		return make_leaf(maker, type);
	switch (draw(maker, 12)) {
	case 0:
		node = make_compare(maker, type, depth);
		break;
	case 1:
		node = make_choice(maker, type, depth);
		break;
	case 2:
	case 3:
		node = make_conversion(maker, type, depth);
		break;
	case 4:
		node = make_bits(maker, type, depth);
		break;
	case 5:
		node = make_vector(maker, type, depth);
		break;
	default:
		break;
	}
	return node ? node : make_operation(maker, type, depth);
}
