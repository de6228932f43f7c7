/* Memory that answers later. Internal to x86/timing/core. */
#ifndef M2S_X86_TIMING_CORE_PENDING_H
#define M2S_X86_TIMING_CORE_PENDING_H

#include "x86/timing/core/state.h"

/* To be called before each cycle. */
void core_memory_advance(struct x86_core *core);
/* The first cycle after this one in which the memory has something to do;
 * UINT64_MAX. */
uint64_t core_memory_next(const struct x86_core *core);
/* Nothing happens in the core itself before cycle `own`: lets the memory's time
 * pass until it has something for the core, but not beyond `until`. Returns the
 * cycle of what is first, which may be behind `until`. */
uint64_t core_memory_wait(struct x86_core *core, uint64_t own, uint64_t until);
/* Forgets everything that waits for the memory. */
void core_memory_reset(struct x86_core *core);
/* Begins a load whose data would come after hit_latency. True: it waits, and
 * core_load_answered() will follow. Else *more becomes the cycles beyond a
 * hit. */
bool core_load_waits(struct x86_core *core, unsigned index,
		     const struct core_access *access, uint32_t hit_latency,
		     unsigned *more);
/* A load that does not wait for its line has started, or has its answer. */
void core_load_has_line(struct x86_core *core, const struct core_uop *uop);
/* Takes dropped uops off the list of loads that ask their memory again. */
void core_loads_dropped(struct x86_core *core, const bool *dropped);
/* The oldest store asks for its line. True: it cannot commit in this cycle.
 * Else *more becomes the cycles beyond a hit. */
bool core_store_waits(struct x86_core *core, unsigned *more);
/* What a load asks the memory for, with a new ticket. */
void core_load_request(struct x86_core *core, const struct core_flow *flow,
		       const struct core_access *access, unsigned index,
		       struct x86_core_request *request);
/* The same of the oldest store. */
void core_store_request(struct x86_core *core,
			struct x86_core_request *request);
uint64_t core_fetch_take_ticket(struct x86_core *core);
/* Whether something waits for the answer to a ticket. */
bool core_takes_answer(const struct x86_core *core, uint64_t ticket);
/* Whose ticket it is, if a store's or that of code, has no answer yet: it becomes
 * *store or *fetch. */
void core_ticket_waits(uint64_t ticket, uint64_t *store, uint64_t *fetch);
/* Lets the memory's time come to this cycle, if something is due. */
void core_memory_advance_now(struct x86_core *core);
/* Whether the predecoder has to wait for its block of code. */
bool core_fetch_misses(struct x86_core *core);

/* loadstore.c: a retired instruction has an effect on caches besides its loads and
 * stores. */
void core_effect_add(struct x86_core *core, const struct core_flow *flow);

#endif
