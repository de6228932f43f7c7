/* Where the state of a predictor lies on a device: the words of `config` in
 * kernel.cl, in its order. Internal to x86/timing/study. */
#ifndef M2S_X86_TIMING_STUDY_LAYOUT_H
#define M2S_X86_TIMING_STUDY_LAYOUT_H

#include "x86/timing/predict/unit.h"

enum {
	LAYOUT_KIND, LAYOUT_MASK, LAYOUT_HISTORY, LAYOUT_SHIFT, LAYOUT_FIRST,
	LAYOUT_COLUMNS, LAYOUT_CHOICE_MASK, LAYOUT_COUNTERS, LAYOUT_SECOND,
	LAYOUT_CHOICES, LAYOUT_LOCALS, LAYOUT_LOCAL_HISTORIES, LAYOUT_BTB_SETS,
	LAYOUT_BTB_WAYS, LAYOUT_BTB, LAYOUT_BTB2_SETS, LAYOUT_BTB2_WAYS,
	LAYOUT_BTB2, LAYOUT_FALLS_THROUGH, LAYOUT_RAS_SIZE, LAYOUT_RAS,
	LAYOUT_STREAM, LAYOUT_TOTAL,
	LAYOUT_WORDS
};

/* Cases that are counted: kind of branch, source, wrong, wrong way. */
enum { LAYOUT_CODES = BRANCH_KINDS * PREDICT_SOURCES * 4 };

/* 0, or -1 and *error when the kernel has no such predictor. */
int layout_knows(const struct predict_config *config, struct error *error);
void layout_make(const struct predict_config *config, uint32_t stream,
		 uint32_t words[LAYOUT_WORDS]);
/* Adds `count` branches of a case. */
void layout_count(struct predict_counts counts[BRANCH_KINDS], size_t code,
		  uint64_t count);

#endif
