/* Stores and atomics in full: typed ones, to RATs that the launch binds, with
 * a burst, an index register or any element size. simd/memory.c has the
 * quicker ones for what compilers mostly emit.
 *
 * What lies beyond a surface is not written and read as zero; global memory
 * has no such bounds, and an address outside every block is an error, or
 * dropped (stray.h). */
#include "evergreen/emu/simd/element-store.h"
#include "evergreen/emu/simd/level.h"
#include "evergreen/emu/memory/surface.h"

/* One store or atomic of one element per lane. */
struct target {
	const struct evg_store_plan *store;
	const struct evg_image *image; /* NULL: global memory */
	struct evg_element element;
	unsigned burst;                /* elements before this one */
};

static bool target_open(struct target *target,
			struct evg_wavefront *wavefront,
			const struct evg_store_plan *store)
{
	const struct evg_cf_inst *cf = store->cf;
	const struct evg_bindings *bindings = wavefront->buffers.bindings;
	uint32_t id = cf->rat_id + index_value(wavefront, cf->rat_index_mode);

	target->store = store;
	target->image = NULL;
	if (id < EVG_RATS && bindings && bindings->rats[id].dimension) {
		target->image = &bindings->rats[id];
		target->element = image_element(target->image);
		return image_check(wavefront, target->image, true,
				   store->window);
	}
	if (!evg_rat_is_bound(wavefront->plan->convention, id)) {
		fault_unbound(wavefront, "RAT", id);
		return false;
	}
	if (store->op == EVG_RAT_STORE_TYPED) {
		fault_unbound(wavefront, "typed RAT", id);
		return false;
	}
	return true;
}

/* --- Addresses ------------------------------------------------------------ */

static void index_row(const struct evg_wavefront *wavefront, uint32_t row,
		      uint32_t *out)
{
	if (row == EVG_NO_ROW)
		memset(out, 0, EVG_ROW_BYTES);
	else
		memcpy(out, wavefront->registers.base[EVG_BASE_STATE] + row,
		       EVG_ROW_BYTES);
}

/* Of texels: x, y, z as the surface has dimensions; they are noted as well. */
static void typed_addresses(struct evg_wavefront *wavefront,
			    const struct target *target,
			    struct access *access)
{
	alignas(64) uint32_t texel[3][EVG_WAVEFRONT_SIZE];

	for (unsigned axis = 0; axis < 3; axis++)
		index_row(wavefront, target->store->index[axis], texel[axis]);
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)
		texel[0][lane] += target->burst;
	image_layers(target->image, texel[0], texel[1], texel[2]);
	access->lanes = image_addresses(target->image, access->lanes, texel[0],
					texel[1], texel[2], access->address);
	memory_note(wavefront, access, target->element.format->bytes);
	if (wavefront->observers.step)
		note_addresses(target->image, access->lanes, texel[0], texel[1],
			       texel[2], access->address,
			       wavefront->observers.step->memory_address);
}

/* Of dwords, `bytes` bytes from byte `first` of the element on. False: a
 * fault. */
static bool raw_addresses(struct evg_wavefront *wavefront,
			  const struct target *target, struct access *access,
			  uint32_t first, uint32_t bytes)
{
	alignas(64) uint32_t index[EVG_WAVEFRONT_SIZE];
	const struct evg_image *image = target->image;
	uint32_t element = target->store->element_bytes;
	uint64_t size;

	index_row(wavefront, target->store->index[0], index);
	if (!image) {
		unsigned lane = first_lane(access->lanes);
		uint32_t rest = (index[lane] + target->burst) * element + first;

		for (unsigned i = 0; i < EVG_WAVEFRONT_SIZE; i++)
			access->address[i] =
				access->lanes >> i & 1
					? (index[i] + target->burst) * element +
						  first
					: rest;
		return memory_check(wavefront, access, bytes, true,
				    target->store->window);
	}
	size = (image->width - UINT64_C(1)) *
		       image_stride(image, target->element.format->bytes) +
	       (image->height - UINT64_C(1)) * image->row_pitch +
	       (image->depth - UINT64_C(1)) * image->slice_pitch +
	       target->element.format->bytes;
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
		uint64_t at = ((uint64_t)index[lane] + target->burst) *
				      element +
			      first;

		if (at + bytes > size)
			access->lanes &= ~(UINT64_C(1) << lane);
		access->address[lane] = image->address + (uint32_t)at;
	}
	return true;
}

/* --- What is done there ---------------------------------------------------- */

static const uint32_t *value_row(const struct evg_wavefront *wavefront,
				 const struct target *target, unsigned channel)
{
	return (const uint32_t
		    *)(const void *)(wavefront->registers.base[EVG_BASE_STATE] +
				     target->store->value[channel] +
				     4 * EVG_ROW_BYTES * target->burst);
}

