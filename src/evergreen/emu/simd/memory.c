/* Vertex fetches from, and stores and atomics to, global memory. */
#include "evergreen/emu/memory/atomic.h"
#include "evergreen/emu/simd/level.h"
#include "evergreen/emu/memory/stores.h"
#include "evergreen/emu/memory/transfer.h"

/* --- Looking ahead ------------------------------------------------------ */

/* Has the host fetch what the instruction will want a few executions from now,
 * when it has gone on by equal steps: host processors look ahead by themselves,
 * but not from one page to the next. Only where lines are consecutive, or the
 * same from one row of a tile to the next, does one address in each line tell
 * all; elsewhere the host fetches less, or in vain. */
SIMD void look_ahead(struct evg_wavefront *wavefront,
		     const struct access *access, uint32_t bytes,
		     uint32_t window_index)
{
	enum { EXECUTIONS = 4, LINE = 64 };
	struct evg_window *window = &wavefront->global.windows[window_index];
	uint32_t step = access->address[0] - window->address;
	uint32_t ahead = EXECUTIONS * step, lanes;
	bool goes_on = step == window->step;

	window->address += step;
	window->step = step;
	if (!goes_on || !step ||
	    access->address[0] + ahead - window->start >
		    window->last - window->start)
		return;
	lanes = LINE >> (31 - __builtin_clz(bytes));
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane += lanes)
		__builtin_prefetch(wavefront->global.base +
				   (access->address[lane] + ahead));
}

/* --- Fetches ------------------------------------------------------------ */

static bool fetch_open(struct access *access, struct evg_wavefront *wavefront,
		       const struct evg_fetch_plan *fetch)
{
	uint64_t lanes = wavefront->masks.lanes[EVG_MASK_ACTIVE];

	if (!lanes)
		return false;
	access_open(access, wavefront,
		    wavefront->registers.base[EVG_BASE_STATE] + fetch->source,
		    VECTOR_BYTES, fetch->shift, fetch->offset, lanes,
		    wavefront->mask_rows.row[EVG_MASK_ACTIVE]);
	access_find_run(access, fetch->bytes);
	if (fetch->resource == EVG_RESOURCE_CONSTANT
		    ? !constant_check(wavefront, access, fetch->bytes,
				      fetch->bank)
		    : !memory_check(wavefront, access, fetch->bytes, false,
				    fetch->window))
		return false;
	return true;
}

static const uint8_t *fetch_base(const struct evg_wavefront *wavefront,
				 const struct evg_fetch_plan *fetch)
{
	return fetch->resource == EVG_RESOURCE_CONSTANT
		   ? wavefront->buffers.constants[fetch->bank].bytes
		   : wavefront->global.base;
}

/* After the data has been read: this can be done while the host waits for it. */
static void fetch_note(struct evg_wavefront *wavefront,
		       const struct access *access,
		       const struct evg_fetch_plan *fetch)
{
	bool constant = fetch->resource == EVG_RESOURCE_CONSTANT;

	if (!constant)
		look_ahead(wavefront, access, fetch->bytes, fetch->window);
	if (!wavefront->observers.step)
		return;
	/* Constants are not counted. */
	if (constant ? shape_counts_only(wavefront)
		     : memory_counted(wavefront, access, fetch->bytes, false))
		return;
	memory_note(wavefront, access, fetch->bytes);
	wavefront->observers.step->memory_constant = constant;
	wavefront->observers.step->memory_uncached = fetch->uncached;
}

/* One dword into one channel: dest[0]. */
void EVG_LEVEL(evg_fetch_32)(struct evg_wavefront *wavefront,
			     const struct evg_fetch_plan *fetch)
{
	const uint8_t *base = fetch_base(wavefront, fetch);
	struct access access;

	if (!fetch_open(&access, wavefront, fetch))
		return;
	FOR_VECTORS(i)
		put_row(wavefront, fetch->dest[0], i,
			access.is_run
				? load_unaligned(base + access.address[0] +
						 i * VECTOR_BYTES)
				: load_lanes(base, load(access.address +
							i * VECTOR_LANES)));
	fetch_note(wavefront, &access, fetch);
}

