#include "opencl-rt/clc/backend.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/Linker.h>
#include <llvm/Config/llvm-config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "config.h"
#include "opencl-rt/clc/generate.h"
#include "opencl-rt/clc/ir/library.h"
#include "opencl-rt/clc/ir/respell.h"
#include "opencl-rt/clc/ir/rewrite.h"
#include "opencl-rt/clc/ir/signature.h"

struct request {
	const struct backend_options *options;
	const void *bitcode;
	size_t size;
};

/* What the child writes, and behind it the binary. */
struct answer {
	enum backend_status status;
	struct error error;
};

/* --- In the child ------------------------------------------------------- */

/* Keeps LLVM from printing and exiting by itself. */
static void take_diagnostic(LLVMDiagnosticInfoRef diagnostic, void *context)
{
	char *text = LLVMGetDiagInfoDescription(diagnostic);

	error_set(context, "%s", text);
	LLVMDisposeMessage(text);
}

/* What is linked is read function by function. When LLVM reads a whole module, it
 * drops all line numbers if a file's text is not embedded; and clang 16 embeds
 * none of a file of which it first meets a line in a macro's expansion. */
static LLVMModuleRef read_module(LLVMContextRef context, const void *bitcode,
				 size_t size, struct error *error)
{
	LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
		bitcode, size, "bitcode");
	struct error why = { "no reason given" };
	LLVMModuleRef module = LLVMModuleCreateWithNameInContext("-", context);
	LLVMModuleRef read = NULL;

	LLVMContextSetDiagnosticHandler(context, take_diagnostic, &why);
	if (LLVMGetBitcodeModuleInContext2(context, buffer, &read) ||
	    LLVMLinkModules2(module, read)) {
		error_set(error, "clang's bitcode cannot be read by LLVM %d "
			  "(%s); m2s-clc needs clang-" M2S_LLVM, LLVM_VERSION_MAJOR,
			  why.text);
		LLVMDisposeModule(module);
		module = NULL;
	}
	LLVMContextSetDiagnosticHandler(context, NULL, NULL);
	return module;
}

/* What clang does itself for the first front end. Vectors are for machines that
 * have them. */
static LLVMModuleRef adopt(LLVMModuleRef module,
			   const struct backend_options *options,
			   struct error *error)
{
	module = respell_module(module, options->front_end, error);
	for (size_t i = 0; module && i < ARRAY_SIZE(options->libraries); i++)
		if (library_link(module, options->libraries[i], error)) {
			LLVMDisposeModule(module);
			return NULL;
		}
	if (!module)
		return NULL;
	respell_calls(module);
	if (!options->unoptimized &&
	    run_passes(module, "default<O2>", error)) {
		LLVMDisposeModule(module);
		return NULL;
	}
	return module;
}

static enum backend_status compile_bitcode(const struct request *request,
					   char **binary, size_t *binary_size,
					   struct error *error)
{
	const struct backend_options *options = request->options;
	LLVMContextRef context = LLVMContextCreate();
	LLVMModuleRef module = read_module(context, request->bitcode,
					   request->size, error);
	enum backend_status status = BACKEND_REFUSED;
	struct evg_program *program = NULL;

	if (module && options->front_end)
		module = adopt(module, options, error);
	if (module)
		program = signature_read(module, options->build_options,
					 error);
	if (program)
		status = generate_program(options, module, program, binary,
					  binary_size, error);
	evg_program_free(program);
	if (module)
		LLVMDisposeModule(module);
	LLVMContextDispose(context);
	LLVMShutdown();
	return status;
}

static int answer_request(void *argument, int output)
{
	struct answer answer = { 0 };
	char *binary = NULL;
	size_t size = 0;

	answer.status = compile_bitcode(argument, &binary, &size,
					&answer.error);
	fflush(stdout);
	return process_write(output, &answer, sizeof answer) ||
	       (!answer.status && process_write(output, binary, size));
}

/* --- In the parent ------------------------------------------------------ */

enum backend_status backend_compile(const struct backend_options *options,
				    const void *bitcode, size_t bitcode_size,
				    char **binary, size_t *binary_size,
				    struct error *error)
{
	struct request request = { options, bitcode, bitcode_size };
	struct process_result result;
	struct answer answer = { BACKEND_BROKEN, { "" } };
	char end[128];

	if (process_call(answer_request, &request, &options->limits, &result,
			 error))
		return BACKEND_BROKEN;
	fputs(result.messages, stderr);
	if (result.timed_out || result.signal || result.exit_status ||
	    result.output_size < sizeof answer) {
		process_describe(&result, &options->limits, end, sizeof end);
		error_set(error, "the code generator's process %s", end);
		if (result.timed_out)
			answer.status = BACKEND_REFUSED;
	} else {
		memcpy(&answer, result.output, sizeof answer);
		*error = answer.error;
	}
	if (answer.status == BACKEND_DONE) {
		*binary_size = result.output_size - sizeof answer;
		*binary = xmalloc(*binary_size + 1);
		memcpy(*binary, result.output + sizeof answer, *binary_size);
	}
	process_result_free(&result);
	return answer.status;
}
