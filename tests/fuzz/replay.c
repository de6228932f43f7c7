/* The main function of a fuzz target that is not linked with libFuzzer: runs
 * what it has found and the inputs of its archive, or the files named on the
 * command line. */
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/archive.h"

void fuzz_fail(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fputs("not ok - ", stdout);
	vprintf(format, arguments);
	putchar('\n');
	fflush(stdout);
	va_end(arguments);
	abort();
}

#ifndef M2S_LIBFUZZER

static void replay(const char *name, uint8_t *data, size_t size)
{
	/* Should this one crash, its name is the last in the log. */
	printf("# %s\n", name);
	fflush(stdout);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
}

static void replay_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t size = 0, got;

	if (!file)
		fuzz_fail("%s: cannot open", path);
	do {
		data = realloc(data, size + 4096);
		if (!data)
			abort();
		got = fread(data + size, 1, 4096, file);
		size += got;
	} while (got);
	fclose(file);
	/* Exactly as long as the input, for the address sanitizer. */
	data = realloc(data, size ? size : 1);
	replay(path, data, size);
}

int main(int count, char **list)
{
	const char *top = getenv("top_srcdir"), *name = strrchr(list[0], '/');
	struct dirent **entry;
	char path[4096];
	int entries, done = 0;

	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&count, &list);
	if (count > 1) {
		for (int i = 1; i < count; i++)
			replay_file(list[i]);
		return 0;
	}
	name = name ? name + 1 : list[0];
	snprintf(path, sizeof path, "%s/tests/fuzz/corpus/%s", top ? top : ".",
		 name);
	entries = scandir(path, &entry, NULL, alphasort);
	for (int i = 0; i < entries; i++) {
		char file[8192];

		snprintf(file, sizeof file, "%s/%s", path, entry[i]->d_name);
		if (entry[i]->d_name[0] != '.') {
			replay_file(file);
			done++;
		}
		free(entry[i]);
	}
	if (entries >= 0)
		free(entry);
	snprintf(path, sizeof path, "%s/tests/fuzz/corpus/%s.tar.gz",
		 top ? top : ".", name);
	done += archive_each(path, replay);
	printf("%s - %s: %d inputs\n", done ? "ok" : "not ok", name, done);
	return !done;
}

#endif
