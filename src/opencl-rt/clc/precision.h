/* Whether a program uses double precision. */
#ifndef M2S_OPENCL_RT_CLC_PRECISION_H
#define M2S_OPENCL_RT_CLC_PRECISION_H

#include <stdbool.h>

/* Whether a text may use doubles: it contains a word about them, possibly in a
 * comment or a string, or includes other files. */
bool precision_may_be_double(const char *text);

enum precision {
	PRECISION_NONE,   /* the device has no doubles */
	PRECISION_SINGLE, /* the program uses no doubles */
	PRECISION_DOUBLE,
	PRECISION_AMD, /* the program uses doubles and enables cl_amd_fp64 */
};

/* The precision that a preprocessed text needs. */
enum precision precision_of(const char *text);

/* The same for a text as the programmer wrote it. False when only the
 * preprocessor can tell, because the text has other directives than pragmas. */
bool precision_is_plain(const char *text, enum precision *precision);

#endif
