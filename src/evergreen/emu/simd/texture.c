/* Texture instructions.
 *
 * Which texels a coordinate means is as OpenCL 1.2 defines it (section 8.2):
 * a position in texels is rounded once, to a single, as the product of single
 * precision in its formulas. Filtering rounds once, at its end. */
#include "evergreen/emu/simd/level.h"
#include "evergreen/emu/memory/surface.h"

enum { CORNERS_MAX = 8 };

typedef uint32_t row[EVG_WAVEFRONT_SIZE] __attribute__((aligned(64)));
typedef double row_double[EVG_WAVEFRONT_SIZE] __attribute__((aligned(64)));

#define EACH_LANE(lane)                                                        \
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)

/* One texture instruction. */
struct sampling {
	const struct evg_fetch_inst *inst;
	const struct evg_image *image;
	const struct evg_sampler *sampler;
	struct evg_element element;
	uint64_t lanes;
	unsigned dimensions;   /* without the layer of an array */
	bool linear;
};

static bool sampling_open(struct sampling *sampling,
			  struct evg_wavefront *wavefront,
			  const struct evg_fetch_plan *fetch)
{
	const struct evg_fetch_inst *inst = &fetch->fetch->inst;

	sampling->inst = inst;
	sampling->lanes = wavefront->masks.lanes[EVG_MASK_ACTIVE];
	if (!sampling->lanes)
		return false;
	sampling->image = image_find(
		wavefront, inst->resource_id + index_value(
				   wavefront, inst->resource_index_mode));
	if (!sampling->image ||
	    !image_check(wavefront, sampling->image, false, fetch->window))
		return false;
	sampling->element = image_element(sampling->image);
	sampling->dimensions = image_dimensions(sampling->image);
	sampling->linear = false;
	return true;
}

static bool sampler_open(struct sampling *sampling,
			 struct evg_wavefront *wavefront)
{
	const struct evg_fetch_inst *inst = sampling->inst;
	uint32_t id = inst->sampler_id +
		      index_value(wavefront, inst->sampler_index_mode);
	const struct evg_sampler *sampler =
	    id < EVG_SAMPLERS ? &wavefront->buffers.bindings->samplers[id]
			      : NULL;

	if (!sampler || !sampler->bound) {
		fault_unbound(wavefront, "sampler", id);
		return false;
	}
	sampling->sampler = sampler;
	/* Integers have nothing between them. */
	sampling->linear = sampler->filter == EVG_FILTER_LINEAR &&
			   !element_is_integer(&sampling->element);
	return true;
}

static void coordinate(const struct evg_wavefront *wavefront,
		       const struct evg_fetch_plan *fetch, unsigned c,
		       uint32_t *out)
{
	if (fetch->coordinate[c] != EVG_NO_ROW)
		memcpy(out,
		       wavefront->registers.base[EVG_BASE_STATE] +
			   fetch->coordinate[c],
		       EVG_ROW_BYTES);
	else
		EACH_LANE(lane)
			out[lane] = fetch->coordinate_value[c];
}

static uint32_t axis_size(const struct evg_image *image, unsigned axis)
{
	return axis == 0   ? image->width
	       : axis == 1 ? image->height
			   : image->depth;
}

/* --- From coordinates to texels ------------------------------------------ */

/* The texels' numbers; what is not in the image is the border. The repeating
 * modes have brought indexes to at most one beside the image. */
static void wrap_indexes(uint32_t *texel, int32_t size, enum evg_wrap wrap)
{
	int32_t last = size - 1;

	switch (wrap) {
	case EVG_WRAP_REPEAT:
		EACH_LANE(lane) {
			int32_t index = (int32_t)texel[lane];

			index = index < 0 ? last : index;
			texel[lane] = (uint32_t)(index > last ? 0 : index);
		}
		break;
	case EVG_WRAP_MIRROR:
	case EVG_WRAP_CLAMP_EDGE:
		EACH_LANE(lane) {
			int32_t index = (int32_t)texel[lane];

			index = index < 0 ? 0 : index;
			texel[lane] = (uint32_t)(index > last ? last : index);
		}
		break;
	case EVG_WRAP_CLAMP_BORDER:
		/* Negative ones are large, too. */
		break;
	}
}

