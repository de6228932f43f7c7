#include <stdio.h>

#include "tree.h"

void report(long count, double weight, int deepest)
{
	printf("%ld nodes, weight %.9g, depth %d\n", count, weight, deepest);
}
