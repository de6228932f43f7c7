/* OpenCL C's printf formats (OpenCL 1.2, section 6.12.13). */
#ifndef M2S_OPENCL_RT_DRIVER_IMAGE_FORMAT_H
#define M2S_OPENCL_RT_DRIVER_IMAGE_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct evg_memory;

/* Prints one record of a printf buffer (printf-buffer.h), `length` dwords with
 * its header. Strings are read from device memory. The standard
 * leaves formats undefined that do not suit their arguments. Here a missing
 * argument prints nothing, and one of another kind is converted. */
void format_record(FILE *stream, struct evg_memory *memory,
		   const uint32_t *record, uint32_t length);
/* Prints arguments under a format that the caller has. `dwords` are the
 * arguments, as they follow the header of a record, `length` dwords. */
void format_text(FILE *stream, struct evg_memory *memory, const char *format,
		 const uint32_t *dwords, uint32_t length);
/* Finds the next conversion in a format that takes an argument: its letter and
 * the number of elements that it prints. *at moves behind it. False: there are
 * no more. */
bool format_next(const char **at, char *letter, unsigned *count);

#endif
