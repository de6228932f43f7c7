/* Trees as assembler text. R2.x is the value, R6.x scratch, R8.x to R15.x the
 * array, R(16 + level).x and, in functions, R(20 + level + 4 function).x the
 * counter of a loop. */
#include <stdlib.h>

#include "base/memory.h"
#include "evergreen/emu/structured.h"

enum { ARRAY = 8, COUNTERS = 16, DATA_FIRST = 10 };

struct writer {
	const struct tree *tree;
	FILE *file;
	int function;
	unsigned labels;
	/* Elements of the stack, here, at most in this function, and in those
	 * that are already written. */
	unsigned used, most, needs[STRUCTURED_FUNCTIONS];
};

static void use(struct writer *w, unsigned elements)
{
	w->used += elements;
	if (w->most < w->used)
		w->most = w->used;
}

static void write_op(struct writer *w, const char *clause, uint32_t factor,
		     uint32_t term)
{
	fprintf(w->file, "	%s:\n0 t: MULLO_INT R2.x, R2.x, 0x%x\n"
			 "1 x: ADD_INT R2.x, R2.x, 0x%x\n", clause, factor,
		term);
}

/* Lanes stay where source & mask is not zero, or, inverted, is. */
static void write_condition(struct writer *w, const char *clause,
			    const char *source, uint32_t mask, bool inverted)
{
	fprintf(w->file, "	%s:\n0 x: AND_INT R6.x, %s, 0x%x\n"
			 "1 x: %s ____, R6.x, 0.0f UPDATE_EXEC_MASK\n",
		clause, source, mask, inverted ? "PREDE_INT" : "PREDNE_INT");
}

static void write_body(struct writer *w, const struct node *node);

/* How an `if` begins: with a jump past it for when no lane is left, or
 * without. True when there is one. */
static bool write_push(struct writer *w, const struct node *node,
		       uint32_t mask, unsigned end)
{
	use(w, 1);
	if (node->style & 1) {
		/* Without a lane nothing is pushed, and all of it skipped. */
		fprintf(w->file, "	PUSH POP_CNT(0) ADDR(@l%u)\n", end);
		write_condition(w, "ALU", "R2.x", mask, false);
	} else {
		write_condition(w, "ALU_PUSH_BEFORE", "R2.x", mask, false);
	}
	return node->style & 2;
}

static void write_if(struct writer *w, const struct node *node)
{
	unsigned end = w->labels++, other = w->labels++;
	bool jumps = write_push(w, node, node->mask, end);

	if (jumps)
		fprintf(w->file, "	JUMP POP_CNT(%d) ADDR(@l%u)\n",
			!node->no, node->no ? other : end);
	write_body(w, node->yes);
	if (node->no && node->has_tail) {
		write_op(w, "ALU_ELSE_AFTER", node->tail_factor,
			 node->tail_term);
		/* The jump leads to an ELSE: here it has one of its own. */
		if (jumps)
			fprintf(w->file, "	JUMP POP_CNT(0) ADDR(@l%u)"
				" COND(FALSE)\n@l%u:\n	ELSE POP_CNT(1) "
				"ADDR(@l%u)\n@l%u:\n", w->labels, other, end,
				w->labels);
		w->labels++;
	} else if (node->no) {
		fprintf(w->file, "@l%u:\n	ELSE POP_CNT(1) ADDR(@l%u)\n",
			other, end);
	}
	if (node->no) {
		write_body(w, node->no);
		fprintf(w->file, "	POP (1)\n");
	} else if (node->has_tail) {
		write_op(w, "ALU_POP_AFTER", node->tail_factor,
			 node->tail_term);
	} else {
		fprintf(w->file, "	POP (1)\n");
	}
	fprintf(w->file, "@l%u:\n", end);
	w->used--;
}

/* Two in one another that end together. */
static void write_if_if(struct writer *w, const struct node *node)
{
	unsigned end = w->labels++;

	write_condition(w, "ALU_PUSH_BEFORE", "R2.x", node->mask, false);
	if (node->style & 1)
		fprintf(w->file, "	JUMP POP_CNT(1) ADDR(@l%u)\n", end);
	use(w, 1);
	write_condition(w, "ALU_PUSH_BEFORE", "R2.x", node->factor, false);
	if (node->style & 2)
		fprintf(w->file, "	JUMP POP_CNT(2) ADDR(@l%u)\n", end);
	use(w, 1);
	write_body(w, node->yes);
	if (node->has_tail)
		write_op(w, "ALU_POP2_AFTER", node->tail_factor,
			 node->tail_term);
	else
		fprintf(w->file, "	POP (2)\n");
	fprintf(w->file, "@l%u:\n", end);
	w->used -= 2;
}

