/* The words of M2S_OPTIONS. */
#ifndef M2S_M2S_NATIVE_WORDS_H
#define M2S_M2S_NATIVE_WORDS_H

#include <stddef.h>

#include "base/error.h"

/* Takes a line apart into words, at blanks that are not quoted. The array ends
 * with NULL; words and array are freed by native_words_free(). NULL and *error
 * when a quote is not closed. */
char **native_words_split(const char *line, size_t *count,
			  struct error *error);
void native_words_free(char **words);

#endif
