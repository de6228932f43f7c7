#include "evergreen/isa/data-format.h"

#include <stddef.h>

#define COUNT(x, y, z, w) (((x) > 0) + ((y) > 0) + ((z) > 0) + ((w) > 0))

/* The exponent is no component. */
#define COMPONENTS(kind, x, y, z, w)                                           \
	(EVG_FORMAT_##kind == EVG_FORMAT_SHARED ? 3 : COUNT(x, y, z, w))

const struct evg_data_format evg_data_formats[EVG_DATA_FORMATS] = {
#define FORMAT(code, name, kind, x, y, z, w)                                   \
	[code] = {                                                             \
		name,                                                          \
		EVG_FORMAT_##kind,                                             \
		COMPONENTS(kind, x, y, z, w),                                  \
		((x) + (y) + (z) + (w)) / 8,                                   \
		{ x, y, z, w },                                                \
		{ 0, x, (x) + (y), (x) + (y) + (z) },                          \
	},
#include "evergreen/isa/data-format.def"
};

const char *evg_data_format_name(unsigned format)
{
	return format < EVG_DATA_FORMATS ? evg_data_formats[format].name : NULL;
}
