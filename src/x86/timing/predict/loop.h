/* A loop predictor: a table of loops with a constant number of iterations,
 * which predicts their ends. After Sherwood and Calder (2000) and Seznec's
 * L-TAGE (JILP 9, 2007). */
#ifndef M2S_X86_TIMING_PREDICT_LOOP_H
#define M2S_X86_TIMING_PREDICT_LOOP_H

#include <stdbool.h>
#include <stdint.h>

enum { LOOP_MOST_ENTRIES = 32, LOOP_ENTRY_BITS = 39 };

struct loop_entry {
	uint16_t tag;        /* 10 bits */
	uint16_t iterations; /* iterations of a run, 10 bits; 0: unknown */
	uint16_t current;    /* iterations so far, 10 bits */
	uint8_t confidence : 4; /* runs with the same number */
	uint8_t age : 4;
	bool inside;         /* the direction of all iterations but the last */
};

struct loop_table {
	struct loop_entry entries[LOOP_MOST_ENTRIES];
};

struct loop_lookup {
	uint16_t tag;
	int8_t way;   /* -1: none */
	uint8_t slot[4]; /* the entry in each way */
	bool sure, taken;
};

/* Looks up a branch. The table has 2^log_entries entries in four skewed
 * ways. */
void loop_look(const struct loop_table *table, unsigned log_entries,
	       uint64_t address, struct loop_lookup *lookup);
/* Counts an iteration. `other_taken` is the prediction without the loop
 * predictor. `random` gives pseudo-random numbers. */
void loop_train(struct loop_table *table, const struct loop_lookup *lookup,
		bool taken, bool other_taken, uint32_t random(void *context),
		void *context);
/* To be called after the misprediction of a branch without an entry. May make
 * an entry. */
void loop_allocate(struct loop_table *table, const struct loop_lookup *lookup,
		   bool taken, uint32_t random(void *context), void *context);

#endif
