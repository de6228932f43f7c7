/* Reads carriers (carrier.h) in the machine code. */
#ifndef M2S_OPENCL_RT_CLC_DOUBLE_CARRIER_READ_H
#define M2S_OPENCL_RT_CLC_DOUBLE_CARRIER_READ_H

#include "evergreen/isa/code.h"
#include "opencl-rt/clc/double/carrier.h"
#include "opencl-rt/clc/code/edit.h"

/* The device's operations. */
struct carrier_info {
	enum evg_alu_op op;
	unsigned char sources, results;
};
extern const struct carrier_info carrier_operations[CARRIER_COUNT];

/* A word of a result. */
struct carrier_result {
	bool wanted;
	uint8_t gpr, channel;
	uint32_t id; /* of the carrier, for links to the carrier */
};

struct carrier {
	enum carrier_operation operation;
	struct evg_source low[3], high[3]; /* p, q, r */
	struct carrier_result result[2];   /* low and high word */
	uint8_t predicate_select;
};

static inline const struct carrier_info *
carrier_info(const struct carrier *carrier)
{
	return &carrier_operations[carrier->operation];
}

/* Whether the group is a carrier, possibly a damaged one. */
bool carrier_is(const struct evg_alu_group *group);
/* Reads a carrier; -1 and *error for a damaged one. One word of the result is
 * used. */
int carrier_read(const struct edit_group *place, struct carrier *carrier,
		 struct error *error);
/* Whether the two compute the words of one result. */
bool carrier_are_twins(const struct carrier *a, const struct carrier *b);
/* The word of the result that is used; the low one when both are. */
const struct carrier_result *carrier_destination(const struct carrier *carrier);

#endif
