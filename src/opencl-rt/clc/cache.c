/* An entry is a file
 *
 *	m2s-clc-cache 2 <bytes of log> <bytes of binary> <SHA-256>\n
 *	<log><binary>
 *
 * with the checksum of its name, the log and the binary, so that an entry under
 * another's name is none. It appears under its name only when it is whole. Its
 * time of modification is that of its last use. */
#include "opencl-rt/clc/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"

#define HEADER "m2s-clc-cache 2 %zu %zu %64s"
/* Nobody can make us read more. */
enum { ENTRY_SIZE_MAX = CACHE_SIZE_MAX };

static void checksum(const char *key, const struct cache_entry *entry,
		     char text[HASH_TEXT_SIZE])
{
	struct hash hash;

	hash_start(&hash);
	hash_add(&hash, key, strlen(key));
	hash_add(&hash, entry->log, strlen(entry->log));
	hash_add(&hash, entry->binary, entry->binary_size);
	hash_finish_text(&hash, text);
}

static bool read_entry(FILE *file, const char *key, struct cache_entry *entry)
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
	checksum(key, entry, found);
	return !strcmp(wanted, found);
}

/* Whoever may write to the folder cannot make us wait: a FIFO is no entry. */
static FILE *open_entry(const char *folder, const char *key)
{
	char *path = xasprintf("%s/%s", folder, key);
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	struct stat status;
	FILE *stream = NULL;

	free(path);
	if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode))
		stream = fdopen(file, "rb");
	if (file >= 0 && !stream)
		close(file);
	return stream;
}

bool cache_load(const char *folder, const char *key, struct cache_entry *entry)
{
	FILE *file = open_entry(folder, key);
	bool whole;

	memset(entry, 0, sizeof *entry);
	if (!file)
		return false;
	whole = read_entry(file, key, entry);
	if (whole)
		futimens(fileno(file), NULL); /* used now */
	fclose(file);
	if (!whole) {
		free(entry->log);
		free(entry->binary);
		memset(entry, 0, sizeof *entry);
	}
	return whole;
}

void cache_make(const char *folder)
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

/* Looking through a folder of ten thousand entries takes longer than many a
 * compilation, so one store in 16 does it. Keys are hashes: their first digit is
 * as good as a die. */
static bool is_time_to_trim(const char *key)
{
	return key[0] == '0';
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

	cache_make(folder);
	file = mkostemp(temporary, O_CLOEXEC);
	if (file >= 0)
		stream = fdopen(file, "wb");
	if (stream) {
		bool whole;

		checksum(key, entry, sum);
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
	if (is_time_to_trim(key))
		cache_trim(folder, CACHE_SIZE_MAX);
}

/* --- Removing entries --------------------------------------------------- */

struct file {
	char *name;
	struct timespec used;
	uint64_t size;
};

struct files {
	struct file *items;
	size_t count, capacity;
	uint64_t size; /* of all */
};

/* Names are keys; those of unfinished files have a dot before and more
 * behind. */
static bool is_entry(const char *name)
{
	return strspn(name, "0123456789abcdef") == HASH_TEXT_SIZE - 1 &&
	       !name[HASH_TEXT_SIZE - 1];
}

static bool is_unfinished(const char *name)
{
	return *name == '.' && strspn(name + 1, "0123456789abcdef") ==
				       HASH_TEXT_SIZE - 1 &&
	       name[HASH_TEXT_SIZE] == '.';
}

/* Lists the entries; removes unfinished files that nobody writes any more. */
static struct files list_files(DIR *directory)
{
	enum { ABANDONED_SECONDS = 3600 };
	struct files files = { NULL, 0, 0, 0 };
	const struct dirent *found;
	int folder = dirfd(directory);
	struct stat status;

	while ((found = readdir(directory))) {
		struct file *file;

		if (!is_entry(found->d_name) && !is_unfinished(found->d_name))
			continue;
		if (fstatat(folder, found->d_name, &status,
			    AT_SYMLINK_NOFOLLOW) || !S_ISREG(status.st_mode))
			continue;
		if (is_unfinished(found->d_name)) {
			if (status.st_mtime + ABANDONED_SECONDS < time(NULL))
				unlinkat(folder, found->d_name, 0);
			continue;
		}
		ARRAY_GROW(files.items, files.count, files.capacity);
		file = &files.items[files.count++];
		file->name = xstrdup(found->d_name);
		file->used = status.st_mtim;
		file->size = (uint64_t)status.st_size;
		files.size += file->size;
	}
	return files;
}

static int compare_use(const void *a, const void *b)
{
	const struct file *first = a, *second = b;

	if (first->used.tv_sec != second->used.tv_sec)
		return first->used.tv_sec < second->used.tv_sec ? -1 : 1;
	if (first->used.tv_nsec != second->used.tv_nsec)
		return first->used.tv_nsec < second->used.tv_nsec ? -1 : 1;
	return strcmp(first->name, second->name);
}

size_t cache_trim(const char *folder, uint64_t size)
{
	DIR *directory = opendir(folder);
	struct files files;
	size_t removed = 0;

	if (!directory)
		return 0;
	files = list_files(directory);
	if (files.count)
		qsort(files.items, files.count, sizeof *files.items,
		      compare_use);
	for (size_t i = 0; i < files.count; i++) {
		if (files.size > size &&
		    !unlinkat(dirfd(directory), files.items[i].name, 0)) {
			files.size -= files.items[i].size;
			removed++;
		}
		free(files.items[i].name);
	}
	free(files.items);
	closedir(directory);
	return removed;
}
