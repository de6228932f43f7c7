/* Any text as an assembler source: refused with a message that names the line,
 * or assembled to kernels that are written, read again, decoded and listed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evergreen/asm/assemble.h"
#include "evergreen/listing/listing.h"
#include "evergreen/isa/code.h"
#include "fuzz/fuzz.h"

static void check_program(const struct evg_program *program)
{
	struct error error = {""};
	struct evg_program *again;
	size_t size;
	void *image = evg_program_write(program, "fuzz", &size);

	again = evg_program_read("again", image, size, &error);
	free(image);
	if (!again)
		fuzz_fail("not read again: %s", error.text);
	if (again->text_size != program->text_size ||
	    memcmp(again->text, program->text, program->text_size))
		fuzz_fail("other code");
	for (uint32_t i = 0; i < again->kernel_count; i++) {
		const struct evg_kernel *kernel = &again->kernels[i];
		struct evg_code *code =
			evg_code_decode(again->text + kernel->code_offset,
					kernel->code_size, &error);

		/* What the text jumps to need not make sense. */
		if (!code && !error.text[0])
			fuzz_fail("code refused without a message");
		evg_code_free(code);
	}
	evg_program_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error error = {""};
	struct evg_program *program;
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	program = evg_assemble("source", text, size, &error);
	if (program)
		check_program(program);
	else if (strncmp(error.text, "source:", 7))
		fuzz_fail("refused without a place: '%s'", error.text);
	evg_program_free(program);
	free(text);
	return 0;
}
