/* Scratch memory, which each work-item has for itself, and the export
 * ("scatter") buffer, which is all of global memory.
 *
 * A wavefront's scratch memory lies in global memory, dword by dword: dword d
 * of lane l at (d * 64 + l) * 4. Lanes that go in step, as they do most often,
 * then touch consecutive dwords. Timing is told the addresses that elements of
 * several dwords would have if they were laid out whole, which are the same
 * bytes when lanes go in step. */
#include "evergreen/emu/simd/level.h"
#include "evergreen/emu/memory/surface.h"

typedef uint32_t row[EVG_WAVEFRONT_SIZE] __attribute__((aligned(64)));

enum { DWORD_BYTES = 4 * EVG_WAVEFRONT_SIZE };

/* Elements [base + index, + count) of `dwords` dwords each, of which those
 * from `low` to `high` are touched. */
struct span {
	row index;
	uint32_t base;
	unsigned dwords, low, high, count;
	uint64_t lanes;
};

/* What a store touches, but for the index. */
static struct span span_of(const struct evg_wavefront *wavefront,
			   const struct evg_store_plan *store)
{
	unsigned mask = store->component_mask;

	return (struct span){
	    .base = store->cf->array_base,
	    .dwords = store->element_bytes / 4,
	    .low = (unsigned)__builtin_ctz(mask),
	    .high = 31 - (unsigned)__builtin_clz(mask),
	    .count = store->cf->burst_count + 1u,
	    .lanes = wavefront->masks.lanes[EVG_MASK_ACTIVE] &
		     wavefront->masks.valid,
	};
}

/* The index is kept: a burst of reads may overwrite its register. */
static void span_open(struct span *span, const struct evg_wavefront *wavefront,
		      uint32_t index_row)
{
	if (index_row == EVG_NO_ROW)
		memset(span->index, 0, sizeof span->index);
	else
		memcpy(span->index,
		       wavefront->registers.base[EVG_BASE_STATE] + index_row,
		       sizeof span->index);
}

/* Whether the kernel has that much scratch memory; else a fault. */
static bool span_check(struct evg_wavefront *wavefront, const struct span *span)
{
	const uint32_t *index = span->index;
	uint32_t total = wavefront->scratch.dwords;
	/* The first index that is too much. */
	int64_t limit = ((int64_t)total - 1 - span->high + span->dwords) /
				span->dwords -
			(span->count - 1) - span->base;
	unsigned beyond;

	if (!wavefront->scratch.address) {
		fault_text(wavefront,
			   total ? "there is no room in global memory for the "
				   "work-group's scratch memory"
				 : "the kernel has no scratch memory "
				   "(.scratch)");
		return false;
	}
	if (total <= span->high || limit < 0)
		limit = 0;
	for (unsigned i = 0; i < ROW_VECTORS; i++) {
		beyond = mask_bits(uint_ge(load(index + i * VECTOR_LANES),
					   splat((uint32_t)limit))) &
			 vector_lanes(span->lanes, i);
		if (beyond)
			break;
	}
	if (!beyond)
		return true;
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
		uint64_t last = ((uint64_t)index[lane] + span->base +
				 span->count - 1) *
					span->dwords +
				span->high;

		if (!(span->lanes >> lane & 1) || last < total)
			continue;
		fault_set(wavefront, EVG_FAULT_SCRATCH, lane,
			  last > UINT32_MAX ? UINT32_MAX : (uint32_t)last,
			  4 * total, 0);
		return false;
	}
	return true;
}

/* Global addresses of dword `dword` of the span's element `element`; lanes
 * that are not active get the wavefront's first dword. */
static void span_addresses(const struct evg_wavefront *wavefront,
			   const struct span *span, unsigned element,
			   unsigned dword, const uint32_t *lane_masks,
			   uint32_t *address)
{
	const uint32_t *index = span->index;
	uint32_t first = (span->base + element) * span->dwords + dword;

	for (unsigned i = 0; i < ROW_VECTORS; i++) {
		vu number = load(index + i * VECTOR_LANES) * span->dwords +
			    first;
		vu lane = lane_numbers() + i * VECTOR_LANES;
		vu place = number * DWORD_BYTES + (lane << 2);

		place &= load(lane_masks + i * VECTOR_LANES);
		store(address + i * VECTOR_LANES,
		      place + wavefront->scratch.address);
	}
}

