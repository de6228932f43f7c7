/* The metadata of a kernel: one line per fact, fields between colons. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "evergreen/isa/inst.h"
#include "evergreen/kernel/cal.h"
#include "evergreen/kernel/metadata.h"

enum {
	FIELDS = 12,
	LINE_SIZE = 512,
	ARGUMENT_MAX = 65536,
	CONSTANT_BUFFERS = 16,
};

struct reader {
	const char *name;
	struct evg_program *program;
	struct evg_kernel *kernel;
	struct evg_argument *arguments;
	size_t count, capacity;
	unsigned line;
	struct error *error;
};

#define fail(reader, format, ...)                                              \
	error_set((reader)->error, "%s: kernel %s: metadata line %u: " format, \
		  (reader)->name, (reader)->kernel->name, (reader)->line,      \
		  __VA_ARGS__)

static int metadata_number(struct reader *reader, const char *text,
			   uint32_t limit, uint32_t *value)
{
	char *end;
	unsigned long parsed = strtoul(text, &end, 10);

	if (end == text || *end || *text == '-' || parsed > limit)
		return fail(reader, "'%s': expected a number up to %u", text,
			    limit);
	*value = (uint32_t)parsed;
	return 0;
}

/* Bytes of one element: "i32", "u8", "float", "double". */
static uint32_t element_size(const char *type)
{
	static const struct {
		const char *name;
		uint32_t size;
	} types[] = {
		{ "i8", 1 }, { "u8", 1 }, { "i16", 2 }, { "u16", 2 },
		{ "i32", 4 }, { "u32", 4 }, { "i64", 8 }, { "u64", 8 },
		{ "half", 2 }, { "float", 4 }, { "double", 8 },
		{ "struct", 1 }, { "union", 1 }, { "opaque", 4 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(types[i].name, type))
			return types[i].size;
	return 0;
}

static struct evg_argument *add_argument(struct reader *reader,
					 const char *name, const char *type)
{
	struct evg_argument *argument;

	ARRAY_GROW(reader->arguments, reader->count, reader->capacity);
	argument = &reader->arguments[reader->count++];
	*argument = (struct evg_argument){
		.name = xstrdup(name), .type_name = xstrdup(type),
		.alignment = 4,
	};
	/* So that whoever frees the kernel finds it. */
	reader->kernel->arguments = reader->arguments;
	reader->kernel->argument_count = (uint32_t)reader->count;
	return argument;
}

/* Where the argument is in constant buffer 1. */
static int place_argument(struct reader *reader, struct evg_argument *argument,
			  const char *offset)
{
	uint32_t end;

	if (metadata_number(reader, offset, ARGUMENT_MAX - 16,
			    &argument->offset))
		return -1;
	end = argument->offset + argument->size;
	if (argument->size > ARGUMENT_MAX || end > ARGUMENT_MAX)
		return fail(reader, "argument %s of %u bytes at %u: beyond a "
			    "constant buffer", argument->name, argument->size,
			    argument->offset);
	end = (end + 15) / 16 * 16;
	if (reader->kernel->tail_offset < end)
		reader->kernel->tail_offset = end;
	return 0;
}

/* Vectors of three take the place of four. */
static uint32_t vector_size(uint32_t count)
{
	uint32_t size = 1;

	while (size < count)
		size *= 2;
	return size;
}

/* value:name:type:count:1:offset; a struct or union counts its bytes. */
static int take_value(struct reader *reader, char **field)
{
	struct evg_argument *argument =
	    add_argument(reader, field[1], field[2]);
	uint32_t count, size = element_size(field[2]);

	argument->kind = EVG_ARGUMENT_VALUE;
	if (!size)
		return fail(reader, "argument %s has the unknown type '%s'",
			    field[1], field[2]);
	if (metadata_number(reader, field[3], ARGUMENT_MAX, &count))
		return -1;
	argument->size = strcmp(field[2], "struct") && strcmp(field[2], "union")
				 ? size * vector_size(count)
				 : count;
	argument->alignment = size;
	return place_argument(reader, argument, field[5]);
}

/* The constant buffer of a kind hc: 0 and 1 describe launch and arguments. */
static int take_constant_buffer(struct reader *reader,
				struct evg_argument *argument,
				const char *number_text)
{
	argument->address_space = EVG_CONSTANT;
	if (metadata_number(reader, number_text, CONSTANT_BUFFERS - 1,
			    &argument->number))
		return -1;
	return argument->number > 1
		       ? 0
		       : fail(reader, "argument %s is constant buffer %u, which "
			      "has another use", argument->name,
			      argument->number);
}

/* pointer:name:type:1:1:offset:kind:id:align:access:volatile:restrict. Kinds:
 * uav global memory, c constant memory that lies there, hc a constant buffer
 * of the hardware's, hl local memory. */
static int take_pointer(struct reader *reader, char **field)
{
	struct evg_argument *argument =
	    add_argument(reader, field[1], field[2]);

	argument->kind = EVG_ARGUMENT_POINTER;
	argument->size = 4;
	if (!strcmp(field[6], "uav"))
		argument->address_space = EVG_GLOBAL;
	else if (!strcmp(field[6], "c"))
		argument->address_space = EVG_CONSTANT;
	else if (!strcmp(field[6], "hl"))
		argument->address_space = EVG_LOCAL;
	else if (strcmp(field[6], "hc"))
		return fail(reader, "argument %s is a pointer of kind '%s'; "
			    "expected uav, c, hc or hl: compile the source "
			    "with m2s-clc", field[1], field[6]);
	else if (take_constant_buffer(reader, argument, field[7]))
		return -1;
	if (field[10] && !strcmp(field[10], "1"))
		argument->qualifiers |= EVG_QUALIFIER_VOLATILE;
	if (field[11] && !strcmp(field[11], "1"))
		argument->qualifiers |= EVG_QUALIFIER_RESTRICT;
	if (metadata_number(reader, field[8], 256, &argument->alignment))
		return -1;
	if (!argument->alignment ||
	    argument->alignment & (argument->alignment - 1))
		return fail(reader, "argument %s: alignment %u is not a power "
			    "of two", field[1], argument->alignment);
	return place_argument(reader, argument, field[5]);
}

static int take_memory(struct reader *reader, char **field)
{
	uint32_t size;

	if (metadata_number(reader, field[2], 1 << 30, &size))
		return -1;
	if (!strcmp(field[1], "hwlocal"))
		reader->kernel->local_size = size;
	else if (size)
		return fail(reader, "%u bytes of %s memory: not supported for "
			    "AMD binaries; compile the source with m2s-clc",
			    size, field[1]);
	return 0;
}

/* image:name:dimensions:access:id:1:offset. The id is the fetch resource of an
 * image that is read and the RAT of one that is written. */
static int take_image(struct reader *reader, char **field)
{
	static const struct {
		const char *dimensions, *type;
	} types[] = {
		{ "1D", "image1d_t" },	     { "1DA", "image1d_array_t" },
		{ "1DB", "image1d_buffer_t" }, { "2D", "image2d_t" },
		{ "2DA", "image2d_array_t" },  { "3D", "image3d_t" },
	};
	struct evg_argument *argument;
	bool written = !strcmp(field[3], "WO");
	size_t i = 0;

	while (i < ARRAY_SIZE(types) && strcmp(types[i].dimensions, field[2]))
		i++;
	if (i == ARRAY_SIZE(types) || (!written && strcmp(field[3], "RO")))
		return fail(reader, "argument %s is an image '%s:%s'; expected "
			    "1D, 2D or 3D and RO or WO", field[1], field[2],
			    field[3]);
	argument = add_argument(reader, field[1], types[i].type);
	argument->kind = EVG_ARGUMENT_IMAGE;
	argument->address_space = EVG_GLOBAL;
	argument->access = written ? EVG_ACCESS_WRITE_ONLY
				   : EVG_ACCESS_READ_ONLY;
	argument->size = EVG_IMAGE_ARGUMENT_SIZE;
	if (metadata_number(reader, field[4],
			    (written ? EVG_RATS : EVG_FETCH_RESOURCES) - 1,
			    &argument->number))
		return -1;
	return place_argument(reader, argument, field[6]);
}

/* AMD's compiler has other bits than clang for the addressing modes. */
static uint32_t clang_bits(uint32_t bits)
{
	static const uint32_t modes[] = {
		EVG_SAMPLER_ADDRESS_NONE, EVG_SAMPLER_REPEAT,
		EVG_SAMPLER_CLAMP_TO_EDGE, EVG_SAMPLER_CLAMP,
		EVG_SAMPLER_MIRRORED_REPEAT,
	};

	return (bits & ~(uint32_t)EVG_SAMPLER_ADDRESS) |
	       modes[(bits & EVG_SAMPLER_ADDRESS) / 2];
}

/* A sampler that is an argument was a value before: now it has a number. */
static int take_sampler_argument(struct reader *reader, const char *name,
				 uint32_t sampler)
{
	for (size_t i = 0; i < reader->count; i++) {
		struct evg_argument *argument = &reader->arguments[i];

		if (strcmp(argument->name, name) || argument->size != 4 ||
		    argument->kind != EVG_ARGUMENT_VALUE)
			continue;
		argument->kind = EVG_ARGUMENT_SAMPLER;
		argument->number = sampler;
		free((char *)argument->type_name);
		argument->type_name = xstrdup("sampler_t");
		return 0;
	}
	return fail(reader, "sampler %s is no value of four bytes that a line "
		    "before gives", name);
}

/* sampler:name:id:location:value; location 1 is one of the program's own, 0
 * an argument. */
static int take_sampler(struct reader *reader, char **field)
{
	struct evg_kernel *kernel = reader->kernel;
	struct evg_literal_sampler *list =
		(struct evg_literal_sampler *)kernel->samplers, sampler;
	uint32_t location;

	if (metadata_number(reader, field[2], EVG_SAMPLERS - 1,
			    &sampler.number) ||
	    metadata_number(reader, field[3], 1, &location) ||
	    metadata_number(reader, field[4], 63, &sampler.bits))
		return -1;
	if (location != 1)
		return take_sampler_argument(reader, field[1], sampler.number);
	if ((sampler.bits & EVG_SAMPLER_ADDRESS) > EVG_SAMPLER_MIRRORED_REPEAT)
		return fail(reader, "sampler %s has the unknown addressing "
				    "mode %u", field[1], sampler.bits);
	if (kernel->sampler_count == EVG_SAMPLERS)
		return fail(reader, "more than %d samplers", EVG_SAMPLERS);
	sampler.bits = clang_bits(sampler.bits);
	list = xrealloc(list, (kernel->sampler_count + 1) * sizeof *list);
	list[kernel->sampler_count++] = sampler;
	kernel->samplers = list;
	return 0;
}

/* memory:datareqd: there must be some. */
static int take_data(struct reader *reader, char **field)
{
	if (strcmp(field[1], "datareqd") || reader->program->data_count)
		return 0;
	return fail(reader, "%s: the kernel reads a constant data segment, "
		    "and the file has none (a symbol __OpenCL_0_global)",
		    field[1]);
}

static int take_work_group(struct reader *reader, char **field)
{
	uint32_t *size = reader->kernel->reqd_work_group_size;

	for (int i = 0; i < 3; i++)
		if (metadata_number(reader, field[1 + i], 1024, &size[i]))
			return -1;
	free((char *)reader->kernel->attributes);
	reader->kernel->attributes =
		xasprintf("reqd_work_group_size(%u,%u,%u)", size[0], size[1],
			  size[2]);
	return 0;
}

/* reflection:index:type as written */
static int take_reflection(struct reader *reader, char **field)
{
	uint32_t index;

	if (metadata_number(reader, field[1], EVG_ARGUMENT_COUNT_MAX, &index))
		return -1;
	if (index >= reader->count)
		return fail(reader, "the kernel has no argument %u", index);
	free((char *)reader->arguments[index].type_name);
	reader->arguments[index].type_name = xstrdup(field[2]);
	return 0;
}

/* constarg:index:name */
static int take_const(struct reader *reader, char **field)
{
	uint32_t index;

	if (metadata_number(reader, field[1], EVG_ARGUMENT_COUNT_MAX, &index))
		return -1;
	if (index < reader->count)
		reader->arguments[index].qualifiers |= EVG_QUALIFIER_CONST;
	return 0;
}

static const struct {
	const char *key;
	unsigned fields; /* at least, with the key */
	int (*take)(struct reader *reader, char **field);
} lines[] = {
	{ "value", 6, take_value },
	{ "pointer", 10, take_pointer },
	{ "memory", 3, take_memory },
	{ "memory", 2, take_data },
	{ "image", 7, take_image },
	{ "sampler", 5, take_sampler },
	{ "cws", 4, take_work_group },
	{ "reflection", 3, take_reflection },
	{ "constarg", 2, take_const },
};

static int take_line(struct reader *reader, char *line)
{
	char *field[FIELDS] = { NULL };
	unsigned count = 0;

	for (char *at = line; at && count < FIELDS;) {
		field[count++] = at;
		at = strchr(at, ':');
		if (at)
			*at++ = '\0';
	}
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		bool last = i + 1 == ARRAY_SIZE(lines) ||
			    strcmp(lines[i].key, lines[i + 1].key);

		if (strcmp(field[0], lines[i].key))
			continue;
		if (count >= lines[i].fields)
			return lines[i].take(reader, field);
		if (last)
			return fail(reader, "'%s' with %u fields; expected at "
				    "least %u", field[0], count,
				    lines[i].fields);
	}
	return 0; /* what else there is says nothing that we need */
}

