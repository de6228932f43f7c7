#include "fuzz/archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "fuzz/fuzz.h"

enum { BLOCK = 512, SIZE_MAX_DIGITS = 12 };

struct header {
	char name[100], mode[8], uid[8], gid[8], size[SIZE_MAX_DIGITS];
	char mtime[12], checksum[8], type, rest[BLOCK - 157];
};
_Static_assert(sizeof(struct header) == BLOCK, "a block of the archive");

static void read_all(gzFile file, const char *path, void *data, size_t size)
{
	if (gzread(file, data, (unsigned)size) != (int)size)
		fuzz_fail("%s: cannot be read whole", path);
}

static size_t size_of(const struct header *header)
{
	char digits[SIZE_MAX_DIGITS + 1] = "";

	memcpy(digits, header->size, SIZE_MAX_DIGITS);
	return strtoul(digits, NULL, 8);
}

/* The name without the folders before it. */
static void name_of(const struct header *header, char *name)
{
	const char *slash;

	memcpy(name, header->name, sizeof header->name);
	name[sizeof header->name] = '\0';
	slash = strrchr(name, '/');
	if (slash)
		memmove(name, slash + 1, strlen(slash));
}

int archive_each(const char *path,
		 void (*visit)(const char *name, uint8_t *data, size_t size))
{
	gzFile file = access(path, F_OK) ? NULL : gzopen(path, "rb");
	struct header header;
	int count = 0;

	if (!file)
		return 0;
	for (;;) {
		char name[sizeof header.name + 1], padding[BLOCK];
		uint8_t *data;
		size_t size;

		read_all(file, path, &header, BLOCK);
		if (!*header.name)
			break;
		size = size_of(&header);
		data = malloc(size ? size : 1);
		if (!data)
			abort();
		read_all(file, path, data, size);
		read_all(file, path, padding, -size % BLOCK);
		if (header.type != '0') {
			free(data);
			continue;
		}
		name_of(&header, name);
		visit(name, data, size);
		count++;
	}
	gzclose(file);
	return count;
}