static void span_note(struct evg_wavefront *wavefront, const struct span *span,
		      bool write)
{
	struct evg_step *step = wavefront->observers.step;
	const uint32_t *index = span->index;
	unsigned touched = span->high - span->low + 1;
	/* One dword of a larger element is alone in its row. */
	unsigned dwords = touched == 1 ? 1 : span->dwords;
	uint32_t bytes = 4 * dwords * span->count;

	if (!step)
		return;
	step->memory_mask = span->lanes;
	step->memory_bytes = (uint8_t)(bytes < 128 ? bytes : 128);
	step->memory_write = write;
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
		uint32_t element = index[lane] + span->base;
		uint32_t at = dwords == 1 ? element * span->dwords + span->low
					  : element;

		step->memory_address[lane] =
		    wavefront->scratch.address +
		    (at * EVG_WAVEFRONT_SIZE + lane) * 4 * dwords;
	}
}

/* --- MEM_WR_SCRATCH ------------------------------------------------------- */

void EVG_LEVEL(evg_scratch_store)(struct evg_wavefront *wavefront,
				  const struct evg_store_plan *store)
{
	struct span span = span_of(wavefront, store);
	row address;

	span_open(&span, wavefront, store->index[0]);
	if (!span.lanes || !span_check(wavefront, &span))
		return;
	span_note(wavefront, &span, true);
	wavefront->scratch.used = true;
	for (unsigned element = 0; element < span.count; element++)
		for (unsigned c = span.low; c <= span.high; c++) {
			const uint8_t *value =
			    wavefront->registers.base[EVG_BASE_STATE] +
			    store->value[c] + 4 * EVG_ROW_BYTES * element;

			if (!(store->component_mask >> c & 1))
				continue;
			span_addresses(
			    wavefront, &span, element, c,
			    wavefront->mask_rows.row[EVG_MASK_ACTIVE], address);
			for (unsigned i = 0; i < ROW_VECTORS; i++)
				store_lanes(wavefront->global.base,
					    load(address + i * VECTOR_LANES),
					    load(value + i * VECTOR_BYTES),
					    vector_lanes(span.lanes, i));
		}
}

/* --- READ_SCRATCH --------------------------------------------------------- */

static bool is_dwords(const struct evg_element *element)
{
	if (element->endian_swap || element->format->bits[0] != 32)
		return false;
	return element->format->kind == EVG_FORMAT_FLOAT ||
	       element->number_format == EVG_NUMBER_INT;
}

/* Any other format: the element's bytes are gathered first. */
static void convert_element(const struct evg_element *element, row component[4])
{
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
		uint32_t dword[4], value[4];

		for (unsigned c = 0; c < 4; c++)
			dword[c] = component[c][lane];
		element_read(element, (const uint8_t *)dword, value);
		for (unsigned c = 0; c < 4; c++)
			component[c][lane] = value[c];
	}
}

/* The fetch of which element `element` of the burst goes to the registers. */
static struct evg_fetch_plan element_plan(const struct evg_fetch_plan *fetch,
					  unsigned element)
{
	struct evg_fetch_plan own = *fetch;

	for (unsigned c = 0; c < 4; c++)
		if (own.dest[c] != EVG_NO_ROW)
			own.dest[c] += 4 * EVG_ROW_BYTES * element;
	return own;
}

/* Dwords as they are go to the registers at once; lanes that are not active
 * read the first element. */
static void load_dwords(struct evg_wavefront *wavefront,
			const struct evg_fetch_plan *fetch, const row address,
			unsigned dwords)
{
	for (unsigned i = 0; i < ROW_VECTORS; i++) {
		vu place = load(address + i * VECTOR_LANES);
		vu part[4];

		for (unsigned c = 0; c < 4; c++)
			part[c] = c < dwords
				      ? load_lanes(wavefront->global.base,
						   place + c * DWORD_BYTES)
				      : splat(0);
		deliver(wavefront, fetch, part, i);
	}
}

static void load_elements(struct evg_wavefront *wavefront,
			  const struct evg_fetch_plan *fetch,
			  const row address, unsigned dwords)
{
	row component[4] = {{0}};

	for (unsigned c = 0; c < dwords; c++)
		for (unsigned i = 0; i < ROW_VECTORS; i++) {
			vu place = load(address + i * VECTOR_LANES);

			store(component[c] + i * VECTOR_LANES,
			      load_lanes(wavefront->global.base,
					 place + c * DWORD_BYTES));
		}
	convert_element(&fetch->element, component);
	deliver_rows(wavefront, fetch, component);
}

