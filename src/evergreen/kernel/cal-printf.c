/* The formats of printf in a kernel's metadata:
 *
 *	;printf_fmt:index:n:size 1:...:size n:length:text;
 *
 * The sizes are those of the arguments in bytes. The text has `length`
 * characters, any of which may stand between other lines' marks; of C's escape
 * sequences it has \n, \r, \a, \b, \f and \v, each one character long
 * (rocclr/device/gpu/gpuprogram.cpp of AMD's OpenCL runtime). */
#include <stdlib.h>

#include "base/memory.h"
#include "evergreen/kernel/cal.h"

#define KEY ";printf_fmt:"

enum {
	INDEX_MAX = 65535,
	ARGUMENTS_MAX = 255,
	SIZE_MAX_BYTES = 128, /* sixteen doubles */
};

struct cursor {
	const char *at, *end;
};

/* A decimal number up to `limit` and the colon behind it. */
static bool take_number(struct cursor *cursor, uint32_t limit, uint32_t *value)
{
	const char *start = cursor->at;

	for (*value = 0; cursor->at < cursor->end && *cursor->at >= '0' &&
			 *cursor->at <= '9';
	     cursor->at++) {
		*value = *value * 10 + (uint32_t)(*cursor->at - '0');
		if (*value > limit)
			return false;
	}
	if (cursor->at == start || cursor->at == cursor->end ||
	    *cursor->at != ':')
		return false;
	cursor->at++;
	return true;
}

static char unescaped(char letter)
{
	static const char letters[] = "nrabfv", meanings[] = "\n\r\a\b\f\v";
	const char *found = letter ? strchr(letters, letter) : NULL;

	return found ? meanings[found - letters] : '\0';
}

/* The text, to be freed; NULL when it or the semicolon behind it is not
 * there. */
static char *take_text(struct cursor *cursor, uint32_t length)
{
	char *text;

	if (length > (size_t)(cursor->end - cursor->at))
		return NULL;
	text = xcalloc(1, (size_t)length + 1);
	for (uint32_t i = 0; i < length && cursor->at < cursor->end; i++) {
		text[i] = *cursor->at++;
		if (text[i] == '\\' && cursor->at < cursor->end &&
		    unescaped(*cursor->at))
			text[i] = unescaped(*cursor->at++);
	}
	if (cursor->at < cursor->end && *cursor->at == ';') {
		cursor->at++;
		return text;
	}
	free(text);
	return NULL;
}

static struct evg_printf_format *add_format(struct evg_program *program,
					    uint32_t index)
{
	struct evg_printf_format *format;

	if (index >= program->format_count) {
		program->formats = xrealloc(program->formats,
					    (index + 1) * sizeof *format);
		memset(program->formats + program->format_count, 0,
		       (index + 1 - program->format_count) * sizeof *format);
		program->format_count = index + 1;
	}
	format = &program->formats[index];
	/* Each kernel that prints may give the formats of all of them. */
	free(format->text);
	free(format->sizes);
	return format;
}

bool cal_is_printf(const char *at, const char *end)
{
	size_t length = strlen(KEY);

	return (size_t)(end - at) > length && !strncmp(at, KEY, length);
}

const char *cal_printf_read(const char *at, const char *end,
			    struct evg_program *program)
{
	struct cursor cursor = { at + strlen(KEY), end };
	struct evg_printf_format *format;
	uint32_t index, count, length, sizes[ARGUMENTS_MAX];
	char *text = NULL;

	if (!take_number(&cursor, INDEX_MAX, &index) ||
	    !take_number(&cursor, ARGUMENTS_MAX, &count))
		return NULL;
	for (uint32_t i = 0; i < count; i++)
		if (!take_number(&cursor, SIZE_MAX_BYTES, &sizes[i]))
			return NULL;
	if (take_number(&cursor, INT32_MAX / 16, &length))
		text = take_text(&cursor, length);
	if (!text)
		return NULL;
	format = add_format(program, index);
	format->text = text;
	format->argument_count = count;
	format->sizes = xcalloc(count + 1, sizeof *sizes);
	memcpy(format->sizes, sizes, count * sizeof *sizes);
	return cursor.at;
}
