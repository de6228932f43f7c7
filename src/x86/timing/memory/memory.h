/* The joint of a core with the modules of the memory hierarchy (memsys/memsys.h):
 * hits without an event, misses by events, translation, ownership of lines that
 * stores need. doc/x86-timing.md has the rules. */
#ifndef M2S_X86_TIMING_MEMORY_MEMORY_H
#define M2S_X86_TIMING_MEMORY_MEMORY_H

#include "memsys/memsys.h"
#include "x86/timing/core/core.h"
#include "x86/timing/memory/hierarchy.h"

struct x86_caches;
struct x86_page_table; /* frames.h */

/* The memory of core number `core` of a hierarchy; its modules of data and of code are
 * in one queue of events. `page_shift`: all pages have 2^page_shift bytes, 12 or 21. Cycle n
 * of the core begins at floor(n x 10^6 / megahertz) ps. NULL and *error if the hierarchy has no such core. */
struct x86_caches *x86_caches_create(struct memsys *memsys, unsigned core,
				     uint32_t megahertz,
				     const struct x86_memory_figures *figures,
				     unsigned page_shift, struct error *error);
/* Another thread of the same core, which has no TLBs of its own then: they are
 * those of `first`, which must live as long. To be called before accesses. */
void x86_caches_share(struct x86_caches *memory, const struct x86_caches *first);
void x86_caches_free(struct x86_caches *memory);

/* The queue in which its caches live. */
struct event_queue *x86_caches_events(const struct x86_caches *memory);

/* Until x86_caches_end_window() the core goes on to cycle `end`, beside others: what
 * comes from the hierarchy comes later than that, and no page gets a frame before. A
 * page's first touch waits for the end. */
void x86_caches_begin_window(struct x86_caches *memory, uint64_t end);
void x86_caches_end_window(struct x86_caches *memory);

/* What x86_core_create() needs. x86_caches_serve() must follow. */
struct x86_core_memory x86_caches_of(struct x86_caches *memory);
void x86_caches_serve(struct x86_caches *memory, struct x86_core *core);

/* The core goes on in another address space. TLBs whose entries are not tagged
 * forget all. `fault_cycles`: what the operating system takes at a page's first
 * touch. Without this call addresses are physical ones. */
void x86_caches_enter(struct x86_caches *memory, struct x86_page_table *table,
		      unsigned fault_cycles);
/* Translations of a range of an address space are no longer true. */
void x86_caches_forget(struct x86_caches *memory, uint32_t space,
		       uint64_t start, uint64_t end);
/* The number of the address space in which the core is; 0: none. */
uint32_t x86_caches_space(const struct x86_caches *memory);

/* The operating system, working on this core, writes to the line that holds a
 * physical address: the first-level data cache gets it as for a store, and other
 * cores lose it; or, `delivered`, a device has written it, and all lose it. Nobody
 * waits for that. */
void x86_caches_install(struct x86_caches *memory, uint64_t physical,
			bool delivered);
unsigned x86_caches_line(const struct x86_caches *memory); /* bytes */

/* A locked operation at `instruction` is to be executed in `cycle`: whether the lines
 * of its operand are the core's alone. If they are, this counts as its access, and
 * other cores do not get the first one for so many `cycles`. Else
 * they are asked for, one operand at a time, and the caller tries again; nobody is
 * told of the answer. */
enum x86_caches_line { X86_LINE_HERE, X86_LINE_ASKED, X86_LINE_COMES };
enum x86_caches_line x86_caches_lock(struct x86_caches *memory,
				     uint64_t instruction, uint64_t address,
				     unsigned size, uint64_t cycle,
				     unsigned cycles);

/* An instruction that is not simulated has accessed an address: TLBs, caches and
 * prefetchers are what they would be after such an access, which takes no time.
 * `instruction` is its address, or 0. x86_caches_can_warm(): false when a cache
 * of a --mem-config file writes through. */
void x86_caches_warm(struct x86_caches *memory, uint64_t instruction,
		     uint64_t address, bool store, bool code);
/* The same of a prefetch instruction (enum x86_hint). */
void x86_caches_warm_hint(struct x86_caches *memory, uint64_t instruction,
			  uint64_t address, unsigned hint);
bool x86_caches_can_warm(const struct x86_caches *memory);

/* Counts since the start. */
struct x86_caches_counts {
#define STATS_MEMBERS
#include "x86/timing/memory/caches.stat.def"
};
const struct x86_caches_counts *
x86_caches_counts(const struct x86_caches *memory);

#endif
