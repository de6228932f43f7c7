#include "base/csv.h"

#include <string.h>

void csv_print_quoted(const char *text, FILE *stream)
{
	fputc('"', stream);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', stream);
		fputc(*text, stream);
	}
	fputc('"', stream);
}

void csv_print(const char *text, FILE *stream)
{
	if (strpbrk(text, ",\"\n"))
		csv_print_quoted(text, stream);
	else
		fputs(text, stream);
}
