/* Whether a program has to do with double precision. */
#ifndef M2S_OPENCL_RT_CLC_PRECISION_H
#define M2S_OPENCL_RT_CLC_PRECISION_H

#include <stdbool.h>

/* Whether a text may be about doubles: it has a word of the kind in it, in a
 * comment or a string perhaps, or includes others. */
bool precision_may_be_double(const char *text);

enum precision {
	PRECISION_NONE,   /* the device has no doubles */
	PRECISION_SINGLE, /* the program is not about doubles */
	PRECISION_DOUBLE,
	PRECISION_AMD, /* it is, and enables cl_amd_fp64 */
};

/* What a text that went through the preprocessor asks for. */
enum precision precision_of(const char *text);

#endif
