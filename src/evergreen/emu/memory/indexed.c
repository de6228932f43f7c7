#include "evergreen/emu/memory/indexed.h"

#include <string.h>

#include "evergreen/emu/machine.h"

#define NO_LOOP "aL outside of a loop that sets it"

static uint32_t *state_row(const struct evg_wavefront *wavefront,
			   uint32_t offset)
{
	return (uint32_t *)(void *)(wavefront->registers.base[EVG_BASE_STATE] +
				    offset);
}

static uint32_t operand_lane(const struct evg_wavefront *wavefront,
			     const struct evg_operand *operand, unsigned lane)
{
	const uint8_t *at =
	    wavefront->registers.base[operand->base] + operand->offset;
	uint32_t value;

	memcpy(&value, operand->stride ? at + 4 * lane : at, sizeof value);
	return value;
}

static uint64_t active_lanes(const struct evg_wavefront *wavefront,
			     const struct evg_uop *uop)
{
	return wavefront->masks.lanes[uop->mask] & wavefront->masks.valid;
}

static void splat(uint32_t *row, uint32_t value)
{
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)
		row[lane] = value;
}

/* Only the first fault counts. False, for the caller to pass on. */
static bool fail_lane(struct evg_wavefront *wavefront,
		      const struct evg_uop *uop, enum evg_fault_kind kind,
		      unsigned lane, uint32_t address, uint32_t bytes)
{
	if (!wavefront->fault.kind)
		wavefront->fault = (struct evg_fault){
			.kind = kind,
			.lane = (uint8_t)lane,
			.group = uop->group,
			.address = address,
			.bytes = bytes,
		};
	return false;
}

static bool fail_text(struct evg_wavefront *wavefront,
		      const struct evg_uop *uop, unsigned lane,
		      const char *text)
{
	fail_lane(wavefront, uop, EVG_FAULT_TRAP, lane, 0, 0);
	if (!wavefront->fault.text)
		wavefront->fault.text = text;
	return false;
}

/* --- Operands ----------------------------------------------------------- */

/* The first constant of the line of 16 that holds this one. */
static int32_t floor_line(int32_t index)
{
	return (int32_t)((uint32_t)index & ~15u);
}

/* The register's or constant's number, within its limit. */
static bool find_index(struct evg_wavefront *wavefront,
		       const struct evg_uop *uop, unsigned lane,
		       uint32_t *index)
{
	const struct evg_indexed *indexed = uop->extra;
	int32_t loop = wavefront->indices.loop;

	*index = indexed->index;
	if (!wavefront->indices.has_loop &&
	    (indexed->loop_window ||
	     (indexed->relative && indexed->mode == EVG_INDEX_LOOP)))
		return fail_text(wavefront, uop, lane, NO_LOOP);
	if (indexed->relative && indexed->mode == EVG_INDEX_LOOP)
		*index += (uint32_t)(indexed->loop_window ? loop & 15 : loop);
	else if (indexed->relative && indexed->mode != EVG_INDEX_GLOBAL)
		*index += state_row(wavefront, indexed->address_row)[lane];
	if (*index < indexed->limit)
		return true;
	return fail_lane(wavefront, uop, EVG_FAULT_REGISTER, lane, *index,
			 indexed->limit);
}

static bool find_constant(struct evg_wavefront *wavefront,
			  const struct evg_uop *uop, unsigned lane,
			  uint32_t index, uint32_t *value)
{
	const struct evg_indexed *indexed = uop->extra;
	uint32_t bank = indexed->bank;
	int64_t dword = indexed->first + (int64_t)index;

	if (indexed->bank_index_mode)
		bank += wavefront->indices
			    .cf_at_clause[indexed->bank_index_mode - 1];
	if (bank >= EVG_CONSTANT_BUFFERS ||
	    !wavefront->buffers.constants[bank].size)
		return fail_lane(wavefront, uop, EVG_FAULT_BANK, lane, bank, 0);
	if (indexed->loop_window)
		dword += floor_line(wavefront->indices.loop);
	dword = 4 * dword + indexed->channel;
	if (dword < 0 ||
	    4 * dword + 4 > wavefront->buffers.constants[bank].size) {
		wavefront->fault.bank = (uint8_t)bank;
		fail_lane(wavefront, uop, EVG_FAULT_CONSTANT, lane,
			  (uint32_t)(4 * dword), 4);
		wavefront->fault.bank = (uint8_t)bank;
		return false;
	}
	memcpy(value, wavefront->buffers.constants[bank].bytes + 4 * dword, 4);
	return true;
}

/* The row of a register, of the wavefront or shared. */
static uint32_t *find_row(const struct evg_wavefront *wavefront,
			  const struct evg_indexed *indexed, uint32_t index)
{
	bool shared = indexed->mode == EVG_INDEX_GLOBAL ||
		      indexed->mode == EVG_INDEX_GLOBAL_AR;
	uint32_t row = 4 * index + indexed->channel;

	return shared ? wavefront->registers.shared + row * EVG_WAVEFRONT_SIZE
		      : state_row(wavefront, row * EVG_ROW_BYTES);
}

