#include "evergreen/kernel/metadata.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/isa/inst.h"

/* Words of the format, in the order of the enumerations in kernel.h. */
static const char *const kinds[] = { "value", "pointer", "image", "sampler" };
static const char *const spaces[] = { "private", "global", "constant",
				      "local" };
static const char *const accesses[] = { "none", "read_only", "write_only",
					"read_write" };

/* --- Writing ------------------------------------------------------------ */

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

/* Images and samplers are bound by number. */
static bool has_number(enum evg_argument_kind kind)
{
	return kind == EVG_ARGUMENT_IMAGE || kind == EVG_ARGUMENT_SAMPLER;
}

static void write_argument(FILE *stream, const struct evg_argument *argument)
{
	fprintf(stream, "argument %s %s %s %u %u %u %u ",
		kinds[argument->kind], spaces[argument->address_space],
		accesses[argument->access], argument->qualifiers,
		argument->offset, argument->size, argument->alignment);
	if (has_number(argument->kind))
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

/* --- Reading ------------------------------------------------------------ */

/* Where reading stands. `at` never passes `end`. */
struct scanner {
	const char *name, *at, *end;
	unsigned line;
	struct error *error;
};

/* "name: .m2s.kernels:line: expected X, found Y". Returns -1. */
static int expected(const struct scanner *scanner, const char *what)
{
	char found[48];
	size_t length = 0;

	while (length < sizeof found - 1 &&
	       scanner->at + length < scanner->end &&
	       scanner->at[length] != '\n') {
		char byte = scanner->at[length];

		found[length++] = isprint((unsigned char)byte) ? byte : '?';
	}
	found[length] = 0;
	return error_set(scanner->error,
			 "%s: " EVG_METADATA_SECTION
			 ":%u: expected %s, found %s%s%s (the file is damaged; "
			 "make it again with m2s-clc)",
			 scanner->name, scanner->line, what,
			 length ? "'" : "the end", length ? found : "",
			 length ? "'" : "");
}

static bool peek_word(const struct scanner *scanner, const char *word)
{
	size_t length = strlen(word);

	return (size_t)(scanner->end - scanner->at) > length &&
	       !memcmp(scanner->at, word, length) &&
	       (scanner->at[length] == ' ' || scanner->at[length] == '\n');
}

static int read_word(struct scanner *scanner, const char *word)
{
	if (!peek_word(scanner, word))
		return expected(scanner, word);
	scanner->at += strlen(word);
	return 0;
}

static int read_char(struct scanner *scanner, char byte)
{
	if (scanner->at == scanner->end || *scanner->at != byte)
		return expected(scanner, byte == ' '    ? "a blank"
					 : byte == '\n' ? "the end of the line"
							: "a quoted string");
	scanner->at++;
	if (byte == '\n')
		scanner->line++;
	return 0;
}

/* " <number>" from minimum to maximum. */
static int read_number(struct scanner *scanner, const char *what,
		       uint32_t minimum, uint32_t maximum, uint32_t *result)
{
	char wanted[96];
	uint64_t value = 0;
	const char *start;

	if (read_char(scanner, ' '))
		return -1;
	start = scanner->at;
	while (scanner->at < scanner->end && *scanner->at >= '0' &&
	       *scanner->at <= '9' && value <= UINT32_MAX)
		value = value * 10 + (uint64_t)(*scanner->at++ - '0');
	if (scanner->at == start || value < minimum || value > maximum) {
		scanner->at = start;
		snprintf(wanted, sizeof wanted, "%s (%u to %u)", what, minimum,
			 maximum);
		return expected(scanner, wanted);
	}
	*result = (uint32_t)value;
	return 0;
}

/* " <one of the words>", its index. */
static int read_choice(struct scanner *scanner, const char *const *words,
		       unsigned count, const char *what, unsigned *result)
{
	if (read_char(scanner, ' '))
		return -1;
	for (*result = 0; *result < count; ++*result)
		if (peek_word(scanner, words[*result])) {
			scanner->at += strlen(words[*result]);
			return 0;
		}
	return expected(scanner, what);
}

static int hex_digit(char byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	if (byte >= 'a' && byte <= 'f')
		return byte - 'a' + 10;
	return -1;
}

/* The byte after a backslash; at stands behind the backslash. */
static int read_escape(struct scanner *scanner)
{
	const char *at = scanner->at;

	if (at < scanner->end && (*at == '"' || *at == '\\')) {
		scanner->at++;
		return (unsigned char)*at;
	}
	if (scanner->end - at >= 3 && *at == 'x' && hex_digit(at[1]) >= 0 &&
	    hex_digit(at[2]) >= 0 && hex_digit(at[1]) + hex_digit(at[2])) {
		scanner->at += 3;
		return hex_digit(at[1]) * 16 + hex_digit(at[2]);
	}
	return expected(scanner, "\\\", \\\\ or \\xHH");
}

/* " <quoted string>"; *result is to be freed. */
static int read_string(struct scanner *scanner, const char **result)
{
	char *text;
	size_t length = 0;

	if (read_char(scanner, ' ') || read_char(scanner, '"'))
		return -1;
	text = xmalloc((size_t)(scanner->end - scanner->at) + 1);
	while (scanner->at < scanner->end && *scanner->at != '"') {
		int byte = (unsigned char)*scanner->at;

		if (byte < 0x20)
			break; /* reported below */
		scanner->at++;
		if (byte == '\\')
			byte = read_escape(scanner);
		if (byte < 0) {
			free(text);
			return -1;
		}
		text[length++] = (char)byte;
	}
	if (scanner->at == scanner->end || *scanner->at != '"') {
		free(text);
		return expected(scanner, "the rest of a quoted string");
	}
	scanner->at++;
	text[length] = 0;
	*result = xrealloc(text, length + 1);
	return 0;
}

/* A whole "word "string"" line. */
static int read_line(struct scanner *scanner, const char *word,
		     const char **result)
{
	if (read_word(scanner, word) || read_string(scanner, result))
		return -1;
	return read_char(scanner, '\n');
}

static int read_sizes(struct scanner *scanner, const char *word,
		      uint32_t sizes[3])
{
	if (read_word(scanner, word))
		return -1;
	for (int i = 0; i < 3; i++)
		if (read_number(scanner, "a work-group size", 0, UINT32_MAX,
				&sizes[i]))
			return -1;
	return read_char(scanner, '\n');
}

/* The number of an image or sampler. */
static int read_binding(struct scanner *scanner, struct evg_argument *argument)
{
	if (!has_number(argument->kind))
		return 0;
	if (argument->kind == EVG_ARGUMENT_SAMPLER)
		return read_number(scanner, "a sampler's number", 0,
				   EVG_SAMPLERS - 1, &argument->number);
	if (argument->access == EVG_ACCESS_WRITE_ONLY)
		return read_number(scanner, "the RAT of an image", 0,
				   EVG_RATS - 1, &argument->number);
	return read_number(scanner, "the fetch resource of an image", 0,
			   EVG_FETCH_RESOURCES - 1, &argument->number);
}

static int read_argument(struct scanner *scanner, uint32_t tail,
			 struct evg_argument *argument)
{
	unsigned kind, space, access;

	if (read_word(scanner, "argument") ||
	    read_choice(scanner, kinds, ARRAY_SIZE(kinds), "an argument kind",
			&kind) ||
	    read_choice(scanner, spaces, ARRAY_SIZE(spaces),
			"an address space", &space) ||
	    read_choice(scanner, accesses, ARRAY_SIZE(accesses),
			"an access qualifier", &access) ||
	    read_number(scanner, "type qualifiers", 0, 7,
			&argument->qualifiers) ||
	    read_number(scanner, "an argument offset", EVG_ARGUMENTS_START,
			tail, &argument->offset) ||
	    read_number(scanner, "an argument size inside the arguments", 0,
			tail - argument->offset, &argument->size) ||
	    read_number(scanner, "an alignment", 1, 4096,
			&argument->alignment))
		return -1;
	if (argument->alignment & (argument->alignment - 1))
		return expected(scanner, "an alignment that is a power of two");
	if (kind != EVG_ARGUMENT_VALUE &&
	    argument->size !=
		    (kind == EVG_ARGUMENT_IMAGE ? EVG_IMAGE_ARGUMENT_SIZE : 4))
		return expected(scanner, "4 bytes for a pointer or sampler, "
					 "32 for an image");
	argument->kind = (enum evg_argument_kind)kind;
	argument->address_space = (enum evg_address_space)space;
	argument->access = (enum evg_access)access;
	if (read_binding(scanner, argument))
		return -1;
	if (read_string(scanner, &argument->type_name) ||
	    read_string(scanner, &argument->name))
		return -1;
	return read_char(scanner, '\n');
}

static int read_arguments(struct scanner *scanner, struct evg_kernel *kernel)
{
	struct evg_argument *arguments = NULL;
	uint32_t capacity = 0, end = EVG_ARGUMENTS_START;
	int status = 0;

	while (!status && peek_word(scanner, "argument")) {
		struct evg_argument *argument;

		if (kernel->argument_count == EVG_ARGUMENT_COUNT_MAX) {
			status = expected(scanner, "no more arguments");
			break;
		}
		ARRAY_GROW(arguments, kernel->argument_count, capacity);
		argument = &arguments[kernel->argument_count++];
		memset(argument, 0, sizeof *argument);
		status = read_argument(scanner, kernel->tail_offset, argument);
		if (!status && argument->offset < end)
			status = expected(scanner, "arguments that do not "
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
	if (read_word(scanner, word) ||
	    read_number(scanner, "a constant's number", 0,
			EVG_LOOP_CONSTANTS - 1, number))
		return -1;
	if (*given >> *number)
		return expected(scanner, "constants in ascending order before "
					 "this");
	*given |= UINT32_C(1) << *number;
	return 0;
}

static int read_flow(struct scanner *scanner, struct evg_flow_constants *flow)
{
	uint32_t number, value;

	while (peek_word(scanner, "loop")) {
		if (read_constant(scanner, "loop", &flow->loops_given,
				  &number))
			return -1;
		for (unsigned i = 0; i < 4; i++) {
			if (read_number(scanner, "a component of a loop "
						 "constant", 0, UINT32_MAX,
					&value))
				return -1;
			flow->loops[number][i] = (int32_t)value;
		}
		if (read_char(scanner, '\n'))
			return -1;
	}
	while (peek_word(scanner, "bool")) {
		if (read_constant(scanner, "bool", &flow->bools_given,
				  &number) ||
		    read_number(scanner, "a boolean", 0, 1, &value) ||
		    read_char(scanner, '\n'))
			return -1;
		flow->bools |= value << number;
	}
	return 0;
}

/* The lines that only some kernels have. */
static int read_needs(struct scanner *scanner, struct evg_kernel *kernel)
{
	if (peek_word(scanner, "scratch")) {
		if (read_word(scanner, "scratch") ||
		    read_number(scanner, "bytes of scratch memory", 4,
				EVG_SCRATCH_SIZE_MAX, &kernel->scratch_size))
			return -1;
		if (kernel->scratch_size % 4)
			return expected(scanner, "a multiple of 4");
		if (read_char(scanner, '\n'))
			return -1;
	}
	if (peek_word(scanner, "printf")) {
		kernel->prints = true;
		if (read_word(scanner, "printf") || read_char(scanner, '\n'))
			return -1;
	}
	return 0;
}

static int read_float_mode(struct scanner *scanner, struct evg_float_mode *mode)
{
	uint32_t bits, dx10_clamp;

	if (read_word(scanner, "float_mode") ||
	    read_number(scanner, "a float mode", 0, 255, &bits) ||
	    read_number(scanner, "DX10_CLAMP", 0, 1, &dx10_clamp) ||
	    read_char(scanner, '\n'))
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

	while (!status && peek_word(scanner, "sampler")) {
		if (read_word(scanner, "sampler") ||
		    read_number(scanner, "a sampler's number", 0,
				EVG_SAMPLERS - 1, &sampler.number) ||
		    read_number(scanner, "a sampler's bits", 0, 63,
				&sampler.bits) ||
		    read_char(scanner, '\n')) {
			status = -1;
		} else if (kernel->sampler_count == EVG_SAMPLERS) {
			status = expected(scanner, "no more samplers");
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
	if (read_line(scanner, "kernel", &kernel->name) ||
	    read_line(scanner, "attributes", &kernel->attributes) ||
	    read_sizes(scanner, "reqd_work_group_size",
		       kernel->reqd_work_group_size) ||
	    read_sizes(scanner, "work_group_size_hint",
		       kernel->work_group_size_hint) ||
	    read_word(scanner, "tail") ||
	    read_number(scanner, "the offset of work_dim", EVG_ARGUMENTS_START,
			EVG_CONSTANT_BUFFER_SIZE - EVG_ARGUMENTS_TAIL_SIZE,
			&kernel->tail_offset))
		return -1;
	if (kernel->tail_offset % 4)
		return expected(scanner, "an offset that is a multiple of 4");
	if (read_char(scanner, '\n') || read_needs(scanner, kernel) ||
	    (peek_word(scanner, "float_mode") &&
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
	const char *compiler = NULL;
	uint32_t capacity = 0, count;

	if (read_word(&scanner, "m2s-kernels"))
		return -1;
	if (read_number(&scanner, "format version", EVG_METADATA_VERSION,
			EVG_METADATA_VERSION, &count) ||
	    read_char(&scanner, '\n'))
		return -1;
	if (read_line(&scanner, "compiler", &compiler)) {
		free((char *)compiler);
		return -1;
	}
	free((char *)compiler);
	if (read_line(&scanner, "options", &program->build_options))
		return -1;
	while (peek_word(&scanner, "kernel")) {
		struct evg_kernel *kernel;

		ARRAY_GROW(program->kernels, program->kernel_count, capacity);
		kernel = &program->kernels[program->kernel_count++];
		memset(kernel, 0, sizeof *kernel);
		kernel->program = program;
		if (read_kernel(&scanner, kernel))
			return -1;
	}
	if (read_word(&scanner, "end") ||
	    read_number(&scanner, "the number of kernels",
			program->kernel_count, program->kernel_count, &count) ||
	    read_char(&scanner, '\n'))
		return -1;
	if (scanner.at != scanner.end)
		return expected(&scanner, "nothing more");
	return 0;
}
