/* Any bytes as a kernel binary: refused with a message, or every kernel of it
 * can be decoded or is refused with a message. */
#include <stdio.h>

#include "evergreen/listing/listing.h"
#include "evergreen/isa/code.h"
#include "evergreen/kernel/kernel.h"
#include "fuzz/fuzz.h"

static void decode_kernel(const struct evg_program *program,
			  const struct evg_kernel *kernel, FILE *nowhere)
{
	struct error error = { "" };
	struct evg_code *code;

	if (evg_program_find(program, kernel->name) == NULL)
		fuzz_fail("kernel %s is not found by its name", kernel->name);
	if (kernel->code_offset > program->text_size ||
	    kernel->code_size > program->text_size - kernel->code_offset)
		fuzz_fail("kernel %s lies outside the code", kernel->name);
	code = evg_code_decode(program->text + kernel->code_offset,
			       kernel->code_size, &error);
	if (code)
		evg_code_print(code, nowhere);
	else if (!error.text[0])
		fuzz_fail("code refused without a message");
	evg_code_free(code);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *nowhere;
	struct error error = { "" };
	struct evg_program *program =
		evg_program_read("kernel.bin", data, size, &error);

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	if (!program) {
		if (!error.text[0])
			fuzz_fail("refused without a message");
		return 0;
	}
	for (uint32_t i = 0; i < program->relocation_count; i++)
		if (program->relocations[i] > program->text_size - 4)
			fuzz_fail("relocation %u lies outside the code", i);
	for (uint32_t i = 0; i < program->kernel_count; i++)
		decode_kernel(program, &program->kernels[i], nowhere);
	evg_program_free(program);
	return 0;
}
