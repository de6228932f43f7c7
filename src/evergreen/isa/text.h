/* Appends formatted text to a buffer of fixed size. Counts the length of the
 * whole text, as snprintf does for one call. */
#ifndef M2S_EVERGREEN_ISA_TEXT_H
#define M2S_EVERGREEN_ISA_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "evergreen/isa/inst.h"

struct evg_text {
	char *buffer;   /* may be NULL when size is 0 */
	size_t size;
	size_t length;  /* of everything added */
};

__attribute__((format(printf, 2, 3)))
static inline void evg_text_add(struct evg_text *text, const char *format, ...)
{
	size_t left = text->length < text->size ? text->size - text->length : 0;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(left ? text->buffer + text->length : NULL, left,
			   format, arguments);
	va_end(arguments);
	if (length > 0)
		text->length += (size_t)length;
}

/* The letters of the selects 0 to 7: four components, the constants 0 and 1,
 * the undefined select 6, and masked. */
static inline char evg_select_letter(unsigned select)
{
	return "xyzw01?_"[select & 7];
}

/* The suffix for the index mode of a constant buffer, RAT, resource or
 * sampler. */
static inline const char *evg_index_suffix(unsigned mode)
{
	return mode == 1 ? "+idx0" : mode == 2 ? "+idx1" : "";
}

/* The ALU sources that have a name and are written without a channel. The last
 * row has no name. */
struct evg_select_name {
	const char *name;
	uint16_t select;
};
extern const struct evg_select_name evg_select_names[];

#endif
