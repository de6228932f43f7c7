/* The layout of an element of a buffer or image, by DATA_FORMAT: the rows of
 * data-format.def. */
#ifndef M2S_EVERGREEN_ISA_DATA_FORMAT_H
#define M2S_EVERGREEN_ISA_DATA_FORMAT_H

#include <stdint.h>

enum { EVG_DATA_FORMATS = 64 };

enum evg_format_kind {
	/* No format of buffers or images, or a code that is not defined. */
	EVG_FORMAT_NONE,
	EVG_FORMAT_BITS,
	EVG_FORMAT_FLOAT,
	EVG_FORMAT_SHARED, /* 5_9_9_9_SHAREDEXP */
};

struct evg_data_format {
	const char *name;         /* NULL: the code is not defined */
	enum evg_format_kind kind;
	uint8_t components;
	uint8_t bytes;            /* of an element */
	uint8_t bits[4], shift[4]; /* of x, y, z, w: from the lowest bit */
};

extern const struct evg_data_format evg_data_formats[EVG_DATA_FORMATS];

/* The name of a DATA_FORMAT, or NULL. */
const char *evg_data_format_name(unsigned format);

#endif
