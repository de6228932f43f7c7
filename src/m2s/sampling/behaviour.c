#include "m2s/sampling/behaviour.h"

#include <stdlib.h>

#include "base/memory.h"
#include "m2s/sampling/random.h"

enum { LINE_BITS = 6, CACHES = BEHAVIOUR_COMPONENTS - 1, COUNTERS = 1 << 14 };

/* Direct-mapped caches of 32 KB, 256 KB and 4 MB, and what a miss costs beyond the
 * one before: roughly a second level, a third level and memory. */
static const struct {
	unsigned bits; /* of the number of lines */
	double cycles;
} caches[CACHES] = { { 9, 8 }, { 12, 25 }, { 16, 150 } };
static const double WRONG_CYCLES = 15;

struct behaviour {
	uint64_t *line[CACHES]; /* that each place holds */
	uint64_t misses[CACHES], wrong;
	/* By address: a branch is thought to be taken from 2 on. */
	uint8_t counter[COUNTERS];
};

struct behaviour *behaviour_create(void)
{
	struct behaviour *behaviour = xcalloc(1, sizeof *behaviour);

	for (unsigned i = 0; i < CACHES; i++)
		behaviour->line[i] = xcalloc((size_t)1 << caches[i].bits,
					     sizeof *behaviour->line[i]);
	return behaviour;
}

void behaviour_free(struct behaviour *behaviour)
{
	for (unsigned i = 0; i < CACHES; i++)
		free(behaviour->line[i]);
	free(behaviour);
}

static void touch(struct behaviour *behaviour, uint64_t line)
{
	for (unsigned i = 0; i < CACHES; i++) {
		uint64_t *held = &behaviour->line[i]
			[line & ((UINT64_C(1) << caches[i].bits) - 1)];

		if (*held == line)
			return;
		*held = line;
		behaviour->misses[i]++;
	}
}

static void predict(struct behaviour *behaviour, uint64_t address, bool taken)
{
	uint8_t *counter = &behaviour->counter[random_mix(address) % COUNTERS];

	behaviour->wrong += (*counter >= 2) != taken;
	if (taken)
		*counter += *counter < 3;
	else
		*counter -= *counter > 0;
}

void behaviour_count(struct behaviour *behaviour, uint64_t process,
		     const struct x86_record *record,
		     const struct x86_reference *reference)
{
	/* Above what an address has. */
	uint64_t salt = process << 48;

	for (unsigned i = 0; i < record->references; i++) {
		uint64_t size = (uint64_t)reference[i].size * reference[i].count;
		uint64_t line = reference[i].address >> LINE_BITS, last;

		last = size ? (reference[i].address + size - 1) >> LINE_BITS
			    : line;
		for (; line <= last; line++)
			touch(behaviour, (line ^ salt) + 1);
	}
	if (record->inst->branch == X86_BRANCH_CONDITIONAL)
		predict(behaviour, record->inst->address ^ salt, record->taken);
}

void behaviour_take(struct behaviour *behaviour, uint64_t instructions,
		    double component[BEHAVIOUR_COMPONENTS])
{
	for (unsigned i = 0; i < CACHES; i++) {
		component[i] = (double)behaviour->misses[i] *
			       caches[i].cycles / (double)instructions;
		behaviour->misses[i] = 0;
	}
	component[CACHES] = (double)behaviour->wrong * WRONG_CYCLES /
			    (double)instructions;
	behaviour->wrong = 0;
}
