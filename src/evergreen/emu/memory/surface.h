/* Images and bound buffers as memory: their bindings, the addresses of their
 * elements, and the check of accesses. */
#ifndef M2S_EVERGREEN_EMU_MEMORY_SURFACE_H
#define M2S_EVERGREEN_EMU_MEMORY_SURFACE_H

#include "evergreen/emu/memory/tiling.h"
#include "evergreen/emu/memory/transfer.h"

/* The number that an index mode adds to a resource's number. */
SIMD uint32_t index_value(const struct evg_wavefront *wavefront, unsigned mode)
{
	return mode ? wavefront->indices.cf[mode - 1] : 0;
}

SIMD void fault_unbound(struct evg_wavefront *wavefront, const char *what,
			uint32_t number)
{
	if (wavefront->fault.kind)
		return;
	wavefront->fault.text = what;
	fault_set(wavefront, EVG_FAULT_UNBOUND,
		  first_lane(wavefront->masks.lanes[EVG_MASK_ACTIVE]), number,
		  0, 0);
}

SIMD void fault_text(struct evg_wavefront *wavefront, const char *text)
{
	if (wavefront->fault.kind)
		return;
	wavefront->fault.text = text;
	fault_set(wavefront, EVG_FAULT_TRAP,
		  first_lane(wavefront->masks.lanes[EVG_MASK_ACTIVE]), 0, 0, 0);
}

/* The image of a texture resource, or NULL and a fault. */
SIMD const struct evg_image *image_find(struct evg_wavefront *wavefront,
					uint32_t id)
{
	const struct evg_bindings *bindings = wavefront->buffers.bindings;

	if (!bindings || id >= EVG_FETCH_RESOURCES ||
	    bindings->images[id].dimension == EVG_IMAGE_NONE) {
		fault_unbound(wavefront, "texture resource", id);
		return NULL;
	}
	return &bindings->images[id];
}

SIMD struct evg_element image_element(const struct evg_image *image)
{
	return (struct evg_element){
		.format = &evg_data_formats[image->data_format %
					    EVG_DATA_FORMATS],
		.number_format = (uint8_t)image->number_format,
		.is_signed = image->format_signed,
	};
}

SIMD bool image_is_array(const struct evg_image *image)
{
	return image->dimension == EVG_IMAGE_1D_ARRAY ||
	       image->dimension == EVG_IMAGE_2D_ARRAY;
}

/* The number of dimensions, without the layer of an array. */
SIMD unsigned image_dimensions(const struct evg_image *image)
{
	switch (image->dimension) {
	case EVG_IMAGE_2D:
	case EVG_IMAGE_2D_ARRAY:
		return 2;
	case EVG_IMAGE_3D:
		return 3;
	default:
		return 1;
	}
}

/* The distance of texels, bytes. */
SIMD uint32_t image_stride(const struct evg_image *image, uint32_t bytes)
{
	return image->dimension == EVG_IMAGE_BUFFER && image->row_pitch
		       ? image->row_pitch
		       : bytes;
}

/* Whether the image has a format and all of it lies in one block of memory. */
SIMD bool image_check(struct evg_wavefront *wavefront,
		      const struct evg_image *image, bool write,
		      uint32_t window_index)
{
	struct evg_window *window = &wavefront->global.windows[window_index];
	struct evg_element element = image_element(image);
	uint64_t bytes = element.format->bytes, size;

	if (element.format->kind == EVG_FORMAT_NONE ||
	    element.number_format > EVG_NUMBER_SCALED || !image->width ||
	    !image->height || !image->depth) {
		fault_text(wavefront, "the image that is bound has a format "
				      "that images cannot have, or no texels");
		return false;
	}
	size = (image->width - UINT64_C(1)) *
		       image_stride(image, (uint32_t)bytes) +
	       (image->height - UINT64_C(1)) * image->row_pitch +
	       (image->depth - UINT64_C(1)) * image->slice_pitch + bytes;
	if (size <= UINT32_MAX)
		memory_settle(wavefront, image->address,
			      image->address + (uint32_t)size - 1);
	if (window->start <= window->last && image->address >= window->start &&
	    image->address + size <= (uint64_t)window->last + 1)
		return true;
	if (size > UINT32_MAX ||
	    !wavefront->global.find(wavefront->global.memory, image->address,
				    (uint32_t)size, write, window)) {
		fault_set(wavefront, write ? EVG_FAULT_WRITE : EVG_FAULT_READ,
			  first_lane(wavefront->masks.lanes[EVG_MASK_ACTIVE]),
			  image->address,
			  size > UINT32_MAX ? UINT32_MAX : (uint32_t)size, 0);
		return false;
	}
	return true;
}

