/* Counts of executions, cheap enough to be kept always.
 *
 * A counter is one number while a wavefront runs: executions in its upper part,
 * the sum of active lanes in its lower part. Figures that do not depend on the
 * counter (instructions by number of active lanes, control-flow paths) are
 * noted when the active mask changes. */
#ifndef M2S_EVERGREEN_EMU_COUNT_COUNT_H
#define M2S_EVERGREEN_EMU_COUNT_COUNT_H

#include "evergreen/emu/machine.h"

enum {
	EVG_COUNT_SHIFT = 36,
	/* Instructions after which the two parts must be separated: neither
	 * part can overflow before. */
	EVG_COUNT_FULL = 1 << 27,
};
_Static_assert((uint64_t)EVG_WAVEFRONT_SIZE * EVG_COUNT_FULL <
		       UINT64_C(1) << EVG_COUNT_SHIFT,
	       "lanes");

static inline uint64_t evg_count_one(uint32_t lanes)
{
	return (UINT64_C(1) << EVG_COUNT_SHIFT) + lanes;
}

/* Counts an execution, under the active mask, of `instructions` that are
 * counted together. The upper half of count.noted takes executions without an
 * active lane: at the end of a loop the mask becomes empty and then what it
 * was, which changes no path. */
static inline void evg_count(struct evg_wavefront *wavefront, uint32_t counter,
			     uint32_t instructions)
{
	uint64_t one = wavefront->count.one;

	wavefront->count.counters[counter] += one;
	wavefront->count.noted +=
	    (uint8_t)one ? instructions : (uint64_t)instructions << 32;
}

/* Parts the paths by the active mask, under which something was counted. */
void evg_count_part(struct evg_wavefront *wavefront);

/* To be called before the active mask changes to another one that is not empty,
 * and before somebody reads the figures. */
static inline void evg_count_mask(struct evg_wavefront *wavefront)
{
	uint64_t counted = wavefront->count.noted;
	uint32_t lanes = wavefront->mask_rows.count[EVG_MASK_ACTIVE];

	if (!counted)
		return;
	wavefront->count.noted = 0;
	wavefront->group->tally->histogram[0] += counted >> 32;
	if (!(uint32_t)counted)
		return;
	if (wavefront->mask_rows.expanded[EVG_MASK_ACTIVE] !=
	    wavefront->paths.seen)
		evg_count_part(wavefront);
	if (lanes != EVG_WAVEFRONT_SIZE)
		wavefront->group->tally->histogram[lanes] += (uint32_t)counted;
}

static inline struct evg_count evg_count_parts(uint64_t count)
{
	return (struct evg_count){
		.executions = count >> EVG_COUNT_SHIFT,
		.lanes = count & ((UINT64_C(1) << EVG_COUNT_SHIFT) - 1),
	};
}

/* Separates the two parts of each counter. */
void evg_count_settle(struct evg_tally *tally);

/* Tells that up to `instructions` more may have been counted since the last
 * call. */
static inline void evg_count_ran(const struct evg_work_group *group,
				 uint64_t instructions)
{
	struct evg_tally *tally = group->tally;

	tally->unsettled += instructions;
	if (tally->unsettled >= EVG_COUNT_FULL)
		evg_count_settle(tally);
}

#endif
