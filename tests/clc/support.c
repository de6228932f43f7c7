#include "clc/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/emu/emu.h"
#include "opencl-rt/clc/process.h"

char *compiler_path(void)
{
	const char *build = getenv("top_builddir");

	return xasprintf("%s/m2s-clc", build ? build : ".");
}

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	char *text;
	size_t size;

	if (!file)
		return NULL;
	text = xmalloc(1 << 20);
	size = fread(text, 1, (1 << 20) - 1, file);
	text[size] = 0;
	fclose(file);
	return text;
}

char *kernel_source(const char *file)
{
	const char *top = getenv("top_srcdir");
	char *path, *text;

	if (*file == '/')
		return read_file(file);
	path = xasprintf("%s/tests/clc/kernels/%s", top ? top : ".", file);
	text = read_file(path);
	free(path);
	return text;
}

static enum evg_chip chosen_chip(void)
{
	const char *name = getenv("M2S_TEST_CHIP");
	int chip = name ? evg_chip_find(name, strlen(name)) : 0;

	if (chip >= 0)
		return (enum evg_chip)chip;
	fprintf(stderr, "M2S_TEST_CHIP=%s: no such chip\n", name);
	exit(1);
}

struct clc_result compile_text(const char *source, const char *options)
{
	char *compiler = compiler_path();
	struct clc_request request = {
		.compiler = compiler,
		.source = source,
		.options = options,
		.chip = chosen_chip(),
	};
	struct clc_result result;
	struct error error;

	if (clc_compile(&request, &result, &error)) {
		result.status = CLC_NOT_AVAILABLE;
		result.log = xstrdup(error.text);
	}
	free(compiler);
	return result;
}

struct clc_result compile_file(const char *file, const char *options)
{
	char *source = kernel_source(file);
	struct clc_result result = { .status = CLC_NOT_AVAILABLE };

	if (!source) {
		result.log = xasprintf("cannot read %s\n", file);
		return result;
	}
	result = compile_text(source, options);
	free(source);
	return result;
}

struct evg_program *compile_program(const char *file, const char *options)
{
	struct clc_result result = compile_file(file, options);
	struct evg_program *program = NULL;
	struct error error;

	if (result.status != CLC_DONE) {
		printf("# %s: %s\n", file, result.log);
	} else {
		program = evg_program_read(file, result.binary,
					   result.binary_size, &error);
		if (!program)
			printf("# %s\n", error.text);
	}
	clc_result_free(&result);
	return program;
}

struct evg_code *kernel_code(const struct evg_program *program,
			     const char *name)
{
	const struct evg_kernel *kernel =
		program ? evg_program_find(program, name) : NULL;
	struct evg_code *code;
	struct error error;

	if (!kernel) {
		printf("# no kernel '%s'\n", name);
		return NULL;
	}
	code = evg_code_decode(program->text + kernel->code_offset,
			       kernel->code_size, &error);
	if (!code)
		printf("# %s: %s\n", name, error.text);
	return code;
}

static uint32_t put(struct evg_memory *memory, const void *bytes, size_t size,
		    const char *name)
{
	uint32_t address = evg_memory_allocate(memory, (uint32_t)size, false,
					       name);

	memcpy(evg_memory_host(memory, address, (uint32_t)size), bytes, size);
	return address;
}

/* Addresses of tables in the text are those of the place where it lies. */
static uint32_t put_text(struct evg_memory *memory,
			 const struct evg_program *program)
{
	uint32_t address = put(memory, program->text, program->text_size,
			       "text");
	uint8_t *text = evg_memory_host(memory, address, program->text_size);

	for (uint32_t i = 0; i < program->relocation_count; i++) {
		uint32_t word;

		memcpy(&word, text + program->relocations[i], sizeof word);
		word += address;
		memcpy(text + program->relocations[i], &word, sizeof word);
	}
	return address;
}

int run_elementwise(const struct evg_kernel *kernel,
		    const struct elementwise *buffers, struct error *error)
{
	struct evg_memory *memory = evg_memory_create(1 << 24, error);
	const uint8_t *operands = buffers->operands;
	uint8_t arguments[1024] = { 0 };
	struct evg_launch launch = {
		.kernel = kernel,
		.memory = memory,
		.work_dim = 1,
		.global_size = { buffers->count, 1, 1 },
		.local_size = { buffers->local_size, 1, 1 },
		.arguments = arguments,
		.local_memory = kernel->local_size,
	};
	struct evg_ndrange *ndrange;
	uint32_t address = 0;
	int status = -1;

	if (!memory)
		return -1;
	launch.text_address = put_text(memory, kernel->program);
	for (unsigned k = 0; k < kernel->argument_count; k++) {
		address = k < buffers->operand_count
				  ? put(memory,
					operands + k * buffers->operand_size,
					buffers->operand_size, "operands")
				  : put(memory, buffers->results,
					buffers->result_size, "results");
		memcpy(arguments + kernel->arguments[k].offset, &address, 4);
	}
	ndrange = evg_ndrange_create(&launch, error);
	if (ndrange)
		status = evg_ndrange_run(ndrange, 1, 100000000, error);
	evg_ndrange_free(ndrange);
	memcpy(buffers->results,
	       evg_memory_host(memory, address,
			       (uint32_t)buffers->result_size),
	       buffers->result_size);
	evg_memory_free(memory);
	return status;
}
