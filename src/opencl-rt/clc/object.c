/* An object is
 *
 *	m2s-clc-object 1 <object|library> <0|1> <bytes of bitcode> <SHA-256>\n
 *	<bitcode>
 *
 * with 1 for debug information. Programs keep these bytes in files, so they
 * are checked when they come back: LLVM does not take damaged bitcode well. */
#include "opencl-rt/clc/object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

#define MAGIC "m2s-clc-object "
enum { HEADER_SIZE_MAX = 160 };

static void checksum(const struct clc_object *object,
		     char text[HASH_TEXT_SIZE])
{
	struct hash hash;

	hash_start(&hash);
	hash_add(&hash, object->bitcode, object->size);
	hash_finish_text(&hash, text);
}

bool clc_object_is(const void *bytes, size_t size)
{
	return size >= strlen(MAGIC) && !memcmp(bytes, MAGIC, strlen(MAGIC));
}

int clc_object_read(const char *name, const void *bytes, size_t size,
		    struct clc_object *object, struct error *error)
{
	char line[HEADER_SIZE_MAX], kind[8], wanted[HASH_TEXT_SIZE],
		found[HASH_TEXT_SIZE];
	size_t length = size < sizeof line ? size : sizeof line;
	const char *end = memchr(bytes, '\n', length);
	unsigned version, debug;

	if (!clc_object_is(bytes, size) || !end)
		return error_set(error, "%s is not an object of m2s-clc; "
				 "expected an output of m2s-clc -c or "
				 "clCompileProgram", name);
	length = (size_t)(end - (const char *)bytes);
	memcpy(line, bytes, length);
	line[length] = 0;
	if (sscanf(line, MAGIC "%u %7s %u %zu %64s", &version, kind, &debug,
		   &object->size, wanted) != 5)
		return error_set(error, "%s: its first line is damaged", name);
	if (version != 1)
		return error_set(error, "%s: an object of version %u; expected "
				 "1: compile it again", name, version);
	object->library = !strcmp(kind, "library");
	object->debug = debug;
	object->bitcode = end + 1;
	if (object->size != size - length - 1)
		return error_set(error, "%s: found %zu bytes of bitcode, "
				 "expected %zu", name, size - length - 1,
				 object->size);
	checksum(object, found);
	if (strcmp(wanted, found))
		return error_set(error, "%s: damaged: its checksum is wrong",
				 name);
	return 0;
}

char *clc_object_write(const struct clc_object *object, size_t *size)
{
	char sum[HASH_TEXT_SIZE], *bytes, *line;
	size_t length;

	checksum(object, sum);
	line = xasprintf(MAGIC "1 %s %d %zu %s\n",
			 object->library ? "library" : "object", object->debug,
			 object->size, sum);
	length = strlen(line);
	*size = length + object->size;
	bytes = xrealloc(line, *size + 1);
	memcpy(bytes + length, object->bitcode, object->size);
	return bytes;
}
