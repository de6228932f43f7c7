/* What is between source and kernel binary: LLVM bitcode of a program that was
 * compiled and not linked yet, or of a library of such. */
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

/* Whether bytes begin as an object does. */
bool clc_object_is(const void *bytes, size_t size);

/* Checks an object. The bitcode stays where it is, in `bytes`. -1 and *error
 * for one that is not whole. */
int clc_object_read(const char *name, const void *bytes, size_t size,
		    struct clc_object *object, struct error *error);

/* The bytes of an object, to be freed. */
char *clc_object_write(const struct clc_object *object, size_t *size);

#endif
