/* Predictors of branch directions behind one interface.
 *
 * A predictor sees addresses and outcomes, and nothing else of the pipeline:
 *
 *	predict		at fetch, for a conditional branch; fills its record
 *	history		then, for every branch in fetch order: the direction
 *			that fetch follows enters the histories
 *	undo		takes `history` back, youngest branch first; then the
 *			state is as if the branch had not been fetched. For a
 *			mispredicted branch `history` follows again, with the
 *			branch's outcome
 *	update		trains the tables, once for each conditional branch of
 *			the correct path, when the branch resolves or retires,
 *			as the pipeline chooses
 *
 * `state` is one block without pointers: copying its bytes copies the
 * predictor, and thousands can exist side by side. Nothing is allocated after
 * its creation. A record belongs to one branch from `predict` or `history`
 * until its `update` or `undo`. The caller keeps the record, which is
 * direction_record_bytes() long and aligned to 8 bytes. */
#ifndef M2S_X86_TIMING_PREDICT_DIRECTION_H
#define M2S_X86_TIMING_PREDICT_DIRECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "x86/timing/predict/config.h"

enum branch_kind {
	BRANCH_CONDITIONAL,
	BRANCH_JUMP,
	BRANCH_CALL,
	BRANCH_INDIRECT_JUMP,
	BRANCH_INDIRECT_CALL,
	BRANCH_RETURN,
};

struct branch {
	uint64_t address;
	/* The target when taken. An indirect branch has the predicted or the
	 * actual target, whichever fetch follows. Else 0. */
	uint64_t target;
	enum branch_kind kind;
};

enum direction_id {
#define PREDICTOR(id, ...) DIRECTION_##id,
#include "x86/timing/predict/kinds.def"
	DIRECTION_COUNT
};

struct direction_kind {
	const char *name;
	size_t record_bytes;
	/* Unconditional branches enter the history, too. */
	bool every_branch;
	size_t (*state_bytes)(const struct predict_config *config);
	/* The storage in bits, histories included. */
	uint64_t (*storage_bits)(const struct predict_config *config);
	/* `state` must be all zeros. */
	void (*init)(const struct predict_config *config, void *state);
	/* Only the perfect predictor reads `outcome`. */
	bool (*predict)(const struct predict_config *config, void *state,
			void *record, const struct branch *branch,
			bool outcome);
	/* `predicted` differs from `taken` where outcomes enter histories at
	 * once, as in trace-driven simulators, or where they enter again after
	 * an undo. */
	void (*history)(const struct predict_config *config, void *state,
			void *record, const struct branch *branch,
			bool predicted, bool taken);
	void (*undo)(const struct predict_config *config, void *state,
		     void *record);
	void (*update)(const struct predict_config *config, void *state,
		       void *record, const struct branch *branch, bool taken);
	/* All at once, of a branch that this predictor sees, with no other one in
	 * flight: `predict`, `history` with the outcome and `update` in less time.
	 * NULL: these are called. `branch->target` is the actual target. */
	void (*pass)(const struct predict_config *config, void *state,
		     const struct branch *branch, bool taken);
};

#define PREDICTOR(id, ...) extern const struct direction_kind direction_##id;
#include "x86/timing/predict/kinds.def"

struct direction {
	const struct direction_kind *kind;
	/* The caller's; must outlive this struct. */
	const struct predict_config *config;
	void *state;
};

/* Creates the predictor that config->kind names. `config` must have been
 * checked. The second function creates no state, and serves questions about
 * sizes. */
void direction_init(struct direction *direction,
		    const struct predict_config *config);
void direction_choose(struct direction *direction,
		      const struct predict_config *config);
void direction_free(struct direction *direction);
size_t direction_state_bytes(const struct direction *direction);
uint64_t direction_storage_bits(const struct direction *direction);

static inline size_t direction_record_bytes(const struct direction *direction)
{
	return direction->kind->record_bytes;
}

static inline bool direction_predict(const struct direction *direction,
				     void *record, const struct branch *branch,
				     bool outcome)
{
	return direction->kind->predict(direction->config, direction->state,
					record, branch, outcome);
}

static inline bool direction_sees(const struct direction *direction,
				  const struct branch *branch)
{
	return direction->kind->history &&
	       (branch->kind == BRANCH_CONDITIONAL ||
		direction->kind->every_branch);
}

static inline void direction_history(const struct direction *direction,
				     void *record, const struct branch *branch,
				     bool predicted, bool taken)
{
	if (direction_sees(direction, branch))
		direction->kind->history(direction->config, direction->state,
					 record, branch, predicted, taken);
}

static inline void direction_undo(const struct direction *direction,
				  void *record, const struct branch *branch)
{
	if (direction_sees(direction, branch))
		direction->kind->undo(direction->config, direction->state,
				      record);
}

static inline void direction_update(const struct direction *direction,
				    void *record, const struct branch *branch,
				    bool taken)
{
	if (direction->kind->update && branch->kind == BRANCH_CONDITIONAL)
		direction->kind->update(direction->config, direction->state,
					record, branch, taken);
}

/* direction_predict(), direction_history() and direction_update() of a branch
 * while no other one is in flight. `target`: that of the branch or, if it is an
 * indirect one and taken, its actual one. */
static inline void direction_pass(const struct direction *direction,
				  void *record, const struct branch *branch,
				  uint64_t target, bool taken)
{
	struct branch actual = *branch;
	bool way = true;

	actual.target = target;
	if (direction->kind->pass) {
		direction->kind->pass(direction->config, direction->state,
				      &actual, taken);
		return;
	}
	if (branch->kind == BRANCH_CONDITIONAL)
		way = direction_predict(direction, record, branch, taken);
	direction_history(direction, record, &actual, way, taken);
	direction_update(direction, record, branch, taken);
}

#endif
