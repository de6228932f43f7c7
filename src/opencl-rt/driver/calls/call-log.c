#include "opencl-rt/driver/calls/call-log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "opencl-rt/driver/calls/symbols.h"
#include "opencl-rt/driver/internal.h"

enum {
	HEADER_WORDS = sizeof(struct opencl_header) / sizeof(uint64_t),
	MOST_ELEMENTS = 16, /* of a list, and bytes of a value */
};

enum field_kind {
	FIELD_NUMBER,
	FIELD_ADDRESS,
	FIELD_TEXT,
	FIELD_OBJECT,
	FIELD_OBJECTS,
	FIELD_MADE,
	FIELD_SIZES,
	FIELD_VALUE,
	FIELD_ENUM,
	FIELD_BITS,
};

struct field {
	const char *name;
	enum field_kind kind;
	enum symbol_set set;
	const char *count; /* the field that has it, or a number */
};

#define DETAIL_NUMBER(detail) 0, NULL
#define DETAIL_ADDRESS(detail) 0, NULL
#define DETAIL_TEXT(detail) 0, NULL
#define DETAIL_OBJECT(detail) 0, NULL
#define DETAIL_OBJECTS(detail) 0, #detail
#define DETAIL_MADE(detail) 0, NULL
#define DETAIL_SIZES(detail) 0, #detail
#define DETAIL_VALUE(detail) 0, #detail
#define DETAIL_ENUM(detail) SYMBOLS_##detail, NULL
#define DETAIL_BITS(detail) SYMBOLS_##detail, NULL

#define FIELD(name, kind, detail) {#name, FIELD_##kind, DETAIL_##kind(detail)},
#define CALL(name, major, minor, state, fields)                                \
	static const struct field fields_##name[] = {fields{0}};
#define INTERNAL(name, fields)                                                 \
	static const struct field fields_##name[] = {fields{0}};
#include "opencl-rt/api.def"

static const struct field *const fields_of[OPENCL_CALL_COUNT] = {
#define CALL(name, major, minor, state, fields) [OPENCL_##name] = fields_##name,
#define INTERNAL(name, fields) [OPENCL_##name] = fields_##name,
#include "opencl-rt/api.def"
};

/* A request being described. */
struct request {
	struct opencl_driver *driver;
	const struct field *fields;
	const uint64_t *words; /* of its fields */
	FILE *stream;
};

static uint64_t count_of(const struct request *request,
			 const struct field *field)
{
	for (size_t i = 0; request->fields[i].name; i++)
		if (!strcmp(request->fields[i].name, field->count))
			return request->words[i];
	return strtoull(field->count, NULL, 10);
}

static bool print_known(const struct request *request, uint64_t handle)
{
	static const char *const nouns[] = {
#define KIND(id, noun, error) #noun,
	    OBJECT_KINDS
#undef KIND
	};
	const struct object *object = object_by_handle(request->driver, handle);

	if (!object)
		return false;
	fprintf(request->stream, "%s#%" PRIu64,
		object->kind == OBJECT_BUFFER &&
			((const struct buffer *)object)->image
		    ? "image"
		    : nouns[object->kind],
		object->serial);
	return true;
}

static void print_object(const struct request *request, uint64_t handle)
{
	if (!handle)
		fputs("NULL", request->stream);
	else if (!print_known(request, handle))
		fprintf(request->stream, "0x%" PRIx64 " (no object)", handle);
}

static void print_size(const struct request *request, uint64_t size)
{
	fprintf(request->stream, "%" PRIu64, size);
}

/* A list of words of the program, each written by a function. */
static void print_list(const struct request *request, const struct field *field,
		       uint64_t address,
		       void (*print)(const struct request *request,
				     uint64_t word))
{
	uint64_t count = count_of(request, field), word;
	unsigned size = request->driver->word;

	if (!address) {
		fputs("NULL", request->stream);
		return;
	}
	fputc('{', request->stream);
	for (uint64_t i = 0; i < count; i++) {
		if (i)
			fputs(", ", request->stream);
		if (i == MOST_ELEMENTS ||
		    program_read_words(request->driver, address + i * size,
				       &word, 1)) {
			fputs(i == MOST_ELEMENTS ? "..." : "bad pointer",
			      request->stream);
			break;
		}
		print(request, word);
	}
	fputc('}', request->stream);
}

