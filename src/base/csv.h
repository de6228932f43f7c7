/* Comma-separated values, as RFC 4180 has them. */
#ifndef M2S_BASE_CSV_H
#define M2S_BASE_CSV_H

#include <stdio.h>

/* Prints a field in quotes, with those inside it doubled. */
void csv_print_quoted(const char *text, FILE *stream);
/* Prints a field, in quotes only where the text needs them. */
void csv_print(const char *text, FILE *stream);

#endif
