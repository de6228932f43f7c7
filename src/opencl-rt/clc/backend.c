#include "opencl-rt/clc/backend.h"

#include <errno.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/kernel/metadata.h"
#include "opencl-rt/clc/attempts.h"
#include "opencl-rt/clc/double/double.h"
#include "opencl-rt/clc/facts.h"
#include "opencl-rt/clc/generate.h"
#include "opencl-rt/clc/ir/lower.h"
#include "opencl-rt/clc/package.h"
#include "opencl-rt/clc/code/patch.h"
#include "opencl-rt/clc/code/reschedule.h"
#include "opencl-rt/clc/ir/print.h"
#include "opencl-rt/clc/process.h"
#include "opencl-rt/clc/ir/rewrite.h"
#include "opencl-rt/clc/spill/scratch.h"
#include "opencl-rt/clc/ir/signature.h"
#include "opencl-rt/clc/source-lines.h"
#include "opencl-rt/clc/spill/spill.h"

/* Exit status of a child that found the program impossible: other ways will
 * not help. */
enum { CHILD_HOPELESS = 9 };

/* --- In the forked child ------------------------------------------------ */

static int child_fails(const char *what, const char *why)
{
	fprintf(stderr, "error: %s: %s\n", what, why);
	return 1;
}

/* The switches of every kernel that is compiled; LLVM has one set. */
static void set_switches(const struct compilation *compilation)
{
	const char *arguments[16] = { "m2s-clc" };
	int count = 1;

	for (uint32_t k = 0; k < compilation->program->kernel_count; k++) {
		const struct attempt *attempt = compilation->choice[k];

		if (compilation->only != EVERY_KERNEL &&
		    compilation->only != (int)k)
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(attempt->switches); i++) {
			const char *word = attempt->switches[i];
			bool known = !word;

			for (int n = 1; n < count && !known; n++)
				known = !strcmp(arguments[n], word);
			if (!known)
				arguments[count++] = word;
		}
	}
	if (count > 1)
		LLVMParseCommandLineOptions(count, arguments, NULL);
}

static int rewrite_kernel(LLVMModuleRef module, LLVMValueRef kernel,
			  const struct attempt *attempt, uint32_t *scratch,
			  struct error *error)
{
	if (attempt->scalarize && lower_vectors(module, kernel, error))
		return -1;
	if (attempt->spill &&
	    spill_values(module, kernel, attempt->spill, error))
		return -1;
	if (attempt->spill_all && scratch_spill(module, kernel, error))
		return -1;
	return attempt->scratch ? scratch_lower(module, kernel, scratch, error)
				: 0;
}

/* Does to each kernel what its way asks for and takes the others out. The facts
 * of each go before the object. */
static int rewrite_kernels(const struct compilation *compilation, int output,
			   struct error *error)
{
	LLVMModuleRef module = compilation->module;

	for (uint32_t k = 0; k < compilation->program->kernel_count; k++) {
		LLVMValueRef kernel = LLVMGetNamedFunction(
			module, compilation->program->kernels[k].name);
		struct kernel_facts facts = { 0 };

		if (compilation->only != EVERY_KERNEL &&
		    compilation->only != (int)k)
			LLVMDeleteFunction(kernel);
		else if (rewrite_kernel(module, kernel, compilation->choice[k],
					&facts.scratch_size, error))
			return -1;
		else
			facts_find(module, kernel, &facts);
		if (process_write(output, &facts, sizeof facts))
			return error_set(error, "object: %s", strerror(errno));
	}
	return 0;
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

	set_switches(compilation);
	if (rewrite_kernels(compilation, output, &error)) {
		fputs(error.text, stderr);
		return CHILD_HOPELESS;
	}
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
	if (process_write(output, LLVMGetBufferStart(object),
			  LLVMGetBufferSize(object)))
		return child_fails("object", strerror(errno));
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

/* The metadata of the kernels that were compiled. */
static char *write_metadata(const struct compilation *compilation)
{
	struct evg_program part = *compilation->program;

	if (compilation->only != EVERY_KERNEL) {
		part.kernels += compilation->only;
		part.kernel_count = 1;
	}
	return evg_metadata_write(&part, compilation->options->compiler);
}

/* With -g a section with the line table. *image is replaced. */
static int add_lines(const struct evg_lines *lines, char **image, size_t *size,
		     struct error *error)
{
	char *text, *larger;
	size_t length;
	int status;

	if (!lines)
		return 0;
	text = evg_lines_write(lines, &length);
	status = package_add_section(*image, *size, EVG_LINES_SECTION, text,
				     &larger, size, error);
	free(text);
	if (status)
		return -1;
	free(*image);
	*image = larger;
	return 0;
}

/* What is done to LLVM's machine code. *image is replaced. */
static int finish_code(const struct compilation *compilation,
		       const struct kernel_facts *facts, const char *object,
		       size_t object_size, char **image, size_t *size,
		       struct error *error)
{
	const char *name = compilation->options->name;
	struct evg_lines *lines = source_lines_read(
		compilation->module, object, object_size, error);
	int status = !lines && error->text[0] ? -1 : 0;

