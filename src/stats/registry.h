/* The registry's data, which its writers share. Private to src/stats. */
#ifndef M2S_STATS_REGISTRY_H
#define M2S_STATS_REGISTRY_H

#include "stats/stats.h"

enum stats_kind {
	STATS_COUNTER,
	STATS_VECTOR,
	STATS_RATIO,
	STATS_DERIVED,
	STATS_TEXT,
	STATS_U64,
	STATS_DOUBLE,
};

struct stats_entry {
	char *name;
	enum stats_kind kind;
	const char *unit, *doc;
	union {
		const uint64_t *counter;
		struct {
			const uint64_t *values;
			size_t count;
			bool owned; /* a copy, made by freezing */
		} vector;
		struct {
			const uint64_t *over, *under;
		} ratio;
		struct {
			double (*function)(void *owner);
			void *owner;
		} derived;
		char *text;
		uint64_t u64;
		double real;
	};
};

struct stats_section {
	char *report, *name;
	struct stats_entry *entries;
	size_t count, capacity;
};

struct stats {
	struct stats_section **sections;
	size_t count, capacity;
};

/* The value of one entry as text, the same in every format. */
void stats_entry_format(const struct stats_entry *entry, char *text,
			size_t size);
bool stats_entry_is_number(const struct stats_entry *entry);

#endif
