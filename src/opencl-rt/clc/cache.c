/* An entry is a file
 *
 *	m2s-clc-cache 1 <bytes of log> <bytes of binary> <SHA-256 of both>\n
 *	<log><binary>
 *
 * and appears under its name only when it is whole. */
#include "opencl-rt/clc/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "opencl-rt/clc/hash.h"

#define HEADER "m2s-clc-cache 1 %zu %zu %64s"
enum { ENTRY_SIZE_MAX = 1 << 30 };

static void checksum(const struct cache_entry *entry,
		     char text[HASH_TEXT_SIZE])
{
	struct hash hash;

	hash_start(&hash);
	hash_add(&hash, entry->log, strlen(entry->log));
	hash_add(&hash, entry->binary, entry->binary_size);
	hash_finish_text(&hash, text);
}

static bool read_entry(FILE *file, struct cache_entry *entry)
{
	char line[160], wanted[HASH_TEXT_SIZE], found[HASH_TEXT_SIZE];
	size_t log_size;

	if (!fgets(line, sizeof line, file) ||
	    sscanf(line, HEADER, &log_size, &entry->binary_size, wanted) != 3 ||
	    log_size > ENTRY_SIZE_MAX || entry->binary_size > ENTRY_SIZE_MAX)
		return false;
	entry->log = xmalloc(log_size + 1);
	entry->binary = xmalloc(entry->binary_size + 1);
	if (fread(entry->log, 1, log_size, file) != log_size ||
	    fread(entry->binary, 1, entry->binary_size, file) !=
		    entry->binary_size ||
	    fgetc(file) != EOF)
		return false;
	entry->log[log_size] = 0;
	if (strlen(entry->log) != log_size)
		return false;
	checksum(entry, found);
	return !strcmp(wanted, found);
}

bool cache_load(const char *folder, const char *key, struct cache_entry *entry)
{
	char *path = xasprintf("%s/%s", folder, key);
	FILE *file = fopen(path, "rbe");
	bool whole;

	free(path);
	memset(entry, 0, sizeof *entry);
	if (!file)
		return false;
	whole = read_entry(file, entry);
	fclose(file);
	if (!whole) {
		free(entry->log);
		free(entry->binary);
		memset(entry, 0, sizeof *entry);
	}
	return whole;
}

/* Makes the folder and those above it. */
static void make_folder(const char *folder)
{
	char *path = xstrdup(folder);

	for (char *slash = strchr(path + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(path, 0700);
		*slash = '/';
	}
	mkdir(path, 0700);
	free(path);
}

void cache_store(const char *folder, const char *key,
		 const struct cache_entry *entry)
{
	char *path = xasprintf("%s/%s", folder, key);
	char *temporary = xasprintf("%s/.%s.XXXXXX", folder, key);
	size_t log_size = strlen(entry->log);
	char sum[HASH_TEXT_SIZE];
	FILE *stream = NULL;
	int file;

	make_folder(folder);
	file = mkostemp(temporary, O_CLOEXEC);
	if (file >= 0)
		stream = fdopen(file, "wb");
	if (stream) {
		bool whole;

		checksum(entry, sum);
		fprintf(stream, HEADER "\n", log_size, entry->binary_size,
			sum);
		fwrite(entry->log, 1, log_size, stream);
		fwrite(entry->binary, 1, entry->binary_size, stream);
		whole = !ferror(stream);
		if (fclose(stream) || !whole || rename(temporary, path))
			unlink(temporary);
	} else if (file >= 0) {
		close(file);
		unlink(temporary);
	}
	free(temporary);
	free(path);
}