static void write_if_bool(struct writer *w, const struct node *node)
{
	unsigned end = w->labels++, other = w->labels++;

	fprintf(w->file, "	JUMP POP_CNT(0) ADDR(@l%u) COND(b%u)\n",
		node->no ? other : end, node->place);
	write_body(w, node->yes);
	if (node->no) {
		fprintf(w->file, "	JUMP POP_CNT(0) ADDR(@l%u) COND(FALSE)"
				 "\n@l%u:\n", end, other);
		write_body(w, node->no);
	}
	fprintf(w->file, "@l%u:\n", end);
}

static void write_loop(struct writer *w, const struct node *node)
{
	unsigned top = w->labels++, end = w->labels++, last = w->labels++;
	char counter[16];

	snprintf(counter, sizeof counter, "R%u.x",
		 COUNTERS + node->level + 4 * (unsigned)(w->function + 1));
	fprintf(w->file, "	ALU:\n0 x: AND_INT %s, R2.x, 3\n"
			 "	LOOP_DX10 i0 FAIL_JUMP_ADDR(@l%u)\n@l%u:\n",
		counter, end, top);
	use(w, 4);
	if (node->style & 1) {
		write_condition(w, "ALU_BREAK", counter, 0xffffffff, false);
	} else {
		/* As LLVM has it. */
		unsigned stay = w->labels++;

		use(w, 1);
		write_condition(w, "ALU_PUSH_BEFORE", counter, 0xffffffff,
				true);
		fprintf(w->file, "	JUMP POP_CNT(1) ADDR(@l%u)\n"
				 "	LOOP_BREAK ADDR(@l%u)\n	POP (1)\n@l%u:\n",
			stay, last, stay);
		w->used--;
	}
	fprintf(w->file, "	ALU:\n0 x: SUB_INT %s, %s, 1\n", counter,
		counter);
	write_body(w, node->yes);
	fprintf(w->file, "@l%u:\n	ENDLOOP i0 PASS_JUMP_ADDR(@l%u)\n"
			 "@l%u:\n", last, top, end);
	w->used -= 4;
}

static void write_counted(struct writer *w, const struct node *node)
{
	unsigned top = w->labels++, end = w->labels++;

	fprintf(w->file, "	%s i%u FAIL_JUMP_ADDR(@l%u)\n@l%u:\n",
		node->by_index ? "LOOP" : "LOOP_NO_AL", node->place, end, top);
	use(w, 4);
	write_body(w, node->yes);
	fprintf(w->file, "	ENDLOOP i%u PASS_JUMP_ADDR(@l%u)\n@l%u:\n",
		node->place, top, end);
	w->used -= 4;
}

static void write_switch(struct writer *w, const struct node *node)
{
	const struct node *bodies[] = { node->yes, node->no, node->other };
	unsigned table = w->labels++, first = w->labels, end = first + 3;

	w->labels += 4;
	fprintf(w->file, "	ALU:\n0 x: MOVA_INT ____, %u\n"
			 "1 x: SET_CF_IDX%u\n"
			 "	JUMPTABLE SEL(%u) ADDR(@l%u)\n@l%u:\n",
		node->place, node->style & 1, 4 + (node->style & 1), table,
		table);
	for (unsigned i = 0; i < 3; i++)
		fprintf(w->file, "	JUMP POP_CNT(0) ADDR(@l%u) "
				 "COND(FALSE)\n", first + i);
	for (unsigned i = 0; i < 3; i++) {
		fprintf(w->file, "@l%u:\n", first + i);
		write_body(w, bodies[i]);
		fprintf(w->file, "	JUMP POP_CNT(0) ADDR(@l%u) "
				 "COND(FALSE)\n", end);
	}
	fprintf(w->file, "@l%u:\n	NOP\n", end);
}

static void write_exit(struct writer *w, const char *name)
{
	unsigned next = w->labels++;

	fprintf(w->file, "	%s ADDR(@l%u)\n@l%u:\n", name, next, next);
}

static void write_data(struct writer *w, const struct node *node)
{
	unsigned dword = node->place + DATA_FIRST;

	fprintf(w->file, "	ALU: KCACHE0(CB0:aL+%u-%u)\n"
			 "0 x: ADD_INT R2.x, R2.x, KC0[%u+aL].%c\n",
		dword / 64 * 16, dword / 64 * 16 + 31, dword / 4 % 16,
		"xyzw"[dword % 4]);
}

