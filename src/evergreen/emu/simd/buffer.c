/* Vertex fetches from resources that are known only when they are executed:
 * buffers that the launch binds, and numbers to which an index register is
 * added. */
#include "evergreen/emu/simd/level.h"
#include "evergreen/emu/memory/surface.h"

static uint32_t resource_number(const struct evg_wavefront *wavefront,
				const struct evg_fetch_inst *inst)
{
	return inst->resource_id +
	       index_value(wavefront, inst->buffer_index_mode);
}

static struct evg_binding convention_binding(
	const struct evg_wavefront *wavefront, uint32_t id)
{
	static const struct evg_binding none;

	return id < EVG_FETCH_RESOURCES
		       ? evg_binding_find(wavefront->plan->convention, id)
		       : none;
}

/* Components that a format lacks read as zero. */
static void lacking_zero(struct evg_fetch_plan *fetch)
{
	for (unsigned channel = 0; channel < 4; channel++)
		if (fetch->select[channel] < 4 &&
		    fetch->select[channel] >=
			    fetch->element.format->components)
			fetch->select[channel] = 4;
}

/* --- Resources of the convention ----------------------------------------- */

static void fetch_convention(struct evg_wavefront *wavefront,
			     struct evg_fetch_plan *fetch,
			     struct evg_binding binding)
{
	static const uint8_t dwords[] = {0, 13, 29, 47, 34};
	const struct evg_fetch_inst *inst = &fetch->fetch->inst;
	alignas(64) uint32_t component[4][EVG_WAVEFRONT_SIZE];
	alignas(64) uint32_t index[EVG_WAVEFRONT_SIZE] = {0};
	bool constant = binding.resource == EVG_RESOURCE_CONSTANT;
	struct access access;

	if (inst->use_const_fields) {
		if (!binding.components) {
			fault_text(wavefront, "USE_CONST_FIELDS: the fetch "
					      "resource has no format");
			return;
		}
		fetch->element = (struct evg_element){
			.format =
				&evg_data_formats[dwords[binding.components]],
			.number_format = EVG_NUMBER_INT,
		};
	}
	fetch->bytes = fetch->element.format->bytes;
	fetch->one = element_one(&fetch->element);
	lacking_zero(fetch);
	if (!inst->const_buf_no_stride)
		memcpy(index,
		       wavefront->registers.base[EVG_BASE_STATE] +
			   fetch->source,
		       sizeof index);
	access_open(&access, wavefront, (const uint8_t *)index, VECTOR_BYTES,
		    binding.shift, fetch->offset,
		    wavefront->masks.lanes[EVG_MASK_ACTIVE],
		    wavefront->mask_rows.row[EVG_MASK_ACTIVE]);
	if (constant ? !constant_check(wavefront, &access, fetch->bytes,
				       binding.bank)
		     : !memory_check(wavefront, &access, fetch->bytes, false,
				     fetch->window))
		return;
	memory_note(wavefront, &access, fetch->bytes);
	if (wavefront->observers.step) {
		wavefront->observers.step->memory_constant = constant;
		wavefront->observers.step->memory_uncached = binding.uncached;
	}
	element_rows(&fetch->element,
		     constant ? wavefront->buffers.constants[binding.bank].bytes
			      : wavefront->global.base,
		     access.address, component);
	deliver_rows(wavefront, fetch, component);
}

/* --- Buffers of the launch ----------------------------------------------- */

/* With the format of the instruction or of the buffer; elements that are not
 * wholly in the buffer are zero. */
