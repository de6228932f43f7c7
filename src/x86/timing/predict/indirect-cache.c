/* A tagged cache of targets by the address and the path of indirect targets. */
#include "x86/timing/predict/counter.h"
#include "x86/timing/predict/target.h"

enum { PATH_STEP = 3, TARGET_BITS = 48 };

struct entry {
	uint64_t address, target; /* address 0: an empty entry */
	/* time of the last use; the least is replaced */
	uint64_t used;
};

struct state {
	uint64_t clock;
	uint64_t path;
	struct entry entries[];
};

struct record {
	uint64_t before;
	uint32_t set;
};

static size_t entry_count(const struct predict_config *config)
{
	return (size_t)config->indirect_sets * config->indirect_ways;
}

static size_t state_bytes(const struct predict_config *config)
{
	return sizeof(struct state) + entry_count(config) * sizeof(struct entry);
}

/* Tag, target, and an age that orders the ways of a set. */
static uint64_t storage_bits(const struct predict_config *config)
{
	unsigned age = 0;

	while (1u << age < config->indirect_ways)
		age++;
	return config->indirect_history +
	       entry_count(config) * (2 * TARGET_BITS + age);
}

static struct entry *find(struct entry *set, uint32_t ways, uint64_t address)
{
	for (uint32_t i = 0; i < ways; i++)
		if (set[i].target && set[i].address == address)
			return &set[i];
	return NULL;
}

static uint64_t predict(const struct predict_config *config, void *state,
			void *record, uint64_t address)
{
	struct state *own = state;
	struct record *kept = record;
	struct entry *entry;

	kept->set = (address ^ address >> 16 ^ own->path) &
		    (config->indirect_sets - 1);
	entry = find(own->entries + kept->set * config->indirect_ways,
		     config->indirect_ways, address);
	return entry ? entry->target : 0;
}

static void history(const struct predict_config *config, void *state,
		    void *record, const struct branch *branch, bool taken)
{
	struct state *own = state;
	struct record *kept = record;

	(void)taken;
	kept->before = own->path;
	if (branch_is_indirect(branch))
		own->path = (own->path << PATH_STEP ^ branch->target ^
			     branch->target >> 4) &
			    ((UINT64_C(1) << config->indirect_history) - 1);
}

static void undo(const struct predict_config *config, void *state, void *record)
{
	struct state *own = state;
	const struct record *kept = record;

	(void)config;
	own->path = kept->before;
}

static void update(const struct predict_config *config, void *state,
		   void *record, uint64_t address, uint64_t target)
{
	struct state *own = state;
	const struct record *kept = record;
	uint32_t ways = config->indirect_ways;
	struct entry *set = own->entries + kept->set * ways;
	struct entry *entry = find(set, ways, address);

	if (!entry) {
		entry = set;
		for (uint32_t i = 1; i < ways; i++)
			if (set[i].used < entry->used)
				entry = &set[i];
	}
	*entry = (struct entry){ address, target, ++own->clock };
}

const struct target_kind target_cache = {
	.name = "indirect target cache",
	.record_bytes = sizeof(struct record),
	.state_bytes = state_bytes,
	.storage_bits = storage_bits,
	.predict = predict,
	.history = history,
	.undo = undo,
	.update = update,
};
