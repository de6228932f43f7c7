#include <stdlib.h>

#include "tree.h"

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 10, key = 1;
	struct tree *tree = NULL;
	int deepest = 0;
	double weight;

	for (long i = 0; i < count; i++) {
		key = key * 48271 % 2147483647;
		tree = tree_insert(tree, key);
	}
	weight = tree_walk(tree, 1, &deepest);
	report(count, weight, deepest);
	return 0;
}
