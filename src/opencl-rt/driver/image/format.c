#include "opencl-rt/driver/image/format.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/emu/emu.h"
#include "opencl-rt/printf-buffer.h"

enum {
	WIDTH_MAX = 4095, /* the longest that C promises for a conversion */
	STRING_MAX = 1 << 20,
};

/* A conversion of the format: %[flags][width][.precision][vN][length]X. */
struct conversion {
	char flags[8];
	unsigned width, precision;
	bool has_precision;
	unsigned count;  /* of a vector, or 1 */
	char length[3];  /* "", "hh", "h", "hl", "l" */
	char letter;
};

/* The arguments of a record, taken one after the other. */
struct arguments {
	const uint32_t *next, *end;
};

/* One argument; elements at `dwords`. */
struct value {
	unsigned kind, bytes, count;
	const uint32_t *dwords;
};

/* --- Arguments ---------------------------------------------------------- */

static unsigned dwords_of(const struct value *value)
{
	return value->bytes > 4 ? 2 : 1;
}

static bool take_argument(struct arguments *arguments, struct value *value)
{
	uint32_t tag;

	if (arguments->next >= arguments->end)
		return false;
	tag = *arguments->next++;
	value->kind = PRINTF_TAG_KIND(tag);
	value->bytes = PRINTF_TAG_BYTES(tag);
	value->count = PRINTF_TAG_COUNT(tag);
	value->dwords = arguments->next;
	if (value->count * dwords_of(value) >
	    (size_t)(arguments->end - arguments->next)) {
		arguments->next = arguments->end;
		return false;
	}
	arguments->next += value->count * dwords_of(value);
	return true;
}

static uint64_t bits_of(const struct value *value, unsigned index)
{
	const uint32_t *dword = value->dwords + index * dwords_of(value);
	uint64_t bits = dword[0];

	return value->bytes > 4 ? bits | (uint64_t)dword[1] << 32 : bits;
}

static double half_to_double(uint64_t bits)
{
	double sign = bits & 0x8000 ? -1 : 1;
	int exponent = (int)(bits >> 10 & 31);
	double fraction = (double)(bits & 0x3ff) / 1024;

	if (exponent == 31)
		return fraction > 0 ? NAN : sign * INFINITY;
	return exponent ? sign * ldexp(1 + fraction, exponent - 15)
			: sign * ldexp(fraction, -14);
}

static int64_t sign_extend(uint64_t bits, unsigned bytes)
{
	unsigned shift = 64 - 8 * bytes;

	return (int64_t)(bits << shift) >> shift;
}

static double to_double(const struct value *value, unsigned index)
{
	uint64_t bits = bits_of(value, index);
	uint32_t low = (uint32_t)bits;
	double real;
	float single;

	if (value->kind != PRINTF_FLOAT)
		return (double)sign_extend(bits, value->bytes);
	if (value->bytes == 2)
		return half_to_double(bits);
	if (value->bytes == 8) {
		memcpy(&real, &bits, sizeof real);
		return real;
	}
	memcpy(&single, &low, sizeof single);
	return single;
}

/* An integer as wide as the conversion says. */
static uint64_t to_integer(const struct conversion *conversion,
			   const struct value *value, unsigned index,
			   bool is_signed)
{
	uint64_t bits = bits_of(value, index);
	unsigned bytes;

	if (value->kind == PRINTF_FLOAT) {
		double real = to_double(value, index);

		bits = fabs(real) < 0x1p63 ? (uint64_t)(int64_t)real : 0;
	} else if (is_signed && value->bytes) {
		bits = (uint64_t)sign_extend(bits, value->bytes);
	}
	bytes = !strcmp(conversion->length, "hh")  ? 1
		: !strcmp(conversion->length, "h") ? 2
		: !strcmp(conversion->length, "l") ? 8
						   : 4;
	if (is_signed)
		return (uint64_t)sign_extend(bits, bytes);
	return bytes == 8 ? bits : bits & ((UINT64_C(1) << 8 * bytes) - 1);
}

/* --- Formats ------------------------------------------------------------ */

static const char *read_digits(const char *at, unsigned *value)
{
	for (*value = 0; *at >= '0' && *at <= '9'; at++)
		if (*value <= WIDTH_MAX)
			*value = *value * 10 + (unsigned)(*at - '0');
	if (*value > WIDTH_MAX)
		*value = WIDTH_MAX;
	return at;
}

/* What follows a %; the place behind it. */
static const char *read_conversion(const char *at,
				   struct conversion *conversion)
{
	size_t length = 0;

	memset(conversion, 0, sizeof *conversion);
	conversion->count = 1;
	for (; *at && strchr("-+ #0", *at); at++)
		if (!strchr(conversion->flags, *at) || !*conversion->flags)
			conversion->flags[length++] = *at;
	at = read_digits(at, &conversion->width);
	if (*at == '.') {
		conversion->has_precision = true;
		at = read_digits(at + 1, &conversion->precision);
	}
	if (*at == 'v')
		at = read_digits(at + 1, &conversion->count);
	for (length = 0; length < 2 && (*at == 'h' || *at == 'l'); at++)
		conversion->length[length++] = *at;
	conversion->letter = *at;
	return *at ? at + 1 : at;
}