/* A byte or short into one channel: dest[0]. The dword around it may reach
 * beyond its block, never beyond the host's reservation. */
void EVG_LEVEL(evg_fetch_small)(struct evg_wavefront *wavefront,
				const struct evg_fetch_plan *fetch)
{
	uint32_t spare = 32u - fetch->element.format->bits[0];
	const uint8_t *base = fetch_base(wavefront, fetch);
	struct access access;

	if (!fetch_open(&access, wavefront, fetch))
		return;
	FOR_VECTORS(i) {
		vu value = load_lanes(base,
				      load(access.address + i * VECTOR_LANES));

		value <<= spare;
		if (fetch->element.is_signed)
			value = (vu)((vi)value >> (int32_t)spare);
		else
			value >>= spare;
		put_row(wavefront, fetch->dest[0], i, value);
	}
	fetch_note(wavefront, &access, fetch);
}

void EVG_LEVEL(evg_fetch_64)(struct evg_wavefront *wavefront,
			     const struct evg_fetch_plan *fetch)
{
	const uint8_t *base = fetch_base(wavefront, fetch);
	struct access access;

	if (!fetch_open(&access, wavefront, fetch))
		return;
	FOR_VECTORS(i) {
		vu address = load(access.address + i * VECTOR_LANES);
		vu component[4] = {load_lanes(base, address),
				   load_lanes(base, address + 4), splat(0),
				   splat(0)};

		deliver(wavefront, fetch, component, i);
	}
	fetch_note(wavefront, &access, fetch);
}

void EVG_LEVEL(evg_fetch_128)(struct evg_wavefront *wavefront,
			      const struct evg_fetch_plan *fetch)
{
	const uint8_t *base = fetch_base(wavefront, fetch);
	struct access access;

	if (!fetch_open(&access, wavefront, fetch))
		return;
	FOR_VECTORS(i) {
		const uint32_t *address = access.address + i * VECTOR_LANES;
		vu component[4];

		if (mask_bits(int_ne(load(address), splat(address[0])))) {
			load_structures(base, address, component);
		} else {
			uint32_t dword[4];

			memcpy(dword, base + address[0], sizeof dword);
			for (unsigned c = 0; c < 4; c++)
				component[c] = splat(dword[c]);
		}
		deliver(wavefront, fetch, component, i);
	}
	fetch_note(wavefront, &access, fetch);
}

/* --- Fetches in any format ----------------------------------------------- */

void EVG_LEVEL(evg_fetch_any)(struct evg_wavefront *wavefront,
			      const struct evg_fetch_plan *fetch)
{
	alignas(64) uint32_t component[4][EVG_WAVEFRONT_SIZE];
	const uint8_t *base = fetch_base(wavefront, fetch);
	struct access access;

	if (!fetch_open(&access, wavefront, fetch))
		return;
	element_rows(&fetch->element, base, access.address, component);
	deliver_rows(wavefront, fetch, component);
	fetch_note(wavefront, &access, fetch);
}

/* The old values that the last returning RAT operation left. */
void EVG_LEVEL(evg_fetch_rat)(struct evg_wavefront *wavefront,
			      const struct evg_fetch_plan *fetch)
{
	alignas(64) uint32_t component[4][EVG_WAVEFRONT_SIZE] = {{0}};

	memcpy(component[0], wavefront->rat_return, sizeof component[0]);
	deliver_rows(wavefront, fetch, component);
}

/* --- Stores ------------------------------------------------------------- */

/* Whether the launch binds a surface to the RAT, for which these functions
 * are not made. */
SIMD bool store_is_bound(const struct evg_wavefront *wavefront,
			 const struct evg_store_plan *store)
{
	const struct evg_bindings *bindings = wavefront->buffers.bindings;
	unsigned id = store->cf->rat_id;

	return bindings && id < EVG_RATS && bindings->rats[id].dimension;
}