/* A format of printf may be longer than a line, and have line breaks. */
static const char *take_printf(struct reader *reader, const char *at,
			       const char *end)
{
	const char *behind = cal_printf_read(at, end, reader->program);

	if (!behind) {
		fail(reader, "'%.*s': expected printf_fmt:index:arguments:"
		     "bytes of each argument:length:text;",
		     end - at < 40 ? (int)(end - at) : 40, at);
		return NULL;
	}
	reader->kernel->prints = true;
	return behind;
}

int cal_metadata_read(const char *name, struct span text,
		      struct evg_program *program, struct evg_kernel *kernel,
		      struct error *error)
{
	struct reader reader = {
		.name = name, .program = program, .kernel = kernel,
		.error = error,
	};
	const char *at = (const char *)text.bytes, *end = at + text.size;

	while (at < end && *at) {
		const char *stop;
		size_t length;
		char line[LINE_SIZE];

		reader.line++;
		if (cal_is_printf(at, end)) {
			at = take_printf(&reader, at, end);
			if (!at)
				return -1;
		}
		stop = memchr(at, '\n', (size_t)(end - at));
		length = (size_t)((stop ? stop : end) - at);
		if (length >= sizeof line)
			return fail(&reader, "longer than %d bytes",
				    LINE_SIZE - 1);
		memcpy(line, at, length);
		line[length] = '\0';
		if (line[0] == ';' && take_line(&reader, line + 1))
			return -1;
		if (reader.count > EVG_ARGUMENT_COUNT_MAX)
			return fail(&reader, "more than %d arguments",
				    EVG_ARGUMENT_COUNT_MAX);
		at += length + 1;
	}
	return 0;
}
