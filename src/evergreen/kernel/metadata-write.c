/* The metadata text written. */
#include "evergreen/kernel/metadata-internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "evergreen/isa/inst.h"

const char *const metadata_kinds[METADATA_KINDS] = {"value", "pointer", "image",
						    "sampler"};
const char *const metadata_spaces[METADATA_SPACES] = {"private", "global",
						      "constant", "local"};
const char *const metadata_accesses[METADATA_ACCESSES] = {
    "none", "read_only", "write_only", "read_write"};

static void write_string(FILE *stream, const char *text)
{
	fputc('"', stream);
	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text;

		if (byte == '"' || byte == '\\')
			fprintf(stream, "\\%c", byte);
		else if (byte < 0x20 || byte == 0x7f)
			fprintf(stream, "\\x%02x", byte);
		else
			fputc(byte, stream);
	}
	fputc('"', stream);
}

static void write_line(FILE *stream, const char *word, const char *text)
{
	fprintf(stream, "%s ", word);
	write_string(stream, text);
	fputc('\n', stream);
}

static void write_argument(FILE *stream, const struct evg_argument *argument)
{
	fprintf(stream, "argument %s %s %s %u %u %u %u ",
		metadata_kinds[argument->kind],
		metadata_spaces[argument->address_space],
		metadata_accesses[argument->access], argument->qualifiers,
		argument->offset, argument->size, argument->alignment);
	if (metadata_has_number(argument->kind))
		fprintf(stream, "%u ", argument->number);
	write_string(stream, argument->type_name);
	fputc(' ', stream);
	write_string(stream, argument->name);
	fputc('\n', stream);
}

static void write_float_mode(FILE *stream, const struct evg_float_mode *mode)
{
	uint32_t bits = evg_float_mode_encode(mode);

	if (bits != EVG_FLOAT_MODE_DEFAULT || mode->clamp_keeps_nan)
		fprintf(stream, "float_mode %u %d\n", bits,
			!mode->clamp_keeps_nan);
}

static void write_flow(FILE *stream, const struct evg_flow_constants *flow)
{
	for (unsigned n = 0; n < EVG_LOOP_CONSTANTS; n++)
		if (flow->loops_given >> n & 1)
			fprintf(stream, "loop %u %u %u %u %u\n", n,
				(uint32_t)flow->loops[n][0],
				(uint32_t)flow->loops[n][1],
				(uint32_t)flow->loops[n][2],
				(uint32_t)flow->loops[n][3]);
	for (unsigned n = 0; n < EVG_LOOP_CONSTANTS; n++)
		if (flow->bools_given >> n & 1)
			fprintf(stream, "bool %u %u\n", n,
				flow->bools >> n & 1);
}

static void write_kernel(FILE *stream, const struct evg_kernel *kernel)
{
	write_line(stream, "kernel", kernel->name);
	write_line(stream, "attributes", kernel->attributes);
	fprintf(stream, "reqd_work_group_size %u %u %u\n",
		kernel->reqd_work_group_size[0],
		kernel->reqd_work_group_size[1],
		kernel->reqd_work_group_size[2]);
	fprintf(stream, "work_group_size_hint %u %u %u\n",
		kernel->work_group_size_hint[0],
		kernel->work_group_size_hint[1],
		kernel->work_group_size_hint[2]);
	fprintf(stream, "tail %u\n", kernel->tail_offset);
	if (kernel->scratch_size)
		fprintf(stream, "scratch %u\n", kernel->scratch_size);
	if (kernel->prints)
		fputs("printf\n", stream);
	write_float_mode(stream, &kernel->float_mode);
	write_flow(stream, &kernel->flow);
	for (uint32_t i = 0; i < kernel->argument_count; i++)
		write_argument(stream, &kernel->arguments[i]);
	for (uint32_t i = 0; i < kernel->sampler_count; i++)
		fprintf(stream, "sampler %u %u\n", kernel->samplers[i].number,
			kernel->samplers[i].bits);
}

char *evg_metadata_write(const struct evg_program *program,
			 const char *compiler)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		return NULL;
	fprintf(stream, "m2s-kernels %d\n", EVG_METADATA_VERSION);
	write_line(stream, "compiler", compiler);
	write_line(stream, "options", program->build_options);
	for (uint32_t i = 0; i < program->kernel_count; i++)
		write_kernel(stream, &program->kernels[i]);
	fprintf(stream, "end %u\n", program->kernel_count);
	fclose(stream);
	return text;
}
