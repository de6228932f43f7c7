/* The wall around the kernel compiler. The compiler compiles text that a guest
 * has written, with clang and LLVM, and needs only to read a few files.
 *
 * It may read its source and the folder of that (for a source on standard input
 * the current folder), the folders and files of -I and -include, and clang's
 * own files. It may write no file but its output. There is no network, and no
 * signal reaches a process that it has not started. */
#ifndef M2S_OPENCL_RT_CLC_WALL_H
#define M2S_OPENCL_RT_CLC_WALL_H

#include "base/wall/wall.h"
#include "opencl-rt/clc/tools.h"

struct options;

/* Adds the files that a compiler reads and executes, for any caller. */
void clc_add_places(struct wall *wall, const struct clc_tools *tools);

/* Raises the wall in m2s-clc, which writes `output` ("-": standard output)
 * afterwards. On kernels without Landlock the function does nothing. 0, or -1
 * and *error. */
int clc_enter_wall(struct options *options, const struct clc_tools *tools,
		   const char *output, struct error *error);

#endif
