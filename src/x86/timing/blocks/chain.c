/* The chain of dependent instructions that a block waits for.
 *
 * It is followed backwards from the last instruction that was done: from an
 * instruction to the one whose result came in the cycle in which it went to a
 * port. Where an instruction waited for nothing else than a port or its decoder,
 * the chain ends. Dependences are those by registers and flags. */
#include "x86/timing/blocks/internal.h"

#include "x86/emu/inst.h"

/* The locations that an instruction needs. One that writes a part of a register
 * keeps the rest. */
static uint64_t needed(const struct x86_inst *inst)
{
	uint64_t places = inst->read;

	for (unsigned i = 0; i < inst->operand_count; i++)
		if (inst->operand[i].kind == X86_OPERAND_REGISTER &&
		    inst->operand[i].write && inst->operand[i].size < 4)
			places |= X86_AT(inst->operand[i].location);
	return places;
}

static bool starts_at(const struct listing_course *course, uint64_t cycle)
{
	for (unsigned i = 0; i < course->uops && i < LISTING_UOPS; i++)
		if (course->dispatched[i] == cycle)
			return true;
	return false;
}

/* The course that `at` waited for, or -1. A move that needed no port hands on
 * what it waited for itself. */
static int64_t waited_for(const struct block_listing *listing, uint64_t at)
{
	const struct listing_course *course = &listing->course[at];
	uint64_t places = needed(course->inst);
	uint32_t flags = course->inst->flags_read;

	for (uint64_t i = at; i-- && (places || flags);) {
		const struct listing_course *other = &listing->course[i];
		const struct x86_inst *inst = other->inst;

		if (!(inst->written & places) && !(inst->flags_written & flags))
			continue;
		if (other->uops && starts_at(course, other->done))
			return (int64_t)i;
		if (!other->uops && (inst->written & places))
			places |= inst->read;
		places &= ~inst->written | (other->uops ? 0 : inst->read);
		flags &= ~inst->flags_written;
	}
	return -1;
}

void listing_find_chain(struct block_listing *listing)
{
	unsigned instructions = listing->time->instructions;
	uint64_t last = 0, begin, end;
	int64_t at, before = -1;

	if (!listing->courses)
		return;
	for (uint64_t i = 0; i < listing->courses; i++)
		if (listing->course[i].done >= listing->course[last].done)
			last = i;
	end = listing->course[last].done;
	listing->chain_room = end - listing->course[0].started;
	at = (int64_t)last;
	for (begin = end; at >= 0; at = before) {
		const struct listing_course *course =
			&listing->course[at];
		uint64_t from;

		before = waited_for(listing, (uint64_t)at);
		from = before >= 0 ? listing->course[before].done
				   : course->started;
		listing->row[(uint64_t)at % instructions].chain +=
			begin > from ? begin - from : 0;
		begin = from;
		if (before < 0)
			listing->chain_copies =
				(double)(last - (uint64_t)at + 1) / instructions;
	}
	listing->chained = end - begin;
}
