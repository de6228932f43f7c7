#include "evergreen/emu/memory/atomic.h"

#define DOES_ATOMIC(id) EVG_ATOMIC_##id
#define DOES_OWN(id) EVG_ATOMIC_NONE

const uint8_t evg_lds_atomic[EVG_LDS_COUNT] = {
#define LDS(id, code, sources, returns, compute, element, step, does, ...)     \
	[EVG_LDS_##id] = DOES_##does,
#include "evergreen/isa/lds.def"
};

const uint8_t evg_rat_atomic[EVG_RAT_COUNT] = {
#define RAT(id, code, returns, compute, does, ...)                             \
	[EVG_RAT_##id] = DOES_##does,
#include "evergreen/isa/rat.def"
};

enum order { ORDERED, COMMUTES, JOIN };
#define JOINS(by, none) JOIN

static const uint8_t orders[EVG_ATOMIC_COUNT] = {
#define ATOMIC(id, operands, order, value) [EVG_ATOMIC_##id] = order,
#include "evergreen/emu/memory/atomic.def"
};

bool evg_atomic_commutes(enum evg_atomic op)
{
	return orders[op] >= COMMUTES;
}

bool evg_atomic_joins(enum evg_atomic op)
{
	return orders[op] == JOIN;
}