/* Byte addresses of byte `first` of the elements; false: no lane is active. */
static bool lanes_open(struct access *access, struct evg_wavefront *wavefront,
		       const struct evg_store_plan *store, uint32_t first)
{
	uint64_t lanes =
	    wavefront->masks.lanes[EVG_MASK_ACTIVE] & wavefront->masks.valid;

	if (!lanes)
		return false;
	access_open(access, wavefront,
		    wavefront->registers.base[EVG_BASE_STATE] + store->index[0],
		    VECTOR_BYTES, (unsigned)__builtin_ctz(store->element_bytes),
		    first, lanes, wavefront->mask_rows.row[EVG_MASK_ACTIVE]);
	return true;
}

/* Addresses, checked, of dwords with which something can be combined that the
 * wavefront's thread keeps. */
static bool atomic_open(struct access *access, struct evg_wavefront *wavefront,
			const struct evg_store_plan *store)
{
	return lanes_open(access, wavefront, store, 0) &&
	       memory_is_there(wavefront, access, 4, true, store->window);
}

/* The same, from byte `first` of the element on for `bytes` bytes, of
 * anything. */
static bool store_open(struct access *access, struct evg_wavefront *wavefront,
		       const struct evg_store_plan *store, uint32_t first,
		       uint32_t bytes)
{
	if (!lanes_open(access, wavefront, store, first))
		return false;
	access_find_run(access, bytes);
	return memory_check(wavefront, access, bytes, true, store->window);
}

static void store_note(struct evg_wavefront *wavefront,
		       const struct access *access, uint32_t bytes)
{
	if (memory_counted(wavefront, access, bytes, true))
		return;
	memory_note(wavefront, access, bytes);
	wavefront->observers.step->memory_write = true;
}

/* Four dwords of each lane to `base` and its address. */
static void store_structures(const struct evg_wavefront *wavefront,
			     const struct access *access,
			     const struct evg_store_plan *store, uint8_t *base)
{
	const uint8_t *state = wavefront->registers.base[EVG_BASE_STATE];

	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane += 4) {
		unsigned four = access->lanes >> lane & 15;
		const uint32_t *address = access->address + lane;

		if (four == 15) {
			uint8_t *const place[4] = {
				base + address[0], base + address[1],
				base + address[2], base + address[3]};
			const uint8_t *const row[4] = {
				state + store->value[0] + 4 * lane,
				state + store->value[1] + 4 * lane,
				state + store->value[2] + 4 * lane,
				state + store->value[3] + 4 * lane};

			transpose_store(place, row);
			continue;
		}
		FOR_LANES(k, four)
			for (unsigned c = 0; c < 4; c++)
				memcpy(base + address[k] + 4 * c,
				       state + store->value[c] +
					       4 * (lane + k),
				       4);
	}
}

/* Keeps components `low` to `high`, for later: see stores.h. */
static void store_keep(struct evg_wavefront *wavefront,
		       const struct access *access,
		       const struct evg_store_plan *store, unsigned low,
		       unsigned high)
{
	uint32_t bytes = 4 * (high - low + 1), place = 0;
	uint32_t count = (uint32_t)__builtin_popcountll(access->lanes);
	bool run = access->is_run;
	struct evg_stored *stored = evg_stores_add(
		wavefront, (bytes + (run ? 0 : 4)) * (size_t)count);
	uint32_t *address = (void *)(stored + 1);
	uint8_t *data = (uint8_t *)(address + (run ? 0 : count));
	struct access here;

	stored->kind = run ? EVG_STORED_RUN : EVG_STORED_LANES;
	stored->bytes = (uint8_t)bytes;
	stored->count = (uint16_t)count;
	stored->address = access->address[0];
	if (bytes == 4 && run) {
		memcpy(data, state_row(wavefront, store->value[low]),
		       EVG_ROW_BYTES);
		return;
	}
	here.lanes = access->lanes;
	FOR_LANES(lane, access->lanes) {
		if (!run)
			*address++ = access->address[lane];
		here.address[lane] = place;
		place += bytes;
	}
	if (bytes == 16) {
		store_structures(wavefront, &here, store, data);
		return;
	}
	FOR_LANES(lane, access->lanes)
		for (unsigned c = low; c <= high; c++)
			memcpy(data + here.address[lane] + 4 * (c - low),
			       state_row(wavefront, store->value[c]) + lane, 4);
}

