/* LDS operations. */
#include "evergreen/emu/memory/atomic.h"
#include "evergreen/emu/simd/few.h"
#include "evergreen/emu/simd/level.h"
#include "evergreen/emu/simd/local.h"

/* --- Reads and writes --------------------------------------------------- */

SIMD void local_read_plain(struct evg_wavefront *wavefront,
			   const vu address[ROW_VECTORS], uint64_t lanes,
			   uint32_t queue_row)
{
	uint32_t *row = state_row(wavefront, queue_row);

	FOR_VECTORS(i)
		if (vector_lanes(lanes, i))
			store(row + i * VECTOR_LANES,
			      load_lanes(wavefront->local.bytes, address[i]));
}

SIMD void local_write_plain(struct evg_wavefront *wavefront,
			    const vu address[ROW_VECTORS], uint64_t lanes,
			    const struct evg_uop *uop, unsigned source)
{
	struct stream value = stream_open(wavefront, &uop->source[source]);

	FOR_VECTORS(i)
		if (vector_lanes(lanes, i))
			store_lanes(wavefront->local.bytes, address[i],
				    stream_load(value, i),
				    vector_lanes(lanes, i));
}

SIMD void local_write_run(struct evg_wavefront *wavefront,
			  const struct evg_uop *uop, uint64_t lanes,
			  uint8_t *run)
{
	struct stream value = stream_open(wavefront, &uop->source[1]);

	FOR_VECTORS(i) {
		unsigned here = vector_lanes(lanes, i);

		if (here == (1u << VECTOR_LANES) - 1)
			store_unaligned(run + i * VECTOR_BYTES,
					stream_load(value, i));
		else if (here)
			store_lanes(run + i * VECTOR_BYTES,
				    4 * lane_numbers(), stream_load(value, i),
				    here);
	}
}

/* Into a queue row: lanes that are not active get something, which nobody
 * reads. */
SIMD void local_read(struct evg_wavefront *wavefront,
		     const struct access *access, uint32_t queue_row)
{
	uint32_t *row = state_row(wavefront, queue_row);

	FOR_VECTORS(i)
	store(row + i * VECTOR_LANES,
	      load_lanes(wavefront->local.bytes,
			 load(access->address + i * VECTOR_LANES)));
}

SIMD void local_write(struct evg_wavefront *wavefront,
		      const struct access *access, const struct evg_uop *uop,
		      unsigned source)
{
	struct stream value = stream_open(wavefront, &uop->source[source]);

	FOR_VECTORS(i)
	store_lanes(wavefront->local.bytes,
		    load(access->address + i * VECTOR_LANES),
		    stream_load(value, i), vector_lanes(access->lanes, i));
}

static void lds_READ_RET(struct evg_wavefront *wavefront,
			 const struct evg_uop *uop)
{
	const struct evg_lds_plan *lds = uop->extra;
	uint64_t lanes =
	    wavefront->masks.lanes[uop->mask] & wavefront->masks.valid;
	const uint8_t *run = local_run(wavefront, uop, lanes);
	vu address[ROW_VECTORS];
	struct access access;

	if (run) {
		uint32_t *row = state_row(wavefront, lds->queue_row[0]);

		FOR_VECTORS(i)
			store(row + i * VECTOR_LANES,
			      load_unaligned(run + i * VECTOR_BYTES));
		return;
	}
	if (local_open_plain(wavefront, uop, lanes, true, address)) {
		local_read_plain(wavefront, address, lanes, lds->queue_row[0]);
		return;
	}
	if (!local_open(&access, wavefront, uop, 0, 0, 4))
		return;
	local_note_one(wavefront, uop, &access, 4, false, false);
	local_read(wavefront, &access, lds->queue_row[0]);
}

SIMD void read_two(struct evg_wavefront *wavefront, const struct evg_uop *uop,
		   unsigned source)
{
	const struct evg_lds_plan *lds = uop->extra;
	uint64_t lanes =
	    wavefront->masks.lanes[uop->mask] & wavefront->masks.valid;
	vu first[ROW_VECTORS], second[ROW_VECTORS];
	struct access a, b;

	if (!wavefront->observers.step &&
	    local_open_dwords(wavefront, uop, 0, 0, lanes, first) &&
	    local_open_dwords(wavefront, uop, source, lds->offset, lanes,
			      second)) {
		local_read_plain(wavefront, first, lanes, lds->queue_row[0]);
		local_read_plain(wavefront, second, lanes, lds->queue_row[1]);
		return;
	}
	if (!local_open(&a, wavefront, uop, 0, 0, 4) ||
	    !local_open(&b, wavefront, uop, source, lds->offset, 4))
		return;
	local_note(wavefront, uop, &a, 4, false, false, false);
	local_note(wavefront, uop, &b, 4, false, false, true);
	local_read(wavefront, &a, lds->queue_row[0]);
	local_read(wavefront, &b, lds->queue_row[1]);
}

