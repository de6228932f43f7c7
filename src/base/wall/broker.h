/* The few files outside a wall that a process goes on making: its outputs.
 *
 * A second process, which stays outside, opens, renames and removes them by
 * name when it is asked to, and no others. It is started before the wall is
 * entered and ends with the process. */
#ifndef M2S_BASE_WALL_BROKER_H
#define M2S_BASE_WALL_BROKER_H

#include <stddef.h>
#include <sys/stat.h>

#include "base/error.h"

/* The names: those of `paths`, and in the same folders what begins with one of
 * them and a dot, or with a dot and one of them. Their folders are opened now:
 * what these paths lead to later does not matter. To be called once, by the
 * process that has no threads yet. 0, or -1 and *error. */
int broker_start(const char *const *paths, size_t count, struct error *error);

/* As open(2), rename(2), unlink(2) and fstatat(2): by the broker where there is
 * one and it has the name, which stays a regular file if it was one, else by
 * ourselves. */
int broker_open(const char *path, int flags, mode_t mode);
int broker_rename(const char *from, const char *to);
int broker_unlink(const char *path);
int broker_stat(const char *path, struct stat *status, int flags);

#endif
