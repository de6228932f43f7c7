/* The wall around the kernel compiler: it compiles text that a guest has
 * written, with clang and LLVM, and needs nothing but to read a few files.
 *
 * It may read its source and the folder of that (for a source on standard input
 * the current folder), the folders and files of -I and -include, and what clang
 * is made of. It may write no file but its output. There is no network, and no
 * signal reaches a process that it has not started. */
#ifndef M2S_OPENCL_RT_CLC_WALL_H
#define M2S_OPENCL_RT_CLC_WALL_H

#include "base/wall/wall.h"
#include "opencl-rt/clc/tools.h"

struct options;

/* Adds what a compiler reads and executes, whoever starts it. */
void clc_add_places(struct wall *wall, const struct clc_tools *tools);

/* For m2s-clc, which writes `output` ("-": standard output) afterwards. Kernels
 * without Landlock have no such wall: nothing happens. 0, or -1 and *error. */
int clc_enter_wall(struct options *options, const struct clc_tools *tools,
		   const char *output, struct error *error);

#endif