void evg_indexed_load(struct evg_wavefront *wavefront,
		      const struct evg_uop *uop)
{
	const struct evg_indexed *indexed = uop->extra;
	uint64_t lanes = active_lanes(wavefront, uop);
	uint32_t *dest = state_row(wavefront, uop->dest);

	for (; lanes; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(lanes);
		uint32_t index;

		if (!find_index(wavefront, uop, lane, &index))
			return;
		if (!indexed->constant)
			dest[lane] = find_row(wavefront, indexed, index)[lane];
		else if (!find_constant(wavefront, uop, lane, index,
					&dest[lane]))
			return;
	}
}

void evg_indexed_store(struct evg_wavefront *wavefront,
		       const struct evg_uop *uop)
{
	uint64_t lanes = active_lanes(wavefront, uop);

	for (; lanes; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(lanes);
		uint32_t index;

		if (!find_index(wavefront, uop, lane, &index))
			return;
		find_row(wavefront, uop->extra, index)[lane] =
			operand_lane(wavefront, &uop->source[0], lane);
	}
}

/* --- Selectors that ask the machine --------------------------------------- */

/* Functionally time is counted in instructions of the wavefront, so that it is
 * the same in every run. */
static uint64_t wavefront_time(const struct evg_wavefront *wavefront,
			 const struct evg_uop *uop)
{
	const struct evg_special *special = uop->extra;

	return wavefront->timing.timed
		   ? wavefront->timing.cycle
		   : wavefront->count.instructions - special->clause_groups +
			 uop->group;
}

void evg_machine_value(struct evg_wavefront *wavefront,
		       const struct evg_uop *uop)
{
	const struct evg_special *special = uop->extra;
	const struct evg_place *place = &wavefront->timing.place;
	uint32_t value = 0;

	switch (special->which) {
	case EVG_SELECT_TIME_LO:
		value = (uint32_t)wavefront_time(wavefront, uop);
		break;
	case EVG_SELECT_TIME_HI:
		value = (uint32_t)(wavefront_time(wavefront, uop) >> 32);
		break;
	case EVG_SELECT_HW_WAVE_ID:
		value = place->wave_slot;
		break;
	case EVG_SELECT_SIMD_ID:
		value = place->simd;
		break;
	case EVG_SELECT_SE_ID:
		value = place->engine;
		break;
	case EVG_SELECT_HW_THREADGRP_ID:
		value = place->group_slot;
		break;
	case EVG_SELECT_WAVE_ID_IN_GRP:
		value = wavefront->index;
		break;
	case EVG_SELECT_NUM_THREADGRP_WAVES:
		value = wavefront->group->ndrange->wavefronts;
		break;
	case EVG_SELECT_HW_ALU_ODD:
		value = place->odd;
		break;
	case EVG_SELECT_LOOP_INDEX:
		value = (uint32_t)wavefront->indices.loop;
		if (!wavefront->indices.has_loop)
			fail_text(wavefront, uop,
				  (unsigned)__builtin_ctzll(
					  active_lanes(wavefront, uop) |
					  UINT64_C(1) << 63),
				  NO_LOOP);
		break;
	}
	splat(state_row(wavefront, uop->dest), value);
}

/* --- Operations that set the machine -------------------------------------- */

void evg_set_cf_index(struct evg_wavefront *wavefront,
		      const struct evg_uop *uop)
{
	const struct evg_special *special = uop->extra;
	uint64_t lanes = active_lanes(wavefront, uop);

	if (lanes)
		wavefront->indices.cf[special->which] = state_row(
		    wavefront, special->address_row)[__builtin_ctzll(lanes)];
}

void evg_set_local_bounds(struct evg_wavefront *wavefront,
			  const struct evg_uop *uop)
{
	const struct evg_work_group *group = wavefront->group;
	uint32_t all = group->ndrange->launch.local_memory, start, size;
	uint64_t lanes = active_lanes(wavefront, uop);
	unsigned lane;

	/* The message of an earlier fault tells the size of then. */
	if (!lanes || wavefront->fault.kind)
		return;
	lane = (unsigned)__builtin_ctzll(lanes);
	start = operand_lane(wavefront, &uop->source[0], lane);
	size = operand_lane(wavefront, &uop->source[1], lane);
	if (start > all || size > all - start || start % 4) {
		/* Reported against all of it. */
		wavefront->local.size = all;
		fail_lane(wavefront, uop, EVG_FAULT_LOCAL, lane, start, size);
		return;
	}
	wavefront->local.bytes = group->local + start;
	wavefront->local.size = size;
}
