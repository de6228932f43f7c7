#include "base/optimize.h"

#include "evergreen/timing/account.h"

#include <assert.h>

const char *const account_reason_names[ACCOUNT_REASONS] = {
#define ACCOUNT_BUSY(id, cf, alu, tex, name, doc) [ACCOUNT_##id] = name,
#define ACCOUNT_WAIT(id, cf, alu, tex, name, doc) [ACCOUNT_##id] = name,
#include "evergreen/timing/account.def"
};

const char *const account_reason_docs[ACCOUNT_REASONS] = {
#define ACCOUNT_BUSY(id, cf, alu, tex, name, doc) [ACCOUNT_##id] = doc,
#define ACCOUNT_WAIT(id, cf, alu, tex, name, doc) [ACCOUNT_##id] = doc,
#include "evergreen/timing/account.def"
};

const char *const account_engine_names[ENGINE_COUNT] = {
	[ENGINE_CF] = "CFEngine",
	[ENGINE_ALU] = "ALUEngine",
	[ENGINE_TEX] = "TEXEngine",
};

/* The place of wavefronts that are in the engine itself. */
static const enum account_reason own_place[ENGINE_COUNT] = {
	[ENGINE_CF] = ACCOUNT_CF,
	[ENGINE_ALU] = ACCOUNT_ALU,
	[ENGINE_TEX] = ACCOUNT_TEX,
};

enum { REASON_BITS = 5, LAST_REASON = (1 << REASON_BITS) - 1 };
static_assert((int)ACCOUNT_REASONS <= (int)LAST_REASON, "too many reasons");

/* What an idle engine waits for: the place with most wavefronts, of several the
 * first. The greatest of the numbers made of both, since the host could not
 * guess a branch at each place. */
static enum account_reason fullest(const struct account *account)
{
	uint32_t best = LAST_REASON; /* no wavefront anywhere */

	for (uint32_t at = ACCOUNT_WAITS; at < ACCOUNT_EMPTY; at++) {
		uint32_t number = account->at[at] << REASON_BITS |
				  (LAST_REASON - at);

		best = number > best ? number : best;
	}
	return best > LAST_REASON ? LAST_REASON - (best & LAST_REASON)
				  : ACCOUNT_EMPTY;
}

void account_engine_up_to(struct account *account, enum account_engine engine,
			  uint64_t cycle)
{
	enum account_reason reason = account->at[own_place[engine]]
					     ? account->hold[engine]
					     : fullest(account);

	account->cycles[engine][reason] += cycle - account->until[engine];
	account->until[engine] = cycle;
}

static void attribute(struct account *account, uint64_t cycle)
{
	enum account_reason idle = ACCOUNT_REASONS;

	/* Nothing is behind it. */
	if (cycle == account->attributed)
		return;
	account->attributed = cycle;
	for (int engine = 0; engine < ENGINE_COUNT; engine++) {
		enum account_reason reason;

		if (account->until[engine] >= cycle)
			continue;
		if (account->at[own_place[engine]]) {
			reason = account->hold[engine];
		} else {
			if (idle == ACCOUNT_REASONS)
				idle = fullest(account);
			reason = idle;
		}
		account->cycles[engine][reason] +=
			cycle - account->until[engine];
		account->until[engine] = cycle;
	}
}

void account_open(struct account *account, uint64_t cycle)
{
	account->attributed = cycle;
	for (int engine = 0; engine < ENGINE_COUNT; engine++) {
		account->until[engine] = cycle;
		account->hold[engine] = engine == ENGINE_CF
						? ACCOUNT_CF
						: ACCOUNT_INSTRUCTION;
	}
}

void account_settle(struct account *account, uint64_t cycle)
{
	attribute(account, cycle);
	account->settled = cycle;
}

void account_close(struct account *account, uint64_t cycle)
{
	attribute(account, cycle);
	account->settled = cycle;
	/* A run that was stopped: what would have been executed was not. So
	 * it is with addresses that end after the last wavefront. */
	for (int engine = 0; engine < ENGINE_COUNT; engine++) {
		uint64_t more = account->until[engine] - cycle;
		static const enum account_reason first[] = {
			ACCOUNT_ADDRESS, ACCOUNT_CONFLICT, ACCOUNT_LOCAL,
		};

		for (unsigned i = 0; i < 3; i++) {
			uint64_t *cycles = &account->cycles[engine][first[i]];
			uint64_t part = more < *cycles ? more : *cycles;

			*cycles -= part;
			more -= part;
		}
		account->cycles[engine][ACCOUNT_ISSUED] -= more;
		account->until[engine] = cycle;
	}
}

void account_move(struct account *account, uint64_t cycle,
		  enum account_reason from, enum account_reason to)
{
	if (from == to)
		return;
	attribute(account, cycle);
	if (from != ACCOUNT_EMPTY) {
		account->at[from]--;
		account->spent[from] += cycle;
	}
	if (to != ACCOUNT_EMPTY) {
		account->at[to]++;
		account->spent[to] -= cycle;
	}
}

void account_add(struct account *sum, const struct account *account)
{
	for (int engine = 0; engine < ENGINE_COUNT; engine++)
		for (int i = 0; i < ACCOUNT_REASONS; i++)
			sum->cycles[engine][i] += account->cycles[engine][i];
	for (int i = 0; i < ACCOUNT_REASONS; i++)
		sum->spent[i] += account->spent[i] +
				 account->at[i] * account->settled;
}

void account_subtract(struct account *account, const struct account *before)
{
	for (int engine = 0; engine < ENGINE_COUNT; engine++)
		for (int i = 0; i < ACCOUNT_REASONS; i++)
			account->cycles[engine][i] -=
				before->cycles[engine][i];
	for (int i = 0; i < ACCOUNT_REASONS; i++)
		account->spent[i] -= before->spent[i];
}

uint64_t account_total(const struct account *account,
		       enum account_engine engine)
{
	uint64_t total = 0;

	for (int i = 0; i < ACCOUNT_REASONS; i++)
		total += account->cycles[engine][i];
	return total;
}

uint64_t account_wavefront_total(const struct account *account)
{
	uint64_t total = 0;

	for (int i = 0; i < ACCOUNT_REASONS; i++)
		total += account->spent[i];
	return total;
}

bool account_applies(enum account_engine engine, enum account_reason reason)
{
	static const uint8_t engines[ACCOUNT_REASONS] = {
#define ACCOUNT_BUSY(id, cf, alu, tex, name, doc)                              \
	[ACCOUNT_##id] =                                                       \
	    cf << ENGINE_CF | alu << ENGINE_ALU | tex << ENGINE_TEX,
#define ACCOUNT_WAIT(id, cf, alu, tex, name, doc)                              \
	[ACCOUNT_##id] =                                                       \
	    cf << ENGINE_CF | alu << ENGINE_ALU | tex << ENGINE_TEX,
#include "evergreen/timing/account.def"
	};

	return engines[reason] >> engine & 1;
}
