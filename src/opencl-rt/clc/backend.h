/* LLVM bitcode in, finished kernel binary out. */
#ifndef M2S_OPENCL_RT_CLC_BACKEND_H
#define M2S_OPENCL_RT_CLC_BACKEND_H

#include <stddef.h>

#include "base/error.h"
#include "opencl-rt/clc/front-end.h"
#include "opencl-rt/clc/process.h"
#include "opencl-rt/codegen/stage/stage.h"

struct backend_options {
	const char *name;          /* of the source, for messages */
	const char *build_options; /* to be stored in the binary */
	const char *compiler;      /* likewise */
	const char *doubles;       /* path of the functions on doubles */
	/* Of another front end than the first is bitcode that has been neither
	 * optimized nor linked to these libraries. */
	enum front_end front_end;
	const char *libraries[3];
	struct process_limits limits;
	bool verbose;              /* print the assembly on standard error */
	enum stage print_after;
	bool schedule_report;
	unsigned without;          /* passes that do not run: 1 << stage */
	unsigned registers;        /* the most of a kernel; 0: any */
	/* --read-path and --write-path, or NULL */
	const char *read_path, *write_path;
	enum evg_chip chip;        /* whose code it becomes */
	bool unoptimized;          /* the bitcode, and so it stays */
	bool debug;                /* keep debug information */
};

enum backend_status {
	BACKEND_DONE,
	BACKEND_REFUSED, /* the program is not for this device */
	BACKEND_BROKEN,  /* an error of ours */
};

/* Compiles the module in a process of its own under the limits, since no program
 * may harm the caller. Every product is checked. BACKEND_DONE and *binary (free
 * with free()), else *error. */
enum backend_status backend_compile(const struct backend_options *options,
				    const void *bitcode, size_t bitcode_size,
				    char **binary, size_t *binary_size,
				    struct error *error);

#endif
