/* The product between source and kernel binary: LLVM bitcode of a program that
 * was compiled but not linked, or of a library of such programs. */
#ifndef M2S_OPENCL_RT_CLC_OBJECT_H
#define M2S_OPENCL_RT_CLC_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct clc_object {
	bool library; /* clLinkProgram with -create-library made it */
	bool debug;   /* compiled with -g, or a part of it */
	const void *bitcode;
	size_t size;
};

/* Whether the bytes begin like an object. */
bool clc_object_is(const void *bytes, size_t size);

/* Checks an object. The bitcode is not copied: it is a part of `bytes`. -1 and
 * *error for a damaged object. */
int clc_object_read(const char *name, const void *bytes, size_t size,
		    struct clc_object *object, struct error *error);

/* The bytes of an object, which the caller frees. */
char *clc_object_write(const struct clc_object *object, size_t *size);

#endif
