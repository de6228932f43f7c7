/* Atomics on global memory: against other lanes and other work-groups. The
 * table of what a RAT does is here, too. */
#include "evergreen/emu/memory/transfer.h"
#include "evergreen/emu/simd/few.h"
#include "evergreen/emu/simd/level.h"
#include "evergreen/emu/simd/store.h"
#include "evergreen/emu/simd/update.h"

static void atomic_note(struct evg_wavefront *wavefront,
			const struct access *access, bool returns)
{
	if (!wavefront->observers.step)
		return;
	if (shape_counts_only(wavefront)) {
		evg_traffic_count_atomic(wavefront->observers.traffic,
					 access->lanes);
		return;
	}
	memory_note(wavefront, access, 4);
	wavefront->observers.step->memory_write = true;
	wavefront->observers.step->memory_atomic = true;
	wavefront->observers.step->memory_return = returns;
}

/* When no other thread can see. */
SIMD uint32_t update_alone(uint32_t *place, uint32_t x, uint32_t w,
			   atomic_function *function)
{
	uint32_t old = *place;

	*place = function(old, x, w);
	return old;
}

/* Keeps what the lanes would do; false: it is to be done at once. `joins` makes
 * one operand of two, and `identity` changes nothing. Not in a structure, of
 * which the compiler would not always inline the function. */
SIMD bool combine(struct evg_wavefront *wavefront,
		  const struct evg_store_plan *store,
		  const struct access *access, atomic_function *joins,
		  uint32_t identity)
{
	struct evg_combiner *combiner = wavefront->global.combiner;
	struct evg_combined *window = combiner->last;
	const uint32_t *x = state_row(wavefront, store->value[0]);
	uint32_t low, high;

	access_range(access, &low, &high);
	if (!evg_combined_covers(window, store->op, low, high)) {
		window = evg_combiner_window(combiner, store->op, identity, low,
					     high, wavefront->plan->simd,
					     wavefront->global.base);
		if (!window)
			return false;
	}
	FOR_LANES(lane, access->lanes)
	{
		uint32_t at = (access->address[lane] - window->first) / 4;

		window->value[at] = joins(window->value[at], x[lane], 0);
	}
	window->low = low < window->low ? low : window->low;
	window->high = high > window->high ? high : window->high;
	combiner->low = low < combiner->low ? low : combiner->low;
	combiner->high = high + 3 > combiner->high ? high + 3 : combiner->high;
	return true;
}

SIMD void run_atomic(struct evg_wavefront *wavefront,
		     const struct evg_store_plan *store,
		     atomic_function *function, atomic_function *join,
		     uint32_t identity)
{
	const uint32_t *x = state_row(wavefront, store->value[0]);
	const uint32_t *w = state_row(wavefront, store->value[3]);
	bool joins = join && !store->returns && store->element_bytes % 4 == 0;
	struct access access = {.lanes = 0};
	bool open;

	if (store_is_bound(wavefront, store)) {
		EVG_LEVEL(evg_store_general)(wavefront, store);
		return;
	}
	open = joins ? atomic_open(&access, wavefront, store)
		     : store_open(&access, wavefront, store, 0, 4);
	if (store->returns && wavefront->global.drops)
		FOR_LANES(lane, active_lanes(wavefront) & ~access.lanes)
			wavefront->rat_return[lane] = 0;
	if (!open)
		return;
	atomic_note(wavefront, &access, store->returns);
	if (wavefront->deferred.checks_only)
		return;
	if (joins && wavefront->global.combiner &&
	    combine(wavefront, store, &access, join, identity))
		return;
	if (wavefront->global.alone && !store->returns) {
		FOR_LANES(lane, access.lanes)
		update_alone((uint32_t *)(void *)(wavefront->global.base +
						  access.address[lane]),
			     x[lane], w[lane], function);
		return;
	}
	FOR_LANES(lane, access.lanes)
	{
		void *place = wavefront->global.base + access.address[lane];
		uint32_t old =
		    wavefront->global.alone
			? update_alone(place, x[lane], w[lane], function)
			: update_dword(place, x[lane], w[lane], function);

		if (store->returns)
			wavefront->rat_return[lane] = old;
	}
}

