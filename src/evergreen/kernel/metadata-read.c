/* The metadata text read: its lines in their order. */
#include "evergreen/kernel/metadata-internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/isa/inst.h"

static int read_sizes(struct scanner *scanner, const char *word,
		      uint32_t sizes[3])
{
	if (scan_word(scanner, word))
		return -1;
	for (int i = 0; i < 3; i++)
		if (scan_number(scanner, "a work-group size", 0, UINT32_MAX,
				&sizes[i]))
			return -1;
	return scan_char(scanner, '\n');
}

/* The number of an image or sampler. */
static int read_binding(struct scanner *scanner, struct evg_argument *argument)
{
	if (!metadata_has_number(argument->kind))
		return 0;
	if (argument->kind == EVG_ARGUMENT_SAMPLER)
		return scan_number(scanner, "a sampler's number", 0,
				   EVG_SAMPLERS - 1, &argument->number);
	if (argument->access == EVG_ACCESS_WRITE_ONLY)
		return scan_number(scanner, "the RAT of an image", 0,
				   EVG_RATS - 1, &argument->number);
	return scan_number(scanner, "the fetch resource of an image", 0,
			   EVG_FETCH_RESOURCES - 1, &argument->number);
}

static int read_argument(struct scanner *scanner, uint32_t tail,
			 struct evg_argument *argument)
{
	unsigned kind, space, access;

	if (scan_word(scanner, "argument") ||
	    scan_choice(scanner, metadata_kinds, METADATA_KINDS,
			"an argument kind", &kind) ||
	    scan_choice(scanner, metadata_spaces, METADATA_SPACES,
			"an address space", &space) ||
	    scan_choice(scanner, metadata_accesses, METADATA_ACCESSES,
			"an access qualifier", &access) ||
	    scan_number(scanner, "type qualifiers", 0, 7,
			&argument->qualifiers) ||
	    scan_number(scanner, "an argument offset", EVG_ARGUMENTS_START,
			tail, &argument->offset) ||
	    scan_number(scanner, "an argument size inside the arguments", 0,
			tail - argument->offset, &argument->size) ||
	    scan_number(scanner, "an alignment", 1, 4096,
			&argument->alignment))
		return -1;
	if (argument->alignment & (argument->alignment - 1))
		return scan_expected(scanner,
				     "an alignment that is a power of two");
	if (kind != EVG_ARGUMENT_VALUE &&
	    argument->size !=
		    (kind == EVG_ARGUMENT_IMAGE ? EVG_IMAGE_ARGUMENT_SIZE : 4))
		return scan_expected(scanner,
				     "4 bytes for a pointer or sampler, "
				     "32 for an image");
	argument->kind = (enum evg_argument_kind)kind;
	argument->address_space = (enum evg_address_space)space;
	argument->access = (enum evg_access)access;
	if (read_binding(scanner, argument))
		return -1;
	if (scan_string(scanner, &argument->type_name) ||
	    scan_string(scanner, &argument->name))
		return -1;
	return scan_char(scanner, '\n');
}

static int read_arguments(struct scanner *scanner, struct evg_kernel *kernel)
{
	struct evg_argument *arguments = NULL;
	uint32_t capacity = 0, end = EVG_ARGUMENTS_START;
	int status = 0;

	while (!status && scan_peek(scanner, "argument")) {
		struct evg_argument *argument;

		if (kernel->argument_count == EVG_ARGUMENT_COUNT_MAX) {
			status = scan_expected(scanner, "no more arguments");
			break;
		}
		ARRAY_GROW(arguments, kernel->argument_count, capacity);
		argument = &arguments[kernel->argument_count++];
		memset(argument, 0, sizeof *argument);
		status = read_argument(scanner, kernel->tail_offset, argument);
		if (!status && argument->offset < end)
			status = scan_expected(scanner, "arguments that do not "
							"overlap before this");
		end = argument->offset + argument->size;
	}
	kernel->arguments = arguments;
	return status;
}

/* The number of a constant, which no earlier line has given. */
static int read_constant(struct scanner *scanner, const char *word,
			 uint32_t *given, uint32_t *number)
{
	if (scan_word(scanner, word) ||
	    scan_number(scanner, "a constant's number", 0,
			EVG_LOOP_CONSTANTS - 1, number))
		return -1;
	if (*given >> *number)
		return scan_expected(scanner,
				     "constants in ascending order before "
				     "this");
	*given |= UINT32_C(1) << *number;
	return 0;
}

static int read_flow(struct scanner *scanner, struct evg_flow_constants *flow)
{
	uint32_t number, value;

	while (scan_peek(scanner, "loop")) {
		if (read_constant(scanner, "loop", &flow->loops_given,
				  &number))
			return -1;
		for (unsigned i = 0; i < 4; i++) {
			if (scan_number(scanner,
					"a component of a loop "
					"constant",
					0, UINT32_MAX, &value))
				return -1;
			flow->loops[number][i] = (int32_t)value;
		}
		if (scan_char(scanner, '\n'))
			return -1;
	}
	while (scan_peek(scanner, "bool")) {
		if (read_constant(scanner, "bool", &flow->bools_given,
				  &number) ||
		    scan_number(scanner, "a boolean", 0, 1, &value) ||
		    scan_char(scanner, '\n'))
			return -1;
		flow->bools |= value << number;
	}
	return 0;
}

