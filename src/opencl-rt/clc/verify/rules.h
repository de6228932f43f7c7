/* What a group of instructions may hold, worked out from the description of the
 * hardware in doc/evergreen-isa.md: nothing of the scheduler's tables of ports
 * and slots is used. */
#ifndef M2S_OPENCL_RT_CLC_VERIFY_RULES_H
#define M2S_OPENCL_RT_CLC_VERIFY_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "evergreen/isa/inst.h"

/* How a source reaches its instruction. */
enum read_kind {
	READ_NOTHING,
	READ_REGISTER,  /* through a port: number and channel */
	READ_FILE,      /* a constant of a file: number and channel */
	READ_LITERAL,   /* number is its value */
	READ_INLINE,    /* 0, 1, 0.5, ... */
	READ_FORWARDED, /* PV, PS or a queue */
};

struct read {
	enum read_kind kind;
	uint32_t number;
	uint8_t channel;
};

/* The reads of the five slots. */
struct group_reads {
	struct read slot[EVG_SLOT_COUNT][3];
};

/* Whether some choice of swizzles serves all reads, with at most four literals
 * and two pairs of constants. */
bool rules_serve(const struct group_reads *reads);

/* Whether the swizzles that are given do. */
bool rules_serve_with(const struct group_reads *reads,
		      const uint8_t swizzles[EVG_SLOT_COUNT]);

/* The set of slots that an instruction may have, by its code. */
unsigned rules_slots(enum evg_alu_op op);

/* What lasts from one group of a clause to the next; 0 at its beginning. */
struct rules_walk {
	unsigned readable;       /* slots whose PV or PS there is */
	unsigned queued[2];      /* values in the queues before this group */
	bool ended;              /* lanes have been taken out */
};

/* NULL, or the rule that the next group of a clause breaks. */
const char *rules_step(struct rules_walk *walk,
		       const struct evg_alu_group *group);

/* NULL, or the rule that the clause's end breaks. */
const char *rules_end(const struct rules_walk *walk);

#endif
