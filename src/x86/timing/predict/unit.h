/* All of branch prediction as the front end sees it: directions, branch target
 * buffer, indirect targets and return stack, with the branches in flight. It
 * sees addresses and outcomes, nothing else of the pipeline:
 *
 *	predict		for each branch in fetch order, on wrong paths too:
 *			where fetch goes on, and a checkpoint
 *	resolve		when the branch has been executed, in any order: says
 *			whether the prediction was right. If not, all younger
 *			branches are forgotten and the histories and the return
 *			stack are as fetch needs them to go on at the outcome
 *	commit		when the oldest branch retires, in order
 *	squash		forgets a branch and all younger ones: a machine clear,
 *			a signal, the end of a wrong path
 *
 * Tables learn when `Train` says, at commit or when a branch resolves; the
 * latter learns from wrong paths, too. Nothing is allocated after the start. */
#ifndef M2S_X86_TIMING_PREDICT_UNIT_H
#define M2S_X86_TIMING_PREDICT_UNIT_H

#include "x86/timing/predict/btb.h"
#include "x86/timing/predict/direction.h"
#include "x86/timing/predict/return-stack.h"
#include "x86/timing/predict/target.h"

enum { PREDICT_TRAIN_COMMIT, PREDICT_TRAIN_RESOLVE };
enum { PREDICT_MISS_DECODE, PREDICT_MISS_FALL_THROUGH };

/* Who knew where fetch goes on. A model charges what each costs. */
enum predict_source {
	PREDICT_FROM_NOTHING,  /* nobody knows: fetch waits until it resolves */
	PREDICT_FROM_FALL_THROUGH, /* not taken, or not known to be a branch */
	PREDICT_FROM_BTB,
	PREDICT_FROM_BTB2,     /* its second level */
	PREDICT_FROM_DECODE,   /* a direct branch that the target buffer does
				* not have, or has with another target; or a
				* return or an indirect branch of which the
				* predictors know, but not the buffer */
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

/* By kind of branch, of those that have committed. */
struct predict_counts {
	uint64_t branches, taken;
	uint64_t wrong;     /* fetch went on, or waited, elsewhere; or the
			     * direction was wrong */
	uint64_t wrong_way; /* of them, for the direction */
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
	/* Branches in flight, by checkpoint: from oldest up to next. */
	uint64_t oldest, next;
	uint64_t mask;
	size_t slot_bytes, target_offset;
	char *slots;
	struct return_record *squashed; /* room for all in flight */
};

/* `config` has been checked and must outlive the unit. `in_flight` branches at
 * most are predicted and not yet committed or squashed. */
void predict_unit_init(struct predict_unit *unit,
		       const struct predict_config *config, uint32_t in_flight);
void predict_unit_free(struct predict_unit *unit);
/* What the hardware would hold, without what belongs to branches in flight. */
uint64_t predict_unit_storage_bits(const struct predict_config *config);
/* What the host holds, likewise. */
size_t predict_unit_bytes(const struct predict_config *config);

static inline bool predict_unit_full(const struct predict_unit *unit)
{
	return unit->next - unit->oldest > unit->mask;
}

/* `branch->target` is that of a direct branch, 0 of others; `behind` is the
 * address behind the instruction. `outcome` is for the perfect predictor alone,
 * where it is known; else NULL. The unit must not be full. */
struct predict_answer predict_unit_predict(struct predict_unit *unit,
					   const struct branch *branch,
					   uint64_t behind,
					   const struct predict_outcome *outcome);
/* True when the prediction was right. The branch must be in flight and not
 * resolved. */
bool predict_unit_resolve(struct predict_unit *unit, uint64_t checkpoint,
			  const struct predict_outcome *outcome);
/* The oldest branch, which must have resolved. */
void predict_unit_commit(struct predict_unit *unit);
void predict_unit_squash(struct predict_unit *unit, uint64_t checkpoint);

#endif