/* The lines that only some kernels have. */
static int read_needs(struct scanner *scanner, struct evg_kernel *kernel)
{
	if (scan_peek(scanner, "scratch")) {
		if (scan_word(scanner, "scratch") ||
		    scan_number(scanner, "bytes of scratch memory", 4,
				EVG_SCRATCH_SIZE_MAX, &kernel->scratch_size))
			return -1;
		if (kernel->scratch_size % 4)
			return scan_expected(scanner, "a multiple of 4");
		if (scan_char(scanner, '\n'))
			return -1;
	}
	if (scan_peek(scanner, "printf")) {
		kernel->prints = true;
		if (scan_word(scanner, "printf") || scan_char(scanner, '\n'))
			return -1;
	}
	return 0;
}

static int read_float_mode(struct scanner *scanner, struct evg_float_mode *mode)
{
	uint32_t bits, dx10_clamp;

	if (scan_word(scanner, "float_mode") ||
	    scan_number(scanner, "a float mode", 0, 255, &bits) ||
	    scan_number(scanner, "DX10_CLAMP", 0, 1, &dx10_clamp) ||
	    scan_char(scanner, '\n'))
		return -1;
	*mode = evg_float_mode_decode(bits, dx10_clamp);
	return 0;
}

/* "sampler <number> <bits>" lines. */
static int read_samplers(struct scanner *scanner, struct evg_kernel *kernel)
{
	struct evg_literal_sampler *samplers = NULL, sampler;
	uint32_t capacity = 0;
	int status = 0;

	while (!status && scan_peek(scanner, "sampler")) {
		if (scan_word(scanner, "sampler") ||
		    scan_number(scanner, "a sampler's number", 0,
				EVG_SAMPLERS - 1, &sampler.number) ||
		    scan_number(scanner, "a sampler's bits", 0, 63,
				&sampler.bits) ||
		    scan_char(scanner, '\n')) {
			status = -1;
		} else if (kernel->sampler_count == EVG_SAMPLERS) {
			status = scan_expected(scanner, "no more samplers");
		} else {
			ARRAY_GROW(samplers, kernel->sampler_count, capacity);
			samplers[kernel->sampler_count++] = sampler;
		}
	}
	kernel->samplers = samplers;
	return status;
}

static int read_kernel(struct scanner *scanner, struct evg_kernel *kernel)
{
	if (scan_line(scanner, "kernel", &kernel->name) ||
	    scan_line(scanner, "attributes", &kernel->attributes) ||
	    read_sizes(scanner, "reqd_work_group_size",
		       kernel->reqd_work_group_size) ||
	    read_sizes(scanner, "work_group_size_hint",
		       kernel->work_group_size_hint) ||
	    scan_word(scanner, "tail") ||
	    scan_number(scanner, "the offset of work_dim", EVG_ARGUMENTS_START,
			EVG_CONSTANT_BUFFER_SIZE - EVG_ARGUMENTS_TAIL_SIZE,
			&kernel->tail_offset))
		return -1;
	if (kernel->tail_offset % 4)
		return scan_expected(scanner,
				     "an offset that is a multiple of 4");
	if (scan_char(scanner, '\n') || read_needs(scanner, kernel) ||
	    (scan_peek(scanner, "float_mode") &&
	     read_float_mode(scanner, &kernel->float_mode)) ||
	    read_flow(scanner, &kernel->flow))
		return -1;
	if (read_arguments(scanner, kernel))
		return -1;
	return read_samplers(scanner, kernel);
}

int evg_metadata_read(const char *name, const char *text, size_t size,
		      struct evg_program *program, struct error *error)
{
	struct scanner scanner = { name, text, text + size, 1, error };
	uint32_t capacity = 0, count;

	if (scan_word(&scanner, "m2s-kernels"))
		return -1;
	if (scan_number(&scanner, "format version", EVG_METADATA_VERSION,
			EVG_METADATA_VERSION, &count) ||
	    scan_char(&scanner, '\n'))
		return -1;
	if (scan_line(&scanner, "compiler", &program->compiler) ||
	    scan_line(&scanner, "options", &program->build_options))
		return -1;
	while (scan_peek(&scanner, "kernel")) {
		struct evg_kernel *kernel;

		ARRAY_GROW(program->kernels, program->kernel_count, capacity);
		kernel = &program->kernels[program->kernel_count++];
		memset(kernel, 0, sizeof *kernel);
		kernel->program = program;
		if (read_kernel(&scanner, kernel))
			return -1;
	}
	if (scan_word(&scanner, "end") ||
	    scan_number(&scanner, "the number of kernels",
			program->kernel_count, program->kernel_count, &count) ||
	    scan_char(&scanner, '\n'))
		return -1;
	if (scanner.at != scanner.end)
		return scan_expected(&scanner, "nothing more");
	return 0;
}
