/* Our own code generator and LLVM's passes before it in a process of their own. A
 * program can be too much for them; then LLVM's back end is asked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/clc/backend.h"
#include "opencl-rt/clc/process.h"

struct request {
	const struct backend_options *options;
	const void *bitcode;
	size_t size;
};

/* What the child writes, and behind it the binary. */
struct answer {
	int status;
	struct error error;
};

static int answer_request(void *argument, int output)
{
	const struct request *request = argument;
	struct answer answer = { 0 };
	char *binary = NULL;
	size_t size = 0;

	answer.status = backend_compile_here(request->options,
					     request->bitcode, request->size,
					     &binary, &size, &answer.error);
	fflush(stdout);
	return process_write(output, &answer, sizeof answer) ||
	       (!answer.status && process_write(output, binary, size));
}

/* In a process under limits, as LLVM's back end. Results of backend_compile(); or
 * 2 and *error: that process came to a bad end. */
static int compile_apart(struct request *request, char **binary,
			 size_t *binary_size, struct error *error)
{
	struct process_result result;
	struct answer answer;
	char end[128];

	if (process_call(answer_request, request, &request->options->limits,
			 &result, error))
		return 2;
	fputs(result.messages, stderr);
	if (result.timed_out || result.signal || result.exit_status ||
	    result.output_size < sizeof answer) {
		process_describe(&result, &request->options->limits, end,
				 sizeof end);
		process_result_free(&result);
		error_set(error, "%s", end);
		return 2;
	}
	memcpy(&answer, result.output, sizeof answer);
	*error = answer.error;
	if (!answer.status) {
		*binary_size = result.output_size - sizeof answer;
		*binary = xmalloc(*binary_size + 1);
		memcpy(*binary, result.output + sizeof answer, *binary_size);
	}
	process_result_free(&result);
	return answer.status;
}

int backend_compile(const struct backend_options *options, const void *bitcode,
		    size_t bitcode_size, char **binary, size_t *binary_size,
		    struct error *error)
{
	struct request request = { options, bitcode, bitcode_size };
	struct backend_options others = *options;
	int status;

	if (options->codegen != CODEGEN_AUTO)
		return backend_compile_here(options, bitcode, bitcode_size,
					    binary, binary_size, error);
	status = compile_apart(&request, binary, binary_size, error);
	if (status != 2)
		return status;
	fprintf(stderr, "m2s-clc: note: LLVM's back end compiles the program: "
		"the code generator's process %s\n", error->text);
	others.codegen = CODEGEN_RESCHED;
	return backend_compile_here(&others, bitcode, bitcode_size, binary,
				    binary_size, error);
}
