#include <math.h>
#include <stdlib.h>

#include "tree.h"

struct tree *tree_insert(struct tree *tree, long key)
{
	if (!tree) {
		tree = calloc(1, sizeof *tree);
		tree->key = key;
		tree->weight = sqrt((double)key);
	} else if (key < tree->key) {
		tree->left = tree_insert(tree->left, key);
	} else if (key > tree->key) {
		tree->right = tree_insert(tree->right, key);
	}
	return tree;
}

double tree_walk(const struct tree *tree, int depth, int *deepest)
{
	if (!tree)
		return 0;
	if (depth > *deepest)
		*deepest = depth;
	return tree_walk(tree->left, depth + 1, deepest) + tree->weight +
	       tree_walk(tree->right, depth + 1, deepest);
}
