#include "opencl-rt/clc/backend.h"

#include <errno.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "evergreen/kernel/metadata.h"
#include "opencl-rt/clc/lower.h"
#include "opencl-rt/clc/package.h"
#include "opencl-rt/clc/patch.h"
#include "opencl-rt/clc/signature.h"

/* One way of compiling. The first that yields code that checks out wins. */
struct attempt {
	const char *description;
	const char *switches[3]; /* of LLVM's back end */
	bool scalarize;          /* lower_vectors first */
};

static const struct attempt attempts[BACKEND_ATTEMPTS] = {
	{ "as it is", { NULL }, false },
	{ "without if-conversion", { "-r600-if-convert=0" }, false },
	{ "with scalar instead of vector operations", { NULL }, true },
	{ "with private arrays kept apart",
	  { "-disable-promote-alloca-to-vector" }, false },
	{ "with scalar operations and private arrays kept apart",
	  { "-disable-promote-alloca-to-vector", "-r600-if-convert=0" },
	  true },
};

/* An element of a private array takes a register. */
enum { PRIVATE_SIZE_MAX = 400 };

/* A compilation under way. */
struct compilation {
	const struct backend_options *options;
	const struct attempt *attempt;
	LLVMModuleRef module;
	char *metadata;
};

/* --- In the forked child ------------------------------------------------ */

static int child_fails(const char *what, const char *why)
{
	fprintf(stderr, "error: %s: %s\n", what, why);
	return 1;
}

static void set_switches(const struct attempt *attempt)
{
	const char *arguments[ARRAY_SIZE(attempt->switches) + 1] = { "m2s-clc" };
	int count = 1;

	for (size_t i = 0; i < ARRAY_SIZE(attempt->switches); i++)
		if (attempt->switches[i])
			arguments[count++] = attempt->switches[i];
	if (count > 1)
		LLVMParseCommandLineOptions(count, arguments, NULL);
}

/* Emits the object: 0, or an exit status after a message. LLVM itself prints
 * and exits for many errors. */
static int emit_object(void *argument, int output)
{
	struct compilation *compilation = argument;
	LLVMMemoryBufferRef object = NULL;
	LLVMTargetMachineRef machine;
	struct error error;
	LLVMTargetRef target;
	char *text = NULL;
	size_t size, done = 0;

	set_switches(compilation->attempt);
	if (compilation->attempt->scalarize &&
	    lower_vectors(compilation->module, &error))
		return child_fails("scalarizer", error.text);
	if (LLVMGetTargetFromTriple("r600--", &target, &text))
		return child_fails("LLVM has no r600 target", text);
	machine = LLVMCreateTargetMachine(target, "r600--", "cypress", "",
					  LLVMCodeGenLevelDefault,
					  LLVMRelocDefault,
					  LLVMCodeModelDefault);
	if (!machine)
		return child_fails("LLVM", "no target machine for cypress");
	if (LLVMTargetMachineEmitToMemoryBuffer(machine, compilation->module,
						LLVMObjectFile, &text, &object))
		return child_fails("LLVM", text);
	size = LLVMGetBufferSize(object);
	while (done < size) {
		ssize_t part = write(output,
				     LLVMGetBufferStart(object) + done,
				     size - done);

		if (part < 0 && errno == EINTR)
			continue;
		if (part <= 0)
			return child_fails("object", strerror(errno));
		done += (size_t)part;
	}
	return 0;
}

/* --- In the parent ------------------------------------------------------ */

/* Keeps LLVM from printing and exiting by itself. */
static void take_diagnostic(LLVMDiagnosticInfoRef diagnostic, void *context)
{
	char *text = LLVMGetDiagInfoDescription(diagnostic);

	error_set(context, "%s", text);
	LLVMDisposeMessage(text);
}

static LLVMModuleRef read_module(LLVMContextRef context, const void *bitcode,
				 size_t size, struct error *error)
{
	LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
		bitcode, size, "bitcode");
	struct error why = { "no reason given" };
	LLVMModuleRef module = NULL;

	LLVMContextSetDiagnosticHandler(context, take_diagnostic, &why);
	if (LLVMParseBitcodeInContext2(context, buffer, &module)) {
		error_set(error, "clang's bitcode cannot be read by LLVM %d "
			  "(%s); m2s-clc needs clang-16", LLVM_VERSION_MAJOR,
			  why.text);
		module = NULL;
	}
	LLVMContextSetDiagnosticHandler(context, NULL, NULL);
	LLVMDisposeMemoryBuffer(buffer);
	return module;
}