static void fetch_buffer(struct evg_wavefront *wavefront,
			 struct evg_fetch_plan *fetch,
			 const struct evg_image *image)
{
	const struct evg_fetch_inst *inst = &fetch->fetch->inst;
	const uint32_t *index =
	    (const uint32_t *)(const void *)(wavefront->registers
						 .base[EVG_BASE_STATE] +
					     fetch->source);
	struct evg_element own = image_element(image);
	uint32_t stride = image_stride(image, own.format->bytes);
	uint64_t size = (image->width - UINT64_C(1)) * stride +
			own.format->bytes;
	uint64_t lanes = wavefront->masks.lanes[EVG_MASK_ACTIVE];
	alignas(64) uint32_t component[4][EVG_WAVEFRONT_SIZE];
	struct access access = {.lanes = 0};

	if (inst->use_const_fields) {
		fetch->element = own;
		for (unsigned channel = 0; channel < 4; channel++)
			if (fetch->select[channel] < 4)
				fetch->select[channel] =
					image->select[fetch->select[channel]];
	}
	fetch->bytes = fetch->element.format->bytes;
	fetch->one = element_one(&fetch->element);
	lacking_zero(fetch);
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
		uint64_t at = fetch->offset;

		if (!inst->const_buf_no_stride)
			at += (uint64_t)index[lane] * stride;
		access.address[lane] = image->address;
		if (!(lanes >> lane & 1) || at + fetch->bytes > size)
			continue;
		access.address[lane] += (uint32_t)at;
		access.lanes |= UINT64_C(1) << lane;
	}
	memory_note(wavefront, &access, fetch->bytes);
	element_rows(&fetch->element, wavefront->global.base, access.address,
		     component);
	if (access.lanes != lanes)
		for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)
			for (unsigned c = 0; c < 4; c++)
				if (!(access.lanes >> lane & 1))
					component[c][lane] = 0;
	deliver_rows(wavefront, fetch, component);
}

/* The buffer of a resource number, or NULL and a fault. */
static const struct evg_image *find_buffer(struct evg_wavefront *wavefront,
					   uint32_t id, uint32_t window)
{
	const struct evg_bindings *bindings = wavefront->buffers.bindings;

	if (!bindings || id >= EVG_FETCH_RESOURCES ||
	    bindings->images[id].dimension == EVG_IMAGE_NONE) {
		fault_unbound(wavefront, "fetch resource", id);
		return NULL;
	}
	if (bindings->images[id].dimension != EVG_IMAGE_BUFFER) {
		fault_text(wavefront, "a vertex fetch from an image: TEX "
				      "instructions read images");
		return NULL;
	}
	return image_check(wavefront, &bindings->images[id], false, window)
		       ? &bindings->images[id]
		       : NULL;
}

void EVG_LEVEL(evg_fetch_bound)(struct evg_wavefront *wavefront,
				const struct evg_fetch_plan *fetch)
{
	uint32_t id = resource_number(wavefront, &fetch->fetch->inst);
	struct evg_binding binding = convention_binding(wavefront, id);
	struct evg_fetch_plan own = *fetch;
	const struct evg_image *image;

	if (!wavefront->masks.lanes[EVG_MASK_ACTIVE])
		return;
	if (binding.resource == EVG_RESOURCE_RAT) {
		EVG_LEVEL(evg_fetch_rat)(wavefront, fetch);
	} else if (binding.resource != EVG_RESOURCE_NONE) {
		fetch_convention(wavefront, &own, binding);
	} else {
		image = find_buffer(wavefront, id, fetch->window);
		if (image)
			fetch_buffer(wavefront, &own, image);
	}
}

/* GET_BUFFER_RESINFO: x is the number of elements; the rest is 0. */
void EVG_LEVEL(evg_buffer_info)(struct evg_wavefront *wavefront,
				const struct evg_fetch_plan *fetch)
{
	uint32_t id = resource_number(wavefront, &fetch->fetch->inst);
	struct evg_binding binding = convention_binding(wavefront, id);
	alignas(64) uint32_t component[4][EVG_WAVEFRONT_SIZE] = {{0}};
	const struct evg_image *image;
	uint32_t elements = 0;

	if (!wavefront->masks.lanes[EVG_MASK_ACTIVE])
		return;
	switch (binding.resource) {
	case EVG_RESOURCE_MEMORY:
		elements = wavefront->global.size >> binding.shift;
		break;
	case EVG_RESOURCE_CONSTANT:
		elements = wavefront->buffers.constants[binding.bank].size >>
			   binding.shift;
		break;
	case EVG_RESOURCE_RAT:
		elements = EVG_WAVEFRONT_SIZE;
		break;
	case EVG_RESOURCE_NONE:
		image = find_buffer(wavefront, id, fetch->window);
		if (!image)
			return;
		elements = image->width;
		break;
	}
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)
		component[0][lane] = elements;
	deliver_rows(wavefront, fetch, component);
}