static void lds_READ_REL_RET(struct evg_wavefront *wavefront,
			     const struct evg_uop *uop)
{
	read_two(wavefront, uop, 0);
}

static void lds_READ2_RET(struct evg_wavefront *wavefront,
			  const struct evg_uop *uop)
{
	read_two(wavefront, uop, 1);
}

static void lds_WRITE(struct evg_wavefront *wavefront, const struct evg_uop *uop)
{
	uint64_t lanes =
	    wavefront->masks.lanes[uop->mask] & wavefront->masks.valid;
	uint8_t *run = local_run(wavefront, uop, lanes);
	vu address[ROW_VECTORS];
	struct access access;

	if (run) {
		local_write_run(wavefront, uop, lanes, run);
		return;
	}
	if (local_open_plain(wavefront, uop, lanes, false, address)) {
		local_write_plain(wavefront, address, lanes, uop, 1);
		return;
	}
	if (!local_open(&access, wavefront, uop, 0, 0, 4))
		return;
	local_note_one(wavefront, uop, &access, 4, true, false);
	local_write(wavefront, &access, uop, 1);
}

/* The distance between the two dwords is in the plan. */
static void lds_WRITE_REL(struct evg_wavefront *wavefront,
			  const struct evg_uop *uop)
{
	const struct evg_lds_plan *lds = uop->extra;
	struct access a, b;

	if (!local_open(&a, wavefront, uop, 0, 0, 4) ||
	    !local_open(&b, wavefront, uop, 0, lds->offset, 4))
		return;
	local_note(wavefront, uop, &a, 4, true, false, false);
	local_note(wavefront, uop, &b, 4, true, false, true);
	local_write(wavefront, &a, uop, 1);
	local_write(wavefront, &b, uop, 2);
}

/* Whether the lanes are few and may all access so many bytes at their
 * addresses. */
SIMD bool local_few(const struct evg_wavefront *wavefront,
		    struct stream address, uint64_t lanes, uint32_t bytes)
{
	if (!lanes || !few_lanes(wavefront, lanes))
		return false;
	FOR_LANES(lane, lanes) {
		uint32_t at = source_lane(address, lane);

		if ((uint64_t)at + bytes > wavefront->local.size ||
		    at & (bytes - 1))
			return false;
	}
	return true;
}

SIMD void narrow_write(struct evg_wavefront *wavefront,
		       const struct evg_uop *uop, uint32_t bytes)
{
	struct stream address = stream_open(wavefront, &uop->source[0]);
	struct stream value = stream_open(wavefront, &uop->source[1]);
	uint64_t lanes =
	    wavefront->masks.lanes[uop->mask] & wavefront->masks.valid;
	struct access access;

	if (local_few(wavefront, address, lanes, bytes)) {
		FOR_LANES(lane, lanes) {
			uint32_t v = source_lane(value, lane);

			memcpy(wavefront->local.bytes +
				       source_lane(address, lane),
			       &v, bytes);
		}
		return;
	}
	if (!local_open(&access, wavefront, uop, 0, 0, bytes))
		return;
	local_note_one(wavefront, uop, &access, bytes, true, false);
	FOR_LANES(lane, access.lanes) {
		uint32_t v = source_lane(value, lane);

		memcpy(wavefront->local.bytes + access.address[lane], &v,
		       bytes);
	}
}

static void lds_BYTE_WRITE(struct evg_wavefront *wavefront,
			   const struct evg_uop *uop)
{
	narrow_write(wavefront, uop, 1);
}

static void lds_SHORT_WRITE(struct evg_wavefront *wavefront,
			    const struct evg_uop *uop)
{
	narrow_write(wavefront, uop, 2);
}

/* A byte or a short as a dword. */
SIMD uint32_t narrow_value(const uint8_t *place, uint32_t bytes,
			   bool sign_extend)
{
	unsigned spare = 32 - 8 * bytes;
	uint32_t v = 0;

	memcpy(&v, place, bytes);
	return sign_extend ? (uint32_t)((int32_t)(v << spare) >> spare) : v;
}

SIMD void narrow_read(struct evg_wavefront *wavefront,
		      const struct evg_uop *uop, uint32_t bytes,
		      bool sign_extend)
{
	const struct evg_lds_plan *lds = uop->extra;
	uint32_t *row = state_row(wavefront, lds->queue_row[0]);
	struct stream address = stream_open(wavefront, &uop->source[0]);
	uint64_t lanes =
	    wavefront->masks.lanes[uop->mask] & wavefront->masks.valid;
	struct access access;

	if (local_few(wavefront, address, lanes, bytes)) {
		FOR_LANES(lane, lanes)
		row[lane] = narrow_value(wavefront->local.bytes +
						 source_lane(address, lane),
					 bytes, sign_extend);
		return;
	}
	if (!local_open(&access, wavefront, uop, 0, 0, bytes))
		return;
	local_note_one(wavefront, uop, &access, bytes, false, false);
	FOR_LANES(lane, access.lanes)
	row[lane] = narrow_value(wavefront->local.bytes + access.address[lane],
				 bytes, sign_extend);
}

