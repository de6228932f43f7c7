#include "evergreen/asm/scan.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void skip_blanks(struct evg_scan *scan)
{
	while (*scan->at == ' ' || *scan->at == '\t')
		scan->at++;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

bool evg_scan_end(struct evg_scan *scan)
{
	skip_blanks(scan);
	return !*scan->at;
}

bool evg_scan_text(struct evg_scan *scan, const char *text)
{
	size_t length = strlen(text);

	skip_blanks(scan);
	if (strncmp(scan->at, text, length))
		return false;
	scan->at += length;
	return true;
}

bool evg_scan_word(struct evg_scan *scan, char word[EVG_WORD_SIZE])
{
	size_t length = 0;

	skip_blanks(scan);
	while (is_word(scan->at[length]))
		length++;
	if (!length || length >= EVG_WORD_SIZE)
		return false;
	memcpy(word, scan->at, length);
	word[length] = '\0';
	scan->at += length;
	return true;
}

bool evg_scan_keyword(struct evg_scan *scan, const char *word)
{
	const char *before = scan->at;
	char found[EVG_WORD_SIZE];

	if (evg_scan_word(scan, found) && !strcmp(found, word))
		return true;
	scan->at = before;
	return false;
}

bool evg_scan_number(struct evg_scan *scan, uint32_t *value)
{
	unsigned long long number;
	bool hexadecimal;
	char *end;

	skip_blanks(scan);
	if (!isdigit((unsigned char)*scan->at))
		return false;
	hexadecimal = scan->at[0] == '0' && scan->at[1] == 'x' &&
		      isxdigit((unsigned char)scan->at[2]);
	number = strtoull(scan->at, &end, hexadecimal ? 16 : 10);
	if (number > UINT32_MAX)
		return false;
	*value = (uint32_t)number;
	scan->at = end;
	return true;
}

bool evg_scan_signed(struct evg_scan *scan, int32_t *value)
{
	const char *before = scan->at;
	bool negative = evg_scan_text(scan, "-");
	uint32_t magnitude;

	if (!evg_scan_number(scan, &magnitude) ||
	    magnitude > INT32_MAX + (uint32_t)negative) {
		scan->at = before;
		return false;
	}
	*value = (int32_t)(negative ? -magnitude : magnitude);
	return true;
}

int evg_scan_expected(struct evg_scan *scan, const char *format, ...)
{
	char text[160];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	skip_blanks(scan);
	return error_set(scan->error, "%s:%u:%u: expected %s, found %s%.24s%s",
			 scan->name, scan->line,
			 (unsigned)(scan->at - scan->start) + 1, text,
			 *scan->at ? "'" : "the end of the line", scan->at,
			 *scan->at ? "'" : "");
}

int evg_scan_fail(struct evg_scan *scan, const char *format, ...)
{
	char text[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	return error_set(scan->error, "%s:%u: %s", scan->name, scan->line,
			 text);
}

int evg_scan_need(struct evg_scan *scan, const char *text)
{
	return evg_scan_text(scan, text) ? 0
					 : evg_scan_expected(scan, "'%s'", text);
}

int evg_scan_need_number(struct evg_scan *scan, uint32_t *value)
{
	return evg_scan_number(scan, value)
		       ? 0
		       : evg_scan_expected(scan, "a number");
}
