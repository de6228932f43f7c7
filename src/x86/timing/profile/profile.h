/* Where the cycles of a thread go: for each address of an instruction that has
 * retired, the slots of retirement that it used, and those that were lost
 * because of it. core/charge.c has the rules. */
#ifndef M2S_X86_TIMING_PROFILE_PROFILE_H
#define M2S_X86_TIMING_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "x86/timing/core/core.h"

/* Targets of an indirect branch that are counted one by one. */
enum { X86_PROFILE_TARGETS = 16, X86_PROFILE_BYTES = 15 };

struct x86_profile_row {
	uint64_t address;
	uint64_t executions;  /* retired */
	uint64_t part[X86_CORE_PARTS]; /* slots */
	/* Branches, of the executions. */
	uint64_t branches, taken, wrong;
	bool indirect;
	struct x86_profile_target {
		uint64_t address, count;
	} target[X86_PROFILE_TARGETS];
	unsigned targets;
	uint64_t other_targets; /* executions with still other targets */
	/* Filled in by the owner of the profile when the row is made. */
	uint64_t offset;      /* in the file */
	uint32_t file;
	uint8_t size;         /* readable bytes of code */
	uint8_t code[X86_PROFILE_BYTES];
};

struct x86_profile {
	/* Told of each new row; NULL: nobody. */
	void (*made)(void *owner, struct x86_profile_row *row);
	void *owner;
	/* Of the last instruction that has retired; NULL: none yet. */
	struct x86_profile_row *last;
	/* Time in which no instruction was to be executed: the operating
	 * system, waiting. */
	struct x86_profile_row outside;
	/* Rows in the order in which they were made. */
	struct x86_profile_row **row;
	size_t count, capacity;
	/* Private: rows by address, and a power of two. */
	struct x86_profile_row **table;
	size_t size;
};

/* The caller frees the profile with x86_profile_free(). */
struct x86_profile *x86_profile_create(
	void (*made)(void *owner, struct x86_profile_row *row), void *owner);
void x86_profile_free(struct x86_profile *profile); /* may be NULL */
/* The row of an address, which is made if it is not there. Valid as long as the
 * profile. */
struct x86_profile_row *x86_profile_row(struct x86_profile *profile,
					uint64_t address);
/* A branch at `address` has retired and went to `next`. */
void x86_profile_branch(struct x86_profile *profile, uint64_t address,
			uint64_t next, bool taken, bool wrong, bool indirect);

/* All slots of a row. */
uint64_t x86_profile_slots(const struct x86_profile_row *row);

#endif