/* The C conversion for a value of type long long, double or char *. */
static void c_format(const struct conversion *conversion, const char *length,
		     char *text, size_t size)
{
	char width[16] = "", precision[16] = "";

	if (conversion->width)
		snprintf(width, sizeof width, "%u", conversion->width);
	if (conversion->has_precision)
		snprintf(precision, sizeof precision, ".%u",
			 conversion->precision);
	snprintf(text, size, "%%%s%s%s%s%c", conversion->flags, width,
		 precision, length, conversion->letter);
}

/* The formats are made above, not by the program. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void print_integer(FILE *stream, const struct conversion *conversion,
			  uint64_t value)
{
	char format[64];

	c_format(conversion, "ll", format, sizeof format);
	fprintf(stream, format, (unsigned long long)value);
}

static void print_character(FILE *stream, const struct conversion *conversion,
			    uint64_t value)
{
	char format[64];

	c_format(conversion, "", format, sizeof format);
	fprintf(stream, format, (int)(unsigned char)value);
}

static void print_real(FILE *stream, const struct conversion *conversion,
		       double value)
{
	char format[64];

	c_format(conversion, "", format, sizeof format);
	fprintf(stream, format, value);
}

static void print_text(FILE *stream, const struct conversion *conversion,
		       const char *value)
{
	char format[64];

	c_format(conversion, "", format, sizeof format);
	fprintf(stream, format, value);
}
#pragma GCC diagnostic pop

/* A string in device memory, to be freed; NULL for a null pointer. */
static char *device_string(struct evg_memory *memory, uint32_t address)
{
	size_t length = 0, capacity = 0;
	char *text = NULL;
	const char *byte;

	if (!address)
		return NULL;
	do {
		ARRAY_GROW(text, length, capacity);
		byte = evg_memory_host(memory, address + (uint32_t)length, 1);
		text[length] = byte && length < STRING_MAX ? *byte : 0;
	} while (text[length++]);
	return text;
}

static void print_string(FILE *stream, struct evg_memory *memory,
			 const struct conversion *conversion,
			 const struct value *value)
{
	char *text;

	if (value->kind == PRINTF_TEXT) {
		print_text(stream, conversion, (const char *)value->dwords);
		return;
	}
	text = device_string(memory, value->dwords[0]);
	print_text(stream, conversion, text ? text : "(null)");
	free(text);
}

static void print_pointer(FILE *stream, const struct conversion *conversion,
			  uint64_t value)
{
	struct conversion hexadecimal = *conversion;

	hexadecimal.letter = 'x';
	if (!strchr(hexadecimal.flags, '#') &&
	    strlen(hexadecimal.flags) < sizeof hexadecimal.flags - 1)
		strcat(hexadecimal.flags, "#");
	print_integer(stream, &hexadecimal, value);
}

static void print_element(FILE *stream, struct evg_memory *memory,
			  const struct conversion *conversion,
			  const struct value *value, unsigned index)
{
	switch (conversion->letter) {
	case 'd':
	case 'i':
		print_integer(stream, conversion,
			      to_integer(conversion, value, index, true));
		break;
	case 'u':
	case 'o':
	case 'x':
	case 'X':
		print_integer(stream, conversion,
			      to_integer(conversion, value, index, false));
		break;
	case 'c':
		print_character(stream, conversion, bits_of(value, index));
		break;
	case 'p':
		print_pointer(stream, conversion, bits_of(value, index));
		break;
	case 's':
		print_string(stream, memory, conversion, value);
		break;
	default:
		print_real(stream, conversion, to_double(value, index));
	}
}

static void print_conversion(FILE *stream, struct evg_memory *memory,
			     const struct conversion *conversion,
			     struct arguments *arguments)
{
	struct value value;

	if (!take_argument(arguments, &value))
		return;
	for (unsigned i = 0; i < conversion->count && i < value.count; i++) {
		if (i)
			fputc(',', stream);
		print_element(stream, memory, conversion, &value, i);
	}
}

static bool takes_argument(const struct conversion *conversion)
{
	return conversion->letter &&
	       strchr("diouxXcpsfFeEgGaA", conversion->letter);
}

bool format_next(const char **at, char *letter, unsigned *count)
{
	struct conversion conversion;
	const char *percent;

	while ((percent = strchr(*at, '%'))) {
		*at = read_conversion(percent + 1, &conversion);
		if (!takes_argument(&conversion))
			continue;
		*letter = conversion.letter;
		*count = conversion.count;
		return true;
	}
	return false;
}

void format_record(FILE *stream, struct evg_memory *memory,
		   const uint32_t *record, uint32_t length)
{
	char *format = device_string(memory, record[1]);

	format_text(stream, memory, format ? format : "",
		    record + PRINTF_RECORD_HEADER,
		    length - PRINTF_RECORD_HEADER);
	free(format);
}

void format_text(FILE *stream, struct evg_memory *memory, const char *format,
		 const uint32_t *dwords, uint32_t length)
{
	struct arguments arguments = { dwords, dwords + length };
	struct conversion conversion;
	const char *at = format, *start;

	while (*at) {
		size_t plain = strcspn(at, "%");

		fwrite(at, 1, plain, stream);
		at += plain;
		if (!*at)
			break;
		start = at;
		at = read_conversion(at + 1, &conversion);
		if (conversion.letter == '%')
			fputc('%', stream);
		else if (takes_argument(&conversion))
			print_conversion(stream, memory, &conversion,
					 &arguments);
		else
			fwrite(start, 1, (size_t)(at - start), stream);
	}
}
