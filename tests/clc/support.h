/* What the tests of the kernel compiler share. */
#ifndef M2S_TESTS_CLC_SUPPORT_H
#define M2S_TESTS_CLC_SUPPORT_H

#include <stdint.h>

#include "evergreen/isa/code.h"
#include "evergreen/kernel/kernel.h"
#include "opencl-rt/clc/compile.h"

/* Path of m2s-clc in the build tree. To be freed. */
char *compiler_path(void);

/* Contents of a file of tests/clc/kernels, or of any path with a slash at its
 * start. To be freed; NULL when it cannot be read. */
char *kernel_source(const char *file);

/* Compiles such a file: clc_compile without cache, for the chip that
 * $M2S_TEST_CHIP names. The result is to be freed
 * with clc_result_free; when clc_compile itself fails, the status is
 * CLC_NOT_AVAILABLE and the log its message. */
struct clc_result compile_file(const char *file, const char *options);

/* The same with text. */
struct clc_result compile_text(const char *source, const char *options);

/* Compiles and reads; a failure is printed and NULL. */
struct evg_program *compile_program(const char *file, const char *options);

/* The decoded code of one kernel, or NULL after printing why. */
struct evg_code *kernel_code(const struct evg_program *program,
			     const char *kernel);

/* Buffers of a kernel whose work-items each compute one element: operand_count
 * operands, which lie one behind the other, and the results. */
struct elementwise {
	uint32_t count, local_size;
	const void *operands;
	unsigned operand_count;
	size_t operand_size;  /* bytes of one */
	void *results;
	size_t result_size;
};

/* Runs a kernel (operand 0, operand 1, ..., results): 0, or -1 and *error. */
int run_elementwise(const struct evg_kernel *kernel,
		    const struct elementwise *buffers, struct error *error);

#endif
