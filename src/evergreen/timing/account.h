/* The cycle account of a compute unit: each engine's cycles by the engine's
 * action, or by the places of the wavefronts that it waited for.
 *
 * The account is lazy: cycles are attributed together when something changes or
 * when the account is closed. */
#ifndef M2S_EVERGREEN_TIMING_ACCOUNT_H
#define M2S_EVERGREEN_TIMING_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

enum account_reason {
#define ACCOUNT_BUSY(id, cf, alu, tex, name, doc) ACCOUNT_##id,
#include "evergreen/timing/account.def"
	/* The first reason that is also a place of a wavefront has this number. */
	ACCOUNT_WAITS,
	ACCOUNT_BEFORE_WAITS = ACCOUNT_WAITS - 1,
#define ACCOUNT_WAIT(id, cf, alu, tex, name, doc) ACCOUNT_##id,
#include "evergreen/timing/account.def"
	ACCOUNT_REASONS,
};

enum account_engine { ENGINE_CF, ENGINE_ALU, ENGINE_TEX, ENGINE_COUNT };

struct account {
	/* Attributed cycles, up to `until` of the engine. */
	uint64_t cycles[ENGINE_COUNT][ACCOUNT_REASONS];
	uint64_t until[ENGINE_COUNT];
	uint64_t attributed; /* the least `until` of all engines */
	/* The reason why an engine that holds wavefronts does not issue now. */
	uint8_t hold[ENGINE_COUNT];
	/* The number of wavefronts at each place. */
	uint32_t at[ACCOUNT_REASONS];
	/* Cycles that wavefronts have spent at each place: departures less
	 * arrivals, modulo 2^64. In a sum (account_add) the wavefronts that are
	 * still at a place count up to `settled`. */
	uint64_t spent[ACCOUNT_REASONS];
	uint64_t settled;
};

/* Opens the account, or reopens it after a pause, at `cycle`. */
void account_open(struct account *account, uint64_t cycle);
/* Attributes everything up to `cycle` and closes the account. */
void account_close(struct account *account, uint64_t cycle);

/* Moves a wavefront at `cycle`: into the unit (from ACCOUNT_EMPTY), from place
 * to place, or out of the unit (to ACCOUNT_EMPTY). */
void account_move(struct account *account, uint64_t cycle,
		  enum account_reason from, enum account_reason to);

/* Attributes one engine's cycles up to `cycle`, which has not been done yet. The
 * others' cycles do not depend on it. */
void account_engine_up_to(struct account *account, enum account_engine engine,
			  uint64_t cycle);
/* The engine is busy for `cycles` cycles from `cycle` on. */
static inline void account_busy(struct account *account,
				enum account_engine engine, uint64_t cycle,
				enum account_reason reason, uint64_t cycles)
{
	if (account->until[engine] < cycle)
		account_engine_up_to(account, engine, cycle);
	account->cycles[engine][reason] += cycles;
	account->until[engine] += cycles;
}
/* From `cycle` on, cycles in which the engine has wavefronts and does not
 * issue have this reason. */
static inline void account_hold(struct account *account,
				enum account_engine engine, uint64_t cycle,
				enum account_reason reason)
{
	if (account->hold[engine] == reason)
		return;
	if (account->until[engine] < cycle)
		account_engine_up_to(account, engine, cycle);
	account->hold[engine] = (uint8_t)reason;
}

/* Attributes everything up to `cycle`; the account stays open. */
void account_settle(struct account *account, uint64_t cycle);
/* Adds the cycles of `account` to those of `sum`. */
void account_add(struct account *sum, const struct account *account);
/* Subtracts the cycles of `before`, an earlier state, from `account`. */
void account_subtract(struct account *account, const struct account *before);
/* All cycles of one engine. */
uint64_t account_total(const struct account *account,
		       enum account_engine engine);

/* The cycles of all wavefronts at all places. */
uint64_t account_wavefront_total(const struct account *account);

/* Whether the reason can occur for the engine. */
bool account_applies(enum account_engine engine, enum account_reason reason);
extern const char *const account_reason_names[ACCOUNT_REASONS];
extern const char *const account_reason_docs[ACCOUNT_REASONS];
extern const char *const account_engine_names[ENGINE_COUNT];

#endif
