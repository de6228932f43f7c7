#include "evergreen/isa/action.h"

enum { CALL = false, EMIT = true };

const struct evg_effect_info evg_effect_info[EVG_EFFECT_COUNT] = {
#define EFFECT(id, what, after, where, code)                                   \
	[EVG_EFFECT_##id] = {EVG_NEEDS_##what, EVG_LEAVES_##after,             \
			     EVG_GOES_##where, code},
#include "evergreen/isa/control.def"
};

#define BIT(effect) (UINT32_C(1) << EVG_EFFECT_##effect)
#define FOUR(id, a, b, c, d, ...)                                              \
	[EVG_ACTION_##id] = {                                                  \
		{EVG_EFFECT_##a, EVG_EFFECT_##b, EVG_EFFECT_##c,               \
		 EVG_EFFECT_##d},                                              \
		(BIT(a) | BIT(b) | BIT(c) | BIT(d)) & ~BIT(NONE),              \
	},

const struct evg_action_info evg_action_info[EVG_ACTION_COUNT] = {
#define ACTION(id, ...) FOUR(id, __VA_ARGS__, NONE, NONE, NONE, NONE)
#include "evergreen/isa/control.def"
};

const struct evg_control evg_control[EVG_CF_COUNT] = {
#define CONTROL(id, what) [EVG_CF_##id] = {.action = EVG_ACTION_##what},
#define LOOPS(id, how)                                                         \
	[EVG_CF_##id] = {.action = EVG_ACTION_LOOP, .loop = EVG_LOOP_##how},
#define CLAUSE(id, what, count)                                                \
	[EVG_CF_##id] = {.action = EVG_ACTION_##what,                          \
			 .is_clause = true,                                    \
			 .pops = count},
#include "evergreen/isa/control.def"
};
