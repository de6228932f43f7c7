/* Vertex fetches from global memory and constant buffers. */
#include "evergreen/emu/memory/transfer.h"
#include "evergreen/emu/simd/few.h"
#include "evergreen/emu/simd/level.h"
#include "evergreen/emu/simd/look-ahead.h"

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
		? !constant_check(wavefront, access, fetch->bytes, fetch->bank)
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

/* After the data has been read: this can be done while the host waits for it.
 */
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

/* Sets the addresses of few lanes, checked; false: they are to be fetched as a
 * row. */
SIMD bool few_open(struct evg_wavefront *wavefront,
		   const struct evg_fetch_plan *fetch, uint64_t lanes,
		   uint32_t address[FEW_LANES])
{
	const uint32_t *row = state_row(wavefront, fetch->source);
	unsigned count = 0;

	if (!few_lanes(wavefront, lanes))
		return false;
	FOR_LANES(lane, lanes) {
		uint32_t here = (row[lane] << fetch->shift) + fetch->offset;

		if (fetch->resource != EVG_RESOURCE_CONSTANT
			    ? !few_there(wavefront, here, fetch->bytes, false,
					 fetch->window)
			    : (uint64_t)here + fetch->bytes >
				      wavefront->buffers.constants[fetch->bank]
					      .size)
			return false;
		address[count++] = here;
	}
	return true;
}

/* Components of few lanes, of which `bytes` bytes are loaded, to their channels.
 * False: they are to be fetched as a row. */
SIMD bool fetch_few(struct evg_wavefront *wavefront,
		    const struct evg_fetch_plan *fetch, const uint8_t *base,
		    uint32_t bytes)
{
	uint64_t lanes = wavefront->masks.lanes[EVG_MASK_ACTIVE];
	uint32_t address[FEW_LANES], *next = address;

	if (!few_open(wavefront, fetch, lanes, address))
		return false;
	FOR_LANES(lane, lanes) {
		/* Zero, one. */
		uint32_t value[6] = {[5] = fetch->one};

		memcpy(value, base + *next++, bytes);
		for (unsigned c = 0; c < 4; c++)
			if (fetch->dest[c] != EVG_NO_ROW)
				state_row(wavefront, fetch->dest[c])[lane] =
					value[fetch->select[c]];
	}
	return true;
}

/* The same of elements of `bits` bits in one channel. */
SIMD bool fetch_few_small(struct evg_wavefront *wavefront,
			  const struct evg_fetch_plan *fetch,
			  const uint8_t *base, unsigned bits)
{
	uint64_t lanes = wavefront->masks.lanes[EVG_MASK_ACTIVE];
	uint32_t address[FEW_LANES], *next = address, value;
	uint32_t *dest = state_row(wavefront, fetch->dest[0]);
	unsigned spare = 32 - bits;

	if (!few_open(wavefront, fetch, lanes, address))
		return false;
	FOR_LANES(lane, lanes) {
		memcpy(&value, base + *next++, sizeof value);
		value <<= spare;
		dest[lane] = fetch->element.is_signed
				     ? (uint32_t)((int32_t)value >> spare)
				     : value >> spare;
	}
	return true;
}

/* One dword into one channel: dest[0]. */
void EVG_LEVEL(evg_fetch_32)(struct evg_wavefront *wavefront,
			     const struct evg_fetch_plan *fetch)
{
	const uint8_t *base = fetch_base(wavefront, fetch);
	struct access access;

	if (fetch_few_small(wavefront, fetch, base, 32) ||
	    !fetch_open(&access, wavefront, fetch))
		return;
	FOR_VECTORS(i)
	put_row(
	    wavefront, fetch->dest[0], i,
	    access.is_run
		? load_unaligned(base + access.address[0] + i * VECTOR_BYTES)
		: load_lanes(base, load(access.address + i * VECTOR_LANES)));
	fetch_note(wavefront, &access, fetch);
}

/* A vector of bytes or shorts in the low bits, with anything above them. The
 * dword around one may reach beyond its block, never beyond the host's
 * reservation. */
SIMD vu load_small(const uint8_t *base, const struct access *access,
		   uint32_t bytes, unsigned i)
{
	const uint8_t *run = base + access->address[0] +
			     (size_t)i * VECTOR_LANES * bytes;

	if (!access->is_run)
		return load_lanes(base,
				  load(access->address + i * VECTOR_LANES));
	return bytes == 1 ? load_bytes(run) : load_shorts(run);
}

/* A byte or short into one channel: dest[0]. */
void EVG_LEVEL(evg_fetch_small)(struct evg_wavefront *wavefront,
				const struct evg_fetch_plan *fetch)
{
	uint32_t spare = 32u - fetch->element.format->bits[0];
	const uint8_t *base = fetch_base(wavefront, fetch);
	struct access access;

	if (fetch_few_small(wavefront, fetch, base, 32 - spare) ||
	    !fetch_open(&access, wavefront, fetch))
		return;
	FOR_VECTORS(i)
	{
		vu value = load_small(base, &access, fetch->bytes, i);

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

	if (fetch_few(wavefront, fetch, base, 8) ||
	    !fetch_open(&access, wavefront, fetch))
		return;
	FOR_VECTORS(i)
	{
		vu component[4] = {splat(0), splat(0), splat(0), splat(0)};

		load_pairs(base, load(access.address + i * VECTOR_LANES),
			   component);
		deliver(wavefront, fetch, component, i);
	}
	fetch_note(wavefront, &access, fetch);
}

/* Three or four dwords. Behind three one more is loaded, which no channel
 * selects. */
void EVG_LEVEL(evg_fetch_128)(struct evg_wavefront *wavefront,
			      const struct evg_fetch_plan *fetch)
{
	const uint8_t *base = fetch_base(wavefront, fetch);
	struct access access;

	if (fetch_few(wavefront, fetch, base, 16) ||
	    !fetch_open(&access, wavefront, fetch))
		return;
	FOR_VECTORS(i)
	{
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
