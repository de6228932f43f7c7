struct tree {
	struct tree *left, *right;
	long key;
	double weight;
};

struct tree *tree_insert(struct tree *tree, long key);
double tree_walk(const struct tree *tree, int depth, int *deepest);
void report(long count, double weight, int deepest);
