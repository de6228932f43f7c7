#include "evergreen/isa/action.h"

enum { NEXT = false, JUMP = true };
enum { CALL = false, EMIT = true };

const struct evg_action_info evg_action_info[EVG_ACTION_COUNT] = {
#define ACTION(id, what, after, without, code)                                 \
	[EVG_ACTION_##id] = {EVG_NEEDS_##what, EVG_LEAVES_##after, without,    \
			     code},
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
