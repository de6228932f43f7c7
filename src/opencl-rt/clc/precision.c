/* With cl_khr_fp64 in the language 0.1 is a double, and pow(x, 2.0) with a
 * float x is ambiguous. Programs that were written for devices without doubles
 * have many of those; there, as with AMD's compiler for this device, such
 * constants are single unless the program asks for doubles. It does by the type, by
 * a constant of <float.h> or <math.h>, or by enabling an extension. */
#include "opencl-rt/clc/precision.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* In any word. */
static const char type_name[] = "double";

/* M_PI is a double, M_PI_F is not. */
static const char *const constants[] = {
	"M_E", "M_LOG2E", "M_LOG10E", "M_LN2", "M_LN10", "M_PI", "M_PI_2",
	"M_PI_4", "M_1_PI", "M_2_PI", "M_2_SQRTPI", "M_SQRT2", "M_SQRT1_2",
};

static bool is_word_character(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* double, double4, convert_double2_rte, as_double; DBL_MAX; M_PI. */
static bool is_double_word(const char *word, size_t length)
{
	if (memmem(word, length, type_name, sizeof type_name - 1))
		return true;
	if (length > 4 && !memcmp(word, "DBL_", 4))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(constants); i++)
		if (strlen(constants[i]) == length &&
		    !memcmp(word, constants[i], length))
			return true;
	return false;
}

/* Whether a line enables the extension, as "#pragma OPENCL EXTENSION
 * cl_khr_fp64 : enable" does. */
static bool enables(const char *line, size_t length, const char *extension)
{
	return memmem(line, length, "pragma", 6) &&
	       memmem(line, length, extension, strlen(extension)) &&
	       memmem(line, length, "enable", 6);
}

/* Past a string or character constant. */
static const char *skip_quoted(const char *at)
{
	char quote = *at++;

	for (; *at && *at != quote && *at != '\n'; at++)
		if (*at == '\\' && at[1])
			at++;
	return *at ? at + 1 : at;
}

enum precision precision_of(const char *text)
{
	enum precision precision = PRECISION_SINGLE;
	bool line_starts = true;

	while (*text) {
		size_t length = 0;

		if (*text == '#' && line_starts) {
			length = strcspn(text, "\n");
			if (enables(text, length, "cl_amd_fp64"))
				return PRECISION_AMD;
			if (enables(text, length, "cl_khr_fp64"))
				precision = PRECISION_DOUBLE;
			text += length;
			continue;
		}
		if (*text == '"' || *text == '\'') {
			text = skip_quoted(text);
			continue;
		}
		line_starts = *text == '\n' ||
			      (line_starts && isspace((unsigned char)*text));
		while (is_word_character(text[length]))
			length++;
		if (length && is_double_word(text, length))
			precision = PRECISION_DOUBLE;
		text += length ? length : 1;
	}
	return precision;
}

bool precision_may_be_double(const char *text)
{
	static const char *const signs[] = { "double", "fp64", "DBL_", "M_",
					     "include", "##" };

	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (strstr(text, signs[i]))
			return true;
	return false;
}

/* --- Without the preprocessor -------------------------------------------- */

/* The end of a piece of text: of a comment, a constant, or of one character. */
static const char *piece_end(const char *text)
{
	const char *end;

	if (!strncmp(text, "//", 2))
		return text + strcspn(text, "\r\n");
	if (!strncmp(text, "/*", 2)) {
		end = strstr(text + 2, "*/");
		return end ? end + 2 : text + strlen(text);
	}
	return *text == '"' || *text == '\'' ? skip_quoted(text) : text + 1;
}

/* Whether a directive is one that remains in what the preprocessor makes. */
static bool is_pragma(const char *text)
{
	text++;
	text += strspn(text, " \t");
	return !strncmp(text, "pragma", 6) && !is_word_character(text[6]);
}

/* Lines that go on, and signs that stand for others. */
static bool has_hidden_signs(const char *text)
{
	static const char *const signs[] = { "\\\n", "\\\r", "?\?", "%:",
					     "_Pragma" };

	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (strstr(text, signs[i]))
			return true;
	return false;
}

bool precision_is_plain(const char *text, enum precision *precision)
{
	char *plain;
	size_t length = 0;

	if (has_hidden_signs(text))
		return false;
	plain = xmalloc(strlen(text) + 1);
	while (*text) {
		const char *end = piece_end(text);

		if (*text == '#' && !is_pragma(text))
			break;
		if (*text == '/' && end != text + 1) {
			plain[length++] = ' ';
			text = end;
			continue;
		}
		for (; text < end; text++)
			plain[length++] = *text == '\r' ? '\n' : *text;
	}
	plain[length] = 0;
	if (!*text)
		*precision = precision_of(plain);
	free(plain);
	return !*text;
}
