/* Cores that are simulated apart from each other, window by window, by several host
 * threads or by one. doc/x86-timing.md ("Windows") has the rules.
 *
 * Cores that share a queue of events are a group. In a window all groups run until
 * its end, or until one of their cores must pause; then nobody runs but one paused
 * core after the other, and the groups go on. When all have come to the end, they
 * meet: stores become visible, and what lies behind the groups (the last cache, the
 * memory) runs. What a core does in a window depends on its group and on what was so
 * at the last meeting, and not on how far other groups are. */
#ifndef M2S_M2S_CORES_WINDOWS_H
#define M2S_M2S_CORES_WINDOWS_H

#include <stdint.h>

struct islands;
struct machine_core;
struct machine_windows;
struct x86_machine;

/* For the machine's cores, each of whose caches is in an island of `islands` (sim/
 * island.h), which become the windows'. NULL, and the islands stay the caller's:
 * all cores would be one group. */
struct machine_windows *machine_windows_create(struct x86_machine *machine,
					       struct islands *islands);
void machine_windows_free(struct machine_windows *windows); /* may be NULL */

/* Runs the window in which `first` is, the core that is furthest behind. */
void machine_window_run(struct x86_machine *machine,
			const struct machine_core *first);
/* The first cycle that no window has run. */
uint64_t machine_windows_end(const struct machine_windows *windows);

#endif