	if (!status && compilation->has_doubles)
		status = double_fuse(name, *image, *size, lines, error);
	if (!status && compilation->options->codegen != CODEGEN_LLVM)
		status = reschedule_image(name, *image, *size, lines,
					  compilation->options->verbose, error);
	if (!status)
		status = add_lines(lines, image, size, error);
	evg_lines_free(lines);
	if (status || patch_image(name, *image, *size, error))
		return -1;
	return patch_verify(name, *image, *size, facts, error);
}

/* The object becomes a kernel binary, if it is right. */
static int make_binary(const struct compilation *compilation,
		       const struct kernel_facts *facts, const char *object,
		       size_t object_size, char **binary, size_t *binary_size,
		       struct error *error)
{
	struct evg_program *program = compilation->program;
	uint32_t first = compilation->only == EVERY_KERNEL
				 ? 0
				 : (uint32_t)compilation->only;
	char *image, *metadata;
	size_t size;
	int status;

	for (uint32_t k = 0; k < program->kernel_count; k++)
		program->kernels[k].scratch_size = facts[k].scratch_size;
	metadata = write_metadata(compilation);
	if (!metadata)
		return error_set(error, "no memory for the metadata");
	status = package_add_section(object, object_size, EVG_METADATA_SECTION,
				     metadata, &image, &size, error);
	free(metadata);
	if (status)
		return -1;
	if (finish_code(compilation, facts + first, object, object_size,
			&image, &size, error)) {
		free(image);
		return -1;
	}
	*binary = image;
	*binary_size = size;
	return 0;
}

/* Takes the facts off what a child wrote, and the rest is an object. */
static int finish_output(const struct compilation *compilation,
			 const char *output, size_t output_size, char **binary,
			 size_t *binary_size, struct error *error)
{
	uint32_t count = compilation->program->kernel_count;
	struct kernel_facts *facts = xcalloc(count + 1, sizeof *facts);
	size_t size = count * sizeof *facts;
	int status;

	if (output_size < size) {
		free(facts);
		return error_set(error, "LLVM's back end wrote no object");
	}
	memcpy(facts, output, size);
	status = make_binary(compilation, facts, output + size,
			     output_size - size, binary, binary_size, error);
	free(facts);
	return status;
}

/* LLVM's own words: the first line that it wrote, without its prefix. */
static void take_reason(struct error *error, const char *end,
			const char *messages)
{
	static const char *const prefixes[] = { "LLVM ERROR: ",
						"error: " };
	int length;

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (starts_with(messages, prefixes[i]))
			messages += strlen(prefixes[i]);
	length = (int)strcspn(messages, "\n");
	error_set(error, "LLVM's back end cannot compile this: %s%.*s%s",
		  length ? "" : "it ", length ? (length > 200 ? 200 : length)
					      : (int)strlen(end),
		  length ? messages : end, length > 200 ? "..." : "");
}

int attempt_run(struct compilation *compilation, double seconds,
		    char **binary, size_t *binary_size, struct error *error)
{
	struct process_limits limits = compilation->options->limits;
	struct process_result result;
	int status = -1;
	char end[128];

	limits.seconds = seconds;
	if (process_call(emit_object, compilation, &limits, &result, error))
		return -1;
	process_describe(&result, &limits, end, sizeof end);
	if (!result.timed_out && !result.signal &&
	    result.exit_status == CHILD_HOPELESS)
		status = error_set(error, "%s", result.messages) + 2;
	else if (result.timed_out || result.signal || result.exit_status)
		take_reason(error, end, result.messages);
	else
		status = finish_output(compilation, result.output,
				       result.output_size, binary, binary_size,
				       error);
	if (compilation->options->verbose)
		fputs(result.messages, stderr);
	process_result_free(&result);
	return status;
}

static int compile_module(struct compilation *compilation, char **binary,
			  size_t *binary_size, struct error *error)
{
	const struct backend_options *options = compilation->options;
	struct generated *generated = NULL;
	struct evg_program *program;
	int status;

	program = signature_read(compilation->module, options->build_options,
				 error);
	if (!program)
		return -1;
	if (options->codegen == CODEGEN_AUTO)
		generated = generated_create(options, compilation->module,
					     program, error);
	if (generated && !generated->missing) {
		status = generated_package(generated, options, program, binary,
					   binary_size, error);
		generated_free(generated);
		evg_program_free(program);
		return status;
	}
	if (options->unoptimized &&
	    run_passes(compilation->module, "default<O2>", error)) {
		generated_free(generated);
		evg_program_free(program);
		return -1;
	}
	compilation->program = program;
	compilation->choice = xcalloc(program->kernel_count + 1,
				      sizeof(*compilation->choice));
	compilation->has_doubles = double_is_used(compilation->module);
	status = compilation->has_doubles
			 ? double_prepare(compilation->module,
					  options->doubles, error)
			 : 0;
	if (!status)
		status = lower_module(compilation->module, program, error);
	if (!options->debug)
		LLVMStripModuleDebugInfo(compilation->module);
	for (uint32_t k = 0; !status && k < program->kernel_count; k++)
		program->kernels[k].prints = print_is_used(LLVMGetNamedFunction(
			compilation->module, program->kernels[k].name));
	if (!status)
		status = attempts_run(compilation, binary, binary_size, error);
	if (!status && generated) {
		generated_say_missing(generated, program);
		status = generated_merge(generated, options, binary,
					 binary_size, error);
	}
	generated_free(generated);
	free(compilation->choice);
	evg_program_free(program);
	return status;
}

int backend_compile_here(const struct backend_options *options,
			 const void *bitcode, size_t bitcode_size,
			 char **binary, size_t *binary_size,
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
