#include "opencl-rt/clc/generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/asm/assemble.h"
#include "opencl-rt/clc/code/patch.h"
#include "opencl-rt/clc/ir/lower.h"
#include "opencl-rt/clc/ir/rewrite.h"
#include "opencl-rt/codegen/generate.h"

/* What the generator asks of functions: one return, ways into and out of loops
 * and between branches on which values can be copied. */
#define PREPARATION                                                            \
	"function(lowerswitch,mergereturn,loop-simplify,break-crit-edges)"

static int take_code(const struct evg_program *assembled,
		     struct evg_program *program, struct evg_kernel *kernel,
		     uint32_t local_size)
{
	const struct evg_kernel *made = &assembled->kernels[0];

	kernel->registers = made->registers;
	kernel->stack_size = made->stack_size;
	kernel->local_size = local_size;
	evg_program_add_code(program, kernel,
			     assembled->text + made->code_offset,
			     made->code_size);
	return 0;
}

static int generate_kernel(LLVMModuleRef module, struct evg_program *program,
			   struct evg_kernel *kernel, bool verbose,
			   struct error *error)
{
	struct evg_program *assembled;
	uint32_t local_size;
	char *text = codegen_generate(
		LLVMGetNamedFunction(module, kernel->name), kernel,
		&local_size, error);
	int status = -1;

	if (!text)
		return -1;
	if (verbose)
		fputs(text, stderr);
	assembled = evg_assemble(kernel->name, text, strlen(text), error);
	if (assembled)
		status = take_code(assembled, program, kernel, local_size);
	else
		error_prefix(error, "the code generator made what does not "
			     "assemble");
	evg_program_free(assembled);
	free(text);
	return status;
}

/* The program with our code: its kernels are copies of `program`'s. */
static int generate_kernels(const struct backend_options *options,
			    LLVMModuleRef module,
			    const struct evg_program *program, char **binary,
			    size_t *binary_size, struct error *error)
{
	struct evg_program made = *program;
	int status = 0;

	made.kernels = xcalloc(program->kernel_count + 1,
			       sizeof *made.kernels);
	memcpy(made.kernels, program->kernels,
	       program->kernel_count * sizeof *made.kernels);
	made.text = NULL;
	made.text_size = 0;
	for (uint32_t k = 0; !status && k < made.kernel_count; k++) {
		status = generate_kernel(module, &made, &made.kernels[k],
					 options->verbose, error);
		if (status)
			error_prefix(error, "kernel '%s'",
				     made.kernels[k].name);
	}
	if (!status) {
		*binary = evg_program_write(&made, options->compiler,
					    binary_size);
		status = patch_verify(options->name, *binary, *binary_size,
				      NULL, error);
		if (status)
			free(*binary);
	}
	free(made.text);
	free(made.kernels);
	return status;
}

int generate_program(const struct backend_options *options,
		     LLVMModuleRef module, const struct evg_program *program,
		     char **binary, size_t *binary_size, struct error *error)
{
	LLVMModuleRef copy = LLVMCloneModule(module);
	int status = lower_inline(copy, error);

	if (!status)
		status = run_passes(copy, PREPARATION, error);
	if (!status)
		status = generate_kernels(options, copy, program, binary,
					  binary_size, error);
	LLVMDisposeModule(copy);
	return status;
}