/* The inverse of the selects of a texture. */
static void to_components(const struct evg_image *image,
			  const uint32_t value[4], unsigned mask,
			  uint32_t component[4])
{
	for (unsigned channel = 4; channel--;)
		if (mask >> channel & 1 && image->select[channel] < 4)
			component[image->select[channel]] = value[channel];
}

/* Whole texels. */
static void store_rows(const struct evg_wavefront *wavefront,
		       const struct target *target,
		       const struct access *access)
{
	alignas(64) static const uint32_t zeros[EVG_WAVEFRONT_SIZE];
	const uint32_t *component[4] = {zeros, zeros, zeros, zeros};

	for (unsigned channel = 4; channel--;)
		if (target->image->select[channel] < 4)
			component[target->image->select[channel]] =
				value_row(wavefront, target, channel);
	element_store_rows(&target->element, wavefront->global.base,
			   access->lanes, access->address, component);
}

static void store_texels(struct evg_wavefront *wavefront,
			 const struct target *target, struct access *access)
{
	unsigned mask = target->store->component_mask;
	const struct evg_element *element = &target->element;

	typed_addresses(wavefront, target, access);
	if (wavefront->deferred.checks_only)
		return;
	if (mask == 15 && element_stores_rows(element)) {
		store_rows(wavefront, target, access);
		return;
	}
	FOR_LANES(lane, access->lanes) {
		uint8_t *place = wavefront->global.base + access->address[lane];
		uint32_t value[4], component[4] = {0};

		for (unsigned c = 0; c < 4; c++)
			value[c] = value_row(wavefront, target, c)[lane];
		/* Components that are not written stay. */
		if (mask != 15)
			element_read(element, place, component);
		to_components(target->image, value, mask, component);
		element_write(element, place, component);
	}
}

static void store_dwords(struct evg_wavefront *wavefront,
			 const struct target *target, struct access *access)
{
	unsigned mask = target->store->component_mask;
	unsigned low = (unsigned)__builtin_ctz(mask);
	unsigned high = 31 - (unsigned)__builtin_clz(mask);

	if (!raw_addresses(wavefront, target, access, 4 * low,
			   4 * (high - low + 1)))
		return;
	memory_note(wavefront, access, 4 * (high - low + 1));
	if (wavefront->deferred.checks_only)
		return;
	FOR_LANES(lane, access->lanes)
		for (unsigned c = low; c <= high; c++)
			if (mask >> c & 1)
				memcpy(
				    wavefront->global.base +
					access->address[lane] + 4 * (c - low),
				    value_row(wavefront, target, c) + lane, 4);
}

static void update_texels(struct evg_wavefront *wavefront,
			  const struct target *target, struct access *access)
{
	const struct evg_store_plan *store = target->store;
	const uint32_t *x = value_row(wavefront, target, 0);
	const uint32_t *w = value_row(wavefront, target, 3);
	uint64_t lanes = access->lanes;

	if (target->image && target->element.format->bytes != 4) {
		fault_text(wavefront, "an atomic operation on a RAT whose "
				      "elements do not have 32 bits");
		return;
	}
	if (target->image)
		typed_addresses(wavefront, target, access);
	else if (raw_addresses(wavefront, target, access, 0, 4))
		memory_note(wavefront, access, 4);
	else if (wavefront->fault.kind)
		return;
	if (wavefront->observers.step) {
		wavefront->observers.step->memory_atomic = true;
		wavefront->observers.step->memory_return = store->returns;
	}
	if (wavefront->deferred.checks_only)
		return;
	if (store->returns)
		FOR_LANES(lane, lanes & ~access->lanes)
			wavefront->rat_return[lane] = 0;
	FOR_LANES(lane, access->lanes) {
		void *place = wavefront->global.base + access->address[lane];
		uint32_t old = EVG_LEVEL(evg_rat_update)(
			store->op, place, x[lane], w[lane]);

		if (store->returns)
			wavefront->rat_return[lane] = old;
	}
}

void EVG_LEVEL(evg_store_general)(struct evg_wavefront *wavefront,
				  const struct evg_store_plan *store)
{
	uint64_t lanes =
	    wavefront->masks.lanes[EVG_MASK_ACTIVE] & wavefront->masks.valid;
	struct target target;
	struct access access = {.lanes = 0};

	if (!lanes || !target_open(&target, wavefront, store))
		return;
	for (target.burst = 0; target.burst <= store->cf->burst_count;
	     target.burst++) {
		access.lanes = lanes;
		if (store->op == EVG_RAT_STORE_TYPED)
			store_texels(wavefront, &target, &access);
		else if (store->op == EVG_RAT_STORE_RAW)
			store_dwords(wavefront, &target, &access);
		else
			update_texels(wavefront, &target, &access);
		if (wavefront->fault.kind)
			return;
	}
	if (wavefront->observers.step &&
	    wavefront->observers.step->memory_bytes)
		wavefront->observers.step->memory_write = true;
}
