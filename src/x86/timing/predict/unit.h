/* Branch prediction as the front end sees it: directions, branch target buffer,
 * indirect targets and return stack, with the branches in flight. The unit sees
 * addresses and outcomes, and nothing else of the pipeline:
 *
 *	predict		for each branch in fetch order, on wrong paths too:
 *			returns where fetch continues, and a checkpoint
 *	resolve		when the branch has been executed, in any order: says
 *			whether the prediction was right. If it was not, all
 *			younger branches are dropped, and histories and return
 *			stack are ready for fetch to continue at the outcome
 *	commit		when the oldest branch retires, in order
 *	squash		drops a branch and all younger ones: at a machine
 *			clear, a signal, the end of a wrong path
 *
 * The variable `Train` says when tables are trained: at commit, or when a
 * branch resolves, which also learns from wrong paths. Nothing is allocated
 * after the start. */
#ifndef M2S_X86_TIMING_PREDICT_UNIT_H
#define M2S_X86_TIMING_PREDICT_UNIT_H

#include "x86/timing/predict/btb.h"
#include "x86/timing/predict/direction.h"
#include "x86/timing/predict/return-stack.h"
#include "x86/timing/predict/target.h"

enum { PREDICT_TRAIN_COMMIT, PREDICT_TRAIN_RESOLVE };
enum { PREDICT_MISS_DECODE, PREDICT_MISS_FALL_THROUGH };

/* The source of the address at which fetch continues. A timing model charges
 * the cost of each. */
enum predict_source {
	PREDICT_FROM_NOTHING,  /* none: fetch waits until the branch resolves */
	PREDICT_FROM_FALL_THROUGH, /* not taken, or not known as a branch */
	PREDICT_FROM_BTB,
	PREDICT_FROM_BTB2,     /* the second level of the BTB */
	/* A direct branch that the BTB lacks or has with another target. Or a
	 * return or an indirect branch that the predictors know and the BTB
	 * lacks. */
	PREDICT_FROM_DECODE,
	PREDICT_SOURCES
};

struct predict_answer {
	uint64_t next; /* address; 0: unknown */
	uint64_t checkpoint;
	bool taken;
	enum predict_source source;
};

struct predict_outcome {
	uint64_t next;
	bool taken;
};

/* Counts of committed branches, by kind of branch. */
struct predict_counts {
	uint64_t branches, taken;
	/* Fetch continued at a wrong address, or waited, or the direction was
	 * wrong. */
	uint64_t wrong;
	uint64_t wrong_way; /* of these, with a wrong direction */
	uint64_t sources[PREDICT_SOURCES];
};

enum { BRANCH_KINDS = BRANCH_RETURN + 1 };

struct predict_unit {
	const struct predict_config *config;
	struct direction direction;
	struct target target;
	struct btb btb;
	struct return_stack stack;
	struct predict_counts counts[BRANCH_KINDS];
	/* Branches in flight, by checkpoint, from `oldest` up to `next`. */
	uint64_t oldest, next;
	uint64_t mask;
	size_t slot_bytes, target_offset;
	char *slots;
	struct return_record *squashed; /* room for all branches in flight */
};

/* `config` must have been checked and must outlive the unit. At most
 * `in_flight` branches are predicted and not yet committed or squashed. */
void predict_unit_init(struct predict_unit *unit,
		       const struct predict_config *config, uint32_t in_flight);
void predict_unit_free(struct predict_unit *unit);
/* The storage in bits, without that of branches in flight. */
uint64_t predict_unit_storage_bits(const struct predict_config *config);
/* The host's memory in bytes, likewise. */
size_t predict_unit_bytes(const struct predict_config *config);

static inline bool predict_unit_full(const struct predict_unit *unit)
{
	return unit->next - unit->oldest > unit->mask;
}

/* Predicts a branch. `branch->target` is the target of a direct branch, and 0
 * for others. `behind` is the address behind the branch. `outcome` may be NULL;
 * only the perfect predictor reads it. The unit must not be full. */
struct predict_answer predict_unit_predict(struct predict_unit *unit,
					   const struct branch *branch,
					   uint64_t behind,
					   const struct predict_outcome *outcome);
/* Resolves a branch in flight. True when the prediction was right. */
bool predict_unit_resolve(struct predict_unit *unit, uint64_t checkpoint,
			  const struct predict_outcome *outcome);
/* Commits the oldest branch, which must have been resolved. */
void predict_unit_commit(struct predict_unit *unit);
void predict_unit_squash(struct predict_unit *unit, uint64_t checkpoint);
/* Predicts, resolves and commits a branch while none is in flight. It is not
 * counted. Everything else becomes as if it had been done step by step. */
void predict_unit_pass(struct predict_unit *unit, const struct branch *branch,
		       uint64_t behind, const struct predict_outcome *outcome);

#endif
