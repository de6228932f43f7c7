/* Local memory: banks of four bytes, one address a bank and cycle. The
 * requests of a window of work-items are served together, and the bank with
 * most distinct addresses sets the time; equal addresses are broadcast (AMD
 * OpenCL guide; hd5870 figures, section 5). */
#include <string.h>

#include "evergreen/timing/compute-unit.h"

enum { MAX_REQUESTS = 2 * EVG_WAVEFRONT_SIZE };

struct window {
	uint32_t word[MAX_REQUESTS];
	unsigned count;
};

static void add(struct window *window, uint32_t address, bool merge)
{
	uint32_t word = address / 4;

	for (unsigned i = 0; merge && i < window->count; i++)
		if (window->word[i] == word)
			return;
	window->word[window->count++] = word;
}

static uint32_t window_cycles(const struct window *window, uint32_t banks)
{
	uint8_t load[64] = { 0 };
	uint32_t most = 0;

	for (unsigned i = 0; i < window->count; i++) {
		uint8_t *bank = &load[window->word[i] % banks];

		if (++*bank > most)
			most = *bank;
	}
	return most;
}

uint32_t local_memory_cycles(struct compute_unit *cu,
			     const struct evg_step *step)
{
	const struct evg_config *config = &cu->timing->config;
	unsigned lanes = (unsigned)__builtin_popcountll(step->memory_mask) +
			 (unsigned)__builtin_popcountll(step->memory_mask2);
	/* Atomics and writes of equal addresses must all be performed. */
	bool merge = !step->memory_write && !step->memory_atomic;
	uint32_t cycles = 0, least = 0;

	for (unsigned start = 0; start < EVG_WAVEFRONT_SIZE;
	     start += config->local_window) {
		struct window window = { .count = 0 };
		uint32_t minimum;

		for (unsigned lane = start; lane < EVG_WAVEFRONT_SIZE &&
					    lane < start + config->local_window;
		     lane++) {
			if (step->memory_mask >> lane & 1)
				add(&window, step->memory_address[lane],
				    merge);
			if (step->memory_mask2 >> lane & 1)
				add(&window, step->memory_address2[lane],
				    merge);
		}
		minimum = (window.count + config->local_banks - 1) /
			  config->local_banks;
		least += minimum;
		cycles += window_cycles(&window, config->local_banks);
	}
	cu->n.local_accesses += lanes;
	if (step->memory_write)
		cu->n.local_writes += lanes;
	else
		cu->n.local_reads += lanes;
	cu->n.local_cycles += cycles;
	cu->n.local_conflict_cycles += cycles - least;
	return cycles;
}
