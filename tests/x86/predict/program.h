/* A random program: a walk over a graph of branches of all kinds, with calls
 * that return. For tests of what sees whole programs' branches. */
#ifndef M2S_TESTS_X86_PREDICT_PROGRAM_H
#define M2S_TESTS_X86_PREDICT_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "unit/random.h"
#include "x86/timing/predict/unit.h"

enum { PROGRAM_BRANCHES = 96, PROGRAM_DEPTH = 64, PROGRAM_LENGTH = 6 };

struct program {
	uint64_t seed;    /* of the outcomes */
	uint32_t at;      /* which branch comes next */
	uint32_t depth;
	uint32_t callers[PROGRAM_DEPTH];
	uint32_t turns[PROGRAM_BRANCHES];
	uint64_t past;    /* outcomes */
};

struct program_step {
	struct branch branch; /* a direct one with its target */
	uint64_t behind;
	struct predict_outcome outcome;
};

/* The address that the flow to a branch enters at. */
static inline uint64_t program_entry(uint32_t branch)
{
	return 0x400000 + 32 * branch;
}

static inline uint64_t program_hash(uint64_t value)
{
	return random_draw(&value);
}

static inline bool program_way(struct program *program, uint32_t at)
{
	uint32_t turn = program->turns[at]++;

	switch (program_hash(at + 7) % 5) {
	case 0:
		return turn % (2 + at % 9) != 0;
	case 1:
		return program->past >> at % 12 & 1;
	case 2:
		return random_draw(&program->seed) & 1;
	default:
		return random_draw(&program->seed) % 16 != 0;
	}
}

/* The next branch that the program executes. */
static inline struct program_step program_next(struct program *program)
{
	uint32_t at = program->at, next = (at + 1) % PROGRAM_BRANCHES;
	uint64_t draw = program_hash(at);
	uint32_t target = (uint32_t)(draw >> 8) % PROGRAM_BRANCHES;
	struct program_step step = {
		.branch.address = program_entry(at) + PROGRAM_LENGTH,
		.behind = program_entry(next),
		.outcome.taken = true,
	};
	static const enum branch_kind kinds[16] = {
		BRANCH_JUMP, BRANCH_CALL, BRANCH_CALL, BRANCH_INDIRECT_CALL,
		BRANCH_INDIRECT_JUMP, BRANCH_RETURN, BRANCH_RETURN,
		BRANCH_RETURN, /* the others are conditional */
	};

	step.branch.kind = kinds[draw % 16];
	if (step.branch.kind == BRANCH_RETURN && !program->depth)
		step.branch.kind = BRANCH_CONDITIONAL;
	if (branch_is_indirect(&step.branch))
		target = (target + program->turns[at]++ % 3 * 11) %
			 PROGRAM_BRANCHES;
	else if (step.branch.kind != BRANCH_RETURN)
		step.branch.target = program_entry(target);
	if (step.branch.kind == BRANCH_CONDITIONAL)
		step.outcome.taken = program_way(program, at);
	if ((step.branch.kind == BRANCH_CALL ||
	     step.branch.kind == BRANCH_INDIRECT_CALL)) {
		if (program->depth == PROGRAM_DEPTH)
			program->depth = 0;
		program->callers[program->depth++] = next;
	} else if (step.branch.kind == BRANCH_RETURN) {
		target = program->callers[--program->depth];
	}
	program->at = step.outcome.taken ? target : next;
	program->past = program->past << 1 | step.outcome.taken;
	step.outcome.next = step.outcome.taken ? program_entry(target)
					       : step.behind;
	return step;
}

#endif
