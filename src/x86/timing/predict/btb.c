#include "base/optimize.h"

#include "x86/timing/predict/btb.h"

#include <stdlib.h>

#include "base/memory.h"
#include "x86/timing/predict/counter.h"

enum { ADDRESS_BITS = 48, KIND_BITS = 3 };

struct entry {
	uint64_t address, target;
	/* time of the last use; the least is replaced; 0: empty */
	uint64_t used;
	uint64_t kind;
};

struct state {
	uint64_t clock;
	struct entry entries[]; /* first level, second level */
};

struct level {
	struct entry *entries;
	uint32_t sets, ways;
};

static size_t entry_count(const struct predict_config *config)
{
	return (size_t)config->btb_sets * config->btb_ways +
	       (size_t)config->btb2_sets * config->btb2_ways;
}

size_t btb_state_bytes(const struct predict_config *config)
{
	return sizeof(struct state) + entry_count(config) * sizeof(struct entry);
}

static uint64_t level_bits(uint32_t sets, uint32_t ways)
{
	unsigned age = 0;

	if (!sets)
		return 0;
	while (1u << age < ways)
		age++;
	return (uint64_t)sets * ways *
	       (ADDRESS_BITS - log2_of(sets) + ADDRESS_BITS + KIND_BITS + age);
}

uint64_t btb_storage_bits(const struct predict_config *config)
{
	return level_bits(config->btb_sets, config->btb_ways) +
	       level_bits(config->btb2_sets, config->btb2_ways);
}

void btb_init(struct btb *btb, const struct predict_config *config)
{
	btb->config = config;
	btb->state = xcalloc_aligned(btb_state_bytes(config));
}

void btb_free(struct btb *btb)
{
	free(btb->state);
	btb->state = NULL;
}

static struct level level_of(const struct btb *btb, unsigned level)
{
	const struct predict_config *config = btb->config;
	struct state *own = btb->state;

	if (level == 1)
		return (struct level){ own->entries, config->btb_sets,
				       config->btb_ways };
	return (struct level){
		own->entries + (size_t)config->btb_sets * config->btb_ways,
		config->btb2_sets, config->btb2_ways
	};
}

static struct entry *set_of(const struct level *level, uint64_t address)
{
	return level->entries +
	       (address & (level->sets - 1)) * (size_t)level->ways;
}

static struct entry *find(const struct level *level, uint64_t address)
{
	struct entry *set;

	if (!level->sets)
		return NULL;
	set = set_of(level, address);
	for (uint32_t i = 0; i < level->ways; i++)
		if (set[i].used && set[i].address == address)
			return &set[i];
	return NULL;
}

struct btb_answer btb_look(const struct btb *btb, uint64_t address)
{
	for (unsigned i = 1; i <= 2; i++) {
		struct level level = level_of(btb, i);
		const struct entry *entry = find(&level, address);

		if (entry)
			return (struct btb_answer){
				.level = i,
				.target = entry->target,
				.kind = (enum branch_kind)entry->kind,
			};
	}
	return (struct btb_answer){ .level = 0 };
}

void btb_update(struct btb *btb, const struct branch *branch)
{
	struct state *own = btb->state;

	own->clock++;
	for (unsigned i = 1; i <= 2; i++) {
		struct level level = level_of(btb, i);
		struct entry *entry = find(&level, branch->address), *set;

		if (!level.sets)
			continue;
		if (!entry) {
			entry = set = set_of(&level, branch->address);
			for (uint32_t way = 1; way < level.ways; way++)
				if (set[way].used < entry->used)
					entry = &set[way];
		}
		*entry = (struct entry){ branch->address, branch->target,
					 own->clock, branch->kind };
	}
}
