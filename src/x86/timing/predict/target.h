/* Predictors of the targets of indirect jumps and calls, behind an interface
 * like that of direction.h, with the same rules for state and records. */
#ifndef M2S_X86_TIMING_PREDICT_TARGET_H
#define M2S_X86_TIMING_PREDICT_TARGET_H

#include "x86/timing/predict/direction.h"

struct target_kind {
	const char *name;
	size_t record_bytes;
	size_t (*state_bytes)(const struct predict_config *config);
	/* The storage in bits, with addresses of 48 bits. */
	uint64_t (*storage_bits)(const struct predict_config *config);
	/* Makes the first state from zeros; NULL: zeros are it. */
	void (*init)(const struct predict_config *config, void *state);
	/* The predicted target; 0: none. */
	uint64_t (*predict)(const struct predict_config *config, void *state,
			    void *record, uint64_t address);
	/* To be called for every branch at fetch. `branch->target` is its
	 * target if taken. */
	void (*history)(const struct predict_config *config, void *state,
			void *record, const struct branch *branch, bool taken);
	void (*undo)(const struct predict_config *config, void *state,
		     void *record);
	void (*update)(const struct predict_config *config, void *state,
		       void *record, uint64_t address, uint64_t target);
	/* All at once, of any branch with no other one in flight, in less time.
	 * NULL: `predict`, `history` and `update` are called. */
	void (*pass)(const struct predict_config *config, void *state,
		     const struct branch *branch, bool taken);
};

#define TARGET_PREDICTOR(id, ...) extern const struct target_kind target_##id;
#include "x86/timing/predict/targets.def"

enum target_id {
#define TARGET_PREDICTOR(id, ...) TARGET_##id,
#include "x86/timing/predict/targets.def"
	TARGET_COUNT
};

struct target {
	const struct target_kind *kind;
	/* The caller's; must outlive this struct. */
	const struct predict_config *config;
	void *state;
};

/* Creates the predictor that config->indirect names. `config` must have been
 * checked. The second function creates no state, and serves questions about
 * sizes. */
void target_init(struct target *target, const struct predict_config *config);
void target_choose(struct target *target, const struct predict_config *config);
void target_free(struct target *target);
size_t target_state_bytes(const struct target *target);
uint64_t target_storage_bits(const struct target *target);

static inline bool branch_is_indirect(const struct branch *branch)
{
	return branch->kind == BRANCH_INDIRECT_JUMP ||
	       branch->kind == BRANCH_INDIRECT_CALL;
}

static inline uint64_t target_predict(const struct target *target, void *record,
				      uint64_t address)
{
	return target->kind->predict
		       ? target->kind->predict(target->config, target->state,
					       record, address)
		       : 0;
}

static inline void target_history(const struct target *target, void *record,
				  const struct branch *branch, bool taken)
{
	if (target->kind->history)
		target->kind->history(target->config, target->state, record,
				      branch, taken);
}

static inline void target_undo(const struct target *target, void *record)
{
	if (target->kind->undo)
		target->kind->undo(target->config, target->state, record);
}

/* To be called for each predicted indirect branch. */
static inline void target_update(const struct target *target, void *record,
				 uint64_t address, uint64_t actual)
{
	if (target->kind->update)
		target->kind->update(target->config, target->state, record,
				     address, actual);
}

/* The calls for a branch while no other one is in flight; `branch->target` is its
 * actual target. */
static inline void target_pass(const struct target *target, void *record,
			       const struct branch *branch, bool taken)
{
	bool indirect = branch_is_indirect(branch);

	if (target->kind->pass) {
		target->kind->pass(target->config, target->state, branch,
				   taken);
		return;
	}
	if (indirect)
		target_predict(target, record, branch->address);
	target_history(target, record, branch, taken);
	if (indirect)
		target_update(target, record, branch->address, branch->target);
}

#endif
