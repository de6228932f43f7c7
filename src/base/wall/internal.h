/* The parts of a wall, in the order in which they are entered. Each returns 0,
 * or -1 and *error. */
#ifndef M2S_BASE_WALL_INTERNAL_H
#define M2S_BASE_WALL_INTERNAL_H

#include "base/wall/wall.h"

/* Whether a path is `folder` or below it. */
bool wall_is_below(const char *path, const char *folder);

int namespace_enter(const struct wall *wall, struct error *error);

/* The capabilities that a wall leaves to the process, a bit each. To be called
 * before namespace_enter(), which lends the process all capabilities. */
uint64_t privilege_kept(const struct wall *wall);
int privilege_drop(uint64_t kept, struct error *error);

int landlock_enter(const struct wall *wall, struct error *error);
int filter_enter(const struct wall *wall, struct error *error);

#endif
