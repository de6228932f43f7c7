/* Included first by files whose functions run for each simulated instruction:
 * GCC optimizes these more than the rest of the project, which would only grow
 * by it. Loops over a few elements, of which there are many here, are unrolled
 * and specialized; vectors do not pay for them.
 *
 * GCC also joins copies of neighbouring members to one wide copy. A wide load
 * waits for narrow stores just before it, which these functions have many
 * of. */
#ifndef M2S_BASE_OPTIMIZE_H
#define M2S_BASE_OPTIMIZE_H

/* Not in a build for a debugger (configure --enable-debug). */
#if defined __OPTIMIZE__ && defined NDEBUG && !defined __clang__
#pragma GCC optimize("O3", "no-tree-loop-vectorize", "no-tree-slp-vectorize")
#endif

#endif