/* Dwords, unconverted: component c to the c-th dword of the element. */
void EVG_LEVEL(evg_store_raw)(struct evg_wavefront *wavefront,
			      const struct evg_store_plan *store)
{
	unsigned mask = store->component_mask;
	unsigned low = (unsigned)__builtin_ctz(mask);
	unsigned high = 31 - (unsigned)__builtin_clz(mask);
	uint8_t *base = wavefront->global.base;
	struct access access;

	if (store_is_bound(wavefront, store)) {
		EVG_LEVEL(evg_store_general)(wavefront, store);
		return;
	}
	if (!store_open(&access, wavefront, store, 4 * low,
			4 * (high - low + 1)))
		return;
	store_note(wavefront, &access, 4 * (high - low + 1));
	if (wavefront->deferred.checks_only) {
		if (mask >> low == (2u << (high - low)) - 1) {
			store_keep(wavefront, &access, store, low, high);
			wavefront->deferred.checks_only = false;
		}
		return;
	}
	look_ahead(wavefront, &access, 4 * (high - low + 1), store->window);
	if (mask == 15) {
		store_structures(wavefront, &access, store, base);
		return;
	}
	if (low == high) {
		const uint32_t *row = state_row(wavefront, store->value[low]);

		if (access.is_run) {
			memcpy(base + access.address[0], row, EVG_ROW_BYTES);
			return;
		}
		FOR_VECTORS(i)
			store_lanes(base,
				    load(access.address + i * VECTOR_LANES),
				    load(row + i * VECTOR_LANES),
				    vector_lanes(access.lanes, i));
		return;
	}
	FOR_LANES(lane, access.lanes)
		for (unsigned c = low; c <= high; c++)
			if (mask >> c & 1)
				memcpy(base + access.address[lane] +
					       4 * (c - low),
				       state_row(wavefront, store->value[c]) +
					       lane,
				       4);
}

/* --- Atomics: against other lanes and other work-groups ------------------- */

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

typedef uint32_t atomic_function(uint32_t memory, uint32_t x, uint32_t w);

/* When no other thread can see. */
SIMD uint32_t update_alone(uint32_t *place, uint32_t x, uint32_t w,
			   atomic_function *function)
{
	uint32_t old = *place;

	*place = function(old, x, w);
	return old;
}

