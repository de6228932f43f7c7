/* A table of loops that run equally often each time: predicts their ends. After
 * Sherwood and Calder (2000) and Seznec's L-TAGE (JILP 9, 2007). */
#ifndef M2S_X86_TIMING_PREDICT_LOOP_H
#define M2S_X86_TIMING_PREDICT_LOOP_H

#include <stdbool.h>
#include <stdint.h>

enum { LOOP_MOST_ENTRIES = 32, LOOP_ENTRY_BITS = 39 };

struct loop_entry {
	uint16_t tag;        /* 10 bits */
	uint16_t iterations; /* of one run, 10 bits; 0: not known */
	uint16_t current;    /* of this run, 10 bits */
	uint8_t confidence;  /* runs that agreed, 4 bits */
	uint8_t age;         /* 4 bits */
	bool inside;         /* direction but at the end */
};

struct loop_table {
	struct loop_entry entries[LOOP_MOST_ENTRIES];
};

struct loop_lookup {
	uint16_t tag;
	int8_t way;   /* -1: none */
	uint8_t slot[4]; /* of the ways */
	bool sure, taken;
};

/* `log_entries` of the table: four ways, skewed. */
void loop_look(const struct loop_table *table, unsigned log_entries,
	       uint64_t address, struct loop_lookup *lookup);
/* Counts an iteration. `other_taken` is what is said without a loop predictor,
 * `random` gives pseudo-random numbers. */
void loop_train(struct loop_table *table, const struct loop_lookup *lookup,
		bool taken, bool other_taken, uint32_t random(void *context),
		void *context);
/* After a misprediction of a branch that has no entry: perhaps makes one. */
void loop_allocate(struct loop_table *table, const struct loop_lookup *lookup,
		   bool taken, uint32_t random(void *context), void *context);

#endif