/* x modulo a period, in [0, period); 0 for what is infinite; anything for what
 * is so large that its ulp is no longer small beside the period. */
static double reduce(double x, double period)
{
	x -= floor(x / period) * period;
	/* A quotient may have been rounded up to the next integer. */
	x = x < 0 ? x + period : x;
	return x < period ? x : 0;
}

/* Positions in texels, offset included, so near to the image that an int32_t
 * holds them. They are singles: an exact product that lies a little below the
 * middle of a texel would let the next texel, which may be larger by orders of
 * magnitude, into what is filtered. NaN is 0, and so is infinity where it has
 * no direction. The repeating modes bring a position into the image, or its
 * mirror image beside it and then back. */
static void positions(const uint32_t *coordinate, row_double out,
		      double size, bool normalized, double offset,
		      enum evg_wrap wrap)
{
	double images = wrap == EVG_WRAP_MIRROR ? 2 : 1;
	double scale = normalized ? size : 1;

	EACH_LANE(lane) {
		double s = (double)bits_to_float(coordinate[lane]);

		out[lane] = s == s ? s : 0;
	}
	if (wrap != EVG_WRAP_REPEAT && wrap != EVG_WRAP_MIRROR) {
		EACH_LANE(lane) {
			double u = out[lane] * scale + offset;

			u = u > -2 ? u : -2;
			out[lane] = (float)(u < size + 2 ? u : size + 2);
		}
		return;
	}
	EACH_LANE(lane) {
		double s = reduce(out[lane], images * size / scale);
		double u = reduce(s * scale + offset, images * size);

		out[lane] = (float)(u > size ? 2 * size - u : u);
	}
}

/* The texels on both sides and how far the position is from the lower one
 * (linear), or the one texel. */
static void axis_texels(const struct sampling *sampling, unsigned axis,
			const uint32_t *coordinate, row texel[2],
			row_double weight)
{
	const struct evg_fetch_inst *inst = sampling->inst;
	enum evg_wrap wrap = sampling->sampler->wrap[axis];
	int32_t size = (int32_t)axis_size(sampling->image, axis);
	double middle = sampling->linear ? 0.5 : 0;
	row_double position;

	positions(coordinate, position, size, inst->normalized[axis],
		  inst->texel_offset[axis] * 0.5, wrap);
	EACH_LANE(lane) {
		double u = position[lane] - middle, low = floor(u);

		weight[lane] = u - low;
		texel[0][lane] = (uint32_t)(int32_t)low;
	}
	if (sampling->linear) {
		EACH_LANE(lane)
			texel[1][lane] = texel[0][lane] + 1;
		wrap_indexes(texel[1], size, wrap);
	}
	wrap_indexes(texel[0], size, wrap);
}

/* clamp(rint(coordinate), 0, layers - 1). */
static void layer_texels(const struct sampling *sampling,
			 const uint32_t *coordinate, row out)
{
	double last = (double)sampling->image->depth - 1;

	EACH_LANE(lane) {
		double layer = rint((double)bits_to_float(coordinate[lane]));

		layer = layer > 0 ? layer : 0;
		out[lane] = (uint32_t)(layer < last ? layer : last);
	}
}

/* --- Texels -------------------------------------------------------------- */

/* Reads the texels (x, y, z) as four numbers each, after the resource's
 * selects; outside is `border`. Returns the lanes whose texel is inside. */
static uint64_t read_texels(const struct sampling *sampling,
			    struct evg_wavefront *wavefront, const row x,
			    const row y, const row z, const uint32_t *border,
			    row address, row out[4])
{
	const struct evg_image *image = sampling->image;
	uint32_t one = element_one(&sampling->element);
	row component[4], inside;
	uint64_t lanes;

	lanes = image_addresses(image, sampling->lanes, x, y, z, address);
	element_rows(&sampling->element, wavefront->global.base, address,
		     component);
	for (unsigned c = 0; c < 4; c++) {
		unsigned select = image->select[c];

		if (select < 4)
			memcpy(out[c], component[select], sizeof component[0]);
		else
			EACH_LANE(lane)
				out[c][lane] = select == 5 ? one : 0;
	}
	if (!(sampling->lanes & ~lanes))
		return lanes;
	expand_lanes(inside, lanes);
	for (unsigned c = 0; c < 4; c++) {
		unsigned select = image->select[c];
		uint32_t outside = border[c];

		if (!image->plain_border)
			outside = select < 4    ? border[select]
				  : select == 5 ? one
						: 0;
		EACH_LANE(lane)
			out[c][lane] = (out[c][lane] & inside[lane]) |
				       (outside & ~inside[lane]);
	}
	return lanes;
}