/* The object becomes a kernel binary, if it is right. */
static int finish(const struct compilation *compilation, const char *object,
		  size_t object_size, char **binary, size_t *binary_size,
		  struct error *error)
{
	char *image;
	size_t size;

	if (package_add_section(object, object_size, EVG_METADATA_SECTION,
				compilation->metadata, &image, &size, error))
		return -1;
	if (patch_image(compilation->options->name, image, size, error) ||
	    patch_verify(compilation->options->name, image, size, error)) {
		free(image);
		return -1;
	}
	*binary = image;
	*binary_size = size;
	return 0;
}

static int run_attempt(const struct compilation *compilation,
		       char **binary, size_t *binary_size, char **messages,
		       struct error *error)
{
	const struct process_limits *limits = &compilation->options->limits;
	struct process_result result;
	char end[128];
	int status = -1;

	if (process_call(emit_object, (void *)compilation, limits, &result,
			 error))
		return -1;
	process_describe(&result, limits, end, sizeof end);
	if (result.timed_out || result.signal || result.exit_status)
		error_set(error, "LLVM's back end cannot compile this: it %s",
			  end);
	else
		status = finish(compilation, result.output,
				result.output_size, binary, binary_size,
				error);
	*messages = xstrdup(result.messages);
	process_result_free(&result);
	return status;
}

static int run_attempts(struct compilation *compilation, char **binary,
			size_t *binary_size, struct error *error)
{
	bool verbose = compilation->options->verbose;
	char *first_messages = NULL, *messages;
	size_t first = compilation->options->attempt - 1;
	struct error later;

	for (size_t i = first; i < ARRAY_SIZE(attempts); i++) {
		struct error *reason = i > first ? &later : error;
		int status;

		messages = NULL;
		compilation->attempt = &attempts[i];
		status = run_attempt(compilation, binary, binary_size,
				     &messages, reason);
		if (verbose)
			fprintf(stderr, "m2s-clc: %s: %s\n",
				attempts[i].description,
				status ? reason->text : "done");
		if (verbose && messages)
			fputs(messages, stderr);
		if (i == first)
			first_messages = messages;
		else
			free(messages);
		if (!status) {
			free(first_messages);
			return 0;
		}
	}
	if (first_messages && !verbose)
		fputs(first_messages, stderr);
	free(first_messages);
	return -1;
}

/* Adds the likely reason to what the back end said. */
static void explain(LLVMModuleRef module, struct error *error)
{
	const char *kernel = NULL;
	uint64_t size = lower_private_size(module, &kernel);
	struct error said = *error;

	if (size >= PRIVATE_SIZE_MAX)
		error_set(error, "%s; kernel '%s' has %llu bytes of private "
			  "arrays, and about %d fit in the registers of a "
			  "work-item", said.text, kernel,
			  (unsigned long long)size, PRIVATE_SIZE_MAX);
}

static int compile_module(struct compilation *compilation, char **binary,
			  size_t *binary_size, struct error *error)
{
	const struct backend_options *options = compilation->options;
	struct evg_program *program;
	int status;

	program = signature_read(compilation->module, options->build_options,
				 error);
	if (!program)
		return -1;
	compilation->metadata = evg_metadata_write(program,
						   options->compiler);
	evg_program_free(program);
	if (!compilation->metadata)
		return error_set(error, "no memory for the metadata");
	status = lower_module(compilation->module, error);
	if (!status) {
		status = run_attempts(compilation, binary, binary_size, error);
		if (status)
			explain(compilation->module, error);
	}
	free(compilation->metadata);
	return status;
}

int backend_compile(const struct backend_options *options, const void *bitcode,
		    size_t bitcode_size, char **binary, size_t *binary_size,
		    struct error *error)
{
	struct compilation compilation = { .options = options };
	LLVMContextRef context = LLVMContextCreate();
	int status = -1;

	LLVMInitializeAMDGPUTargetInfo();
	LLVMInitializeAMDGPUTarget();
	LLVMInitializeAMDGPUTargetMC();
	LLVMInitializeAMDGPUAsmPrinter();
	compilation.module = read_module(context, bitcode, bitcode_size,
					 error);
	if (compilation.module) {
		status = compile_module(&compilation, binary, binary_size,
					error);
		LLVMDisposeModule(compilation.module);
	}
	LLVMContextDispose(context);
	LLVMShutdown();
	return status;
}
