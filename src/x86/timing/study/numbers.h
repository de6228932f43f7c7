/* Branches in 16 bytes, for devices: addresses become numbers that are equal
 * where the addresses are. Internal to x86/timing/study. */
#ifndef M2S_X86_TIMING_STUDY_NUMBERS_H
#define M2S_X86_TIMING_STUDY_NUMBERS_H

#include "x86/timing/branches/format.h"
#include "x86/timing/branches/reader.h"

enum {
	NUMBERED_ADDRESS_BITS = 20, /* all that tables are indexed by */
	NUMBERED_KIND = 20,         /* bit numbers in the first word */
	NUMBERED_TAKEN = 23,
	NUMBERED_BACKWARD = 24,
	NUMBERED_NO_BRANCH = 7,     /* a kind: some other instruction */
};

struct numbered {
	/* The address's lowest bits, kind, direction; then the numbers of the
	 * address, of the next address, and of the target of a conditional
	 * branch or jump or, of a call, of the address behind it. */
	uint32_t word[4];
};

static inline enum branch_kind numbered_kind(const struct numbered *event)
{
	return (enum branch_kind)(event->word[0] >> NUMBERED_KIND & 7);
}

static inline bool numbered_taken(const struct numbered *event)
{
	return event->word[0] >> NUMBERED_TAKEN & 1;
}

static inline uint32_t numbered_address(const struct numbered *event)
{
	return event->word[0] & ((UINT32_C(1) << NUMBERED_ADDRESS_BITS) - 1);
}

struct numbers {
	struct branch_paths known; /* by address; a path's `last`: its number */
};

/* Address 0, which means none, has number 0. */
struct numbered number_event(struct numbers *numbers,
			     const struct branch_event *event);
void numbers_clear(struct numbers *numbers);

#endif
