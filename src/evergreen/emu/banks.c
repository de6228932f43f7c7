#include "evergreen/emu/banks.h"

#include <string.h>

enum { MAX_REQUESTS = 2 * EVG_WAVEFRONT_SIZE, MAX_BANKS = 64 };

/* The requests of a window. Nearly always a bank has one address, which is
 * beside it; others are in a list. */
struct window {
	uint64_t used;             /* one bit a bank */
	uint32_t first[MAX_BANKS]; /* word, valid when used */
	uint8_t load[MAX_BANKS];
	uint32_t others[MAX_REQUESTS];
	unsigned other_count, count;
	uint32_t most;             /* highest load */
};

/* A further address in a bank. */
static void add_other(struct window *window, uint32_t bank, uint32_t word,
		      bool merge)
{
	if (merge) {
		for (unsigned i = 0; i < window->other_count; i++)
			if (window->others[i] == word)
				return;
		window->others[window->other_count++] = word;
	}
	window->count++;
	if (++window->load[bank] > window->most)
		window->most = window->load[bank];
}

static inline void add_lanes(struct window *window, uint32_t banks,
			     const uint32_t *address, uint64_t lanes,
			     bool merge)
{
	uint64_t used = window->used;

	for (; lanes; lanes &= lanes - 1) {
		uint32_t word = address[__builtin_ctzll(lanes)] / 4;
		uint32_t bank = banks & (banks - 1) ? word % banks
						    : word & (banks - 1);

		if (!(used >> bank & 1)) {
			used |= 1ull << bank;
			window->first[bank] = word;
			window->load[bank] = 1;
		} else if (!merge || window->first[bank] != word) {
			add_other(window, bank, word, merge);
		}
	}
	window->count += (unsigned)__builtin_popcountll(used & ~window->used);
	window->used = used;
	if (used && !window->most)
		window->most = 1;
}

/* The common cases, without a branch on what the addresses are: requests that
 * are never merged, those that are spread over the banks, and those with one
 * address a bank. False for others. */
static bool add_plainly(struct window *window, uint32_t banks,
			const struct evg_step *step, uint64_t lanes, bool merge)
{
	uint64_t first_lanes = step->memory_mask & lanes;
	uint64_t second_lanes = step->memory_mask2 & lanes;
	uint8_t most = 0;
	uint32_t different = 0;

	if (banks & (banks - 1))
		return false;
	memset(window->load, 0, sizeof window->load);
	for (uint64_t rest = first_lanes; rest; rest &= rest - 1) {
		uint32_t word = step->memory_address[__builtin_ctzll(rest)] / 4;

		window->load[word & (banks - 1)]++;
		window->first[word & (banks - 1)] = word;
	}
	for (uint64_t rest = second_lanes; rest; rest &= rest - 1) {
		uint32_t word =
			step->memory_address2[__builtin_ctzll(rest)] / 4;

		window->load[word & (banks - 1)]++;
		window->first[word & (banks - 1)] = word;
	}
	for (unsigned i = 0; i < MAX_BANKS; i++)
		most = window->load[i] > most ? window->load[i] : most;
	if (most <= 1 || !merge) {
		window->most = most;
		window->count =
			(unsigned)(__builtin_popcountll(first_lanes) +
				   __builtin_popcountll(second_lanes));
		return true;
	}
	for (uint64_t rest = first_lanes; rest; rest &= rest - 1) {
		uint32_t word = step->memory_address[__builtin_ctzll(rest)] / 4;

		different |= window->first[word & (banks - 1)] ^ word;
	}
	for (uint64_t rest = second_lanes; rest; rest &= rest - 1) {
		uint32_t word =
			step->memory_address2[__builtin_ctzll(rest)] / 4;

		different |= window->first[word & (banks - 1)] ^ word;
	}
	if (different)
		return false;
	window->most = 1;
	window->count = 0;
	for (unsigned i = 0; i < MAX_BANKS; i++)
		window->count += window->load[i] != 0;
	return true;
}

struct evg_bank_cycles evg_bank_cycles(const struct evg_step *step,
				       uint32_t banks, uint32_t window_size)
{
	struct evg_bank_cycles cycles = { 0, 0 };
	/* Atomics and writes of equal addresses must all be performed. */
	bool merge = !step->memory_write && !step->memory_atomic;
	uint32_t least = 0;

	for (unsigned start = 0; start < EVG_WAVEFRONT_SIZE;
	     start += window_size) {
		struct window window;
		uint64_t lanes_here = ~0ull;

		if (window_size < EVG_WAVEFRONT_SIZE)
			lanes_here = ((1ull << window_size) - 1) << start;
		if (!add_plainly(&window, banks, step, lanes_here, merge)) {
			window.used = 0;
			window.other_count = window.count = window.most = 0;
			add_lanes(&window, banks, step->memory_address,
				  step->memory_mask & lanes_here, merge);
			add_lanes(&window, banks, step->memory_address2,
				  step->memory_mask2 & lanes_here, merge);
		}
		least += (window.count + banks - 1) / banks;
		cycles.all += window.most;
	}
	cycles.conflicts = cycles.all - least;
	return cycles;
}
