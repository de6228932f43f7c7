#include "base/optimize.h"

#include "x86/timing/predict/loop.h"

enum {
	WAYS = 4,
	TAG_BITS = 10,
	COUNT_BITS = 10,
	SURE = 15,       /* runs of equal length */
	SURE_TOTAL = 128, /* or iterations in such runs */
	NEW_AGE = 7,
	SHORTEST = 3,
};

void loop_look(const struct loop_table *table, unsigned log_entries,
	       uint64_t address, struct loop_lookup *lookup)
{
	unsigned log_sets = log_entries - 2;
	uint32_t mask = (1u << log_sets) - 1;
	uint32_t set = (uint32_t)(address ^ address >> 2) & mask;
	uint32_t skew = (uint32_t)(address >> log_sets) & mask;
	uint32_t tag = (uint32_t)(address >> log_sets) &
		       ((1u << 2 * TAG_BITS) - 1);

	lookup->tag = (tag ^ tag >> TAG_BITS) & ((1u << TAG_BITS) - 1);
	lookup->way = -1;
	lookup->sure = lookup->taken = false;
	for (unsigned way = 0; way < WAYS; way++)
		lookup->slot[way] =
			(uint8_t)((set ^ skew >> way) * WAYS + way);
	for (int way = 0; way < WAYS; way++) {
		const struct loop_entry *entry =
			&table->entries[lookup->slot[way]];

		if (entry->tag != lookup->tag)
			continue;
		lookup->way = (int8_t)way;
		lookup->sure = entry->confidence == SURE ||
			       entry->confidence * entry->iterations >
				       SURE_TOTAL;
		lookup->taken = entry->inside ^
				(entry->current + 1 == entry->iterations);
		return;
	}
}

/* The end of a run. */
static void end_run(struct loop_entry *entry, bool taken)
{
	if (entry->current == entry->iterations) {
		if (entry->confidence < SURE)
			entry->confidence++;
		/* Too short to be worth it. */
		if (entry->iterations < SHORTEST) {
			entry->inside = taken;
			entry->iterations = 0;
			entry->age = 0;
			entry->confidence = 0;
		}
	} else {
		/* The first whole run is learnt. A run of another length is
		 * forgotten. */
		entry->iterations = entry->iterations ? 0 : entry->current;
		entry->confidence = 0;
	}
	entry->current = 0;
}

void loop_train(struct loop_table *table, const struct loop_lookup *lookup,
		bool taken, bool other_taken, uint32_t random(void *context),
		void *context)
{
	struct loop_entry *entry;

	if (lookup->way < 0)
		return;
	entry = &table->entries[lookup->slot[lookup->way]];
	if (lookup->sure && lookup->taken != taken) {
		entry->iterations = entry->age = entry->confidence = 0;
		entry->current = 0;
		return;
	}
	if (lookup->sure &&
	    (lookup->taken != other_taken || random(context) % 8 == 0) &&
	    entry->age < SURE)
		entry->age++;
	entry->current = (entry->current + 1) & ((1u << COUNT_BITS) - 1);
	if (entry->current > entry->iterations)
		entry->confidence = entry->iterations = 0;
	if (taken != entry->inside)
		end_run(entry, taken);
}

void loop_allocate(struct loop_table *table, const struct loop_lookup *lookup,
		   bool taken, uint32_t random(void *context), void *context)
{
	struct loop_entry *entry =
		&table->entries[lookup->slot[random(context) % WAYS]];

	if (random(context) % 4)
		return;
	if (entry->age) {
		entry->age--;
		return;
	}
	/* Most mispredictions come at the end of a run. */
	*entry = (struct loop_entry){
		.tag = lookup->tag,
		.age = NEW_AGE,
		.inside = !taken,
	};
}