static void print_text(const struct request *request, uint64_t address)
{
	char *text = address ? program_string(request->driver, address) : NULL;

	if (!text) {
		fprintf(request->stream, address ? "bad pointer" : "NULL");
		return;
	}
	fputc('"', request->stream);
	for (const unsigned char *c = (void *)text; *c; c++) {
		if (*c == '\n')
			fputs("\\n", request->stream);
		else if (*c == '"' || *c == '\\')
			fprintf(request->stream, "\\%c", *c);
		else if (*c < ' ')
			fprintf(request->stream, "\\x%02x", *c);
		else
			fputc(*c, request->stream);
	}
	fputc('"', request->stream);
	free(text);
}

/* What an argument of a kernel, or the pattern of a fill, is. */
static void print_value(const struct request *request,
			const struct field *field, uint64_t address)
{
	uint64_t size = count_of(request, field), word = 0;
	uint64_t shown = size < MOST_ELEMENTS ? size : MOST_ELEMENTS;
	uint8_t bytes[MOST_ELEMENTS];

	if (!address) {
		fputs("NULL", request->stream);
		return;
	}
	if (program_read(request->driver, address, bytes, shown)) {
		fputs("bad pointer", request->stream);
		return;
	}
	if (size <= sizeof word)
		memcpy(&word, bytes, size);
	if (size == request->driver->word && print_known(request, word))
		return;
	if (size == 1 || size == 2 || size == 4 || size == 8) {
		fprintf(request->stream, "0x%0*" PRIx64, (int)size * 2, word);
		return;
	}
	fputc('{', request->stream);
	for (uint64_t i = 0; i < shown; i++)
		fprintf(request->stream, "%s%02x", i ? " " : "", bytes[i]);
	fputs(shown < size ? " ...}" : "}", request->stream);
}

static void print_field(const struct request *request,
			const struct field *field, uint64_t word)
{
	switch (field->kind) {
	case FIELD_NUMBER:
		print_size(request, word);
		break;
	case FIELD_TEXT:
		print_text(request, word);
		break;
	case FIELD_OBJECT:
		print_object(request, word);
		break;
	case FIELD_OBJECTS:
		print_list(request, field, word, print_object);
		break;
	case FIELD_SIZES:
		print_list(request, field, word, print_size);
		break;
	case FIELD_VALUE:
		print_value(request, field, word);
		break;
	case FIELD_ENUM:
		constant_print(request->stream, field->set, word);
		break;
	case FIELD_BITS:
		constant_print_bits(request->stream, field->set, word);
		break;
	case FIELD_ADDRESS:
	case FIELD_MADE:
		fprintf(request->stream, word ? "0x%" PRIx64 : "NULL", word);
		break;
	}
}

static struct request request_of(struct opencl_driver *driver,
				 const uint64_t *words, FILE *stream)
{
	const struct opencl_header *header = (const void *)words;

	return (struct request){driver, fields_of[header->call],
				words + HEADER_WORDS, stream};
}

void call_text_begin(struct call_text *call, struct opencl_driver *driver,
		     const uint64_t *words)
{
	const struct opencl_header *header = (const void *)words;
	struct request request;
	const char *between = "";

	call->begin = time_now(driver);
	call->again = header->ticket != 0;
	request =
	    request_of(driver, words, open_memstream(&call->text, &call->size));
	if (!request.stream)
		abort(); /* no memory */
	fprintf(request.stream, "%s(", call_name(header->call));
	for (size_t i = 0; request.fields[i].name; i++) {
		if (request.fields[i].kind == FIELD_MADE)
			continue;
		fprintf(request.stream, "%s%s = ", between,
			request.fields[i].name);
		print_field(&request, &request.fields[i], request.words[i]);
		between = ", ";
	}
	fputc(')', request.stream);
	fclose(request.stream);
}

void call_text_end(struct call_text *call, struct opencl_driver *driver,
		   const uint64_t *words, FILE *stream)
{
	const struct opencl_header *header = (const void *)words;
	struct request request = request_of(driver, words, stream);

	/* It still waits, as has been told. */
	if (call->again && header->status == OPENCL_AGAIN) {
		free(call->text);
		return;
	}
	fprintf(stream, "%s = %s", call->text,
		opencl_error_name(header->status));
	free(call->text);
	for (size_t i = 0; request.fields[i].name; i++) {
		if (request.fields[i].kind != FIELD_MADE ||
		    !object_by_handle(driver, request.words[i]))
			continue;
		fputs(", makes ", stream);
		print_known(&request, request.words[i]);
	}
	fprintf(stream, "; at %.3f us, %.3f us\n", (double)call->begin / 1e6,
		(double)(time_now(driver) - call->begin) / 1e6);
}