/* From the coordinates of a texel as instructions give them to its place: the
 * layer of an array in z, and 0 for coordinates that the image does not
 * have. */
SIMD void image_layers(const struct evg_image *image, uint32_t *x, uint32_t *y,
		       uint32_t *z)
{
	size_t size = EVG_ROW_BYTES;

	(void)x;
	if (image->dimension == EVG_IMAGE_1D_ARRAY)
		memcpy(z, y, size);
	if (image_dimensions(image) < 2)
		memset(y, 0, size);
	if (image_dimensions(image) < 3 && !image_is_array(image))
		memset(z, 0, size);
}

/* Sets the addresses of the texels. Returns those of `lanes` that are inside
 * the image. The other lanes get the address of the first texel. */
SIMD uint64_t image_addresses(const struct evg_image *image, uint64_t lanes,
			      const uint32_t *x, const uint32_t *y,
			      const uint32_t *z, uint32_t *address)
{
	uint32_t bytes = image_element(image).format->bytes;
	vu stride = splat(image_stride(image, bytes));
	uint64_t inside = 0;

	for (unsigned i = 0; i < ROW_VECTORS; i++) {
		unsigned at = i * VECTOR_LANES;
		vu u = load(x + at), v = load(y + at), w = load(z + at);
		vmask here = mask_and(uint_gt(splat(image->width), u),
				      mask_and(uint_gt(splat(image->height), v),
					       uint_gt(splat(image->depth),
						       w)));
		vu place = u * stride + v * splat(image->row_pitch) +
			   w * splat(image->slice_pitch);

		place &= mask_lanes(here);
		store(address + at, place + splat(image->address));
		inside |= (uint64_t)mask_bits(here) << at;
	}
	return inside & lanes;
}

/* The hardware's addresses of the texels of `lanes`, which are inside the
 * image. The other lanes get the address of the first texel. */
SIMD void tiled_addresses(const struct evg_image *image, uint64_t lanes,
			  const uint32_t *x, const uint32_t *y,
			  const uint32_t *z, uint32_t *address)
{
	const struct evg_tiling *tiling = image->tiling;
	const uint8_t *x_table = (const uint8_t *)tiling->x;
	const uint8_t *y_table = (const uint8_t *)tiling->y;
	vu swizzled = splat(tiling->swizzled), plain = ~swizzled;
	alignas(64) uint32_t inside[EVG_WAVEFRONT_SIZE];

	expand_lanes(inside, lanes);
	for (unsigned i = 0; i < ROW_VECTORS; i++) {
		unsigned at = i * VECTOR_LANES;
		vu here = load(inside + at), w = load(z + at) & here;
		vu u = gather(x_table, (load(x + at) & here) << 2);
		vu v = gather(y_table, (load(y + at) & here) << 2);
		vu place = ((u ^ v ^ w * splat(tiling->rotation)) & swizzled) +
			   (u & plain) + (v & plain) +
			   w * splat(tiling->slice_bytes);

		store_unaligned(address + at,
				(place & here) + splat(image->address));
	}
}

/* Notes accesses to texels whose addresses are known (image_addresses). */
SIMD void note_addresses(const struct evg_image *image, uint64_t lanes,
			 const uint32_t *x, const uint32_t *y,
			 const uint32_t *z, const uint32_t *address,
			 uint32_t *noted)
{
	if (image->tiling)
		tiled_addresses(image, lanes, x, y, z, noted);
	else
		memcpy(noted, address, EVG_ROW_BYTES);
}

#endif