static void lds_BYTE_READ_RET(struct evg_wavefront *wavefront,
			      const struct evg_uop *uop)
{
	narrow_read(wavefront, uop, 1, true);
}

static void lds_UBYTE_READ_RET(struct evg_wavefront *wavefront,
			       const struct evg_uop *uop)
{
	narrow_read(wavefront, uop, 1, false);
}

static void lds_SHORT_READ_RET(struct evg_wavefront *wavefront,
			       const struct evg_uop *uop)
{
	narrow_read(wavefront, uop, 2, true);
}

static void lds_USHORT_READ_RET(struct evg_wavefront *wavefront,
				const struct evg_uop *uop)
{
	narrow_read(wavefront, uop, 2, false);
}

/* --- Read-modify-write: lanes one after the other ------------------------ */

typedef uint32_t update_function(uint32_t d, uint32_t s0, uint32_t s1);

SIMD void update(struct evg_wavefront *wavefront, const struct evg_uop *uop,
		 update_function *function)
{
	const struct evg_lds_plan *lds = uop->extra;
	struct stream s0 = stream_open(wavefront, &uop->source[1]);
	struct stream s1 = stream_open(wavefront, &uop->source[2]);
	uint32_t *row = lds->queue_row[0] == EVG_NO_ROW
				? NULL
				: state_row(wavefront, lds->queue_row[0]);
	struct access access;

	if (!local_open(&access, wavefront, uop, 0, 0, 4))
		return;
	local_note_one(wavefront, uop, &access, 4, true, true);
	FOR_LANES(lane, access.lanes) {
		uint8_t *place = wavefront->local.bytes + access.address[lane];
		uint32_t old, new;

		memcpy(&old, place, sizeof old);
		new = function(old, source_lane(s0, lane),
			       source_lane(s1, lane));
		memcpy(place, &new, sizeof new);
		if (row)
			row[lane] = old;
	}
}

#define ATOMIC(id, ...)                                                        \
	static void update_##id(struct evg_wavefront *wavefront,               \
				const struct evg_uop *uop)                     \
	{                                                                      \
		update(wavefront, uop, atomic_##id);                           \
	}
#include "evergreen/emu/memory/atomic.def"

/* Two dwords exchanged, each lane's both before the next lane's. */
static void lds_XCHG_REL_RET(struct evg_wavefront *wavefront,
			     const struct evg_uop *uop)
{
	const struct evg_lds_plan *lds = uop->extra;
	struct stream s[2] = {stream_open(wavefront, &uop->source[1]),
			      stream_open(wavefront, &uop->source[2])};
	struct access access[2];

	if (!local_open(&access[0], wavefront, uop, 0, 0, 4) ||
	    !local_open(&access[1], wavefront, uop, 0, lds->offset, 4))
		return;
	for (int k = 0; k < 2; k++)
		local_note(wavefront, uop, &access[k], 4, true, true, k);
	FOR_LANES(lane, access[0].lanes) {
		uint32_t old[2];

		for (int k = 0; k < 2; k++)
			memcpy(&old[k],
			       wavefront->local.bytes + access[k].address[lane],
			       4);
		for (int k = 0; k < 2; k++) {
			uint32_t new = source_lane(s[k], lane);

			memcpy(wavefront->local.bytes + access[k].address[lane],
			       &new, 4);
			state_row(wavefront, lds->queue_row[k])[lane] = old[k];
		}
	}
}

/* Reads at one address, writes at another. */
static void lds_READWRITE_RET(struct evg_wavefront *wavefront,
			      const struct evg_uop *uop)
{
	const struct evg_lds_plan *lds = uop->extra;
	struct access a, b;

	if (!local_open(&a, wavefront, uop, 0, 0, 4) ||
	    !local_open(&b, wavefront, uop, 1, 0, 4))
		return;
	local_note(wavefront, uop, &a, 4, false, false, false);
	local_note(wavefront, uop, &b, 4, true, false, true);
	local_read(wavefront, &a, lds->queue_row[0]);
	local_write(wavefront, &b, uop, 2);
}

#define DOES_ATOMIC(id) update_##id
#define DOES_OWN(id) lds_##id
#define LDS_0(id, does)
#define LDS_1(id, does) [EVG_LDS_##id] = DOES_##does,
#define LDS(id, code, sources, returns, compute, element, step, does, ...)     \
	LDS_##compute(id, does)
evg_body *const EVG_LEVEL(evg_lds_bodies)[EVG_LDS_COUNT] = {
#include "evergreen/isa/lds.def"
};
