/* What the renamer knows of places. Internal to x86/timing/core. */
#ifndef M2S_X86_TIMING_CORE_NAMES_H
#define M2S_X86_TIMING_CORE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "x86/timing/uops/uop.h"

enum { MOVE_GROUPS = 16, CORE_GENERAL = 16 };

/* The value in a place (enum x86_place). */
struct core_value {
	union {
		struct {
			/* of the uop that makes the value; VALUE_READY: the
			 * value is ready */
			uint64_t sequence : 48;
			uint64_t latency : 10;
			uint64_t loaded : 1;
			/* registers that share the value by move elimination;
			 * 0: none */
			uint64_t group : 5;
		};
		uint64_t word; /* all of them, from these bits on: */
	};
};
enum { VALUE_LATENCY = 48, VALUE_LOADED = 58, VALUE_GROUP = 59 };

#define VALUE_READY ((UINT64_C(1) << 48) - 1)
#define VALUE_LATENCIES 1023u

/* What the renamer knows of places. */
struct core_names {
	struct core_value map[X86_PLACE_COUNT];
	/* bit r: AH, CH, DH or BH is newer than its register */
	uint8_t high_apart;
	uint8_t group_names[MOVE_GROUPS + 1];
	uint64_t group_places[MOVE_GROUPS + 1]; /* their set (X86_AT()) */
	bool group_vector[MOVE_GROUPS + 1];
	unsigned groups[2];  /* in use: general, vector */
	uint8_t eliminated[2][8]; /* moves eliminated in the last cycles */
	uint64_t eliminated_cycle[8]; /* those cycles */
	/* While instructions warm: a set of places (X86_AT()) with all that
	 * share a value. */
	uint64_t named_again;
	/* Of memory renaming: the number of the first store that general registers
	 * have the same value for as now; what has been added to rsp since the
	 * last instruction that writes it otherwise, or longer. */
	uint64_t written[CORE_GENERAL];
	int64_t stack_depth;
	int stack_offset;
	unsigned x87_top;
};

#endif
