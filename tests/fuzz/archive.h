/* The inputs that a fuzz target keeps: a compressed tar archive. */
#ifndef M2S_TESTS_FUZZ_ARCHIVE_H
#define M2S_TESTS_FUZZ_ARCHIVE_H

#include <stddef.h>
#include <stdint.h>

/* Calls `visit` for each plain file of the archive (ustar format, as POSIX.1
 * describes it in pax(1), compressed by gzip), in order. `data` is the
 * visitor's, from malloc(), and exactly `size` bytes (one for an empty file)
 * long. Returns the number of files; fails the target by fuzz_fail() when the
 * archive is there but cannot be read whole. No archive: 0. */
int archive_each(const char *path,
		 void (*visit)(const char *name, uint8_t *data, size_t size));

#endif