static void deliver_texels(struct evg_wavefront *wavefront,
			   const struct evg_fetch_plan *fetch,
			   const struct sampling *sampling, row value[4])
{
	struct evg_fetch_plan own = *fetch;

	own.one = element_one(&sampling->element);
	deliver_rows(wavefront, &own, value);
}

/* Where the texels of a corner are for the memory. */
static void note_texels(struct evg_wavefront *wavefront,
			const struct sampling *sampling, unsigned corner,
			uint64_t lanes, const row x, const row y, const row z,
			const row address)
{
	struct evg_step *step = wavefront->observers.step;
	uint32_t *noted;

	if (!step)
		return;
	step->memory_bytes = sampling->element.format->bytes;
	/* A pass filters 2 x 2 texels of 32 bits. */
	if (sampling->linear)
		step->texture_passes =
			(uint8_t)((sampling->element.format->bytes + 3) / 4 *
				  (sampling->dimensions > 2 ? 2 : 1));
	if (corner == 0) {
		step->memory_mask = lanes;
		noted = step->memory_address;
	} else if (corner == 1) {
		step->memory_mask2 = lanes;
		noted = step->memory_address2;
	} else {
		unsigned more = corner - 2;

		if (step->corners <= more)
			step->corners = (uint8_t)(more + 1);
		step->corner_mask[more] = lanes;
		noted = step->corner_address[more];
	}
	note_addresses(sampling->image, lanes, x, y, z, address, noted);
}

/* --- LD ------------------------------------------------------------------ */

/* A texel by its number; what is not in the image is zero. */
void EVG_LEVEL(evg_texture_load)(struct evg_wavefront *wavefront,
				 const struct evg_fetch_plan *fetch)
{
	static const uint32_t zero[4];
	struct sampling sampling;
	row texel[3], address, value[4];
	uint64_t lanes;

	if (!sampling_open(&sampling, wavefront, fetch))
		return;
	for (unsigned axis = 0; axis < 3; axis++) {
		int offset = sampling.inst->texel_offset[axis] >> 1;

		coordinate(wavefront, fetch, axis, texel[axis]);
		if (axis < sampling.dimensions && offset)
			EACH_LANE(lane)
				texel[axis][lane] += (uint32_t)offset;
	}
	image_layers(sampling.image, texel[0], texel[1], texel[2]);
	lanes = read_texels(&sampling, wavefront, texel[0], texel[1], texel[2],
			    zero, address, value);
	note_texels(wavefront, &sampling, 0, lanes, texel[0], texel[1],
		    texel[2], address);
	deliver_texels(wavefront, fetch, &sampling, value);
}

/* --- SAMPLE -------------------------------------------------------------- */

/* Both texels of every axis. */
struct footprint {
	row texel[3][2];
	row_double weight[3];
};

static void footprint_make(struct footprint *footprint,
			   struct evg_wavefront *wavefront,
			   const struct evg_fetch_plan *fetch,
			   const struct sampling *sampling)
{
	bool layered = image_is_array(sampling->image);
	unsigned axis;
	row value;

	for (axis = 0; axis < sampling->dimensions; axis++) {
		coordinate(wavefront, fetch, axis, value);
		axis_texels(sampling, axis, value, footprint->texel[axis],
			    footprint->weight[axis]);
	}
	if (layered)
		coordinate(wavefront, fetch, axis, value);
	for (; axis < 3; axis++)
		memset(footprint->texel[axis], 0,
		       sizeof footprint->texel[axis]);
	if (layered)
		layer_texels(sampling, value, footprint->texel[2][0]);
}