/* Which byte of its dword a mask reaches up to. */
SIMD uint32_t last_byte(uint32_t mask)
{
	return mask ? (31 - (uint32_t)__builtin_clz(mask)) / 8 : 0;
}

/* The same of each lane. */
SIMD vu last_bytes(vu mask)
{
	return splat(0) - mask_lanes(uint_gt(mask, splat(0xff))) -
	       mask_lanes(uint_gt(mask, splat(0xffff))) -
	       mask_lanes(uint_gt(mask, splat(0xffffff)));
}

/* The last dword of a buffer of 5 bytes is there for its first byte only:
 * what the mask leaves alone need not be inside the buffer. */
static bool mask_or_check(struct access *access,
			  struct evg_wavefront *wavefront,
			  const struct evg_store_plan *plan,
			  const uint32_t *mask)
{
	const uint32_t *active = wavefront->mask_rows.row[EVG_MASK_ACTIVE];
	vu last[ROW_VECTORS];

	FOR_VECTORS(i)
	{
		uint32_t *row = access->address + i * VECTOR_LANES;

		last[i] = last_bytes(load(mask + i * VECTOR_LANES)) &
			  load(active + i * VECTOR_LANES);
		store(row, load(row) + last[i]);
	}
	if (!memory_check(wavefront, access, 1, true, plan->window))
		return false;
	FOR_VECTORS(i)
	{
		uint32_t *row = access->address + i * VECTOR_LANES;

		store(row, load(row) - last[i]);
	}
	atomic_note(wavefront, access, false);
	return true;
}

/* Whether a mask is that of a byte (1), of a short (2), or another one (0). */
SIMD uint32_t part_bytes(uint32_t mask)
{
	unsigned shift = mask ? (unsigned)__builtin_ctz(mask) : 0;
	uint32_t part = mask >> shift;

	if (part == 0xff && shift % 8 == 0)
		return 1;
	return part == 0xffff && shift % 16 == 0 ? 2 : 0;
}

/* Stores of consecutive bytes (1) or shorts (2) by all lanes, most often those
 * of one row of an array. False: these are no such stores, or more is to be
 * done than to write them. */
SIMD bool store_small_run(struct evg_wavefront *wavefront,
			  const struct evg_store_plan *store,
			  const uint32_t *x, const uint32_t *w,
			  const struct access *access, uint32_t bytes)
{
	struct evg_window *window = &wavefront->global.windows[store->window];
	uint32_t part = bytes == 1 ? 0xff : 0xffff;
	uint32_t first = access->address[0] + (uint32_t)__builtin_ctz(w[0]) / 8;
	vu at = splat(first) + lane_numbers() * bytes, other = splat(0);
	vu value[ROW_VECTORS];

	FOR_VECTORS(i)
	{
		unsigned start = i * VECTOR_LANES;
		vu shift = (at & 3) << 3, mask = splat(part) << shift;
		vu here = load(x + start);

		other |= (load(access->address + start) ^ (at & ~3u)) |
			 (load(w + start) ^ mask) | (here & ~mask);
		value[i] = here >> shift;
		at += VECTOR_LANES * bytes;
	}
	if (mask_bits(int_ne(other, splat(0))) ||
	    first > UINT32_MAX - 64 * bytes)
		return false;
	if ((first < window->start || first + 64 * bytes - 1 > window->last) &&
	    !wavefront->global.find(wavefront->global.memory, first, 64 * bytes,
				    true, window))
		return false;
	if (evg_combiner_keeps(wavefront->global.combiner, first,
			       first + 64 * bytes - 1))
		return false;
	atomic_note(wavefront, access, false);
	if (wavefront->deferred.checks_only)
		return true;
	FOR_VECTORS(i)
	{
		uint8_t *place = wavefront->global.base + first +
				 i * VECTOR_LANES * bytes;

		if (bytes == 1)
			store_bytes(place, value[i]);
		else
			store_shorts(place, value[i]);
	}
	return true;
}

