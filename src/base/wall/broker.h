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

/* Starts the broker. Its names are those of `paths`, and in the same folders
 * all names that begin with one of them and a dot, or with a dot and one of
 * them. The folders are opened now: later changes of these paths do not matter.
 * To be called once, by a process without threads. 0, or -1 and *error. */
int broker_start(const char *const *paths, size_t count, struct error *error);

/* open(2), rename(2), unlink(2) and fstatat(2). The broker serves its names, if
 * it runs, and leaves a regular file regular. Other names are served
 * directly. */
int broker_open(const char *path, int flags, mode_t mode);
int broker_rename(const char *from, const char *to);
int broker_unlink(const char *path);
int broker_stat(const char *path, struct stat *status, int flags);

#endif