/* A corner's texels; bit `axis` of `corner` chooses the higher one. */
static void read_corner(const struct sampling *sampling,
			struct evg_wavefront *wavefront,
			struct footprint *footprint, unsigned corner,
			row value[4])
{
	const uint32_t *x = footprint->texel[0][corner & 1];
	const uint32_t *y = footprint->texel[1][corner >> 1 & 1];
	const uint32_t *z = footprint->texel[2][sampling->dimensions > 2
							? corner >> 2 & 1
							: 0];
	row address;
	uint64_t lanes = read_texels(sampling, wavefront, x, y, z,
				     sampling->sampler->border, address, value);

	note_texels(wavefront, sampling, corner, lanes, x, y, z, address);
}

static void filter(const struct sampling *sampling,
		   struct evg_wavefront *wavefront,
		   struct footprint *footprint, row value[4])
{
	row_double sum[4] = {{0}};
	row_double weight;
	row part[4];

	for (unsigned corner = 0; corner < 1u << sampling->dimensions;
	     corner++) {
		read_corner(sampling, wavefront, footprint, corner, part);
		EACH_LANE(lane)
			weight[lane] = 1;
		for (unsigned axis = 0; axis < sampling->dimensions; axis++) {
			const double *high = footprint->weight[axis];

			if (corner >> axis & 1)
				EACH_LANE(lane)
					weight[lane] *= high[lane];
			else
				EACH_LANE(lane)
					weight[lane] *= 1 - high[lane];
		}
		for (unsigned c = 0; c < 4; c++)
			EACH_LANE(lane)
				sum[c][lane] +=
					weight[lane] *
					(double)bits_to_float(part[c][lane]);
	}
	for (unsigned c = 0; c < 4; c++)
		EACH_LANE(lane)
			value[c][lane] = float_to_bits((float)sum[c][lane]);
}

void EVG_LEVEL(evg_texture_sample)(struct evg_wavefront *wavefront,
				   const struct evg_fetch_plan *fetch)
{
	struct footprint footprint;
	struct sampling sampling;
	row value[4];

	if (!sampling_open(&sampling, wavefront, fetch) ||
	    !sampler_open(&sampling, wavefront))
		return;
	footprint_make(&footprint, wavefront, fetch, &sampling);
	if (sampling.linear)
		filter(&sampling, wavefront, &footprint, value);
	else
		read_corner(&sampling, wavefront, &footprint, 0, value);
	deliver_texels(wavefront, fetch, &sampling, value);
}

/* GATHER4: one component of the four texels that a linear filter would take,
 * counterclockwise from the lower left (x: low, high; y: high, high;
 * z: high, low; w: low, low). */
void EVG_LEVEL(evg_texture_gather)(struct evg_wavefront *wavefront,
				   const struct evg_fetch_plan *fetch)
{
	static const uint8_t corners[4] = {2, 3, 1, 0};
	struct footprint footprint;
	struct sampling sampling;
	row part[4], value[4];

	if (!sampling_open(&sampling, wavefront, fetch) ||
	    !sampler_open(&sampling, wavefront))
		return;
	sampling.linear = true;
	footprint_make(&footprint, wavefront, fetch, &sampling);
	for (unsigned c = 0; c < 4; c++) {
		read_corner(&sampling, wavefront, &footprint, corners[c],
			    part);
		memcpy(value[c], part[sampling.inst->inst_mod & 3],
		       sizeof value[c]);
	}
	deliver_texels(wavefront, fetch, &sampling, value);
}

/* --- Sizes --------------------------------------------------------------- */

/* Width, height, depth or layers, and levels: one. */
void EVG_LEVEL(evg_texture_info)(struct evg_wavefront *wavefront,
				 const struct evg_fetch_plan *fetch)
{
	struct sampling sampling;
	uint32_t number[4];
	row value[4];

	if (!sampling_open(&sampling, wavefront, fetch))
		return;
	number[0] = sampling.image->width;
	number[1] = sampling.dimensions > 1 ? sampling.image->height : 1;
	number[2] = sampling.image->depth;
	number[3] = 1;
	if (sampling.image->dimension == EVG_IMAGE_1D_ARRAY) {
		number[1] = sampling.image->depth;
		number[2] = 1;
	}
	for (unsigned c = 0; c < 4; c++)
		EACH_LANE(lane)
			value[c][lane] = number[c];
	deliver_rows(wavefront, fetch, value);
}
