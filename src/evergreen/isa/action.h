/* The effect of CF instructions on the active mask and the stack: the rows of
 * control.def as constants and tables. */
#ifndef M2S_EVERGREEN_ISA_ACTION_H
#define M2S_EVERGREEN_ISA_ACTION_H

#include <stdbool.h>
#include <stdint.h>

#include "evergreen/isa/inst.h"

enum evg_effect {
	EVG_EFFECT_NONE, /* ends an action's effects */
#define EFFECT(id, ...) EVG_EFFECT_##id,
#include "evergreen/isa/control.def"
	EVG_EFFECT_COUNT
};

struct evg_effect_info {
	enum evg_needs {
		EVG_NEEDS_ANY,
		EVG_NEEDS_MASK,
		EVG_NEEDS_LOOP,
		EVG_NEEDS_IN_LOOP,
	} needs;
	enum evg_leaves {
		EVG_LEAVES_SAME,
		EVG_LEAVES_MASK,
		EVG_LEAVES_LOOP,
		EVG_LEAVES_POPPED,
		EVG_LEAVES_BELOW,
	} leaves; /* the stack, when control goes on */
	enum evg_goes {
		EVG_GOES_ON,
		EVG_GOES_OUT,
		EVG_GOES_BACK,
		EVG_GOES_CALL,
		EVG_GOES_AWAY,
	} goes;
	bool native; /* there is native code */
};
extern const struct evg_effect_info evg_effect_info[EVG_EFFECT_COUNT];

enum evg_action {
	EVG_ACTION_NONE, /* the emulator does not know the instruction */
#define ACTION(id, ...) EVG_ACTION_##id,
#include "evergreen/isa/control.def"
	EVG_ACTION_COUNT
};

enum { EVG_EFFECTS_MAX = 4 };

struct evg_action_info {
	/* EVG_EFFECT_*, in their order, ended by EVG_EFFECT_NONE. */
	uint8_t effects[EVG_EFFECTS_MAX + 1];
	uint32_t does; /* bit i: effect i is among them */
};
extern const struct evg_action_info evg_action_info[EVG_ACTION_COUNT];

static inline bool evg_action_does(enum evg_action action,
				   enum evg_effect effect)
{
	return evg_action_info[action].does >> effect & 1;
}

enum evg_loop { EVG_LOOP_ENDLESS, EVG_LOOP_COUNTED, EVG_LOOP_INDEXED };

struct evg_control {
	enum evg_action action;
	enum evg_loop loop; /* of LOOP */
	bool is_clause;
	uint8_t pops;       /* of a clause: saved masks that it pops */
};
extern const struct evg_control evg_control[EVG_CF_COUNT];

/* Whether it does that to lanes or the stack. */
static inline bool evg_cf_does(enum evg_cf_op op, enum evg_effect effect)
{
	return evg_action_does(evg_control[op].action, effect);
}

/* Whether lanes and stack stay as they are. */
static inline bool evg_cf_stays(enum evg_cf_op op)
{
	return evg_control[op].action == EVG_ACTION_STAY;
}

#endif
