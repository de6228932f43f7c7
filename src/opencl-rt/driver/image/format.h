/* OpenCL C's printf formats (OpenCL 1.2, section 6.12.13). */
#ifndef M2S_OPENCL_RT_DRIVER_IMAGE_FORMAT_H
#define M2S_OPENCL_RT_DRIVER_IMAGE_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct evg_memory;

/* Prints one record of a printf buffer (printf-buffer.h), `length` dwords with
 * its header. Strings are read from device memory. A format that does not suit
 * its arguments, which the standard leaves undefined, prints something
 * harmless: what is missing is nothing, what is of another kind is converted.
 */
void format_record(FILE *stream, struct evg_memory *memory,
		   const uint32_t *record, uint32_t length);
/* The same for a format that is at hand; `dwords`: what a record has behind
 * its header, `length` dwords. */
void format_text(FILE *stream, struct evg_memory *memory, const char *format,
		 const uint32_t *dwords, uint32_t length);
/* The next conversion in a format that takes an argument: its letter and how
 * many elements it prints; *at goes on behind it. False: no more. */
bool format_next(const char **at, char *letter, unsigned *count);

#endif
