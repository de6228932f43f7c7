#include "x86/timing/study/numbers.h"

/* A number that no address has: that of a branch at address 0. */
enum { FIRST_BRANCH = 1 };

static uint32_t number_of(struct numbers *numbers, uint64_t address)
{
	const struct branch_path *known;
	struct branch_path path = { .start = address };

	if (!address)
		return 0;
	known = branch_paths_find(&numbers->known, 0, address);
	if (!known) {
		path.last = numbers->known.count + FIRST_BRANCH + 1;
		known = branch_paths_put(&numbers->known, &path);
	}
	return (uint32_t)known->last;
}

struct numbered number_event(struct numbers *numbers,
			     const struct branch_event *event)
{
	const struct branch *branch = &event->branch;
	bool call = branch->kind == BRANCH_CALL ||
		    branch->kind == BRANCH_INDIRECT_CALL;
	uint32_t number = number_of(numbers, branch->address);

	return (struct numbered){ {
		(uint32_t)(branch->address &
			   ((1u << NUMBERED_ADDRESS_BITS) - 1)) |
			(uint32_t)branch->kind << NUMBERED_KIND |
			(uint32_t)event->taken << NUMBERED_TAKEN |
			(uint32_t)(branch->target <= branch->address)
				<< NUMBERED_BACKWARD,
		number ? number : FIRST_BRANCH,
		number_of(numbers, event->next),
		number_of(numbers, call ? event->behind : branch->target),
	} };
}

void numbers_clear(struct numbers *numbers)
{
	branch_paths_clear(&numbers->known);
}
