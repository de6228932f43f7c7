#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/isa/code.h"
#include "evergreen/kernel/kernel.h"

enum { CODE_ALIGNMENT = 256 };

uint32_t evg_program_append(struct evg_program *program, const uint8_t *bytes,
			    uint32_t size)
{
	uint32_t start = (program->text_size + CODE_ALIGNMENT - 1) /
			 CODE_ALIGNMENT * CODE_ALIGNMENT;

	program->text = xrealloc(program->text, start + size);
	memset(program->text + program->text_size, 0,
	       start - program->text_size);
	memcpy(program->text + start, bytes, size);
	program->text_size = start + size;
	return start;
}

void evg_program_add_code(struct evg_program *program,
			  struct evg_kernel *kernel, const uint8_t *code,
			  uint32_t size)
{
	kernel->code_offset = evg_program_append(program, code, size);
	kernel->code_size = size;
}

static void free_kernel(struct evg_kernel *kernel)
{
	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		free((char *)kernel->arguments[i].name);
		free((char *)kernel->arguments[i].type_name);
	}
	free((struct evg_argument *)kernel->arguments);
	free((struct evg_literal_sampler *)kernel->samplers);
	free((char *)kernel->name);
	free((char *)kernel->attributes);
	evg_code_free(kernel->code);
}

void evg_program_free(struct evg_program *program)
{
	if (!program)
		return;
	for (uint32_t i = 0; i < program->kernel_count; i++)
		free_kernel(&program->kernels[i]);
	for (uint32_t i = 0; i < program->format_count; i++) {
		free(program->formats[i].text);
		free(program->formats[i].sizes);
	}
	free(program->kernels);
	free(program->formats);
	free(program->data);
	free(program->relocations);
	free(program->text);
	evg_lines_free(program->lines);
	free((char *)program->build_options);
	free((char *)program->compiler);
	free(program);
}

const struct evg_kernel *evg_program_find(const struct evg_program *program,
					  const char *name)
{
	for (uint32_t i = 0; i < program->kernel_count; i++)
		if (!strcmp(program->kernels[i].name, name))
			return &program->kernels[i];
	return NULL;
}
