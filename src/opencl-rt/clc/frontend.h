/* OpenCL C or bitcode in, LLVM bitcode out: clang as a subprocess. */
#ifndef M2S_OPENCL_RT_CLC_FRONTEND_H
#define M2S_OPENCL_RT_CLC_FRONTEND_H

#include <stddef.h>

#include "base/error.h"
#include "evergreen/isa/chip.h"
#include "opencl-rt/clc/front-end.h"
#include "opencl-rt/clc/overlay.h"
#include "opencl-rt/clc/process.h"
#include "opencl-rt/clc/tools.h"

/* Exit statuses of m2s-clc, which clc_compile understands. */
enum {
	EXIT_BUILD_ERROR = 1,
	EXIT_USAGE = 2,
	EXIT_NO_COMPILER = 3,
};

/* clang's version, a line without its end, which the caller frees. NULL and
 * *error when clang cannot be run. */
char *frontend_version(const struct clc_tools *tools, struct error *error);

/* The text of a file, or of standard input for "-", ending in a zero byte. The
 * caller frees it with free(). NULL on an error. */
char *frontend_read(const char *path, size_t *size, struct error *error);

struct frontend_options {
	const char *source;      /* path, or "-" for standard input */
	const char *text;        /* its contents */
	size_t text_size;
	char *const *arguments;  /* for clang, ends in NULL */
	/* Files that the program finds under these names when it includes
	 * them. */
	const struct overlay_file *headers;
	size_t header_count;
	/* Bitcode that is linked to the program. */
	const struct overlay_file *modules;
	size_t module_count;
	struct process_limits limits;
	enum front_end front_end;
	enum evg_chip chip;
	bool verbose;
	/* The program includes nothing but `headers`. */
	bool confined;
	/* Compile for later linking: without the built-in functions and without
	 * optimisation. */
	bool unfinished;
	/* With the built-in functions, but without optimisation. */
	bool unoptimized;
};

/* Compiles. clang writes its diagnostics to standard error itself. 0 and
 * *bitcode (free with free()); or -1 and *error, which is empty when clang has
 * printed the reason. */
int frontend_compile(const struct clc_tools *tools,
		     const struct frontend_options *options, char **bitcode,
		     size_t *size, struct error *error);

#endif
