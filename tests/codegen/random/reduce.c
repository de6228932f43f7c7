/* Makes a kernel small whose results differ. */
#include "codegen/random/program.h"

struct reducing {
	struct kernel *kernel;
	bool (*differs)(const struct kernel *kernel);
	bool better;             /* in this round */
};

static bool try_flag(struct reducing *reducing, bool *flag)
{
	if (*flag)
		return true;
	*flag = true;
	if (reducing->differs(reducing->kernel)) {
		reducing->better = true;
		return true;
	}
	*flag = false;
	return false;
}

/* Puts a kid of the same type in its parent's place. */
static bool lift_kid(struct reducing *reducing, struct node *node)
{
	struct node before = *node;

	for (unsigned k = 0; k < before.kid_count; k++) {
		if (!same_type(before.kids[k]->type, before.type))
			continue;
		*node = *before.kids[k];
		if (reducing->differs(reducing->kernel)) {
			reducing->better = true;
			return true;
		}
		*node = before;
	}
	return false;
}

static void reduce_node(struct reducing *reducing, struct node *node)
{
	if (!node || node->zero)
		return;
	if (node->kind != NODE_CONSTANT && try_flag(reducing, &node->zero))
		return;
	while (lift_kid(reducing, node))
		;
	for (unsigned k = 0; k < node->kid_count; k++)
		reduce_node(reducing, node->kids[k]);
}

static void reduce_list(struct reducing *reducing, struct statement *first)
{
	for (; first; first = first->next) {
		/* Without a barrier the results mean nothing. */
		if (first->gone || first->kind == STATEMENT_BARRIER ||
		    first->kind == STATEMENT_CLEAR ||
		    (first->kind != STATEMENT_SHARE &&
		     try_flag(reducing, &first->gone)))
			continue;
		for (unsigned k = 0; k < 3; k++)
			reduce_list(reducing, first->sides[k]);
		reduce_node(reducing, first->value);
		reduce_node(reducing, first->index);
	}
}

void kernel_reduce(struct kernel *kernel,
		   bool (*differs)(const struct kernel *kernel))
{
	struct reducing reducing = { kernel, differs, true };

	for (unsigned round = 0; reducing.better && round < 4; round++) {
		reducing.better = false;
		reduce_list(&reducing, kernel->body);
		for (unsigned v = 0; v < kernel->variable_count; v++)
			reduce_node(&reducing, kernel->variables[v].start);
	}
}