static void write_call(struct writer *w, const struct node *node)
{
	fprintf(w->file, "	CALL ADDR(@f%u)%s\n", node->place,
		node->style & 1 ? " COUNT=1" : "");
	use(w, 1 + w->needs[node->place]);
	w->used -= 1 + w->needs[node->place];
}

static void write_node(struct writer *w, const struct node *node)
{
	switch (node->kind) {
	case NODE_OP:
		write_op(w, "ALU", node->factor, node->term);
		break;
	case NODE_LOOP_INDEX:
		fprintf(w->file, "	ALU:\n0 t: MULLO_INT R2.x, R2.x, 3\n"
				 "1 x: ADD_INT R2.x, R2.x, aL\n");
		break;
	case NODE_ARRAY:
		fprintf(w->file, "	ALU:\n"
				 "0 x: ADD_INT R[%d+aL].x, R[%d+aL].x, R2.x\n"
				 "1 x: XOR_INT R2.x, R2.x, R[%d+aL].x\n",
			ARRAY, ARRAY, ARRAY);
		break;
	case NODE_DATA:
		write_data(w, node);
		break;
	case NODE_IF:
		write_if(w, node);
		break;
	case NODE_IF_IF:
		write_if_if(w, node);
		break;
	case NODE_IF_BOOL:
		write_if_bool(w, node);
		break;
	case NODE_LOOP:
		write_loop(w, node);
		break;
	case NODE_COUNTED:
		write_counted(w, node);
		break;
	case NODE_SWITCH:
		write_switch(w, node);
		break;
	case NODE_BREAK:
		write_exit(w, "LOOP_BREAK");
		break;
	case NODE_CONTINUE:
		write_exit(w, "CONTINUE");
		break;
	case NODE_BREAK_IF:
		write_condition(w, "ALU_BREAK", "R2.x", node->mask, false);
		break;
	case NODE_CONTINUE_IF:
		write_condition(w, "ALU_CONTINUE", "R2.x", node->mask, false);
		break;
	case NODE_CALL:
		write_call(w, node);
		break;
	default:
		fprintf(w->file, "	RETURN\n");
	}
}

static void write_body(struct writer *w, const struct node *node)
{
	for (; node; node = node->next)
		write_node(w, node);
}

static void write_functions(struct writer *w, char **text)
{
	size_t size;

	w->file = open_memstream(text, &size);
	for (int i = STRUCTURED_FUNCTIONS; i--;) {
		w->function = i;
		w->used = w->most = 0;
		fprintf(w->file, "@f%d:\n", i);
		write_body(w, w->tree->function[i]);
		fprintf(w->file, "	RETURN\n");
		w->needs[i] = w->most;
	}
	fclose(w->file);
}

static void write_main(struct writer *w, char **text)
{
	size_t size;

	w->file = open_memstream(text, &size);
	w->function = -1;
	w->used = w->most = 0;
	fprintf(w->file, "	ALU: KCACHE0(CB0:0-31)\n"
			 "0 t: MULLO_INT R2.x, KC0[1].z, R1.x\n"
			 "1 x: ADD_INT R2.x, R2.x, R0.x\n"
			 "2 t: MULLO_INT R2.x, R2.x, 0x9e3779b1\n");
	write_body(w, w->tree->main);
	fprintf(w->file, "	ALU:\n");
	for (unsigned i = 0; i < STRUCTURED_ARRAY; i++)
		fprintf(w->file, "%u y: XOR_INT R2.y, R2.y, R%u.x\n", i,
			ARRAY + i);
	fclose(w->file);
}

void tree_write(const struct tree *tree, char **directives, char **body,
		char **functions)
{
	struct writer w = { .tree = tree };
	size_t size;

	write_functions(&w, functions);
	write_main(&w, body);
	w.file = open_memstream(directives, &size);
	fprintf(w.file, ".registers 36\n.stack %u\n", (w.most + 3) / 4);
	for (unsigned i = 0; i < tree->loop_count; i++)
		fprintf(w.file, ".loop %u %d %d %d\n", i, tree->loops[i][0],
			tree->loops[i][1], tree->loops[i][2]);
	for (unsigned i = 0; i < 32; i++)
		fprintf(w.file, ".bool %u %u\n", i, tree->bools >> i & 1);
	fclose(w.file);
}
