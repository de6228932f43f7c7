/* OpenCL C or bitcode in, LLVM bitcode out: clang-16 as a subprocess. */
#ifndef M2S_OPENCL_RT_CLC_FRONTEND_H
#define M2S_OPENCL_RT_CLC_FRONTEND_H

#include <stddef.h>

#include "base/error.h"
#include "opencl-rt/clc/overlay.h"
#include "opencl-rt/clc/process.h"
#include "opencl-rt/clc/tools.h"

/* Exit statuses of m2s-clc, which clc_compile understands. */
enum {
	EXIT_BUILD_ERROR = 1,
	EXIT_USAGE = 2,
	EXIT_NO_COMPILER = 3,
};

/* What clang calls itself, a line without its end. To be freed; NULL and *error
 * when it cannot be run. */
char *frontend_version(const struct clc_tools *tools, struct error *error);

/* The text of a file, or of standard input for "-", ending in a zero byte; to
 * be freed with free(). NULL on an error. */
char *frontend_read(const char *path, size_t *size, struct error *error);

struct frontend_options {
	const char *source;      /* path, or "-" for standard input */
	const char *text;        /* what is in it */
	size_t text_size;
	char *const *arguments;  /* for clang, ends in NULL */
	/* What programs find under these names when they include them. */
	const struct overlay_file *headers;
	size_t header_count;
	/* Bitcode that is linked to it. */
	const struct overlay_file *modules;
	size_t module_count;
	struct process_limits limits;
	bool verbose;
	/* The program includes nothing but `headers`. */
	bool confined;
	/* The program as it is, to be linked later: without the built-in
	 * functions and not optimised. */
	bool unfinished;
	/* Not the first time: loops are not unrolled unless the program says
	 * so, and clang does not warn again. */
	bool rolled;
};

/* Compiles. clang writes its diagnostics to standard error itself. 0 and
 * *bitcode (free with free()); or -1: *error is empty when clang has said
 * why. */
int frontend_compile(const struct clc_tools *tools,
		     const struct frontend_options *options, char **bitcode,
		     size_t *size, struct error *error);

#endif
