/* Random structured programs: as trees, as what they mean for one work-item,
 * and as assembler text.
 *
 * The interpreter knows nothing of masks, stacks or jumps, and the text nothing
 * of the interpreter. */
#ifndef M2S_TESTS_EVERGREEN_EMU_STRUCTURED_H
#define M2S_TESTS_EVERGREEN_EMU_STRUCTURED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
	STRUCTURED_FUNCTIONS = 3,
	STRUCTURED_ARRAY = 8,  /* elements, by aL */
	STRUCTURED_LOOPS = 32, /* loop constants */
};

enum node_kind {
	NODE_OP,         /* value = value * factor + term */
	NODE_LOOP_INDEX, /* value = value * 3 + aL */
	NODE_ARRAY,      /* array[aL] += value; value ^= array[aL] */
	NODE_DATA,       /* value += data[place + 4 aL] */
	NODE_IF,         /* on value & mask */
	NODE_IF_IF,      /* on value & mask, and then on value & factor */
	NODE_IF_BOOL,    /* on a boolean constant */
	NODE_LOOP,       /* counter = value & 3; while (counter-- != 0) */
	NODE_COUNTED,    /* loop constant `place` */
	NODE_SWITCH,     /* on a number that all lanes have in common */
	NODE_BREAK,
	NODE_CONTINUE,
	NODE_BREAK_IF,   /* break if !(value & mask) */
	NODE_CONTINUE_IF,
	NODE_CALL,       /* function `place` */
	NODE_RETURN,
	NODE_KINDS
};

struct node {
	enum node_kind kind;
	uint32_t factor, term, mask;
	uint32_t tail_factor, tail_term; /* an operation that ends `yes` */
	unsigned place, level, style;
	bool has_tail, by_index;         /* LOOP, not LOOP_NO_AL */
	struct node *yes, *no, *other;   /* bodies */
	struct node *next;
};

struct tree {
	struct node *main, *function[STRUCTURED_FUNCTIONS];
	uint64_t cost[STRUCTURED_FUNCTIONS]; /* operations, at most */
	int32_t loops[STRUCTURED_LOOPS][3];  /* trips, start, step */
	unsigned loop_count;
	uint32_t bools;
};

struct item {
	uint32_t value;
	uint32_t array[STRUCTURED_ARRAY];
};

/* Which programs a test makes; its arguments, where given, say how many, and
 * the first one's seed. */
struct tree_range {
	unsigned count, first_seed;
};
void tree_range_read(struct tree_range *range, int argc, char **argv);

void tree_random(struct tree *tree, uint32_t seed);
void tree_free(struct tree *tree);
/* What the program makes of the item. */
void tree_interpret(const struct tree *tree, struct item *item,
		    uint32_t (*data)(unsigned index));
/* The program's text; stack entries as the sizing rule has it. To be freed. */
void tree_write(const struct tree *tree, char **directives, char **body,
		char **functions);
/* Counts nodes by kind. */
void tree_count(const struct tree *tree, uint64_t counts[NODE_KINDS]);

#endif
