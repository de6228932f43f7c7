/* Programs that are nobody's children but ours.
 *
 * The process may be a program that knows nothing of us (native mode), which
 * collects its children in a handler of SIGCHLD, ignores that signal, or counts
 * what wait() finds. So a program has a keeper between: a child that ends without
 * a signal, which only waitpid() with __WALL finds. A program itself cannot be
 * such a child, for exec gives it the usual signal back. */
#ifndef M2S_OPENCL_RT_CLC_KEEPER_H
#define M2S_OPENCL_RT_CLC_KEEPER_H

#include <sys/types.h>

/* Starts a program, looked up in PATH, with `argv`, which ends in NULL. Its process
 * first calls `prepare`, which may do only what is safe after fork, with the number
 * of its parent. Returns the number of the keeper, which ends as the program does,
 * or -1 and errno; *program is the program's number, to be killed, and *why the
 * error of exec, or 0. Both die with the thread that calls this. */
pid_t keeper_start(char *const argv[],
		   void (*prepare)(void *owner, pid_t parent), void *owner,
		   pid_t *program, int *why);

/* A file in place of this one that is none of the three standard ones, which a
 * process may have closed: they get other meanings in its children. -1 and errno
 * if there are too many, or for -1. */
int file_beyond_standard(int file);

#endif
