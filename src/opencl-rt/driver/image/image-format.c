#include "opencl-rt/driver/image/image-format.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum {
	GROUP_ANY = 1,    /* whatever has separate components */
	GROUP_BYTES = 2,
	GROUP_REAL = 4,
	GROUP_PACKED = 8,
};

static const struct order {
	cl_channel_order id;
	uint8_t components, select[4];
	unsigned group;
	bool plain_border;
} orders[] = {
#define ORDER(id, components, x, y, z, w, group, plain_border)                 \
	{ CL_##id, components, { x, y, z, w }, group, plain_border },
#include "opencl-rt/driver/image/image-format.def"
};

static const struct type {
	cl_channel_type id;
	unsigned groups;
	uint8_t bytes, formats[5]; /* by components */
	enum evg_number_format number_format;
	bool is_signed;
} types[] = {
#define TYPE(id, groups, bytes, format1, format2, format4, number, is_signed)  \
	{ CL_##id, groups, bytes, { 0, format1, format2, 0, format4 },         \
	  EVG_NUMBER_##number, is_signed },
#include "opencl-rt/driver/image/image-format.def"
};

static struct image_format make(const struct order *order,
				const struct type *type)
{
	struct image_format format = {
		.name = { order->id, type->id },
		.size = (uint32_t)type->bytes * order->components,
		.data_format = type->formats[order->components],
		.number_format = type->number_format,
		.is_signed = type->is_signed,
		.components = order->components,
		.plain_border = order->plain_border,
	};

	memcpy(format.select, order->select, sizeof format.select);
	return format;
}

cl_int image_format_find(cl_channel_order order, cl_channel_type type,
			 struct image_format *format)
{
	const struct order *o = NULL;
	const struct type *t = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(orders); i++)
		if (orders[i].id == order)
			o = &orders[i];
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i].id == type)
			t = &types[i];
	if (!o || !t || !(t->groups & o->group))
		return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
	*format = make(o, t);
	return CL_SUCCESS;
}

bool image_format_at(unsigned index, struct image_format *format)
{
	for (size_t o = 0; o < ARRAY_SIZE(orders); o++)
		for (size_t t = 0; t < ARRAY_SIZE(types); t++)
			if ((types[t].groups & orders[o].group) && !index--) {
				*format = make(&orders[o], &types[t]);
				return true;
			}
	return false;
}

/* --- Colours ------------------------------------------------------------ */

static float as_float(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

/* A fraction of 2^bits - 1 (2^(bits - 1) - 1 if signed), to the nearest. NaN
 * is 0. */
static uint32_t normalized(float value, unsigned bits, bool is_signed)
{
	double scale = (double)((UINT64_C(1) << (bits - is_signed)) - 1);
	double low = is_signed ? -1 : 0;
	double clamped = value > low ? (value < 1 ? value : 1) : low;

	if (value != value)
		clamped = 0;
	return (uint32_t)(int32_t)rint(clamped * scale);
}

static uint32_t saturated(uint32_t value, unsigned bits, bool is_signed)
{
	int64_t high = (INT64_C(1) << (bits - is_signed)) - 1;
	int64_t low = is_signed ? -high - 1 : 0;
	int64_t wide = is_signed ? (int32_t)value : (int64_t)value;

	return (uint32_t)(wide < low ? low : wide > high ? high : wide);
}

/* To the nearest half. */
static uint32_t half(float value)
{
	enum { EXPONENT_MIN = -13 }; /* of frexp, for the smallest normal */
	uint32_t sign = signbit(value) ? 0x8000 : 0, field = 0, units;
	double magnitude = fabs((double)value);
	int exponent;

	if (value != value)
		return 0x7e00;
	if (magnitude >= 65520) /* half way beyond the largest */
		return sign | 0x7c00;
	frexp(magnitude, &exponent);
	if (magnitude == 0 || exponent < EXPONENT_MIN)
		exponent = EXPONENT_MIN;
	/* In units of the last of eleven digits. */
	units = (uint32_t)rint(ldexp(magnitude, 11 - exponent));
	if (units >= 1024) { /* else it is subnormal */
		field = (uint32_t)(exponent - EXPONENT_MIN + 1);
		units -= 1024;
	}
	/* A carry into the exponent is right. */
	return sign | ((field << 10) + units);
}

static uint32_t component(const struct image_format *format, uint32_t color,
			  unsigned bits)
{
	switch (format->name.image_channel_data_type) {
	case CL_FLOAT:
		return color;
	case CL_HALF_FLOAT:
		return half(as_float(color));
	}
	if (format->number_format == EVG_NUMBER_INT)
		return saturated(color, bits, format->is_signed);
	return normalized(as_float(color), bits, format->is_signed);
}

static void pack_words(const struct image_format *format,
		       const uint32_t color[4], uint8_t *element)
{
	static const struct {
		cl_channel_type type;
		uint8_t red, green, blue; /* bits */
	} layouts[] = {
		{ CL_UNORM_SHORT_565, 5, 6, 5 },
		{ CL_UNORM_SHORT_555, 5, 5, 5 },
		{ CL_UNORM_INT_101010, 10, 10, 10 },
	};
	uint32_t word = 0;

	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		if (layouts[i].type != format->name.image_channel_data_type)
			continue;
		word = component(format, color[0], layouts[i].red);
		word = word << layouts[i].green |
		       component(format, color[1], layouts[i].green);
		word = word << layouts[i].blue |
		       component(format, color[2], layouts[i].blue);
	}
	memcpy(element, &word, format->size);
}

void image_format_pack(const struct image_format *format,
		       const uint32_t color[4],
		       uint8_t element[IMAGE_ELEMENT_MAX])
{
	uint32_t bytes = format->size / format->components, value;

	memset(element, 0, IMAGE_ELEMENT_MAX);
	if (format->name.image_channel_order == CL_RGB ||
	    format->name.image_channel_order == CL_RGBx) {
		pack_words(format, color, element);
		return;
	}
	/* The first channel that shows a component gives its value. */
	for (unsigned c = 4; c--;) {
		if (format->select[c] >= format->components)
			continue;
		value = component(format, color[c], 8 * bytes);
		memcpy(element + format->select[c] * bytes, &value, bytes);
	}
}
