/* LLVM bitcode in, finished kernel binary out. */
#ifndef M2S_OPENCL_RT_CLC_BACKEND_H
#define M2S_OPENCL_RT_CLC_BACKEND_H

#include <stddef.h>

#include "base/error.h"
#include "opencl-rt/clc/process.h"
#include "opencl-rt/codegen/stage/stage.h"

/* Ways of compiling. */
enum { BACKEND_ATTEMPTS = 12 };

/* The maker of the machine code. */
enum codegen {
	CODEGEN_LLVM,    /* LLVM's back end alone */
	CODEGEN_RESCHED, /* and we pack its ALU clauses anew */
	CODEGEN_AUTO,    /* our code generator; where it cannot, as RESCHED */
};

struct backend_options {
	const char *name;          /* of the source, for messages */
	const char *build_options; /* to be stored in the binary */
	const char *compiler;      /* likewise */
	const char *doubles;       /* path of the functions on doubles */
	struct process_limits limits; /* for each attempt */
	unsigned attempt;          /* to start with, from 1 */
	bool verbose;              /* print the attempts on standard error */
	enum codegen codegen;
	enum stage print_after;    /* of our generator */
	bool schedule_report;      /* by our generator */
	unsigned without;          /* its passes that do not run: 1 << stage */
	unsigned registers;        /* the most that it may use; 0: any */
	/* The bitcode has not been optimized: our generator takes it so. */
	bool unoptimized;
	bool debug;                /* keep debug information */
};

/* Compiles the module. Our generator works in a process of its own under the
 * limits; should that come to a bad end, LLVM's back end compiles the program,
 * and a note on standard error says why. For LLVM's, tries the fallbacks one
 * after the other, each in a process of its own, because it can crash and hang.
 * Every product is checked. Kernels that do not compile together are each
 * compiled in their own way. Returns 0 and *binary (free with free()); -1 and
 * *error for a program that can never be compiled; 1 and *error, the fault of
 * the first attempt, when no attempt succeeded. */
int backend_compile(const struct backend_options *options, const void *bitcode,
		    size_t bitcode_size, char **binary, size_t *binary_size,
		    struct error *error);

/* As backend_compile, without a process for our own generator. */
int backend_compile_here(const struct backend_options *options,
			 const void *bitcode, size_t bitcode_size,
			 char **binary, size_t *binary_size,
			 struct error *error);

#endif
