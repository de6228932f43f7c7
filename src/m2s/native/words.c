#include "m2s/native/words.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "m2s/native/native.h"
#include "opencl-rt/clc/compile.h"

char **native_words_split(const char *line, size_t *count,
			  struct error *error)
{
	/* Build options are quoted in the same way. */
	char **words = clc_split_options(line, error);

	if (!words) {
		error_set(error, NATIVE_OPTIONS ": a quote is not closed");
		return NULL;
	}
	*count = 0;
	while (words[*count])
		++*count;
	return words;
}

void native_words_free(char **words)
{
	for (size_t i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

char *native_words_join(char *const *words, size_t count)
{
	size_t size = 1, used = 0;
	char *line;

	for (size_t i = 0; i < count; i++)
		size += 2 * strlen(words[i]) + 3;
	line = xmalloc(size);
	for (size_t i = 0; i < count; i++) {
		if (i)
			line[used++] = ' ';
		line[used++] = '"';
		for (const char *at = words[i]; *at; at++) {
			if (*at == '"' || *at == '\\')
				line[used++] = '\\';
			line[used++] = *at;
		}
		line[used++] = '"';
	}
	line[used] = 0;
	return line;
}
