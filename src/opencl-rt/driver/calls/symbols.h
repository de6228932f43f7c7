/* Names of OpenCL's constants and calls, for people. */
#ifndef M2S_OPENCL_RT_DRIVER_CALLS_SYMBOLS_H
#define M2S_OPENCL_RT_DRIVER_CALLS_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "opencl-rt/protocol.h"

enum symbol_set {
#define SET(id, constants) SYMBOLS_##id,
#include "opencl-rt/driver/calls/symbols.def"
	SYMBOL_SET_COUNT
};

/* The name of a constant of a set, or NULL. */
const char *constant_name(enum symbol_set set, uint64_t value);

/* Writes a constant's name, or its number in hexadecimal digits. */
void constant_print(FILE *stream, enum symbol_set set, uint64_t value);
/* Writes the names of a value's bits with | between them. */
void constant_print_bits(FILE *stream, enum symbol_set set, uint64_t value);

/* The name of an error code, CL_SUCCESS, or OPENCL_AGAIN. */
const char *opencl_error_name(int64_t code);

/* The name of a request. */
const char *call_name(enum opencl_call call);
/* Whether the library makes this request for itself. */
bool call_is_internal(enum opencl_call call);

#endif