SIMD uint32_t update_dword(uint32_t *place, uint32_t x, uint32_t w,
			   atomic_function *function)
{
	uint32_t old = __atomic_load_n(place, __ATOMIC_RELAXED);

	while (!__atomic_compare_exchange_n(place, &old, function(old, x, w),
					    true, __ATOMIC_SEQ_CST,
					    __ATOMIC_RELAXED))
		;
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
	FOR_LANES(lane, access->lanes) {
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
	struct access access;

	if (store_is_bound(wavefront, store)) {
		EVG_LEVEL(evg_store_general)(wavefront, store);
		return;
	}
	if (joins ? !atomic_open(&access, wavefront, store)
		 : !store_open(&access, wavefront, store, 0, 4))
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
	FOR_LANES(lane, access.lanes) {
		void *place = wavefront->global.base + access.address[lane];
		uint32_t old =
		    wavefront->global.alone
			? update_alone(place, x[lane], w[lane], function)
			: update_dword(place, x[lane], w[lane], function);

		if (store->returns)
			wavefront->rat_return[lane] = old;
	}
}

/* MEM_RAT's operands, where there is one: x; where there are two: w and x. */
#define ONE(id, memory, x, w) atomic_##id(memory, x, 0)
#define TWO(id, memory, x, w) atomic_##id(memory, w, x)

#define ATOMIC(id, operands, order, value)                                     \
	SIMD uint32_t mem_##id(uint32_t memory, uint32_t x, uint32_t w)        \
	{                                                                      \
		(void)x, (void)w;                                              \
		return operands(id, memory, x, w);                             \
	}
#include "evergreen/emu/memory/atomic.def"

/* Which byte of its dword a mask reaches up to. */
SIMD uint32_t last_byte(uint32_t mask)
{
	return mask ? (31 - (uint32_t)__builtin_clz(mask)) / 8 : 0;
}

/* The last dword of a buffer of 5 bytes is there for its first byte only:
 * what the mask leaves alone need not be inside the buffer. */
static bool mask_or_open(struct access *access,
			 struct evg_wavefront *wavefront,
			 const struct evg_store_plan *store,
			 const uint32_t *mask)
{
	if (!lanes_open(access, wavefront, store, 0))
		return false;
	FOR_LANES(lane, access->lanes)
		access->address[lane] += last_byte(mask[lane]);
	if (!memory_check(wavefront, access, 1, true, store->window))
		return false;
	FOR_LANES(lane, access->lanes)
		access->address[lane] -= last_byte(mask[lane]);
	atomic_note(wavefront, access, false);
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
	if (!mask_or_open(&access, wavefront, store, w) ||
	    wavefront->deferred.checks_only)
		return;
	FOR_LANES(lane, access.lanes) {
		uint8_t *place = wavefront->global.base + access.address[lane];
		uint32_t mask = w[lane], value = x[lane];
		unsigned shift = mask ? (unsigned)__builtin_ctz(mask) & 24 : 0;

		value >>= shift;
		if (mask >> shift == 0xff && !(value & ~0xffu) &&
		    value << shift == x[lane])
			__atomic_store_n(place + shift / 8, (uint8_t)value,
					 __ATOMIC_RELAXED);
		else if (mask >> shift == 0xffff && !(shift & 8) &&
			 !(value & ~0xffffu) && value << shift == x[lane])
			__atomic_store_n((uint16_t *)(void *)(place +
							      shift / 8),
					 (uint16_t)value, __ATOMIC_RELAXED);
		else
			update_dword((uint32_t *)(void *)place, x[lane], mask,
				     mem_MSKOR);
	}
}

/* How operations without a result are joined, and the operand of no effect. */
#define ORDERED NULL, 0
#define COMMUTES NULL, 0
#define JOINS(by, none) mem_##by, none

/* A RAT has not all of them. */
#define ATOMIC(id, operands, order, value)                                     \
	static __attribute__((unused)) void rat_##id(                          \
		struct evg_wavefront *wavefront,                               \
		const struct evg_store_plan *store)                            \
	{                                                                      \
		run_atomic(wavefront, store, mem_##id, order);                 \
	}
#include "evergreen/emu/memory/atomic.def"

SIMD uint32_t mem_read(uint32_t memory, uint32_t x, uint32_t w)
{
	(void)x, (void)w;
	return memory;
}

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

uint32_t EVG_LEVEL(evg_rat_update)(enum evg_rat_op op, uint32_t *place,
				   uint32_t x, uint32_t w)
{
	switch (evg_rat_atomic[op]) {
#define ATOMIC(id, ...)                                                        \
	case EVG_ATOMIC_##id:                                                  \
		return update_dword(place, x, w, mem_##id);
#include "evergreen/emu/memory/atomic.def"
	default: /* no atomic: a read */
		return update_dword(place, x, w, mem_read);
	}
}

#define DOES_ATOMIC(id) rat_##id
#define DOES_OWN(id) rat_##id
#define RAT_0(id, does)
#define RAT_1(id, does) [EVG_RAT_##id] = DOES_##does,
#define RAT(id, code, returns, compute, does, ...) RAT_##compute(id, does)
evg_store_body *const EVG_LEVEL(evg_rat_bodies)[EVG_RAT_COUNT] = {
#include "evergreen/isa/rat.def"
};