void EVG_LEVEL(evg_scratch_load)(struct evg_wavefront *wavefront,
				 const struct evg_fetch_plan *fetch)
{
	const struct evg_fetch_inst *inst = &fetch->fetch->inst;
	unsigned dwords = (fetch->bytes + 3) / 4;
	struct span span = {
	    .base = inst->array_base,
	    .dwords = inst->element_size + 1u,
	    .high = dwords - 1,
	    .count = inst->burst_count + 1u,
	    .lanes = wavefront->masks.lanes[EVG_MASK_ACTIVE],
	};
	row address;

	span_open(&span, wavefront, fetch->source);
	if (!span.lanes || !span_check(wavefront, &span))
		return;
	span_note(wavefront, &span, false);
	for (unsigned element = 0; element < span.count; element++) {
		struct evg_fetch_plan own = element_plan(fetch, element);

		span_addresses(wavefront, &span, element, 0,
			       wavefront->mask_rows.row[EVG_MASK_ACTIVE],
			       address);
		if (is_dwords(&fetch->element))
			load_dwords(wavefront, &own, address, dwords);
		else
			load_elements(wavefront, &own, address, dwords);
	}
}

/* --- MEM_EXPORT and READ_MEM ---------------------------------------------- */

/* Checks and addresses of `bytes` bytes from dword `low` of an element on. */
static bool buffer_open(struct evg_wavefront *wavefront,
			const struct span *span, unsigned element,
			uint32_t bytes, bool write, uint32_t window,
			struct access *access)
{
	uint32_t first = ((span->base + element) * span->dwords + span->low) *
			 4;

	access_open(access, wavefront, (const uint8_t *)span->index,
		    VECTOR_BYTES, 0, 0, span->lanes,
		    wavefront->mask_rows.row[EVG_MASK_ACTIVE]);
	for (unsigned i = 0; i < EVG_WAVEFRONT_SIZE; i++)
		access->address[i] =
			access->address[i] * span->dwords * 4 + first;
	if (!memory_check(wavefront, access, bytes, write, window))
		return false;
	memory_note(wavefront, access, bytes);
	if (wavefront->observers.step)
		wavefront->observers.step->memory_write = write;
	return true;
}

void EVG_LEVEL(evg_export_store)(struct evg_wavefront *wavefront,
				 const struct evg_store_plan *store)
{
	struct span span = span_of(wavefront, store);
	struct access access;

	if (!span.lanes)
		return;
	span_open(&span, wavefront, store->index[0]);
	for (unsigned element = 0; element < span.count; element++) {
		if (!buffer_open(wavefront, &span, element,
				 4 * (span.high - span.low + 1), true,
				 store->window, &access))
			return;
		if (wavefront->deferred.checks_only)
			continue;
		FOR_LANES(lane, access.lanes)
			for (unsigned c = span.low; c <= span.high; c++)
				if (store->component_mask >> c & 1)
					memcpy(wavefront->global.base +
						   access.address[lane] +
						   4 * (c - span.low),
					       wavefront->registers
						       .base[EVG_BASE_STATE] +
						   store->value[c] +
						   4 * EVG_ROW_BYTES * element +
						   4 * lane,
					       4);
	}
}

void EVG_LEVEL(evg_export_load)(struct evg_wavefront *wavefront,
				const struct evg_fetch_plan *fetch)
{
	const struct evg_fetch_inst *inst = &fetch->fetch->inst;
	struct span span = {
	    .base = inst->array_base,
	    .dwords = inst->element_size + 1u,
	    .count = inst->burst_count + 1u,
	    .lanes = wavefront->masks.lanes[EVG_MASK_ACTIVE],
	};
	struct evg_fetch_plan own;
	struct access access;
	row component[4];

	if (!span.lanes)
		return;
	span_open(&span, wavefront, fetch->source);
	for (unsigned element = 0; element < span.count; element++) {
		if (!buffer_open(wavefront, &span, element, fetch->bytes,
				 false, fetch->window, &access))
			return;
		element_rows(&fetch->element, wavefront->global.base,
			     access.address, component);
		own = element_plan(fetch, element);
		deliver_rows(wavefront, &own, component);
	}
}
