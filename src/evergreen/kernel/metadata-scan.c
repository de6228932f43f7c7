/* The words, numbers and strings of the metadata text. */
#include "evergreen/kernel/metadata-internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

int scan_expected(const struct scanner *scanner, const char *what)
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

bool scan_peek(const struct scanner *scanner, const char *word)
{
	size_t length = strlen(word);

	return (size_t)(scanner->end - scanner->at) > length &&
	       !memcmp(scanner->at, word, length) &&
	       (scanner->at[length] == ' ' || scanner->at[length] == '\n');
}

int scan_word(struct scanner *scanner, const char *word)
{
	if (!scan_peek(scanner, word))
		return scan_expected(scanner, word);
	scanner->at += strlen(word);
	return 0;
}

int scan_char(struct scanner *scanner, char byte)
{
	if (scanner->at == scanner->end || *scanner->at != byte)
		return scan_expected(scanner, byte == ' ' ? "a blank"
					      : byte == '\n'
						  ? "the end of the line"
						  : "a quoted string");
	scanner->at++;
	if (byte == '\n')
		scanner->line++;
	return 0;
}

int scan_number(struct scanner *scanner, const char *what, uint32_t minimum,
		uint32_t maximum, uint32_t *result)
{
	char wanted[96];
	uint64_t value = 0;
	const char *start;

	if (scan_char(scanner, ' '))
		return -1;
	start = scanner->at;
	while (scanner->at < scanner->end && *scanner->at >= '0' &&
	       *scanner->at <= '9' && value <= UINT32_MAX)
		value = value * 10 + (uint64_t)(*scanner->at++ - '0');
	if (scanner->at == start || value < minimum || value > maximum) {
		scanner->at = start;
		snprintf(wanted, sizeof wanted, "%s (%u to %u)", what, minimum,
			 maximum);
		return scan_expected(scanner, wanted);
	}
	*result = (uint32_t)value;
	return 0;
}

int scan_choice(struct scanner *scanner, const char *const *words,
		unsigned count, const char *what, unsigned *result)
{
	if (scan_char(scanner, ' '))
		return -1;
	for (*result = 0; *result < count; ++*result)
		if (scan_peek(scanner, words[*result])) {
			scanner->at += strlen(words[*result]);
			return 0;
		}
	return scan_expected(scanner, what);
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
	return scan_expected(scanner, "\\\", \\\\ or \\xHH");
}

int scan_string(struct scanner *scanner, const char **result)
{
	char *text;
	size_t length = 0;

	if (scan_char(scanner, ' ') || scan_char(scanner, '"'))
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
		return scan_expected(scanner, "the rest of a quoted string");
	}
	scanner->at++;
	text[length] = 0;
	*result = xrealloc(text, length + 1);
	return 0;
}

int scan_line(struct scanner *scanner, const char *word, const char **result)
{
	if (scan_word(scanner, word) || scan_string(scanner, result))
		return -1;
	return scan_char(scanner, '\n');
}
