/* The ways of accesses to global memory, as --read-path and --write-path give
 * them: one for all buffers, and exceptions for buffers by the names of their
 * arguments, "amd,input=cached,copy.output=uncached". */
#ifndef M2S_OPENCL_RT_CODEGEN_PATH_WAYS_H
#define M2S_OPENCL_RT_CODEGEN_PATH_WAYS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum way {
	WAY_AMD,      /* as AMD's driver chose */
	WAY_CACHED,   /* reads: through L1 and L2 */
	WAY_UNCACHED, /* past both */
	WAY_FAST,     /* writes: the FastPath */
	WAY_COMPLETE, /* the CompletePath */
};

enum way_access { WAY_OF_READS, WAY_OF_WRITES };

/* A part of a text: the way of all buffers if `name` is NULL, else of the
 * arguments with that name, in all kernels if `kernel` is NULL. */
struct way_part {
	const char *kernel, *name;
	size_t kernel_length, name_length;
	enum way way;
};

/* The next part of a text. False at its end; and with *error at what is none,
 * if `error` is not NULL. *text moves on. */
bool way_next(enum way_access access, const char **text, struct way_part *part,
	      struct error *error);
/* -1 and *error when a text cannot be read. */
int way_check(enum way_access access, const char *text, struct error *error);
bool way_part_is_of(const struct way_part *part, const char *kernel,
		    const char *argument);
/* The way of an argument; NULL: of a buffer that is not known. Of several parts
 * the last one counts. `text`: NULL, or one that can be read. */
enum way way_of(enum way_access access, const char *text, const char *kernel,
		const char *argument);

#endif