/* One lane's operation. */
SIMD void store_part(uint8_t *place, uint32_t x, uint32_t mask)
{
	unsigned shift = mask ? (unsigned)__builtin_ctz(mask) : 0;
	uint32_t bytes = x & ~mask ? 0 : part_bytes(mask);

	if (bytes == 1)
		__atomic_store_n(place + shift / 8, (uint8_t)(x >> shift),
				 __ATOMIC_RELAXED);
	else if (bytes == 2)
		__atomic_store_n((uint16_t *)(void *)(place + shift / 8),
				 (uint16_t)(x >> shift), __ATOMIC_RELAXED);
	else
		update_dword((uint32_t *)(void *)place, x, mask, mem_MSKOR);
}

/* Stores of few lanes; false: they are to be done as rows. */
SIMD bool store_few_parts(struct evg_wavefront *wavefront,
			  const struct evg_store_plan *store,
			  const uint32_t *x, const uint32_t *w)
{
	const uint32_t *index = state_row(wavefront, store->index[0]);
	unsigned shift = (unsigned)__builtin_ctz(store->element_bytes);
	uint64_t lanes = active_lanes(wavefront);

	if (!few_lanes(wavefront, lanes) || wavefront->deferred.checks_only)
		return false;
	FOR_LANES(lane, lanes)
	if (!few_there(wavefront, (index[lane] << shift) + last_byte(w[lane]),
		       1, true, store->window))
		return false;
	FOR_LANES(lane, lanes)
	store_part(wavefront->global.base + (index[lane] << shift), x[lane],
		   w[lane]);
	return true;
}

/* Byte and short stores: the mask most often covers just such a part of the
 * dword, which the host can store alone. */
void EVG_LEVEL(evg_store_mskor)(struct evg_wavefront *wavefront,
				const struct evg_store_plan *store)
{
	const uint32_t *x = state_row(wavefront, store->value[0]);
	const uint32_t *w = state_row(wavefront, store->value[3]);
	struct access access;

	if (store_is_bound(wavefront, store)) {
		EVG_LEVEL(evg_store_general)(wavefront, store);
		return;
	}
	if (store_few_parts(wavefront, store, x, w) ||
	    !lanes_open(&access, wavefront, store, 0))
		return;
	if (access.lanes == ~UINT64_C(0) && part_bytes(w[0]) &&
	    store_small_run(wavefront, store, x, w, &access,
			    part_bytes(w[0])))
		return;
	if (!mask_or_check(&access, wavefront, store, w) ||
	    wavefront->deferred.checks_only)
		return;
	FOR_LANES(lane, access.lanes)
	store_part(wavefront->global.base + access.address[lane], x[lane],
		   w[lane]);
}

/* How operations without a result are joined, and the operand of no effect. */
#define ORDERED NULL, 0
#define COMMUTES NULL, 0
#define JOINS(by, none) mem_##by, none

/* A RAT has not all of them. */
#define ATOMIC(id, operands, order, value)                                     \
	static __attribute__((unused)) void rat_##id(                          \
	    struct evg_wavefront *wavefront,                                   \
	    const struct evg_store_plan *store)                                \
	{                                                                      \
		run_atomic(wavefront, store, mem_##id, order);                 \
	}
#include "evergreen/emu/memory/atomic.def"

static void rat_NOP_RTN(struct evg_wavefront *wavefront,
			const struct evg_store_plan *store)
{
	run_atomic(wavefront, store, mem_read, NULL, 0);
}

static void rat_NOP(struct evg_wavefront *wavefront,
		    const struct evg_store_plan *store)
{
	(void)wavefront;
	(void)store;
}

#define rat_STORE_TYPED EVG_LEVEL(evg_store_general)
#define rat_STORE_RAW EVG_LEVEL(evg_store_raw)

#define DOES_ATOMIC(id) rat_##id
#define DOES_OWN(id) rat_##id
#define RAT_0(id, does)
#define RAT_1(id, does) [EVG_RAT_##id] = DOES_##does,
#define RAT(id, code, returns, compute, does, ...) RAT_##compute(id, does)
evg_store_body *const EVG_LEVEL(evg_rat_bodies)[EVG_RAT_COUNT] = {
#include "evergreen/isa/rat.def"
};
